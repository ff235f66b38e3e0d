import type { Evaluation } from '../core/evaluation.ts'
import { type JudgedResult, type RunRecord, type RunResult, toRecord } from '../core/result.ts'
import { measure, type Stability } from '../core/stability.ts'
import { createRunTable } from './run-table.ts'
import { createStepTexts } from './step-texts.ts'

/** What stays of every run until the end, by the position of its case in the plan. */
export interface RunShelf {
  add(index: number, result: RunResult): void
  /** A run of an earlier attempt, as it was kept there. */
  restore(index: number, record: RunRecord): void
  /** Runs so far, those that skipped themselves included. */
  count(index: number): number
  /** In order of their number; made anew each time. */
  records(index: number, key: string): readonly RunRecord[]
  stability(index: number): Stability
  /** Runs that skipped themselves. */
  skipped(index: number): number
  /** Why the case skipped itself, when every run of it did. */
  skip(index: number): string | undefined
}

interface Skips {
  readonly runs: number
  /** Of the first of them. */
  readonly reason: string
}

/** As many different durations as a single run may have before their stabilities are made anew each time. */
const MOST_SHARED = 4_096

/**
 * A passed run is a few numbers, and nearly all runs of a large plan pass. All other runs are kept as records, with
 * their evidence. A case may have any number of runs.
 */
export function createRunShelf(cases: number): RunShelf {
  const table = createRunTable()
  /** Row of the newest run of each case, 0 for none. */
  const newest = new Uint32Array(cases)
  const counts = new Uint32Array(cases)
  const others = new Map<number, RunRecord>()
  const steps = createStepTexts()
  const shared = new Map<number, Stability>()
  // Few tests skip themselves.
  const skips = new Map<number, Skips>()
  const shareClean = cleanSharing()

  const recordAt = (row: number, key: string): RunRecord | undefined => {
    const number = table.steps(row)
    const kept = number === 0 ? undefined : steps.unpack(number)
    const record = table.record(row, key, kept)
    if (record) return record
    const other = others.get(row)
    return other && kept ? { ...other, steps: kept } : other
  }
  const hasSteps = (index: number): boolean => {
    for (let row = newest[index] ?? 0; row > 0; row = table.before(row)) if (table.steps(row) > 0) return true
    return false
  }
  const records = (index: number, key: string): readonly RunRecord[] => {
    const found: RunRecord[] = []
    for (let row = newest[index] ?? 0; row > 0; row = table.before(row)) {
      const record = recordAt(row, key)
      if (record) found.push(record)
    }
    return found.sort((left, right) => left.run - right.run)
  }
  const put = (index: number, run: JudgedResult | RunRecord): void => {
    counts[index] = (counts[index] ?? 0) + 1
    const { row, isKept } = table.add(newest[index] ?? 0, isPlain(run) ? run : undefined)
    if (run.status === 'passed' && run.steps && !hasSteps(index)) table.keepSteps(row, steps.pack(run.steps))
    newest[index] = row
    if (!isKept) others.set(row, shareClean(withoutSteps('trace' in run ? toRecord(run) : run)))
  }
  return {
    add(index, result) {
      if (result.status !== 'skipped') return put(index, result)
      counts[index] = (counts[index] ?? 0) + 1
      const before = skips.get(index)
      skips.set(index, { runs: (before?.runs ?? 0) + 1, reason: before?.reason ?? result.reason })
    },
    restore: put,
    count: (index) => counts[index] ?? 0,
    skipped: (index) => skips.get(index)?.runs ?? 0,
    skip(index) {
      const known = skips.get(index)
      return known && known.runs === counts[index] ? known.reason : undefined
    },
    records,
    stability(index) {
      const row = newest[index] ?? 0
      const single = counts[index] === 1 && row > 0 ? table.record(row, '') : undefined
      if (!single) return measure(records(index, ''))
      const { durationMs } = single
      const known = shared.get(durationMs)
      if (known) return known
      const made = measure([{ status: 'passed', durationMs }])
      if (shared.size < MOST_SHARED) shared.set(durationMs, made)
      return made
    },
  }
}

/** All that stays of it are its figures: a run that was evaluated has scores besides. */
function isPlain({ status, logs, evaluations }: JudgedResult | RunRecord): boolean {
  return status === 'passed' && logs === undefined && evaluations === undefined
}

/** Those of passed runs are packed, of one of a case. */
function withoutSteps(record: RunRecord): RunRecord {
  if (record.status !== 'passed') return record
  const { steps: _steps, ...rest } = record
  return rest
}

/** Evaluations of passed runs are much the same: those that found nothing are kept once. */
function cleanSharing(): (record: RunRecord) => RunRecord {
  const known = new Map<string, Evaluation>()
  const shared = (evaluation: Evaluation): Evaluation => {
    if (evaluation.status === 'scored' && evaluation.violations.length > 0) return evaluation
    const key = JSON.stringify(evaluation)
    const earlier = known.get(key)
    if (!earlier && known.size < MOST_SHARED) known.set(key, evaluation)
    return earlier ?? evaluation
  }
  return (record) => {
    if (record.status !== 'passed' || !record.evaluations) return record
    return { ...record, evaluations: record.evaluations.map(shared) }
  }
}
