import type { BaselineState } from './baseline.ts'
import type { BudgetStop, Spending } from './budget.ts'
import { type CaseReport, executedCases, totalsOf } from './case-report.ts'
import type { Change } from './comparison.ts'
import type { Gate, ThresholdMode } from './gate.ts'
import type { Pools } from './history.ts'
import type { CaseFinding, Judgement, ResourceFinding, SuiteFinding } from './judgement.ts'
import { letThrough } from './let-through.ts'
import { findNotes } from './notes.ts'
import type { Percent } from './percent.ts'
import { findReasons, partial } from './reasons.ts'
import type { JudgedRate } from './result.ts'
import { thresholdFindings } from './thresholds.ts'
import type { Waiver } from './waiver.ts'

export { runsDone, totalRuns } from './case-report.ts'
export { describeNote } from './describe-note.ts'
export { describeRate, describeReason } from './describe-reason.ts'
export { describeSensitivity } from './describe-sensitivity.ts'

/** One cause of a red run. */
export type Reason =
  | {
      readonly kind: 'regressed'
      readonly key: string
      readonly before: JudgedRate
      readonly after: JudgedRate
      readonly finding: CaseFinding
      /** Cases that the case test looked at, for the sentence. */
      readonly tested: number
      /** Largest p that flags. */
      readonly limit: number
    }
  | { readonly kind: 'suite_regressed'; readonly finding: SuiteFinding; readonly limit: number }
  | {
      readonly kind: 'below_min_pass_rate'
      readonly key: string
      readonly actual: JudgedRate
      readonly required: Percent
      readonly mode: ThresholdMode
    }
  /** A critical case had a run that did not pass. */
  | { readonly kind: 'critical_failed'; readonly key: string; readonly actual: JudgedRate }
  | { readonly kind: 'removed'; readonly keys: readonly string[] }
  | { readonly kind: 'cost_increased'; readonly finding: ResourceFinding }
  | { readonly kind: 'errored'; readonly errored: number; readonly runs: number; readonly cause: string }
  | { readonly kind: 'nothing_judged'; readonly cause: string }
  | { readonly kind: 'no_runs'; readonly skipped: number }
  | { readonly kind: 'baseline_required' | 'baseline_unreadable'; readonly state: BaselineState }
  | { readonly kind: 'interrupted' | 'stopped_early'; readonly done: number; readonly planned: number }
  /** Never green: what was not run is not proven. */
  | { readonly kind: 'budget_reached'; readonly stop: BudgetStop; readonly done: number; readonly planned: number }

/** What a reader must know besides; it does not make the run red. */
export type Note =
  /** A reason that was let through. */
  | { readonly kind: 'waived'; readonly reason: Reason; readonly waiver: Waiver }
  | { readonly kind: 'waiver_expired' | 'waiver_unused'; readonly waiver: Waiver }
  /** Below its limit on the base branch already. */
  | {
      readonly kind: 'known_bad'
      readonly key: string
      readonly before: JudgedRate
      readonly actual: JudgedRate
      readonly required: Percent
    }
  /** Below its limit, or not above it for sure, at this number of runs. */
  | {
      readonly kind: 'threshold_not_proven'
      readonly key: string
      readonly actual: JudgedRate
      readonly required: Percent
    }
  /**
   * Neutral: the base commit does as badly now; asks for a fresh baseline. `key` absent: the suite as a whole. `control`
   * absent: a case that is below its limit in a suite that moved, and was not run again on its own.
   */
  | {
      readonly kind: 'environment_moved'
      readonly key?: string
      readonly before: JudgedRate
      readonly after: JudgedRate
      readonly control?: JudgedRate
    }
  | { readonly kind: 'not_proven'; readonly key: string; readonly finding: CaseFinding }
  | { readonly kind: 'control_unavailable'; readonly reason: string }
  /** Neutral: `cases` of `of` have too few base-branch runs, `runs` at most. */
  | { readonly kind: 'young_baseline'; readonly cases: number; readonly of: number; readonly runs: number }
  /** Neutral: there was nothing to compare with; a state that is `ok` has no case that can be compared. */
  | { readonly kind: 'not_compared'; readonly state: BaselineState }
  | { readonly kind: 'removed'; readonly keys: readonly string[] }
  | { readonly kind: 'slower' | 'costlier'; readonly finding: ResourceFinding }
  /** Cost counts as unknown for these runs, never as nothing. */
  | { readonly kind: 'unpriced'; readonly runs: number; readonly of: number; readonly limited: boolean }
  /** Artifacts of earlier sessions that are missing or expired; a clause. */
  | { readonly kind: 'history_shrunk'; readonly detail: string }
  /** Suites that were not run because nothing they depend on was changed. */
  | { readonly kind: 'unchanged_suites'; readonly suites: readonly string[]; readonly cases: number }

