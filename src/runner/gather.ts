import type { CaseReport } from '../core/case-report.ts'
import type { Secrets } from '../core/host.ts'
import { summarise } from '../core/message.ts'
import { redactDeep } from '../core/redact.ts'
import type { FinishedRun } from './execute.ts'
import type { Plan, PlannedCase } from './plan.ts'
import { createRunShelf, type RunShelf } from './run-shelf.ts'

export interface Gathering {
  /** Takes a result in; gives the case's report back when this was its last run. */
  add(finished: FinishedRun): CaseReport | undefined
  /** The case at this position of the plan, with what was executed of it so far. */
  report(index: number): CaseReport
  /** Every case in the order of the suites, whatever was executed of it. */
  reports(): CaseReport[]
}

/** What a report has of its own; all else is computed. */
interface Handle {
  readonly index: number
}

/** Gathers results by case; full traces are not kept. */
export function gather({ cases, runsPerCase }: Plan, secrets: Secrets): Gathering {
  const shelf = createRunShelf(cases.length, runsPerCase)
  const computed = computedReport(cases, shelf, secrets)
  const report = (index: number): CaseReport => {
    const handle: Handle = { index }
    return Object.setPrototypeOf(handle, computed) as CaseReport
  }
  return {
    add({ index, result }) {
      shelf.add(index, result)
      return shelf.count(index) === runsPerCase ? report(index) : undefined
    },
    report,
    reports: () => cases.map((_, index) => report(index)),
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
      return at(this).item.fingerprint
    },
    get target() {
      return at(this).target.label
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
