/** Measurements of one case on both sides, such as milliseconds or tokens. */
export interface Samples {
  readonly baseline: readonly number[]
  readonly current: readonly number[]
}

/** Equal values share the mean of their ranks. */
export interface RankGroup {
  /** From 1; a half where an even number of values are equal. */
  readonly rank: number
  /** Values of both sides. */
  readonly size: number
  /** Those measured here. */
  readonly current: number
}

/** The values of both sides in ascending order, equal ones together. */
export function rankGroups({ baseline, current }: Samples): RankGroup[] {
  const [before, here] = [Float64Array.from(baseline).sort(), Float64Array.from(current).sort()]
  const groups: RankGroup[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < here.length) {
    const value = Math.min(before[i] ?? Number.POSITIVE_INFINITY, here[j] ?? Number.POSITIVE_INFINITY)
    const [fromBefore, fromHere] = [countEqual(before, i, value), countEqual(here, j, value)]
    const size = fromBefore + fromHere
    // What is no number has no rank, and is sorted to the end.
    if (size === 0) break
    groups.push({ rank: i + j + (size + 1) / 2, size, current: fromHere })
    i += fromBefore
    j += fromHere
  }
  return groups
}

function countEqual(sorted: Float64Array, start: number, value: number): number {
  let end = start
  while (sorted[end] === value) end += 1
  return end - start
}
