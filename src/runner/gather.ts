import type { CaseReport } from '../core/case-report.ts'
import type { Secrets } from '../core/host.ts'
import { summarise } from '../core/message.ts'
import { redactDeep } from '../core/redact.ts'
import { type RunRecord, toRecord } from '../core/result.ts'
import { measure } from '../core/stability.ts'
import { exactList } from '../lib/exact-list.ts'
import type { FinishedRun } from './execute.ts'
import type { Plan, PlannedCase } from './plan.ts'

export interface Gathering {
  /** Takes a result in; gives the case's report back when this was its last run. */
  add(finished: FinishedRun): CaseReport | undefined
  /** Every case in the order of the suites, whatever was executed of it. */
  reports(): CaseReport[]
}

/** Gathers results by case; full traces are not kept. */
export function gather({ cases, runsPerCase }: Plan, secrets: Secrets): Gathering {
  const records: (readonly RunRecord[])[] = cases.map(() => NONE)
  const reportAt = (index: number): CaseReport | undefined => {
    const planned = cases[index]
    return planned && caseReport(planned, records[index] ?? [], secrets)
  }
  return {
    add({ index, result }) {
      const soFar = exactList([...(records[index] ?? NONE), toRecord(result)])
      records[index] = soFar
      return soFar.length === runsPerCase ? reportAt(index) : undefined
    },
    reports: () => cases.flatMap((_, index) => reportAt(index) ?? []),
  }
}

const NONE: readonly RunRecord[] = []

export function caseReport({ item, target }: PlannedCase, runs: readonly RunRecord[], secrets: Secrets): CaseReport {
  return {
    key: item.key,
    id: item.id,
    suite: item.suite,
    location: item.location,
    fingerprint: item.fingerprint,
    target: target.label,
    input: redactDeep(item.input, secrets),
    summary: secrets.redact(summarise(item.messages)),
    ...(item.skip === undefined ? {} : { skip: item.skip }),
    stability: measure(runs),
    runs: runs.length > 1 ? runs.toSorted((left, right) => left.run - right.run) : runs,
  }
}
