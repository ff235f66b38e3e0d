import type { Evaluation } from '../core/evaluation.ts'
import { type Check, type RunRecord, type RunResult, toRecord } from '../core/result.ts'
import { measure, type Stability } from '../core/stability.ts'
import type { Usage } from '../core/trace.ts'

/** What stays of every run until the end, by the position of its case in the plan. */
export interface RunShelf {
  add(index: number, result: RunResult): void
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

/** Figures of a passed run: start, duration, input tokens, output tokens. */
const FIGURES = 4
/** As many different durations as a single run may have before their stabilities are made anew each time. */
const MOST_SHARED = 4_096

/** Nothing of a passed run's checks is reported. */
const NO_CHECKS: readonly Check[] = []
const NO_USAGE: Usage = { inputTokens: Number.NaN, outputTokens: Number.NaN }

/**
 * A passed run is a few numbers, and nearly all runs of a large plan pass: as numbers in one list they take a tenth of
 * what objects take. All other runs are kept as records, with their evidence.
 */
export function createRunShelf(cases: number, runsPerCase: number): RunShelf {
  // 0: the run has not passed, or not yet.
  const attempts = new Uint8Array(cases * runsPerCase)
  const figures = new Float64Array(cases * runsPerCase * FIGURES)
  const others = new Map<number, RunRecord>()
  const counts = new Uint32Array(cases)
  const shared = new Map<number, Stability>()
  // Few tests skip themselves.
  const skips = new Map<number, Skips>()
  const shareClean = cleanSharing()

  const recordAt = (slot: number, key: string, run: number): RunRecord | undefined => {
    const tries = attempts[slot] ?? 0
    if (tries === 0) return others.get(slot)
    const base = slot * FIGURES
    const [startedAt, durationMs] = [figures[base] ?? 0, figures[base + 1] ?? 0]
    const [inputTokens, outputTokens] = [figures[base + 2] ?? 0, figures[base + 3] ?? 0]
    // Written out twice: copying an object takes longer than making it.
    const status = 'passed'
    const checks = NO_CHECKS
    if (Number.isNaN(inputTokens)) return { key, run, attempts: tries, startedAt, durationMs, status, checks }
    const usage = { inputTokens, outputTokens }
    return { key, run, attempts: tries, startedAt, durationMs, status, checks, usage }
  }
  const records = (index: number, key: string): readonly RunRecord[] => {
    const found: RunRecord[] = []
    for (let run = 1; run <= runsPerCase; run += 1) {
      const record = recordAt(index * runsPerCase + run - 1, key, run)
      if (record) found.push(record)
    }
    return found
  }
  return {
    add(index, result) {
      const slot = index * runsPerCase + result.run - 1
      counts[index] = (counts[index] ?? 0) + 1
      if (result.status === 'skipped') {
        const before = skips.get(index)
        skips.set(index, { runs: (before?.runs ?? 0) + 1, reason: before?.reason ?? result.reason })
        return
      }
      // A run that was evaluated has scores besides its figures.
      if (result.status !== 'passed' || result.logs !== undefined || result.evaluations !== undefined) {
        others.set(slot, shareClean(toRecord(result)))
        return
      }
      const { startedAt, durationMs, usage } = result
      attempts[slot] = result.attempts
      const { inputTokens, outputTokens } = usage ?? NO_USAGE
      figures.set([startedAt, durationMs, inputTokens, outputTokens], slot * FIGURES)
    },
    count: (index) => counts[index] ?? 0,
    skipped: (index) => skips.get(index)?.runs ?? 0,
    skip(index) {
      const known = skips.get(index)
      return known && known.runs === counts[index] ? known.reason : undefined
    },
    records,
    stability(index) {
      if (runsPerCase > 1 || attempts[index] === 0) return measure(records(index, ''))
      const durationMs = figures[index * FIGURES + 1] ?? 0
      const known = shared.get(durationMs)
      if (known) return known
      const made = measure([{ status: 'passed', durationMs }])
      if (shared.size < MOST_SHARED) shared.set(durationMs, made)
      return made
    },
  }
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
