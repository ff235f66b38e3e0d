import type { BaselineState } from './baseline.ts'
import type { Spending } from './budget.ts'
import type { CaseReport } from './case-report.ts'
import type { Change } from './comparison.ts'
import type { Gate } from './gate.ts'
import type { Pools } from './history.ts'
import type { Identity } from './identity.ts'
import type { Judgement } from './judgement.ts'
import type { Verdict } from './verdict.ts'
import type { QuarantineProposal } from './waiver.ts'

export const REPORT_VERSION = 1

/** The one value that everything renders. */
export interface Report {
  readonly schemaVersion: typeof REPORT_VERSION
  /** RFC 3339. */
  readonly startedAt: string
  readonly finishedAt: string
  readonly durationMs: number
  readonly version: string
  readonly inputs: readonly string[]
  /** Labels of the targets, one for most runs. */
  readonly targets: readonly string[]
  readonly connector?: string
  readonly identity: Identity
  /** Runs of each case in the first stage. */
  readonly runsPerCase: number
  /** Runs of a case that was looked at more closely, the first stage included; `runsPerCase` where none is. */
  readonly maxRuns: number
  readonly cases: readonly CaseReport[]
  readonly baseline: BaselineState
  readonly changes: readonly Change[]
  /** What the base branch is known to do, by case. */
  readonly pools: Pools
  /** Absent where nothing was compared. */
  readonly judgement?: Judgement
  readonly spending: Spending
  readonly proposals: readonly QuarantineProposal[]
  readonly gate: Gate
  readonly verdict: Verdict
  readonly warnings: readonly string[]
}
