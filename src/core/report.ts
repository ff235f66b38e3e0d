import type { BaselineState } from './baseline.ts'
import type { CaseReport } from './case-report.ts'
import type { Change } from './comparison.ts'
import type { Identity } from './identity.ts'
import type { Gate, Verdict } from './verdict.ts'

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
  readonly runsPerCase: number
  readonly cases: readonly CaseReport[]
  readonly baseline: BaselineState
  readonly changes: readonly Change[]
  readonly gate: Gate
  readonly verdict: Verdict
  readonly warnings: readonly string[]
}
