import type { Percent } from './percent.ts'
import type { JudgedRate } from './result.ts'
import type { ControlOutcome } from './statistics/control.ts'
import type { GateSettings } from './statistics/gate-settings.ts'

/** What the case test says of one case that it looked at. */
export interface CaseFinding {
  readonly key: string
  /** Stage-1 runs of the base branch's window. */
  readonly before: JudgedRate
  /** All runs here. */
  readonly after: JudgedRate
  /** Chance (0..1) of a drop this bad in any of the `tested` cases, had nothing changed. */
  readonly p: number
  /** Where it is flagged; the control decides what becomes of that. */
  readonly flagged: boolean
  /** `quiet`: not flagged. `uncontrolled`: flagged, and the base commit could not be run again. */
  readonly outcome: ControlOutcome | 'quiet'
  /** Fresh runs of the base commit. */
  readonly control?: JudgedRate
}

export interface SuiteFinding {
  /** Failed runs of the first stage, of `runs` that were compared, in `cases` cases. */
  readonly failed: number
  readonly runs: number
  readonly cases: number
  /** Failed runs that shuffling the runs between base branch and here predicts. */
  readonly expected: number
  readonly p: number
  readonly fires: boolean
  readonly outcome: ControlOutcome | 'quiet'
  readonly control?: JudgedRate
}

/** What could not have been seen at this number of runs. */
export interface Sensitivity {
  /** Median number of judged base-branch runs of the compared cases. */
  readonly baselineRuns: number
  readonly comparedCases: number
  /** Smallest drop, in points, of one always-passing case that is found in four of five pull requests, and in half. */
  readonly caseDrop80?: Percent
  readonly caseDrop50?: Percent
  /** Smallest drop of all cases alike that is found in four of five pull requests. */
  readonly suiteDrop80?: Percent
}

export type Resource = 'duration' | 'tokens' | 'cost' | 'turns'

/** How a resource changed over the compared cases, first stages only. */
export interface ResourceFinding {
  readonly resource: Resource
  /** Typical ratio, here to the base branch. */
  readonly ratio: number
  readonly p: number
  /** No accident, and at least the gate's limit. */
  readonly increased: boolean
  readonly limit: number
}

/** What became of the fresh runs of the base commit. */
export type ControlState =
  | { readonly kind: 'off' | 'not_needed' }
  /** `reason` is a clause without a full stop. */
  | { readonly kind: 'unavailable'; readonly reason: string }
  | {
      readonly kind: 'run'
      readonly commit: string
      readonly runs: number
      readonly erroredRuns: number
      readonly durationMs: number
      /** Cases that the base side could not run, and why, once each. */
      readonly missing: readonly { readonly key: string; readonly reason: string }[]
    }

/** Everything the statistics say; absent where nothing was compared. */
export interface Judgement {
  readonly settings: GateSettings
  readonly suite: SuiteFinding
  /** Cases that the case test looked at: the suspicious ones, or all without re-runs. */
  readonly cases: readonly CaseFinding[]
  /** Keys of cases that are shown to be better. */
  readonly improved: readonly string[]
  readonly sensitivity: Sensitivity
  readonly resources: readonly ResourceFinding[]
  readonly control: ControlState
}
