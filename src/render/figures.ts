import { type CaseReport, caseScore, meanScoreOf, totalsOf } from '../core/case-report.ts'
import { formatScore } from '../core/percent.ts'
import type { Report } from '../core/report.ts'
import { describeClass, type StabilityClass } from '../core/stability.ts'
import { formatCount, formatTokens, plural } from './words.ts'

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

/** Unknown is not zero: a target that reports no usage has no figure, and a part of it is a lower bound. */
export function tokensUsed({ cases }: Report): string | undefined {
  const { inputTokens, outputTokens, runs, meteredRuns } = totalsOf(cases)
  if (meteredRuns === 0) return undefined
  return `${meteredRuns < runs ? 'at least ' : ''}${formatTokens(inputTokens + outputTokens)}`
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
