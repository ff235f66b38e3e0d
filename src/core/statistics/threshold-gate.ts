import type { Percent } from '../percent.ts'
import { ratePercent } from '../result.ts'
import { type Counts, runsOf } from './counts.ts'
import { lowerBound, upperBound } from './intervals.ts'

/** How much a pass rate below the limit, or above it, must be shown. */
export type ThresholdMode = 'shown' | 'observed' | 'proven'

/** `unproven` passes in `shown` mode, and does not in `proven` mode. */
export type ThresholdVerdict = 'pass' | 'fail' | 'unproven'

/**
 * `observed`: the rate itself. `shown`: fails when the one-sided 95 % upper bound is below the limit. `proven`: passes
 * when the lower bound reaches it. Without a judged run nothing is said. Source: spec verdict 7.
 */
export function thresholdVerdict(counts: Counts, minPassRate: Percent, mode: ThresholdMode): ThresholdVerdict {
  const judged = runsOf(counts)
  if (judged === 0) return 'unproven'
  const reaches = ratePercent({ passed: counts.passed, judged }) >= minPassRate
  if (mode === 'observed') return reaches ? 'pass' : 'fail'
  if (upperBound(counts) * 100 < minPassRate) return 'fail'
  const isEnough = mode === 'shown' ? reaches : lowerBound(counts) * 100 >= minPassRate
  return isEnough ? 'pass' : 'unproven'
}

/** Whether the gate is red: `proven` is green only with proof. */
export function blocksThreshold(verdict: ThresholdVerdict, mode: ThresholdMode): boolean {
  return verdict === 'fail' || (mode === 'proven' && verdict === 'unproven')
}
