import type { RunRecord } from '../core/result.ts'
import { type Controls, NO_CONTROLS, type RunBlob } from '../core/run-blob.ts'
import { type Counts, runsOf } from '../core/statistics/counts.ts'

/** What is known of this very commit before a run of it begins. */
export interface EarlierRuns {
  /** Judged runs by case, in the order of their numbers. */
  readonly runs: ReadonlyMap<string, readonly RunRecord[]>
  readonly controls: Controls
}

interface Wanted {
  readonly manifest: string
  /** Runs with a higher number are of no use. */
  readonly maxRuns: number
}

/**
 * The evidence that earlier attempts and runs of one commit gathered for the same plan. Of two runs of one number the
 * one that began first stands: a re-run adds evidence where there is none, and never replaces any. Errored runs are
 * none. Undefined where nothing is known.
 */
export function earlierRuns(blobs: readonly RunBlob[], { manifest, maxRuns }: Wanted): EarlierRuns | undefined {
  const same = blobs.filter((blob) => blob.manifest === manifest).sort((left, right) => startOf(left) - startOf(right))
  const runs = new Map<string, Map<number, RunRecord>>()
  for (const { cases } of same) {
    for (const item of cases) {
      for (const run of item.runs) if (run.status !== 'errored' && run.run <= maxRuns) keepFirst(runs, item.key, run)
    }
  }
  const controls = controlsOf(same)
  if (runs.size === 0 && controls === NO_CONTROLS) return undefined
  return { runs: new Map([...runs].map(([key, byNumber]) => [key, inOrder(byNumber)] as const)), controls }
}

function startOf({ startedAt }: RunBlob): number {
  return Date.parse(startedAt)
}

function keepFirst(runs: Map<string, Map<number, RunRecord>>, key: string, run: RunRecord): void {
  const known = runs.get(key) ?? new Map<number, RunRecord>()
  const other = known.get(run.run)
  if (!other || run.startedAt < other.startedAt) known.set(run.run, run)
  runs.set(key, known)
}

function inOrder(byNumber: ReadonlyMap<number, RunRecord>): RunRecord[] {
  return [...byNumber.values()].sort((left, right) => left.run - right.run)
}

/** Of two answers of the base side the one with more runs, else the first: asking until it excuses does not help. */
function controlsOf(blobs: readonly RunBlob[]): Controls {
  const asked = blobs.filter(({ controls }) => controls.state.kind === 'run')
  const last = asked.at(-1)
  if (!last) return NO_CONTROLS
  return {
    suite: largest(asked.map(({ controls }) => controls.suite)),
    cases: largest(asked.map(({ controls }) => controls.cases)),
    state: last.controls.state,
  }
}

function largest(records: readonly Readonly<Record<string, Counts>>[]): Record<string, Counts> {
  const best = new Map<string, Counts>()
  for (const [key, counts] of records.flatMap((record) => Object.entries(record))) {
    const known = best.get(key)
    if (!known || runsOf(counts) > runsOf(known)) best.set(key, counts)
  }
  return Object.fromEntries(best)
}
