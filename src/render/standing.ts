import type { CaseReport } from '../core/case-report.ts'
import type { Change } from '../core/comparison.ts'
import type { Report } from '../core/report.ts'
import { ratePercent } from '../core/result.ts'
import { judgedRate } from '../core/stability.ts'

/** Where a case stands, worst first: every case is in one group, the worst that fits. */
const STANDINGS = [
  'regressed',
  'failed',
  'errored',
  'watch',
  'improved',
  'new',
  'passed',
  'not_run',
  'skipped',
] as const
export type Standing = (typeof STANDINGS)[number]

export interface Standpoint {
  readonly item: CaseReport
  readonly standing: Standing
  /** Against the baseline, when there is one. */
  readonly change?: Change
}

/** Every case with its standing, worst first; cases that stand alike keep the order of the suites. */
export function standpointsOf({ cases, changes, gate }: Report): Standpoint[] {
  const byKey = new Map(changes.map((change) => [change.key, change]))
  const points = cases.map((item): Standpoint => {
    const change = byKey.get(item.key)
    const standing = standingOf(item, change, gate.minPassRate)
    return change === undefined ? { item, standing } : { item, standing, change }
  })
  const rank = new Map(STANDINGS.map((standing, index) => [standing, index]))
  return points.sort((left, right) => {
    const byStanding = (rank.get(left.standing) ?? 0) - (rank.get(right.standing) ?? 0)
    return byStanding === 0 ? left.item.stability.passRate - right.item.stability.passRate : byStanding
  })
}

function standingOf({ skip, stability }: CaseReport, change: Change | undefined, minPassRate: number): Standing {
  if (skip !== undefined) return 'skipped'
  if (stability.runs === 0) return 'not_run'
  if (change?.kind === 'regressed') return 'regressed'
  const rate = judgedRate(stability)
  if (rate && ratePercent(rate) < minPassRate) return 'failed'
  if (stability.errored > 0) return 'errored'
  if (change?.kind === 'dropped' || stability.failed > 0) return 'watch'
  if (change?.kind === 'improved') return 'improved'
  return change?.kind === 'new' || change?.kind === 'redefined' ? 'new' : 'passed'
}
