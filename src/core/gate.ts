import type { Percent } from './percent.ts'

export const FAIL_ON = ['regression', 'threshold', 'error', 'removed', 'cost'] as const
export type FailOn = (typeof FAIL_ON)[number]

/** How much must be shown of a pass rate: see `thresholdVerdict`. */
export const THRESHOLD_MODES = ['shown', 'observed', 'proven'] as const
export type ThresholdMode = (typeof THRESHOLD_MODES)[number]

/** The policy: what makes a run red. */
export interface Gate {
  readonly failOn: readonly FailOn[]
  readonly minPassRate: Percent
  /** `auto`: shown for a case with at least three judged runs, else observed. Source: spec verdict 7. */
  readonly thresholdMode: ThresholdMode | 'auto'
  /** `new`: a case that was below its limit on the base branch already does not block. */
  readonly thresholdScope: 'new' | 'all'
  /** Errored runs allowed, as a share of executed runs. */
  readonly maxErrorRate: Percent
  readonly allowEmpty: boolean
  readonly requireBaseline: boolean
  readonly onBaselineError: 'fail' | 'warn'
  /** Largest ratio of durations, here to the base branch, that is not warned of; 1.25 is a quarter more. */
  readonly maxLatencyIncrease: number
  /** The same for cost, tokens and turns, which `cost` in `failOn` makes red. */
  readonly maxCostIncrease: number
}

/** What a case, or its suite, asks of itself in place of the gate's own settings. */
export interface CaseGate {
  readonly minPassRate?: Percent
  readonly thresholdMode?: ThresholdMode
  /** Every judged run must pass, whatever is known of the case on the base branch; it cannot be quarantined. */
  readonly critical?: boolean
}

/** Field by field, the later of the gates outrank the earlier; undefined where none of them says anything. */
export function mergeGates(gates: readonly (CaseGate | undefined)[]): CaseGate | undefined {
  const merged = gates.reduce<CaseGate>((sum, gate) => ({ ...sum, ...gate }), {})
  return Object.keys(merged).length === 0 ? undefined : merged
}
