/** Below it the series about 0, from it on the continued fraction: both reach full accuracy here. */
const SERIES_BELOW = 3
const FRACTION_DEPTH = 120

/** P(Z >= z) of the standard normal distribution. Source: DLMF 7.6.2 and 7.9.2. */
export function normalSurvival(z: number): number {
  if (z < 0) return 1 - normalSurvival(-z)
  return z < SERIES_BELOW ? 0.5 - density(z) * oddSeries(z) : density(z) / millsFraction(z)
}

/**
 * The z with P(Z >= z) = p, for 0 < p < 1. Newton on the logarithm, which is concave, so that far tails converge too.
 */
export function normalQuantile(p: number): number {
  if (p > 0.5) return -normalQuantile(1 - p)
  let z = Math.sqrt(Math.max(0, -2 * Math.log(2 * p)))
  for (let round = 0; round < 50; round += 1) {
    const survival = normalSurvival(z)
    const step = (Math.log(survival / p) * survival) / density(z)
    z += step
    if (Math.abs(step) <= 1e-15 * Math.abs(z)) break
  }
  return z
}

function density(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)
}

/** z + z^3/3 + z^5/(3*5) + ...: positive terms only, so nothing cancels. */
function oddSeries(z: number): number {
  let term = z
  let sum = z
  for (let odd = 3; term > sum * 1e-17; odd += 2) {
    term *= (z * z) / odd
    sum += term
  }
  return sum
}

/** z + 1/(z + 2/(z + 3/(z + ...))). */
function millsFraction(z: number): number {
  let fraction = z
  for (let depth = FRACTION_DEPTH; depth >= 1; depth -= 1) fraction = z + depth / fraction
  return fraction
}
