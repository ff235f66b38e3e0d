import type { Approvals } from '../core/baseline.ts'
import type { Prices } from '../core/budget.ts'
import type { CaseGate } from '../core/gate.ts'
import type { ContextFile } from '../core/identity.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { Means } from '../core/means.ts'
import type { RunRecord } from '../core/result.ts'
import type { PlanCut } from '../core/run-blob.ts'
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
  /** Hash of the case's definition, its judges and the judgement version; the case's own where absent. */
  readonly fingerprint?: string
  /** Model that the target asks for, where it knows. */
  readonly requestedModel?: string
  /** The case's own and what the gates file says of it. */
  readonly gate?: CaseGate
  /** Why it is not run: nothing that it depends on was changed, and the base branch's runs stand for it. */
  readonly unchanged?: string
}

/** Everything the runner needs; nothing in it changes while runs go on. */
export interface Plan {
  readonly cases: readonly PlannedCase[]
  /** Runs of each case in the first stage. */
  readonly runsPerCase: number
  /** Runs of a case that is looked at more closely, the first stage included; `runsPerCase` for no re-runs. */
  readonly maxRuns: number
  readonly parallel: number
  /** Limit of one run, attempts and waits included. */
  readonly timeoutMs: number
  /** The limit was given on the command line and so outranks the cases' own. */
  readonly timeoutGiven: boolean
  /** `-c`: outranks the cases' own connector. */
  readonly connector?: string
  readonly flags: { readonly user?: string | undefined; readonly team?: string | undefined }
  readonly context?: ContextFile
  /** Judged runs of this very commit, of an earlier attempt: they are not run again, and count. By case. */
  readonly earlier?: ReadonlyMap<string, readonly RunRecord[]>
  /** Set where it is a part of a larger plan. */
  readonly cut?: PlanCut
  /** USD for a million tokens, by model. */
  readonly prices?: Prices
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

/**
 * Run 1 of every case, then run 2: a world that drifts during the session touches all cases alike. Runs that an earlier
 * attempt has made are left out.
 */
export function* firstStage({ cases, runsPerCase, earlier }: Plan): Generator<PlannedRun, void, undefined> {
  for (let run = 1; run <= runsPerCase; run += 1) {
    for (const [index, planned] of cases.entries()) {
      const isDone = earlier?.get(planned.item.key)?.some((known) => known.run === run) ?? false
      if (isRun(planned) && !isDone) yield { ...planned, index, run }
    }
  }
}

/** Neither skipped nor spared. */
export function isRun({ item, unchanged }: PlannedCase): boolean {
  return item.skip === undefined && unchanged === undefined
}

/** Further runs of a case, by its position in the plan. */
interface AskedCount {
  readonly place: number
  readonly count: number
}

/** Further runs, interleaved over the cases that are asked for; `next` gives the number of the first one of a case. */
export function* batchRuns(
  { cases }: Plan,
  asked: readonly AskedCount[],
  next: (place: number) => number,
): Generator<PlannedRun, void, undefined> {
  // Before any of them ends, for then the next number is another one.
  const wanted = asked.map((one) => ({ ...one, first: next(one.place) }))
  const rounds = wanted.reduce((most, { count }) => Math.max(most, count), 0)
  for (let round = 0; round < rounds; round += 1) {
    for (const { place, count, first } of wanted) {
      const planned = cases[place]
      if (planned && isRun(planned) && round < count) {
        yield { ...planned, index: place, run: first + round }
      }
    }
  }
}

/** Runs of the first stage, those of an earlier attempt included. */
export function plannedRuns({ cases, runsPerCase }: Plan): number {
  return cases.filter(isRun).length * runsPerCase
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

export function optionsOf(item: Case, { connector }: { readonly connector?: string | undefined }): CaseOptions {
  return connector === undefined ? item.options : { ...item.options, connector }
}
