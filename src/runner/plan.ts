import type { Approvals } from '../core/baseline.ts'
import type { ContextFile } from '../core/identity.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { Means } from '../core/means.ts'
import type { Case, CaseOptions } from '../core/suite.ts'
import type { CriticalViolation } from '../evaluators/index.ts'
import type { RunRequest, Target } from '../targets/target.ts'

/** Functions of the suite's author that run around each run of a case. Source: spec yao 10.2. */
export interface Around {
  /** What it gives is for `after`. Throws a TargetError: the run is errored and the agent not called. */
  readonly before?: (signal: AbortSignal) => Promise<Json>
  /** Throws a TargetError, which is a warning: the run is over. */
  readonly after?: (ended: EndedRun, prepared: Json, signal: AbortSignal) => Promise<void>
}

/** What functions that run afterwards are told of a run, in Yao's words. */
export interface EndedRun extends JsonObject {
  readonly id: string
  readonly status: string
  readonly duration_ms: number
}

/** A selected case with the target that will run it. */
export interface PlannedCase {
  readonly item: Case
  readonly target: Target
  /** What its judgement may use. */
  readonly means?: Means
  readonly around?: Around
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
  /** What was approved on the base branch, for the cases that learn. */
  readonly learned?: Approvals
  /** `--stop-on-critical`: for every case, whatever it says itself. */
  readonly stopOnCritical?: boolean
  /** Told at once of each kind of critical violation of a run that goes on. */
  readonly onCritical?: (found: CriticalViolation, planned: PlannedRun) => void
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

/** What the approval strategy of a case may learn from; nothing where it does not ask to learn. */
export function learnedBy({ key, session }: Case, { learned }: Plan): Pick<RunRequest, 'learned'> {
  const known = session?.approval.kind === 'smart' && session.approval.learn ? learned?.get(key) : undefined
  return known ? { learned: known } : {}
}

export function optionsOf(item: Case, { connector }: Plan): CaseOptions {
  return connector === undefined ? item.options : { ...item.options, connector }
}
