import { type BaselineState, describeBaseline } from './baseline.ts'
import { type CaseReport, totalsOf } from './case-report.ts'
import type { Change } from './comparison.ts'
import { formatPercent, type Percent } from './percent.ts'
import { failureText, type JudgedRate, ratePercent } from './result.ts'
import { judgedRate } from './stability.ts'

export const FAIL_ON = ['regression', 'threshold', 'error'] as const
export type FailOn = (typeof FAIL_ON)[number]

/** The policy: what makes a run red. */
export interface Gate {
  readonly failOn: readonly FailOn[]
  readonly minPassRate: Percent
  /** Errored runs allowed, as a share of executed runs. */
  readonly maxErrorRate: Percent
  readonly allowEmpty: boolean
  readonly requireBaseline: boolean
  readonly onBaselineError: 'fail' | 'warn'
}

/** One cause of a red run. */
export type Reason =
  | { readonly kind: 'regressed'; readonly key: string; readonly before: JudgedRate; readonly after: JudgedRate }
  | {
      readonly kind: 'below_min_pass_rate'
      readonly key: string
      readonly actual: JudgedRate
      readonly required: Percent
    }
  | { readonly kind: 'errored'; readonly errored: number; readonly runs: number; readonly cause: string }
  | { readonly kind: 'nothing_judged'; readonly cause: string }
  | { readonly kind: 'no_runs'; readonly skipped: number }
  | { readonly kind: 'baseline_required' | 'baseline_unreadable'; readonly state: BaselineState }
  | { readonly kind: 'interrupted' | 'stopped_early'; readonly done: number; readonly planned: number }

/** Why a run ended as it did; `--exit-codes detailed` gives each its own code. */
export type ExitReason = 'passed' | 'failed' | 'regression' | 'error' | 'configuration' | 'interrupted'

export interface Verdict {
  readonly passed: boolean
  readonly exitReason: ExitReason
  readonly reasons: readonly Reason[]
}

export interface Evidence {
  readonly cases: readonly CaseReport[]
  readonly changes: readonly Change[]
  readonly baseline: BaselineState
  /** Runs that were planned, skipped cases apart. */
  readonly plannedRuns: number
  readonly interrupted: boolean
}

/** Judges the evidence by the gate. Pure: the same evidence always gives the same verdict. */
export function judge(evidence: Evidence, gate: Gate): Verdict {
  const reasons = [
    ...interruption(evidence),
    ...emptiness(evidence, gate),
    ...(gate.failOn.includes('regression') ? regressions(evidence.changes) : []),
    ...(gate.failOn.includes('threshold') ? belowThreshold(evidence.cases, gate.minPassRate) : []),
    ...errors(evidence.cases, gate),
    ...baselineReasons(evidence.baseline, gate),
  ]
  // A part of the suite is never green, whatever made the run stop.
  if (reasons.length === 0) reasons.push(...partial(evidence))
  return { passed: reasons.length === 0, exitReason: exitReasonOf(reasons), reasons }
}

function interruption({ interrupted, cases, plannedRuns }: Evidence): Reason[] {
  return interrupted ? [{ kind: 'interrupted', done: runsDone(cases), planned: plannedRuns }] : []
}

function partial({ cases, plannedRuns }: Evidence): Reason[] {
  const done = runsDone(cases)
  return done < plannedRuns ? [{ kind: 'stopped_early', done, planned: plannedRuns }] : []
}

function emptiness({ cases, interrupted }: Evidence, { allowEmpty }: Gate): Reason[] {
  if (interrupted || allowEmpty || totalRuns(cases) > 0) return []
  return [{ kind: 'no_runs', skipped: cases.filter((item) => item.skip !== undefined).length }]
}

function regressions(changes: readonly Change[]): Reason[] {
  return changes.flatMap((change): Reason[] => {
    if (change.kind !== 'regressed') return []
    return [{ kind: 'regressed', key: change.key, before: change.before, after: change.after }]
  })
}

