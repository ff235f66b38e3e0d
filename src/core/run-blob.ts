import type { BudgetStop, Spending } from './budget.ts'
import type { CaseReport } from './case-report.ts'
import type { Identity } from './identity.ts'
import type { ControlState } from './judgement.ts'
import type { Counts } from './statistics/counts.ts'

export const BLOB_VERSION = 1

/**
 * Everything that one job gathered, before any judgement: shards are merged from it, a report of a fork is made from
 * it, and a repeated attempt goes on from it. What it says of itself (pull request, commit) is a claim.
 */
export interface RunBlob {
  readonly schemaVersion: typeof BLOB_VERSION
  /** Of agent-test. */
  readonly version: string
  /** RFC 3339. */
  readonly startedAt: string
  readonly finishedAt: string
  readonly durationMs: number
  readonly inputs: readonly string[]
  readonly targets: readonly string[]
  readonly connector?: string
  readonly identity: Identity
  readonly runsPerCase: number
  readonly maxRuns: number
  /** Hash of every case of the whole plan, shards apart, with its fingerprint and target, and of `runsPerCase`. */
  readonly manifest: string
  /** Absent where the plan was not cut. */
  readonly shard?: Shard
  /** Where it was made. */
  readonly workflow?: BlobOrigin
  /** Runs that were planned for the first stage, skipped cases apart. */
  readonly plannedRuns: number
  readonly interrupted: boolean
  readonly stoppedBy?: BudgetStop
  readonly spending: Spending
  readonly warnings: readonly string[]
  readonly cases: readonly BlobCase[]
  /** Operations that had leave in passed runs, by case. */
  readonly approvals: Readonly<Record<string, readonly string[]>>
  readonly controls: Controls
}

/** One of the parts of a plan that was cut for several jobs. */
export interface Shard {
  /** From 1. */
  readonly index: number
  readonly count: number
  /** Where its cases stand in the whole plan, from 0, in the order of `cases`. */
  readonly places: readonly number[]
  /** Cases of the whole plan. */
  readonly of: number
}

/** Of a plan that holds the cases of one shard alone. */
export interface PlanCut {
  readonly shard: Shard
  /** Of the whole plan. */
  readonly manifest: string
}

export interface BlobOrigin {
  readonly runId: number
  readonly attempt: number
  /** Id of the job in its workflow. */
  readonly job?: string
  /** Which leg of a matrix, in words. */
  readonly leg?: string
  readonly headSha?: string
  readonly eventName: string
  readonly prNumber?: number
}

/** A case's report without what is computed from its runs. */
export type BlobCase = Omit<CaseReport, 'stability'>

/** Fresh runs of the base commit, judged ones only, by case. */
export interface Controls {
  /** After an alarm of the suite. */
  readonly suite: Readonly<Record<string, Counts>>
  /** Of flagged cases. */
  readonly cases: Readonly<Record<string, Counts>>
  readonly state: ControlState
}

export const NO_CONTROLS: Controls = { suite: {}, cases: {}, state: { kind: 'not_needed' } }
