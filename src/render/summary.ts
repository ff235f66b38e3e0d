import { type BaselineState, describeBaseline } from '../core/baseline.ts'
import { overallPassRate, totalsOf } from '../core/case-report.ts'
import { formatPercent } from '../core/percent.ts'
import type { Report } from '../core/report.ts'
import { ratePercent } from '../core/result.ts'
import { formatDuration } from '../lib/duration.ts'
import { inlineText } from '../lib/escape.ts'
import { casesWithDetails, failureDetails } from './failure-details.ts'
import { classCounts, meanScore, tokensUsed } from './figures.ts'
import { code, link, type ReportLinks } from './links.ts'
import { standpointsOf } from './standing.ts'
import { blocks, details } from './table.ts'
import {
  allCasesTable,
  countNews,
  newsTables,
  type Scene,
  sceneOf,
  sidesOf,
  suitesTable,
  troubleTables,
} from './tables.ts'
import { headlineOf } from './verdict-line.ts'
import { formatCount, formatPoints, plural } from './words.ts'

export interface SummaryOptions {
  /** Words of the first line, such as "Agent tests · support-bot". */
  readonly heading: string
  readonly links?: ReportLinks
  /** The text stays within it, counted as UTF-16 units or as UTF-8 bytes. */
  readonly limit?: { readonly chars?: number; readonly bytes?: number }
}

/** How much of the report is shown. */
interface Room {
  /** Rows of a table. */
  readonly rows: number
  /** Cases with details, and the longest quote in them. */
  readonly details: number
  readonly quote: number
  /** The tables of good news and of all cases. */
  readonly lists: boolean
}

/** From everything to next to nothing: passing lists go first, then quotes shrink, then details go, then rows. */
const ROOMS: readonly Room[] = [
  { rows: 100, details: 20, quote: 2_000, lists: true },
  { rows: 100, details: 20, quote: 2_000, lists: false },
  { rows: 100, details: 20, quote: 600, lists: false },
  { rows: 50, details: 10, quote: 600, lists: false },
  { rows: 50, details: 10, quote: 200, lists: false },
  { rows: 30, details: 3, quote: 200, lists: false },
  { rows: 30, details: 0, quote: 0, lists: false },
  { rows: 10, details: 0, quote: 0, lists: false },
  { rows: 3, details: 0, quote: 0, lists: false },
]

const LONGEST_SENTENCE = 400
const LONGEST_HEADING = 150

/** The report for a pull-request comment, a check run or a job summary, in GitHub's Markdown. */
export function renderSummary(report: Report, { heading, links = {}, limit = {} }: SummaryOptions): string {
  const fits = (text: string) => sizeFits(text, limit)
  const points = standpointsOf(report)
  for (const room of ROOMS) {
    if (room.lists && points.length * SHORTEST_ROW > (limit.chars ?? limit.bytes ?? Number.POSITIVE_INFINITY)) continue
    const text = renderWithin(sceneOf(report, points, links, room.rows), room, heading)
    if (fits(text)) return text
  }
  const scene = sceneOf(report, points, links, 0)
  const left = 'The tables and details are left out: the report is too long for this place.'
  const shorter = [
    blocks(head(scene, heading), metrics(report), left, footer(report, links)),
    blocks(head(scene, heading), left),
    head(scene, heading),
  ]
  return shorter.find(fits) ?? verdictWithin(scene, fits)
}

/** A table row takes more than this, so a long list need not be built to know that it does not fit. */
const SHORTEST_ROW = 30

function sizeFits(text: string, { chars, bytes }: { readonly chars?: number; readonly bytes?: number }): boolean {
  if (chars !== undefined && text.length > chars) return false
  return bytes === undefined || new TextEncoder().encode(text).length <= bytes
}

function renderWithin(scene: Scene, room: Room, heading: string): string {
  const { report, links } = scene
  const failing = casesWithDetails(scene)
  const shown = failing.slice(0, room.details)
  return blocks(
    head(scene, heading),
    metrics(report),
    baselineLine(report.baseline),
    troubleTables(scene),
    room.lists ? news(scene) : undefined,
    ...shown.map((point, index) => failureDetails(point, scene, { length: room.quote, open: index === 0 })),
    room.lists ? suitesTable(scene) : undefined,
    room.lists && scene.points.length > 0
      ? details(
          scene.points.length === 1 ? 'The case' : `All ${plural(scene.points.length, 'case')}`,
          allCasesTable(scene),
        )
      : undefined,
    warnings(report, room.rows),
    leftOut(scene, room, { shown: shown.length, failing: failing.length }),
    footer(report, links),
  )
}

/** Good and neutral news in one line that opens. */
function news(scene: Scene): string | undefined {
  const counts = countNews(scene)
  const parts = (['improved', 'new', 'removed'] as const).flatMap((kind) =>
    counts[kind] === 0 ? [] : [`${formatCount(counts[kind])} ${kind}`],
  )
  return parts.length === 0 ? undefined : details(parts.join(', '), newsTables(scene))
}

