/** Ways to choose `chosen` of `count`, in whole numbers. */
export function choose(count: number, chosen: number): bigint {
  if (chosen < 0 || chosen > count) return 0n
  let ways = 1n
  for (let taken = 1; taken <= chosen; taken += 1) ways = (ways * BigInt(count - taken + 1)) / BigInt(taken)
  return ways
}

/** Numbers below about 1e-308 have fewer digits than the others. */
const FEW_DIGITS = 1e-290

/** For `toSatisfy`: equal but for a relative error. */
export function toBeNear(expected: number, relative: number): (value: number) => boolean {
  return (value) => Math.abs(value - expected) <= Math.max(FEW_DIGITS, relative * Math.abs(expected))
}

/** Every way to place `failed` failures in `slots` places, as bit masks. */
export function* placements(slots: number, failed: number): Generator<number> {
  for (let mask = 0; mask < 2 ** slots; mask += 1) {
    if (countBits(mask) === failed) yield mask
  }
}

export function countBits(mask: number): number {
  let bits = 0
  for (let rest = mask; rest > 0; rest >>>= 1) bits += rest & 1
  return bits
}

/** The bits from `from` up to but not with `to`. */
export function bitsBetween(mask: number, from: number, to: number): number {
  return countBits((mask >>> from) & (2 ** (to - from) - 1))
}