/** Why a run ended as it did; `--exit-codes detailed` gives each its own code. */
export type ExitReason = 'passed' | 'failed' | 'regression' | 'error' | 'configuration' | 'interrupted'

/**
 * What a check run shows. `neutral` passes: nothing is proven against this change, and something that a reader may
 * take for granted was not done, such as a comparison.
 */
export type Conclusion = 'success' | 'neutral' | 'failure' | 'cancelled'

export interface Verdict {
  readonly passed: boolean
  readonly conclusion: Conclusion
  readonly exitReason: ExitReason
  readonly reasons: readonly Reason[]
  readonly notes: readonly Note[]
}

export interface Evidence {
  readonly cases: readonly CaseReport[]
  readonly changes: readonly Change[]
  readonly baseline: BaselineState
  /** Runs of each case in the first stage. */
  readonly runsPerCase: number
  /** Runs of the first stage that were planned, skipped cases apart. */
  readonly plannedRuns: number
  readonly interrupted: boolean
  /** Absent where nothing was compared. */
  readonly judgement?: Judgement
  readonly pools: Pools
  readonly waivers: readonly Waiver[]
  /** `YYYY-MM-DD` in UTC: waivers end after their last day. */
  readonly today: string
  readonly stoppedBy?: BudgetStop
  readonly spending: Spending
  /** Whether a limit of money was set. */
  readonly costLimited: boolean
}

/** Judges the evidence by the gate. Pure: the same evidence always gives the same verdict. */
export function judge(evidence: Evidence, gate: Gate): Verdict {
  const thresholds = thresholdFindings(evidence, gate)
  const { reasons, notes: waived } = letThrough(findReasons(evidence, gate, thresholds), evidence)
  // A part of the suite is never green, whatever made the run stop.
  if (reasons.length === 0) reasons.push(...partial(evidence))
  const notes = [...waived, ...findNotes(evidence, gate, { thresholds, reasons })]
  const conclusion = conclusionOf(reasons, notes, evidence)
  return { passed: reasons.length === 0, conclusion, exitReason: exitReasonOf(reasons), reasons, notes }
}

function conclusionOf(
  reasons: readonly Reason[],
  notes: readonly Note[],
  { baseline, judgement, cases }: Evidence,
): Conclusion {
  if (reasons.some(({ kind }) => kind === 'interrupted')) return 'cancelled'
  if (reasons.length > 0) return 'failure'
  const hasMoved = notes.some(({ kind }) => kind === 'environment_moved')
  const isUncompared = baseline.kind !== 'off' && judgement === undefined
  const isEmpty = executedCases(totalsOf(cases)) === 0
  return hasMoved || isUncompared || isEmpty ? 'neutral' : 'success'
}

/**
 * The worst known fact wins: a proven regression is not hidden by an error elsewhere. A run that a budget or
 * `--fail-fast` cut short is `failed`: it could have been run, and is not proven.
 */
function exitReasonOf(reasons: readonly Reason[]): ExitReason {
  const has = (...kinds: readonly Reason['kind'][]) => reasons.some((reason) => kinds.includes(reason.kind))
  if (reasons.length === 0) return 'passed'
  if (has('interrupted')) return 'interrupted'
  if (has('regressed', 'suite_regressed')) return 'regression'
  if (has('below_min_pass_rate', 'critical_failed')) return 'failed'
  if (has('errored', 'nothing_judged', 'baseline_unreadable')) return 'error'
  return 'failed'
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
