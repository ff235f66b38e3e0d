import { betaQuantile } from './beta.ts'
import { type Counts, runsOf } from './counts.ts'
import { normalQuantile } from './normal.ts'

/** Bounds of a pass rate as shares, 0..1; 0 and 1 when nothing was judged. */
export interface Interval {
  readonly lower: number
  readonly upper: number
}

const CONFIDENCE = 0.95

/** Wilson's score interval, for display. Source: spec verdict 8. */
export function wilson(counts: Counts, confidence = CONFIDENCE): Interval {
  const { passed, failed } = counts
  const runs = runsOf(counts)
  if (runs === 0) return { lower: 0, upper: 1 }
  const z2 = normalQuantile((1 - confidence) / 2) ** 2
  const far = passed + z2 / 2 + Math.sqrt(z2 * ((passed * failed) / runs + z2 / 4))
  // The lower bound is usually written as a difference, which cancels; this quotient is the same number.
  return { lower: passed ** 2 / runs / far, upper: failed === 0 ? 1 : far / (runs + z2) }
}

/** The exact two-sided interval. */
export function clopperPearson(counts: Counts, confidence = CONFIDENCE): Interval {
  const oneSided = (1 + confidence) / 2
  return { lower: lowerBound(counts, oneSided), upper: upperBound(counts, oneSided) }
}

/** One-sided Clopper-Pearson bound, for decisions: the true rate is below it in at most 1 - confidence of all cases. */
export function lowerBound({ passed, failed }: Counts, confidence = CONFIDENCE): number {
  return passed === 0 ? 0 : betaQuantile({ a: passed, b: failed + 1 }, 1 - confidence)
}

/** One-sided Clopper-Pearson bound: the true rate is above it in at most 1 - confidence of all cases. */
export function upperBound({ passed, failed }: Counts, confidence = CONFIDENCE): number {
  return failed === 0 ? 1 : betaQuantile({ a: passed + 1, b: failed }, confidence)
}

/** Jeffreys' interval: quantiles of Beta(passed + 1/2, failed + 1/2), closed at 0 and 1. */
export function jeffreys({ passed, failed }: Counts, confidence = CONFIDENCE): Interval {
  const beta = { a: passed + 0.5, b: failed + 0.5 }
  return {
    lower: passed === 0 ? 0 : betaQuantile(beta, (1 - confidence) / 2),
    upper: failed === 0 ? 1 : betaQuantile(beta, (1 + confidence) / 2),
  }
}
