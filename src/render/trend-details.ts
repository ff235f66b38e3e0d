import { formatPercent } from '../core/percent.ts'
import type { Report } from '../core/report.ts'
import { type JudgedRate, ratePercent, stageOf } from '../core/result.ts'
import { htmlText } from '../lib/escape.ts'
import type { Scene } from './scene.ts'
import { blocks, details } from './table.ts'
import { sessionRates, trendChart } from './trend.ts'

/** Where the base branch has been going lately, in a picture and in words; closed. */
export function trendDetails({ report, base }: Scene): string | undefined {
  const points = sessionRates(report.pools)
  const chart = trendChart(points)
  const [first, last] = [points[0], points.at(-1)]
  if (chart === undefined || !first || !last) return undefined
  const own = firstRuns(report)
  const here = own.judged === 0 ? '' : `; here ${formatPercent(ratePercent(own))}`
  const words = `Runs passed: ${formatPercent(ratePercent(first))} in the oldest session, ${formatPercent(ratePercent(last))} in the newest${here}.`
  return details(`Last ${points.length} sessions of ${htmlText(base)}`, blocks(chart, words))
}

/** Re-runs are of the cases that do badly: only the first runs compare with a session of the base branch. */
function firstRuns({ cases, runsPerCase }: Report): JudgedRate {
  let [passed, judged] = [0, 0]
  for (const { runs } of cases) {
    for (const run of runs) {
      if (run.status === 'errored' || stageOf(run, runsPerCase) !== 'first') continue
      judged += 1
      if (run.status === 'passed') passed += 1
    }
  }
  return { passed, judged }
}
