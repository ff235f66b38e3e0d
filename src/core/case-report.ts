import type { CaseGate } from './gate.ts'
import type { Json } from './json.ts'
import type { Percent } from './percent.ts'
import type { RunRecord } from './result.ts'
import type { Stability } from './stability.ts'
import type { Location } from './suite.ts'

export interface CaseReport {
  readonly key: string
  readonly id: string
  readonly suite: string
  readonly location: Location
  readonly fingerprint: string
  /** Label of the target that ran it. */
  readonly target: string
  /** Model that its target asks for, where the target knows. */
  readonly requestedModel?: string
  readonly gate?: CaseGate
  /** The record's `input` as written. */
  readonly input: Json
  /** One line for people. */
  readonly summary: string
  /** Why it was not run, or why every run of it skipped itself. */
  readonly skip?: string
  readonly stability: Stability
  /** Runs that skipped themselves; they are not among `runs`. */
  readonly skippedRuns: number
  /** Why it was not run again: nothing that it depends on was changed, and the base branch's runs stand for it. */
  readonly unchanged?: string
  /** In order of their number, re-runs included; empty when skipped or never started. */
  readonly runs: readonly RunRecord[]
}

/** Counts that every surface shows. Computed, never stored. */
export interface Totals {
  readonly cases: number
  readonly skipped: number
  /** Cases whose every run passed. */
  readonly passed: number
  /** Cases with at least one failed run. */
  readonly failed: number
  /** Cases without a failed run of which at least one run errored for another cause than time. */
  readonly errors: number
  /** Cases without a failed run whose errored runs all hit the time limit. */
  readonly timeouts: number
  /** Cases that were planned and never executed. */
  readonly notRun: number
  readonly runs: number
  readonly passedRuns: number
  readonly erroredRuns: number
  /** Runs that skipped themselves, beside `runs`. */
  readonly skippedRuns: number
  /** Runs of which the usage is known. */
  readonly meteredRuns: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Runs with a score. */
  readonly scoredRuns: number
  /** Of all of them. */
  readonly scoreSum: number
}

/** By list: every surface asks for the totals of what may be a hundred thousand cases. */
const known = new WeakMap<readonly CaseReport[], Totals>()

export function totalsOf(cases: readonly CaseReport[]): Totals {
  let totals = known.get(cases)
  if (!totals) {
    totals = addUp(cases)
    known.set(cases, totals)
  }
  return totals
}

function addUp(cases: readonly CaseReport[]): Totals {
  const byStatus = { passed: 0, failed: 0, error: 0, timeout: 0, skipped: 0, not_run: 0 }
  const sums = {
    runs: 0,
    passedRuns: 0,
    erroredRuns: 0,
    skippedRuns: 0,
    meteredRuns: 0,
    inputTokens: 0,
    outputTokens: 0,
    scoredRuns: 0,
    scoreSum: 0,
  }
  for (const item of cases) {
    const { stability } = item
    byStatus[caseStatus(item)] += 1
    sums.runs += stability.runs
    sums.passedRuns += stability.passed
    sums.erroredRuns += stability.errored
    sums.skippedRuns += item.skippedRuns
    for (const { usage, score } of item.runs) {
      if (typeof score === 'number') {
        sums.scoredRuns += 1
        sums.scoreSum += score
      }
      if (!usage) continue
      sums.meteredRuns += 1
      sums.inputTokens += usage.inputTokens
      sums.outputTokens += usage.outputTokens
    }
  }
  const { passed, failed, error, timeout, skipped, not_run: notRun } = byStatus
  return { cases: cases.length, passed, failed, errors: error, timeouts: timeout, skipped, notRun, ...sums }
}

/** Runs that came to an end, those that skipped themselves included. */
export function runsDone(cases: readonly CaseReport[]): number {
  const { runs, skippedRuns } = totalsOf(cases)
  return runs + skippedRuns
}

export function totalRuns(cases: readonly CaseReport[]): number {
  return totalsOf(cases).runs
}

/** An interruption or `--fail-fast` left the case with some of its runs. */
export function isCutShort({ stability, skippedRuns }: CaseReport, runsPerCase: number): boolean {
  const done = stability.runs + skippedRuns
  return done > 0 && done < runsPerCase
}

/** Cases that were executed at least once: skipped and never started ones weigh nothing in a rate. */
export function executedCases({ cases, skipped, notRun }: Totals): number {
  return cases - skipped - notRun
}

/** Share of the executed cases whose every run passed. */
export function casePassRate(totals: Totals): Percent {
  const executed = executedCases(totals)
  return executed === 0 ? 0 : (totals.passed * 100) / executed
}

/** Share of all executed runs that passed; an errored run is not a pass. */
export function overallPassRate({ runs, passedRuns }: Totals): Percent {
  return runs === 0 ? 0 : (passedRuns * 100) / runs
}

/** Over all runs that have a score; undefined without one. */
export function meanScoreOf({ scoredRuns, scoreSum }: Totals): Percent | undefined {
  return scoredRuns === 0 ? undefined : scoreSum / scoredRuns
}

/** Mean over the runs of a case that have a score; undefined without one. */
export function caseScore({ runs }: Pick<CaseReport, 'runs'>): Percent | undefined {
  const scores = runs.flatMap(({ score }) => (typeof score === 'number' ? [score] : []))
  return scores.length === 0 ? undefined : scores.reduce((sum, score) => sum + score, 0) / scores.length
}

export type CaseStatus = 'passed' | 'failed' | 'error' | 'timeout' | 'skipped' | 'not_run'

/** A case as a whole: a failed run outweighs an errored one, because it is evidence. */
export function caseStatus({ skip, stability }: CaseReport): CaseStatus {
  if (skip !== undefined) return 'skipped'
  if (stability.runs === 0) return 'not_run'
  if (stability.failed > 0) return 'failed'
  if (stability.errored > stability.timeouts) return 'error'
  return stability.timeouts > 0 ? 'timeout' : 'passed'
}
