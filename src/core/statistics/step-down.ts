import { isWithin } from './limit.ts'

/** One case among those that are tested together. */
export interface AttainableTest {
  /** S(r) for r = 0..: every p-value that the case could have had, given its own failures. Never increasing. */
  readonly tail: readonly number[]
  /** Failures on both sides together; all of them here means that the base branch is spotless. */
  readonly failed: number
  /** The r that was seen. */
  readonly observed: number
}

/** The p-value of one case alone, and adjusted for having looked at all of them. */
export interface AdjustedTest {
  readonly p: number
  readonly adjusted: number
}

/**
 * Step-down min-p over attainable p-values: each case pays only for the p-values that the others could have reached.
 * The weight compares a case that failed on the base branch as well as if its p-value were `weight` times larger; the
 * reference distribution stays exact. In the order of `tests`. Source: spec verdict 4.2, step 6.
 */
export function stepDownMinP(tests: readonly AttainableTest[], weight: number): AdjustedTest[] {
  const ranked = tests
    .map((test, index) => ({ index, statistic: statisticOf(test, test.observed, weight) }))
    .sort((left, right) => left.statistic - right.statistic)
  const results = tests.map(({ tail, observed }) => ({ p: tail[observed] ?? 0, adjusted: 1 }))
  const groups = alike(tests)
  const rest = new Set(groups)
  let highest = 0
  for (const { index, statistic } of ranked) {
    highest = Math.max(highest, chanceOfAny(rest, statistic, weight))
    // Once the chance is certain it stays so: the other cases need no sum.
    if (highest >= 1) break
    results[index] = { p: results[index]?.p ?? 0, adjusted: highest }
    const group = groups[index]
    if (group) group.count -= 1
  }
  return results
}

/** What a test can come to, and how many tests can. A large suite has few shapes: without them the sums are quadratic. */
interface Alike {
  readonly test: AttainableTest
  count: number
}

/** The group of each test. */
function alike(tests: readonly AttainableTest[]): Alike[] {
  const groups = new Map<string, Alike>()
  return tests.map((test) => {
    const shape = `${test.failed}:${test.tail.join()}`
    const group = groups.get(shape) ?? { test, count: 0 }
    groups.set(shape, group)
    group.count += 1
    return group
  })
}

interface BesideOptions {
  /** Chance of any false alarm among all. */
  readonly alpha: number
  readonly flakyWeight: number
  /** Whether the case never failed on the base branch. */
  readonly isSpotless: boolean
}

/**
 * The p-value that one more case would need beside `tests` to be flagged at `alpha`: what a statement of the smallest
 * detectable change rests on. `alpha` itself when there is no other.
 */
export function levelBeside(
  tests: readonly AttainableTest[],
  { alpha, flakyWeight, isSpotless }: BesideOptions,
): number {
  const own = isSpotless ? 1 : flakyWeight
  const others = new Set(alike(tests))
  const fits = (level: number) => isWithin(level + (1 - level) * chanceOfAny(others, own * level, flakyWeight), alpha)
  if (fits(alpha)) return alpha
  let [low, high] = [0, alpha]
  for (let round = 0; round < 60; round += 1) {
    const level = (low + high) / 2
    if (fits(level)) low = level
    else high = level
  }
  return low
}

/** P(any of the tests reaches a statistic of at most `limit`) when nothing changed. */
function chanceOfAny(groups: ReadonlySet<Alike>, limit: number, weight: number): number {
  // As logarithms: 1 minus a product of numbers close to 1 would lose the small chances.
  let sum = 0
  for (const { test, count } of groups) {
    if (count > 0) sum += count * Math.log1p(-attainable(test, limit, weight))
  }
  return -Math.expm1(sum)
}

function statisticOf({ tail, failed }: AttainableTest, here: number, weight: number): number {
  return (here === failed ? 1 : weight) * (tail[here] ?? 0)
}

/** P(statistic <= limit) when nothing changed: the largest p-value that the case can have with such a statistic. */
function attainable(test: AttainableTest, limit: number, weight: number): number {
  const least = test.tail.findIndex((_, here) => isWithin(statisticOf(test, here, weight), limit))
  return least < 0 ? 0 : (test.tail[least] ?? 0)
}
