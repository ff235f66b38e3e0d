import { logBinomial } from './logarithms.ts'
import { isSuspicious } from './suspicion.ts'

/** How many runs a case had, and how it came to be run again. */
export interface Selection {
  /** Pooled runs of the base branch. */
  readonly baselineRuns: number
  /** Runs of the first stage here. */
  readonly stage1Runs: number
  /** All runs here, the first stage among them. */
  readonly allRuns: number
  /** Largest mid-p of a suspicious first stage. */
  readonly screen: number
}

/**
 * S(r) for r = 0..min(failed, allRuns): P(at least r failures here), given `failed` failures on both sides together and
 * that the first stage was suspicious. Exact when the runs are exchangeable, and already pays for the selection. All 1
 * when no first stage with so many failures would have been suspicious. Source: spec verdict 4.2, step 6.
 */
export function selectiveTail(selection: Selection, failed: number): number[] {
  const weights = suspiciousWeights(selection, failed)
  let sum = 0
  // From the thin end, so that small probabilities are not lost in large ones.
  const sums = weights.toReversed().map((weight) => {
    sum += weight
    return sum
  })
  return sums.toReversed().map((tail) => (sum === 0 ? 1 : tail / sum))
}

/** By failures here, in proportion to P(so many, and a suspicious first stage). */
function suspiciousWeights({ baselineRuns, stage1Runs, allRuns, screen }: Selection, failed: number): number[] {
  const laterRuns = allRuns - stage1Runs
  const total = logBinomial(baselineRuns + allRuns, failed)
  // The smallest suspicious first stage: it falls with the failures on the base branch, so one walk finds all of them.
  let least = stage1Runs + 1
  return Array.from({ length: Math.min(failed, allRuns) + 1 }, (_, here) => {
    // What was not failed here was failed on the base branch.
    const baseline = { passed: baselineRuns - failed + here, failed: failed - here }
    if (baseline.passed < 0) return 0
    const isChosen = (first: number) =>
      isSuspicious({ baseline, current: { passed: stage1Runs - first, failed: first } }, screen)
    while (least > 1 && isChosen(least - 1)) least -= 1
    const before = logBinomial(baselineRuns, baseline.failed) - total
    let weight = 0
    for (let first = Math.max(least, here - laterRuns); first <= Math.min(stage1Runs, here); first += 1) {
      weight += Math.exp(before + logBinomial(stage1Runs, first) + logBinomial(laterRuns, here - first))
    }
    return weight
  })
}
