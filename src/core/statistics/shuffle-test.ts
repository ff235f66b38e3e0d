import { type Pair, runsOf } from './counts.ts'
import { shuffled } from './fisher.ts'

/** All cases together. */
export interface ShuffleTest {
  /** Failed runs here. */
  readonly observed: number
  /** Failed runs that shuffling the runs of each case between both sides predicts. */
  readonly expected: number
  /** P(at least so many failures here) when nothing changed; 0 when it is below about 1e-290. */
  readonly p: number
}

/**
 * The exact stratified shuffle test, a convolution of hypergeometric distributions. Source: spec verdict 4.2, step 2.
 */
export function shuffleTest(pairs: readonly Pair[]): ShuffleTest {
  let [observed, expected, certain, low] = [0, 0, 0, 0]
  let chances = new Float64Array([1])
  for (const pair of pairs) {
    observed += pair.current.failed
    // Nothing failed, or nothing was run here: shuffling changes nothing.
    if (runsOf(pair.current) === 0 || pair.baseline.failed + pair.current.failed === 0) continue
    const { mean, min, chances: own } = chancesOf(pair)
    expected += mean
    certain += min
    const { first, chances: kept } = withoutDust(convolve(chances, own))
    chances = kept
    low += min + first
  }
  // From the thin end, so that small probabilities are not lost in large ones.
  const p = chances.subarray(Math.max(0, observed - low)).reduceRight((sum, chance) => sum + chance, 0)
  return { observed, expected, p: observed === certain ? 1 : Math.min(1, p) }
}

interface Chances {
  readonly mean: number
  readonly min: number
  /** Of `min` failures and more. */
  readonly chances: Float64Array<ArrayBuffer>
}

function chancesOf(pair: Pair): Chances {
  const { min, max, mean, probability } = shuffled(pair)
  return { mean, min, chances: Float64Array.from({ length: max - min + 1 }, (_, more) => probability(min + more)) }
}

/** Chances that no sum of them makes visible. Without them a suite of many cases takes a time that fits its spread. */
const DUST = 1e-300

function withoutDust(chances: Float64Array<ArrayBuffer>): {
  readonly first: number
  readonly chances: Float64Array<ArrayBuffer>
} {
  let [first, end] = [0, chances.length]
  while (first < end - 1 && (chances[first] ?? 0) < DUST) first += 1
  while (end > first + 1 && (chances[end - 1] ?? 0) < DUST) end -= 1
  return { first, chances: chances.subarray(first, end) }
}

function convolve(left: Float64Array<ArrayBuffer>, right: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const sums = new Float64Array(left.length + right.length - 1)
  for (let i = 0; i < left.length; i += 1) {
    const chance = left[i] ?? 0
    if (chance === 0) continue
    for (let j = 0; j < right.length; j += 1) sums[i + j] = (sums[i + j] ?? 0) + chance * (right[j] ?? 0)
  }
  return sums
}
