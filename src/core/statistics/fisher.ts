import { type Pair, runsOf } from './counts.ts'
import { hypergeometric } from './hypergeometric.ts'
import { isWithin } from './limit.ts'
import { type Counting, midTail, upperTail } from './tails.ts'

/**
 * P(at least as many failures here), given all failures of the case: Fisher's exact test, alternative "here is worse".
 */
export function fisherWorse(pair: Pair): number {
  return upperTail(shuffled(pair), pair.current.failed)
}

/** Fisher's test with half of the observed probability: less cautious, for choosing and for vetoes only. */
export function midPWorse(pair: Pair): number {
  return midTail(shuffled(pair), pair.current.failed)
}

/** Fisher's exact test, alternative "different": all outcomes together that are at most as likely as this one. */
export function fisherTwoSided(pair: Pair): number {
  const counting = shuffled(pair)
  const observed = counting.probability(pair.current.failed)
  let sum = 0
  for (let x = counting.min; x <= counting.max; x += 1) {
    const probability = counting.probability(x)
    if (isWithin(probability, observed)) sum += probability
  }
  return Math.min(1, sum)
}

/** Failures here when the runs of both sides are shuffled. */
export function shuffled({ baseline, current }: Pair): Counting {
  return hypergeometric({
    total: runsOf(baseline) + runsOf(current),
    failed: baseline.failed + current.failed,
    drawn: runsOf(current),
  })
}

/** Fisher's p-value for every number of failures here from 0 on, given all failures of the case. */
export function fisherTail(pair: Pair): number[] {
  const counting = shuffled(pair)
  return Array.from({ length: counting.max + 1 }, (_, here) => upperTail(counting, here))
}