/** Heading and verdict: what is kept whatever the limit. */
function head({ report, name }: Scene, heading: string): string {
  const title = inlineText(heading, { maxLength: LONGEST_HEADING })
  return blocks(`### ${title === '' ? 'Agent tests' : title}`, alertBlock(report, name))
}

function alertBlock(report: Report, name: (key: string) => string, maxLength = LONGEST_SENTENCE): string {
  const { alert, title, subject, text } = headlineOf(report)
  const start = subject === undefined ? '' : `${code(name(subject))} `
  return `> [!${alert}]\n> **${title}:** ${start}${ended(text, maxLength)}`
}

/** Words that end like a sentence. */
function ended(text: string, maxLength: number): string {
  const words = inlineText(text, { maxLength })
  return /[.!?…]$/.test(words) ? words : `${words}.`
}

/** The verdict alone, cut until it fits. */
function verdictWithin({ report, name }: Scene, fits: (text: string) => boolean): string {
  for (let maxLength = LONGEST_SENTENCE; maxLength > 0; maxLength = Math.floor(maxLength / 2)) {
    const text = alertBlock(report, name, maxLength)
    if (fits(text)) return text
  }
  return `**${headlineOf(report).title}**`
}

function metrics(report: Report): string {
  const totals = totalsOf(report.cases)
  const used = tokensUsed(report)
  const scored = meanScore(report)
  const rate = totals.runs === 0 ? '' : ` (${formatPercent(overallPassRate(totals))})`
  const parts = [
    `**${formatCount(totals.passedRuns)}/${plural(totals.runs, 'run')} passed**${rate}`,
    comparedRates(report),
    scored === undefined ? undefined : `mean score ${scored}`,
    report.runsPerCase > 1 ? classCounts(report) : undefined,
    plural(totals.erroredRuns, 'error'),
    totals.skipped > 0 ? `${totals.skipped} skipped` : undefined,
    totals.notRun > 0 ? `${totals.notRun} not run` : undefined,
    formatDuration(report.durationMs),
    used === undefined ? undefined : `${used} tokens`,
  ]
  return parts.filter((part) => part !== undefined).join(' · ')
}

/** Mean rate of the cases that have a comparable baseline: other cases would blur the difference. */
function comparedRates({ cases, changes }: Report): string | undefined {
  const byKey = new Map(cases.map((item) => [item.key, item]))
  const pairs = changes.flatMap((change) => {
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

/** The baseline's commit as code, so that it can be copied. */
function baselineLine(state: BaselineState): string {
  const text = describeBaseline(state)
  const commit = state.kind === 'ok' ? state.baseline.commit?.slice(0, 7) : undefined
  const [before, after] = commit === undefined ? [] : text.split(` ${commit}`)
  if (commit === undefined || before === undefined || after === undefined) return ended(text, LONGEST_SENTENCE)
  return `${inlineText(before, { maxLength: LONGEST_SENTENCE })} ${code(commit)}${inlineText(after)}`
}

function warnings({ warnings: texts }: Report, rows: number): string | undefined {
  if (texts.length === 0) return undefined
  const shown = texts.slice(0, rows).map((text) => `- ${inlineText(text, { maxLength: LONGEST_SENTENCE })}`)
  if (texts.length > shown.length) shown.push(`- … and ${texts.length - shown.length} more`)
  return details(plural(texts.length, 'warning'), shown.join('\n'))
}

/** Says what a reader cannot see here. */
function leftOut(
  scene: Scene,
  room: Room,
  { shown, failing }: { readonly shown: number; readonly failing: number },
): string | undefined {
  const parts = [
    failing > shown ? `the details of ${plural(failing - shown, shown === 0 ? 'case' : 'more case')}` : undefined,
    room.lists ? undefined : 'the list of all cases',
    room.lists ? undefined : newsLeftOut(scene),
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : `Left out to fit: ${parts.join('; ')}.`
}

function newsLeftOut(scene: Scene): string | undefined {
  const { improved, new: added, removed } = countNews(scene)
  const count = improved + added + removed
  return count === 0 ? undefined : plural(count, 'improved, new or removed case')
}

function footer({ gate, version }: Report, { runUrl, headSha }: ReportLinks): string {
  const rules = gate.failOn.length === 0 ? 'nothing' : gate.failOn.join(', ')
  const parts = [
    runUrl === undefined ? undefined : link('Workflow run', runUrl),
    `fails on ${rules}; every case must reach ${formatPercent(gate.minPassRate)}`,
    `agent-test ${inlineText(version)}`,
    headSha === undefined ? undefined : `updated for ${code(headSha.slice(0, 7))}`,
  ]
  return `<sub>${parts.filter((part) => part !== undefined).join(' · ')}</sub>`
}