function belowThreshold(cases: readonly CaseReport[], required: Percent): Reason[] {
  return cases.flatMap((item): Reason[] => {
    const actual = judgedRate(item.stability)
    if (!actual || ratePercent(actual) >= required) return []
    return [{ kind: 'below_min_pass_rate', key: item.key, actual, required }]
  })
}

/** Errors are named once, with their most frequent cause, not once per run. */
function errors(cases: readonly CaseReport[], { failOn, maxErrorRate }: Gate): Reason[] {
  const { runs, erroredRuns: errored } = totalsOf(cases)
  if (errored === 0) return []
  const cause = mostFrequent(
    cases.flatMap((item) => item.runs.flatMap((run) => (run.status === 'errored' ? [failureText(run)] : []))),
  )
  const overLimit = failOn.includes('error') && (errored / runs) * 100 > maxErrorRate
  if (overLimit) return [{ kind: 'errored', errored, runs, cause }]
  return errored === runs ? [{ kind: 'nothing_judged', cause }] : []
}

function baselineReasons(state: BaselineState, { requireBaseline, onBaselineError }: Gate): Reason[] {
  if (state.kind === 'unreadable' && onBaselineError === 'fail') return [{ kind: 'baseline_unreadable', state }]
  return requireBaseline && state.kind !== 'ok' ? [{ kind: 'baseline_required', state }] : []
}

/** The worst known fact wins: a proven regression is not hidden by an error elsewhere. */
function exitReasonOf(reasons: readonly Reason[]): ExitReason {
  const has = (...kinds: readonly Reason['kind'][]) => reasons.some((reason) => kinds.includes(reason.kind))
  if (reasons.length === 0) return 'passed'
  if (has('interrupted')) return 'interrupted'
  if (has('regressed')) return 'regression'
  if (has('below_min_pass_rate')) return 'failed'
  if (has('errored', 'nothing_judged', 'baseline_unreadable')) return 'error'
  return 'failed'
}

/** Runs that came to an end, those that skipped themselves included. */
export function runsDone(cases: readonly CaseReport[]): number {
  const { runs, skippedRuns } = totalsOf(cases)
  return runs + skippedRuns
}

export function totalRuns(cases: readonly CaseReport[]): number {
  return totalsOf(cases).runs
}

function mostFrequent(texts: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].sort((left, right) => right[1] - left[1])[0]?.[0] ?? ''
}

/** The only place with words for reasons: every surface says the same. */
export function describeReason(reason: Reason): string {
  switch (reason.kind) {
    case 'regressed':
      return `${reason.key} regressed: ${describeRate(reason.before)} passed in the baseline, ${describeRate(reason.after)} here`
    case 'below_min_pass_rate':
      return `${reason.key} passed ${describeRate(reason.actual)} (${formatPercent(ratePercent(reason.actual))}), below the required ${formatPercent(reason.required)}`
    case 'errored':
      return `${reason.errored} of ${reason.runs} runs errored: ${reason.cause}`
    case 'nothing_judged':
      return `every run errored, so nothing could be judged: ${reason.cause}`
    case 'no_runs':
      if (reason.skipped === 0) return 'no case was run'
      return `no case was run: ${reason.skipped === 1 ? 'the only one is' : `all ${reason.skipped} are`} skipped`
    case 'baseline_required':
      return `a baseline is required. ${describeBaseline(reason.state)}`
    case 'baseline_unreadable':
      return describeBaseline(reason.state)
    case 'interrupted':
      return `interrupted after ${reason.done} of ${reason.planned} runs`
    case 'stopped_early':
      return `stopped after ${reason.done} of ${reason.planned} runs, so the suite is not proven`
  }
}

export function describeRate({ passed, judged }: JudgedRate): string {
  return `${passed}/${judged}`
}

const DETAILED_CODES: Record<ExitReason, number> = {
  passed: 0,
  failed: 1,
  regression: 2,
  error: 3,
  configuration: 4,
  interrupted: 130,
}

/** Seed: 0 or 1. Detailed: one code per reason. */
export function exitCodeOf(reason: ExitReason, style: 'seed' | 'detailed'): number {
  if (style === 'detailed') return DETAILED_CODES[reason]
  return reason === 'passed' ? 0 : 1
}
