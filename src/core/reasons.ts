import type { BaselineState } from './baseline.ts'
import { type CaseReport, runsDone, totalRuns, totalsOf } from './case-report.ts'
import type { Gate } from './gate.ts'
import type { Judgement } from './judgement.ts'
import { failureText, stageOf } from './result.ts'
import { firesWithout } from './suite-without.ts'
import type { ThresholdFinding } from './thresholds.ts'
import type { Evidence, Reason } from './verdict.ts'

/** Every cause of red, before anything is let through; what may have stopped the run comes first. */
export function findReasons(evidence: Evidence, gate: Gate, thresholds: readonly ThresholdFinding[]): Reason[] {
  const { judgement, cases, baseline } = evidence
  const regressed = gate.failOn.includes('regression') && judgement ? regressions(judgement, evidence) : []
  return [
    ...interruption(evidence),
    ...budget(evidence),
    ...emptiness(evidence, gate),
    ...regressed,
    ...belowLimits(thresholds, regressed),
    ...removals(evidence, gate),
    ...costs(evidence, gate),
    ...errors(cases, gate),
    ...baselineReasons(baseline, gate),
  ]
}

/** A part of the suite that nothing else is red of. */
export function partial(evidence: Evidence): Reason[] {
  const { plannedRuns } = evidence
  const done = firstRunsDone(evidence)
  return done < plannedRuns ? [{ kind: 'stopped_early', done, planned: plannedRuns }] : []
}

function interruption(evidence: Evidence): Reason[] {
  const { interrupted, plannedRuns } = evidence
  return interrupted ? [{ kind: 'interrupted', done: firstRunsDone(evidence), planned: plannedRuns }] : []
}

function budget(evidence: Evidence): Reason[] {
  const { stoppedBy, plannedRuns } = evidence
  if (!stoppedBy) return []
  return [{ kind: 'budget_reached', stop: stoppedBy, done: firstRunsDone(evidence), planned: plannedRuns }]
}

/** Of the first stage: re-runs of one case do not make up for the runs that another one lacks. */
function firstRunsDone({ cases, runsPerCase }: Evidence): number {
  const reruns = cases.reduce(
    (sum, { runs }) => sum + runs.filter((run) => stageOf(run, runsPerCase) === 'rerun').length,
    0,
  )
  return runsDone(cases) - reruns
}

/** A case that the base branch's runs stand for is not nothing. */
function emptiness({ cases, interrupted }: Evidence, { allowEmpty }: Gate): Reason[] {
  if (interrupted || allowEmpty || totalRuns(cases) > 0) return []
  if (cases.some(({ unchanged }) => unchanged !== undefined)) return []
  return [{ kind: 'no_runs', skipped: cases.filter((item) => item.skip !== undefined).length }]
}

/** An alarm of the suite that is the named cases' alone says nothing that they do not say. */
function regressions({ cases, suite, settings }: Judgement, evidence: Evidence): Reason[] {
  const named = cases.flatMap((finding): Reason[] => {
    if (!isRed(finding)) return []
    const { key, before, after } = finding
    return [{ kind: 'regressed', key, before, after, finding, tested: cases.length, limit: settings.alphaCase }]
  })
  const keys = new Set(named.flatMap((reason) => ('key' in reason ? [reason.key] : [])))
  if (!isRed(suite) || (keys.size > 0 && !firesWithout(evidence, keys))) return named
  return [...named, { kind: 'suite_regressed', finding: suite, limit: settings.alphaSuite }]
}

function isRed({ outcome }: { readonly outcome: Judgement['suite']['outcome'] }): boolean {
  return outcome === 'confirmed' || outcome === 'uncontrolled'
}

/** A case that regressed is not named twice. */
function belowLimits(thresholds: readonly ThresholdFinding[], regressed: readonly Reason[]): Reason[] {
  const named = new Set(regressed.flatMap((reason) => ('key' in reason ? [reason.key] : [])))
  return thresholds.flatMap(({ key, outcome, actual, required, mode }): Reason[] => {
    if (named.has(key)) return []
    if (outcome === 'critical') return [{ kind: 'critical_failed', key, actual }]
    return outcome === 'blocks' ? [{ kind: 'below_min_pass_rate', key, actual, required, mode }] : []
  })
}

function removals({ changes }: Evidence, { failOn }: Gate): Reason[] {
  const keys = changes.flatMap(({ kind, key }) => (kind === 'removed' ? [key] : []))
  return failOn.includes('removed') && keys.length > 0 ? [{ kind: 'removed', keys }] : []
}

/** Durations have the clock's noise, and the runner's: they only warn. Source: spec verdict 9. */
function costs({ judgement }: Evidence, { failOn }: Gate): Reason[] {
  if (!failOn.includes('cost')) return []
  return (judgement?.resources ?? []).flatMap((finding): Reason[] =>
    finding.increased && finding.resource !== 'duration' ? [{ kind: 'cost_increased', finding }] : [],
  )
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

function mostFrequent(texts: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].sort((left, right) => right[1] - left[1])[0]?.[0] ?? ''
}
