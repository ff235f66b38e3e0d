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
  const sizes = new Map<number, { size: number; current: number }>()
  const add = (value: number, here: number) => {
    const group = sizes.get(value) ?? { size: 0, current: 0 }
    sizes.set(value, { size: group.size + 1, current: group.current + here })
  }
  for (const value of baseline) add(value, 0)
  for (const value of current) add(value, 1)
  let before = 0
  return [...sizes]
    .sort(([left], [right]) => left - right)
    .map(([, group]) => {
      const rank = before + (group.size + 1) / 2
      before += group.size
      return { rank, ...group }
    })
}
