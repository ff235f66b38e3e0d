const HALF_LOG_TWO_PI = Math.log(2 * Math.PI) / 2
/** From here on the last term of Stirling's series below is under 1e-17. */
const STIRLING_FROM = 16

/**
 * ln Γ(x) for x > 0, to about 1e-15 of max(1, value). Stirling's series, reached by the recurrence Γ(x + 1) = x Γ(x).
 * Source: DLMF 5.11.1 and 5.5.1.
 */
export function logGamma(x: number): number {
  let shifted = x
  let product = 1
  while (shifted < STIRLING_FROM) {
    product *= shifted
    shifted += 1
  }
  const inverse = 1 / shifted
  const square = inverse * inverse
  const series =
    inverse *
    (1 / 12 -
      square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square * (1 / 1188 - square * (691 / 360_360))))))
  return (shifted - 0.5) * Math.log(shifted) - shifted + HALF_LOG_TWO_PI + series - Math.log(product)
}

/** ln of the ways to choose `chosen` of `count`; -Infinity when there is none. */
export function logBinomial(count: number, chosen: number): number {
  if (chosen < 0 || chosen > count) return Number.NEGATIVE_INFINITY
  if (chosen === 0 || chosen === count) return 0
  return logGamma(count + 1) - logGamma(chosen + 1) - logGamma(count - chosen + 1)
}
