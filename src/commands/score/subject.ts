import type { Problem } from '../../core/errors.ts'
import type { EvaluationPlan } from '../../core/evaluation.ts'
import type { Trace } from '../../core/trace.ts'
import type { EvaluationConfig } from '../../suites/index.ts'
import type { Expected } from './expected.ts'

/** One thing to judge; what it holds is read when its turn comes. */
export interface Subject {
  readonly id: string
  /** Where it comes from, as the user knows it. */
  readonly shown: string
  /** Of a run that a report or a kept session tells of. */
  readonly suite?: string
  readonly run?: number
  /** What is asked of it. */
  readonly plan: EvaluationPlan
  /** What its evaluations must come to, where a recorded timeline says so. */
  readonly expected?: Expected
  open(warn: (message: string) => void): Promise<Opened>
}

export type Opened = OpenedTimeline | { readonly kind: 'skipped'; readonly reason: string }

export interface OpenedTimeline {
  readonly kind: 'timeline'
  readonly trace: Trace
  readonly metadata: {
    /** Messages, events or rows that could not be understood. */
    readonly skipped: number
    /** What there should be and is not. */
    readonly partial: readonly string[]
  }
  /** Why the run could not be done: it says nothing of the agent, whatever its evaluations are. */
  readonly error?: string
  close?(): void
}

/** What a source yields: something to judge, or something that must be mended. */
export type Found = { readonly subject: Subject } | { readonly problem: Problem }

/** What every source is read with. */
export interface Reading {
  readonly config: EvaluationConfig
  /** What suites ask of a case, where some were given. */
  planOf(suite: string, id: string): EvaluationPlan | undefined
}
