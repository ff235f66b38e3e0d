import { median } from './durations.ts'
import { isWithin } from './limit.ts'
import type { Samples } from './ranks.ts'
import { type RankTest, vanElteren } from './van-elteren.ts'

const LIMIT = 0.01

/** How duration, tokens, cost or turns of the suite changed. */
export interface ResourceChange extends RankTest {
  /** Typical ratio of the medians, here to the base branch: 1.25 is a quarter more. 1 when no case has both above 0. */
  readonly ratio: number
}

/** On the first stage, one stratum a case. Source: spec verdict 9. */
export function resourceChange(strata: readonly Samples[]): ResourceChange {
  const logRatios = strata.flatMap(({ baseline, current }) => {
    const [before, here] = [median(baseline) ?? 0, median(current) ?? 0]
    return before > 0 && here > 0 ? [Math.log(here / before)] : []
  })
  return { ...vanElteren(strata), ratio: Math.exp(median(logRatios) ?? 0) }
}

/** Whether the change is both no accident and as large as the limit; `maxIncrease` is a ratio. */
export function isIncrease({ p, ratio }: ResourceChange, maxIncrease: number): boolean {
  return isWithin(p, LIMIT) && ratio >= maxIncrease
}
