import type { BaselineRun, Session } from './baseline.ts'
import type { Counts } from './statistics/counts.ts'
import type { Step } from './step.ts'

/** Why older runs of a case are left out of its pool. */
export type WindowRestart =
  /** Its definition, evaluators, judge or the judgement version of agent-test changed. */
  | 'definition'
  /** The base branch asks for another model, or is answered by another one, than before. */
  | 'model'
  | 'target'
  /** Its rate on the base branch moved. */
  | 'level'
  /** A change of it was accepted. */
  | 'accepted'

/** What is known of one case on the base branch, and can be compared with. */
export interface CasePool {
  readonly key: string
  /**
   * `young`: fewer judged runs than can be compared with. `redefined`: the case, its target or the answering model is
   * not what the base branch has. `new`: the base branch does not know it.
   */
  readonly state: 'ok' | 'young' | 'redefined' | 'new'
  /** Stage-1 runs in the window, oldest first, errored ones included; empty unless `ok` or `young`. */
  readonly runs: readonly BaselineRun[]
  /** The judged ones among them. */
  readonly counts: Counts
  /** Sessions they come from, oldest first. */
  readonly sessions: readonly Session[]
  readonly restarted?: WindowRestart
  /** Tool calls of one passing run. */
  readonly steps?: readonly Step[]
  /** Rates of the base branch's sessions, oldest first, the last 20; windows do not cut it. For a trend. */
  readonly trend: readonly TrendPoint[]
}

export interface TrendPoint {
  readonly createdAt: string
  readonly commit?: string
  readonly passed: number
  readonly judged: number
}

/** Pools by the key of their case; a key that is missing is a new case. */
export type Pools = ReadonlyMap<string, CasePool>
