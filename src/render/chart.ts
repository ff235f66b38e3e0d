import { overallPassRate, totalsOf } from '../core/case-report.ts'
import type { Report } from '../core/report.ts'
import { nameOf } from './links.ts'
import { details } from './table.ts'
import { bySuite } from './tables.ts'
import { barChart } from './trend.ts'
import { plural } from './words.ts'

const MOST_BARS = 30
/** One bar is no picture. */
const LEAST_BARS = 2

/** Pass rates of the suites, or of the cases where there is one suite or few cases: the worst first, thirty at most. */
export function chartOf(report: Report): string | undefined {
  const { cases } = report
  const executed = cases.filter(({ stability }) => stability.runs > 0)
  const suites = bySuite(executed)
  const ofSuites = executed.length > MOST_BARS && suites.size > 1
  const name = nameOf(report)
  const bars = ofSuites
    ? [...suites].map(([suite, items]) => ({ label: suite, rate: overallPassRate(totalsOf(items)) }))
    : executed.map(({ key, stability }) => ({ label: name(key), rate: stability.passRate }))
  if (bars.length < LEAST_BARS) return undefined
  const shown = bars.sort((left, right) => left.rate - right.rate).slice(0, MOST_BARS)
  const what = ofSuites ? 'suite' : 'case'
  const which =
    shown.length < bars.length ? `the ${plural(shown.length, what)} that pass least` : plural(shown.length, what)
  return details(`Pass rates of ${which}`, barChart(shown, 'Runs passed in %'), { open: true })
}
