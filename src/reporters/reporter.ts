import type { CaseReport } from '../core/case-report.ts'
import type { Refusal } from '../core/errors.ts'
import type { Report } from '../core/report.ts'
import type { RunResult } from '../core/result.ts'
import type { Case } from '../core/suite.ts'

/** What is about to be run. */
export interface RunPlan {
  /** RFC 3339. */
  readonly startedAt: string
  /** Every loaded case, skipped ones included. */
  readonly cases: readonly Case[]
  readonly runsPerCase: number
  readonly targets: readonly string[]
  readonly connector?: string
}

/**
 * A destination. Every hook is optional; a hook that throws is a warning and cannot change the verdict, except an
 * output file the user asked for, which ends the run with an error.
 */
export interface Reporter {
  readonly name: string
  /** The user asked for it by name: when it fails the run ends with an error, not with a warning. */
  readonly required?: boolean
  onStart?(plan: RunPlan): void | Promise<void>
  /** As each run ends, in the order they end. */
  onRun?(result: RunResult, item: Case): void | Promise<void>
  /** As soon as the last run of a case has ended; also for skipped cases. */
  onCase?(item: CaseReport): void | Promise<void>
  onEnd?(report: Report): void | Promise<void>
  /** In place of everything else: there is no report, and what an earlier one said must not stand. */
  onRefusal?(refusal: Refusal): void | Promise<void>
}
