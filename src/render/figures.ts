import { type CaseReport, caseScore, meanScoreOf, totalsOf } from '../core/case-report.ts'
import { formatScore } from '../core/percent.ts'
import type { Report } from '../core/report.ts'
import { type JudgedRate, stageOf } from '../core/result.ts'
import { describeClass, type StabilityClass } from '../core/stability.ts'
import { wilson } from '../core/statistics/intervals.ts'
import { formatCount, formatTokens, formatUsd, plural } from './words.ts'

const CLASSES: readonly StabilityClass[] = ['stable', 'mostly_stable', 'unstable', 'highly_unstable']

/** `18 stable, 1 highly unstable`; undefined when nothing was run. */
export function classCounts({ cases }: Report): string | undefined {
  const counts = new Map<StabilityClass, number>()
  for (const { stability } of cases) {
    if (stability.runs > 0) counts.set(stability.class, (counts.get(stability.class) ?? 0) + 1)
  }
  const parts = CLASSES.flatMap((name) => {
    const count = counts.get(name)
    return count === undefined ? [] : [`${formatCount(count)} ${describeClass(name).toLowerCase()}`]
  })
  return parts.length === 0 ? undefined : parts.join(', ')
}

/** Of agents, judges and simulated users. Unknown is not zero: without a figure undefined, and a part is a lower bound. */
export function tokensUsed({ spending }: Report): string | undefined {
  const { tokens, unmeteredRuns } = spending
  if (tokens === 0) return undefined
  return `${unmeteredRuns > 0 ? 'at least ' : ''}${formatTokens(tokens)}`
}

/** `$0.42`, `at least $0.42, 3 runs without a price`, `cost unknown`; undefined where nothing was used. */
export function costOf({ spending }: Report): string | undefined {
  const { tokens, costUsd, unpricedRuns, unmeteredRuns } = spending
  const unknown = unpricedRuns + unmeteredRuns
  if (unknown > 0) {
    return costUsd === 0 ? 'cost unknown' : `at least ${formatUsd(costUsd)}, ${plural(unknown, 'run')} without a price`
  }
  return costUsd === 0 && tokens === 0 ? undefined : formatUsd(costUsd)
}

/**
 * What the first runs of the compared cases cost more than as many runs on the base branch, in USD; undefined where no
 * price is known on both sides.
 */
export function costAgainstBase({ cases, pools, runsPerCase }: Report): number | undefined {
  let delta: number | undefined
  for (const item of cases) {
    const before = pools.get(item.key)?.runs.flatMap(({ costUsd }) => (costUsd === undefined ? [] : [costUsd])) ?? []
    if (before.length === 0) continue
    const mean = before.reduce((sum, cost) => sum + cost, 0) / before.length
    for (const run of item.runs) {
      const cost = stageOf(run, runsPerCase) === 'first' ? run.usage?.costUsd : undefined
      if (cost !== undefined) delta = (delta ?? 0) + cost - mean
    }
  }
  return delta
}

/** Cases that were not run again because nothing they depend on was changed. */
export function unchangedCases({ cases }: Report): number {
  let count = 0
  for (const { unchanged } of cases) if (unchanged !== undefined) count += 1
  return count
}

/** `86–98%`: the 95 % interval of a rate. */
export function intervalOf({ passed, judged }: JudgedRate): string {
  const { lower, upper } = wilson({ passed, failed: judged - passed })
  return `${Math.floor(lower * 100)}–${Math.ceil(upper * 100)}%`
}

/** `83 in 12 runs`; undefined where nothing is scored. */
export function meanScore({ cases }: Report): string | undefined {
  const totals = totalsOf(cases)
  const mean = meanScoreOf(totals)
  return mean === undefined ? undefined : `${formatScore(mean)} in ${plural(totals.scoredRuns, 'run')}`
}

/** A case's mean score; `nothing` where it has none. */
export function scoreOf(item: CaseReport, nothing: string): string {
  const score = caseScore(item)
  return score === undefined ? nothing : formatScore(score)
}
