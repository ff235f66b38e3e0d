import type { CaseReport } from '../core/case-report.ts'
import type { Secrets } from '../core/host.ts'
import { summarise } from '../core/message.ts'
import { redactDeep } from '../core/redact.ts'
import type { FinishedRun } from './execute.ts'
import { isRun, type Plan, type PlannedCase } from './plan.ts'
import { createRunShelf, type RunShelf } from './run-shelf.ts'

export interface Gathering {
  /** Takes a result in; gives the case's report back when this was the last run of its first stage. */
  add(finished: FinishedRun): CaseReport | undefined
  /** The case at this position of the plan, with what was executed of it so far. */
  report(index: number): CaseReport
  /** Every case in the order of the suites, whatever was executed of it. */
  reports(): CaseReport[]
  /** Number of the next run of the case beyond its first stage: later than that of every run there is. */
  nextRun(index: number): number
}

/** What a report has of its own; all else is computed. */
interface Handle {
  readonly index: number
}

/** Gathers results by case, with those of an earlier attempt; full traces are not kept. */
export function gather({ cases, runsPerCase, earlier }: Plan, secrets: Secrets): Gathering {
  const shelf = createRunShelf(cases.length)
  const reruns = countReruns(runsPerCase)
  const computed = computedReport(cases, shelf, secrets)
  const report = (index: number): CaseReport => {
    const handle: Handle = { index }
    return Object.setPrototypeOf(handle, computed) as CaseReport
  }
  for (const [index, planned] of cases.entries()) {
    const known = isRun(planned) ? earlier?.get(planned.item.key) : undefined
    for (const record of known ?? []) {
      shelf.restore(index, record)
      reruns.note(index, record.run)
    }
  }
  return {
    add({ index, result }) {
      shelf.add(index, result)
      reruns.note(index, result.run)
      const isFirstStage = result.run <= runsPerCase
      return isFirstStage && shelf.count(index) - reruns.count(index) === runsPerCase ? report(index) : undefined
    },
    report,
    reports: () => cases.map((_, index) => report(index)),
    nextRun: (index) => reruns.highest(index) + 1,
  }
}

/** Few cases have any. */
function countReruns(runsPerCase: number) {
  const known = new Map<number, { readonly count: number; readonly highest: number }>()
  const of = (index: number) => known.get(index) ?? { count: 0, highest: runsPerCase }
  return {
    note(index: number, run: number): void {
      if (run <= runsPerCase) return
      const { count, highest } = of(index)
      known.set(index, { count: count + 1, highest: Math.max(highest, run) })
    },
    count: (index: number) => of(index).count,
    highest: (index: number) => of(index).highest,
  }
}

/**
 * The prototype of all reports. There may be a hundred thousand of them at a time, so each only knows where its case
 * and its runs are: it reads like any other, but cannot be spread.
 */
function computedReport(cases: readonly PlannedCase[], shelf: RunShelf, secrets: Secrets): object {
  const at = ({ index }: Handle): PlannedCase => {
    const planned = cases[index]
    if (!planned) throw new Error(`the plan has no case at ${index}`)
    return planned
  }
  const computed: Computed<CaseReport> & ThisType<Handle> = {
    get key() {
      return at(this).item.key
    },
    get id() {
      return at(this).item.id
    },
    get suite() {
      return at(this).item.suite
    },
    get location() {
      return at(this).item.location
    },
    get fingerprint() {
      const { fingerprint, item } = at(this)
      return fingerprint ?? item.fingerprint
    },
    get target() {
      return at(this).target.label
    },
    get requestedModel() {
      return at(this).requestedModel
    },
    get gate() {
      const { gate, item } = at(this)
      return gate ?? item.gate
    },
    get input() {
      return redactDeep(at(this).item.input, secrets)
    },
    get summary() {
      return secrets.redact(summarise(at(this).item.messages))
    },
    get skip() {
      return at(this).item.skip ?? shelf.skip(this.index)
    },
    get skippedRuns() {
      return shelf.skipped(this.index)
    },
    get unchanged() {
      return at(this).unchanged
    },
    get stability() {
      return shelf.stability(this.index)
    },
    get runs() {
      return shelf.records(this.index, at(this).item.key)
    },
  }
  return computed
}

/** A getter is there even where it gives nothing. */
type Computed<T> = { readonly [K in keyof T]-?: T[K] | undefined }
