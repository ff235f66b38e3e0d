import { type RankGroup, rankGroups, type Samples } from './ranks.ts'
import { vanElteren } from './van-elteren.ts'

/** Above it the exact distribution takes milliseconds a case and the normal one hardly differs. */
const EXACT_VALUES = 70

/**
 * P(a rank sum here at least as large) when both sides are alike: exact with ties up to 70 values, else by the normal
 * distribution. 1 when a side has no value. Source: spec verdict 9.
 */
export function mannWhitneyGreater(samples: Samples): number {
  const { baseline, current } = samples
  if (baseline.length === 0 || current.length === 0) return 1
  return baseline.length + current.length > EXACT_VALUES ? vanElteren([samples]).p : mannWhitneyExact(samples)
}

function mannWhitneyExact(samples: Samples): number {
  const groups = rankGroups(samples)
  const observed = groups.reduce((sum, { rank, current }) => sum + 2 * rank * current, 0)
  const ways = waysToRankSum(groups, samples.current.length)
  const larger = ways.subarray(observed).reduce((sum, count) => sum + count, 0)
  return larger / ways.reduce((sum, count) => sum + count, 0)
}

/** In how many ways `chosen` of the values reach a rank sum; the index is twice the sum, since mid-ranks are halves. */
function waysToRankSum(groups: readonly RankGroup[], chosen: number): Float64Array {
  const width = 1 + 2 * chosen * groups.reduce((sum, { size }) => sum + size, 0)
  const byCount = Array.from({ length: chosen + 1 }, () => new Float64Array(width))
  byCount[0]?.fill(1, 0, 1)
  for (const group of groups) {
    // From the largest count down, so that no value is chosen twice.
    for (let count = chosen; count > 0; count -= 1) addGroup(byCount, count, group)
  }
  return byCount[chosen] ?? new Float64Array(width)
}

function addGroup(byCount: readonly Float64Array[], count: number, { rank, size }: RankGroup): void {
  const sums = byCount[count] ?? new Float64Array()
  let ways = 1
  for (let taken = 1; taken <= Math.min(size, count); taken += 1) {
    ways *= (size - taken + 1) / taken
    const shift = 2 * rank * taken
    const fewer = byCount[count - taken] ?? new Float64Array()
    for (let at = shift; at < sums.length; at += 1) sums[at] = (sums[at] ?? 0) + ways * (fewer[at - shift] ?? 0)
  }
}
