import { logBinomial } from './logarithms.ts'
import type { Counting } from './tails.ts'

/** Failures in `runs` runs that each fail with probability `rate`. */
export function binomial(runs: number, rate: number): Counting {
  const odds = rate / (1 - rate)
  return {
    // The two certain rates have one value each: its logarithm would be 0 * -Infinity.
    min: rate === 1 ? runs : 0,
    max: rate === 0 ? 0 : runs,
    mean: runs * rate,
    probability: (x) => {
      if (rate === 0 || rate === 1) return x === runs * rate ? 1 : 0
      return Math.exp(logBinomial(runs, x) + x * Math.log(rate) + (runs - x) * Math.log1p(-rate))
    },
    ratio: (x) => ((runs - x) / (x + 1)) * odds,
  }
}
