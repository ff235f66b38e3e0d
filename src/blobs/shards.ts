import type { PlanCut } from '../core/run-blob.ts'
import { type ManifestPlan, manifestOf } from './manifest.ts'

/** What each place of a plan weighs; the unit is no matter. */
export type Weights = readonly number[]

/**
 * Which shard, from 1, each place belongs to: the heaviest case first, each to the shard that has least so far. No shard
 * has more than the heaviest case beyond any other. The same for equal weights wherever it is computed; at a tie the
 * earlier place and the lower shard come first.
 */
export function partition(weights: Weights, count: number): number[] {
  const order = [...weights.keys()].sort((left, right) => (weights[right] ?? 0) - (weights[left] ?? 0) || left - right)
  const loads: { shard: number; load: number; cases: number }[] = Array.from({ length: count }, (_, index) => {
    return { shard: index + 1, load: 0, cases: 0 }
  })
  const shards = weights.map(() => 1)
  for (const place of order) {
    let least = loads[0]
    for (const other of loads) if (least && isLighter(other, least)) least = other
    if (!least) break
    least.load += weights[place] ?? 0
    least.cases += 1
    shards[place] = least.shard
  }
  return shards
}

interface Load {
  readonly load: number
  readonly cases: number
}

/** Cases that weigh nothing are spread as well. */
function isLighter(left: Load, right: Load): boolean {
  return left.load < right.load || (left.load === right.load && left.cases < right.cases)
}

/**
 * Weights from recorded durations, in milliseconds, by key. A case without one weighs as much as the median case, all
 * weigh alike where none is known; one that is not run weighs nothing. Whole numbers, so that sums are exact.
 */
export function weightsOf(cases: readonly WeighedCase[], durations: ReadonlyMap<string, number>): number[] {
  const isRun = ({ item, unchanged }: WeighedCase) => item.skip === undefined && unchanged === undefined
  const known = cases.map((one) => (isRun(one) ? wholeDuration(durations.get(one.item.key)) : undefined))
  const typical = median(known.filter((value) => value !== undefined)) ?? 1
  return cases.map((one, place) => (isRun(one) ? (known[place] ?? typical) : 0))
}

interface WeighedCase {
  readonly item: { readonly key: string; readonly skip?: string }
  readonly unchanged?: string
}

/** A day: what takes longer is as good as that, and sums of many stay exact. */
const LONGEST_MS = 86_400_000

function wholeDuration(ms: number | undefined): number | undefined {
  if (ms === undefined || !Number.isFinite(ms) || ms < 0) return undefined
  return Math.min(LONGEST_MS, Math.max(1, Math.round(ms)))
}

function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.floor((sorted.length - 1) / 2)]
}

/** The part of `plan` that `index` of `count` shards runs; `shards` says which each place belongs to. */
export function cutPlan<P extends ManifestPlan & { readonly cases: readonly unknown[] }>(
  plan: P,
  { index, count }: { readonly index: number; readonly count: number },
  shards: readonly number[],
): P & { readonly cut: PlanCut } {
  const places = [...plan.cases.keys()].filter((place) => shards[place] === index)
  const cases = places.flatMap((place) => plan.cases.slice(place, place + 1))
  const shard = { index, count, places, of: plan.cases.length }
  return { ...plan, cases, cut: { shard, manifest: manifestOf(plan) } }
}
