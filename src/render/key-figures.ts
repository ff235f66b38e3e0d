import { describeBaseline } from '../core/baseline.ts'
import { overallPassRate, totalsOf } from '../core/case-report.ts'
import { formatPercent } from '../core/percent.ts'
import type { Report } from '../core/report.ts'
import { ratePercent } from '../core/result.ts'
import { formatDuration } from '../lib/duration.ts'
import { inlineText } from '../lib/escape.ts'
import { classCounts, costAgainstBase, costOf, intervalOf, meanScore, tokensUsed, unchangedCases } from './figures.ts'
import { code } from './links.ts'
import { sidesOf } from './scene.ts'
import { neutralNote } from './verdict-line.ts'
import { formatCount, formatPoints, formatUsd, plural } from './words.ts'

const LONGEST_SENTENCE = 400
const LEAST_USD = 0.000_01

/** One row: `57/60 runs passed (95%, 95% interval 86–98%) · … · 3m 12s · 182k tokens · $0.42`. */
export function metrics(report: Report): string {
  const totals = totalsOf(report.cases)
  const used = tokensUsed(report)
  const scored = meanScore(report)
  const unchanged = unchangedCases(report)
  const notRun = totals.notRun - unchanged
  const parts = [
    `**${formatCount(totals.passedRuns)}/${plural(totals.runs, 'run')} passed**${rateOf(report)}`,
    comparedRates(report),
    scored === undefined ? undefined : `mean score ${scored}`,
    report.maxRuns > 1 ? classCounts(report) : undefined,
    plural(totals.erroredRuns, 'error'),
    totals.skipped > 0 ? `${formatCount(totals.skipped)} skipped` : undefined,
    unchanged > 0 ? `${formatCount(unchanged)} unchanged` : undefined,
    notRun > 0 ? `${formatCount(notRun)} not run` : undefined,
    formatDuration(report.durationMs),
    used === undefined ? undefined : `${used} tokens`,
    money(report),
  ]
  return parts.filter((part) => part !== undefined).join(' · ')
}

function rateOf({ cases }: Report): string {
  const totals = totalsOf(cases)
  if (totals.runs === 0) return ''
  const interval = intervalOf({ passed: totals.passedRuns, judged: totals.runs })
  return ` (${formatPercent(overallPassRate(totals))}, 95% interval ${interval})`
}

/** Escaped: GitHub takes what stands between two dollar signs for mathematics. */
function money(report: Report): string | undefined {
  const cost = costOf(report)
  if (cost === undefined) return undefined
  const delta = costAgainstBase(report)
  // Adding up leaves crumbs that are no money.
  if (delta === undefined || Math.abs(delta) < LEAST_USD) return inlineText(cost)
  const sign = delta < 0 ? '-' : '+'
  return inlineText(`${cost} (${sign}${formatUsd(Math.abs(delta))} for the same runs)`)
}

/** Mean rate of the cases that have a comparable baseline: other cases would blur the difference. */
function comparedRates({ cases, changes }: Report): string | undefined {
  const byKey = new Map(cases.map((item) => [item.key, item]))
  const pairs = changes.flatMap((change) => {
    if (change.kind === 'young') return []
    const item = byKey.get(change.key)
    const { before, after } = item ? sidesOf(item, change) : {}
    return before && after ? [[ratePercent(before), ratePercent(after)] as const] : []
  })
  if (pairs.length === 0) return undefined
  const mean = (side: 0 | 1) => pairs.reduce((sum, pair) => sum + pair[side], 0) / pairs.length
  const [was, is] = [mean(0), mean(1)]
  if (was === is) return 'as in the baseline'
  return `compared cases ${formatPercent(was)} → ${formatPercent(is)} (${formatPoints(is - was)})`
}

/** Which results these are compared with: commit, where it stands, how much is known; else why they are not. */
export function baselineLine(report: Report): string | undefined {
  const { baseline, verdict } = report
  // The verdict's own sentence has said it.
  if (neutralNote(verdict)?.kind === 'not_compared' && baseline.kind !== 'ok') return undefined
  const text = describeBaseline(baseline)
  const commit = baseline.kind === 'ok' ? baseline.baseline.commit?.slice(0, 7) : undefined
  const [before, after] = commit === undefined ? [] : text.split(` ${commit}`)
  if (commit === undefined || before === undefined || after === undefined)
    return inlineText(text, { maxLength: LONGEST_SENTENCE })
  // At the start of a text a colon would be escaped.
  const mark = /^[:.]/.exec(after)?.[0] ?? ''
  const rest = inlineText(after.slice(mark.length), { maxLength: LONGEST_SENTENCE })
  const gap = rest === '' ? '' : ' '
  return `${inlineText(before, { maxLength: LONGEST_SENTENCE })} ${code(commit)}${mark}${gap}${rest}`
}
