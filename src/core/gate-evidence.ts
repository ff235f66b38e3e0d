import type { CaseReport } from './case-report.ts'
import type { Gate } from './gate.ts'
import type { CasePool, Pools } from './history.ts'
import { type JudgedRate, stageOf } from './result.ts'
import type { Controls } from './run-blob.ts'
import type { CaseEvidence } from './statistics/case-evidence.ts'
import { type Counts, runsOf } from './statistics/counts.ts'
import type { Batches } from './statistics/gate.ts'
import type { GateSettings } from './statistics/gate-settings.ts'

/** Everything that the statistics look at. */
export interface GateState {
  readonly cases: readonly CaseReport[]
  readonly pools: Pools
  readonly controls: Controls
  readonly batches: Batches
  readonly gate: Gate
  readonly settings: GateSettings
}

const NONE: Counts = { passed: 0, failed: 0 }

/** The counts of every case, in the order of the cases. Errored runs are in none of them. */
export function caseEvidence({
  cases,
  pools,
  controls,
  settings,
}: Pick<GateState, 'cases' | 'pools' | 'controls' | 'settings'>): CaseEvidence[] {
  return cases.map((item): CaseEvidence => {
    const suiteControl = countsIn(controls.suite, item.key)
    const control = countsIn(controls.cases, item.key)
    return {
      baseline: comparablePool(pools, item.key)?.counts ?? NONE,
      ...countRuns(item, settings.runs),
      ...(suiteControl ? { suiteControl } : {}),
      ...(control ? { control } : {}),
    }
  })
}

/** What the base branch is known to do, where it can be compared with. */
export function comparablePool(pools: Pools, key: string): CasePool | undefined {
  const pool = pools.get(key)
  return pool?.state === 'ok' ? pool : undefined
}

/** A case may be called `__proto__`. */
function countsIn(counts: Readonly<Record<string, Counts>>, key: string): Counts | undefined {
  return Object.hasOwn(counts, key) ? counts[key] : undefined
}

function countRuns({ runs }: CaseReport, runsPerCase: number): Pick<CaseEvidence, 'stage1' | 'all'> {
  const [first, all] = [
    { passed: 0, failed: 0 },
    { passed: 0, failed: 0 },
  ]
  for (const run of runs) {
    if (run.status === 'errored') continue
    all[run.status] += 1
    if (stageOf(run, runsPerCase) === 'first') first[run.status] += 1
  }
  return { stage1: first, all }
}

export function rateOf(counts: Counts): JudgedRate {
  return { passed: counts.passed, judged: runsOf(counts) }
}

/** Undefined where nothing was judged. */
export function rateOfSome(counts: Counts): JudgedRate | undefined {
  return runsOf(counts) === 0 ? undefined : rateOf(counts)
}

export function addCounts(counts: readonly Counts[]): Counts {
  return counts.reduce(
    (sum, { passed, failed }) => ({ passed: sum.passed + passed, failed: sum.failed + failed }),
    NONE,
  )
}
