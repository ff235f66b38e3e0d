import type { ContextFile } from '../core/identity.ts'
import type { Means } from '../core/means.ts'
import type { Case, CaseOptions } from '../core/suite.ts'
import type { Target } from '../targets/target.ts'

/** A selected case with the target that will run it. */
export interface PlannedCase {
  readonly item: Case
  readonly target: Target
  /** What its judgement may use. */
  readonly means?: Means
}

/** Everything the runner needs; nothing in it changes while runs go on. */
export interface Plan {
  readonly cases: readonly PlannedCase[]
  readonly runsPerCase: number
  readonly parallel: number
  /** Limit of one run, attempts and waits included. */
  readonly timeoutMs: number
  /** The limit was given on the command line and so outranks the cases' own. */
  readonly timeoutGiven: boolean
  /** `-c`: outranks the cases' own connector. */
  readonly connector?: string
  readonly flags: { readonly user?: string | undefined; readonly team?: string | undefined }
  readonly context?: ContextFile
}

export interface PlannedRun extends PlannedCase {
  /** Position of the case in the plan. */
  readonly index: number
  /** From 1. */
  readonly run: number
}

/** Run 1 of every case, then run 2: a world that drifts during the session touches all cases alike. */
export function* interleaved({ cases, runsPerCase }: Plan): Generator<PlannedRun, void, undefined> {
  for (let run = 1; run <= runsPerCase; run += 1) {
    for (const [index, planned] of cases.entries()) {
      if (planned.item.skip === undefined) yield { ...planned, index, run }
    }
  }
}

export function plannedRuns({ cases, runsPerCase }: Plan): number {
  return cases.filter(({ item }) => item.skip === undefined).length * runsPerCase
}

/** Time limit of a run: flag given > case > default. */
export function timeoutOf(item: Case, { timeoutMs, timeoutGiven }: Plan): number {
  return timeoutGiven ? timeoutMs : (item.timeoutMs ?? timeoutMs)
}

export function optionsOf(item: Case, { connector }: Plan): CaseOptions {
  return connector === undefined ? item.options : { ...item.options, connector }
}
