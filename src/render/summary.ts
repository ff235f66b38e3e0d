import type { Report } from '../core/report.ts'
import { inlineText } from '../lib/escape.ts'
import { chartOf } from './chart.ts'
import { casesWithDetails } from './failure-details.ts'
import { failures } from './failures.ts'
import { footer } from './footer.ts'
import { baselineLine, metrics } from './key-figures.ts'
import { code, nameOf, type ReportLinks } from './links.ts'
import { controlSentence, notesBesides, otherReasons, sensitivitySentence } from './notes.ts'
import { acceptance, proposals } from './policy-lines.ts'
import { type Scene, sceneOf } from './scene.ts'
import { standpointsOf } from './standing.ts'
import { blocks, details } from './table.ts'
import { allCasesTable, countNews, newsTables, suitesTable, troubleTables } from './tables.ts'
import { trendDetails } from './trend-details.ts'
import { headlineOf } from './verdict-line.ts'
import { formatCount, plural } from './words.ts'

interface BodyOptions {
  readonly links?: ReportLinks
  /** The text stays within it, counted as UTF-16 units or as UTF-8 bytes. */
  readonly limit?: { readonly chars?: number; readonly bytes?: number }
  /** A chart of pass rates, where it is not one of several texts. */
  readonly chart?: boolean
}

interface SummaryOptions extends BodyOptions {
  /** Words of the first line, such as "Agent tests · support-bot". */
  readonly heading: string
}

/** How much of the report is shown. */
interface Room {
  /** Rows of a table. */
  readonly rows: number
  /** Cases with details, and the longest quote in them. */
  readonly details: number
  readonly quote: number
  /** The tables of good news and of all cases, charts and proposals. */
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

const LONGEST_SENTENCE = 600
const LONGEST_HEADING = 150
/** A table row takes more than this, so a long list need not be built to know that it does not fit. */
const SHORTEST_ROW = 30
const LEFT_OUT = 'The tables and details are left out: the report is too long for this place.'

/** The report for a check run or a job summary, in GitHub's Markdown; a comment has it in sections. */
export function renderSummary(report: Report, { heading, ...options }: SummaryOptions): string {
  const fits = fitsWithin(options.limit)
  const head = blocks(headingOf(heading), alertBlock(report))
  const whole = bodyWithin(report, options, (body) => fits(blocks(head, body)))
  return whole === undefined ? headWithin(report, head, fits) : blocks(head, whole)
}

/** Everything below the verdict; as much of it as fits, and empty where nothing does. */
export function renderBody(report: Report, options: BodyOptions): string {
  return bodyWithin(report, options, fitsWithin(options.limit)) ?? ''
}

/** The verdict in one line of Markdown. */
export function verdictLine(report: Report, maxLength = LONGEST_SENTENCE): string {
  const { title, subject, text } = headlineOf(report)
  const start = subject === undefined ? '' : `${code(nameOf(report)(subject))} `
  return `**${title}:** ${start}${ended(text, maxLength)}`
}

export function headingOf(heading: string): string {
  const title = inlineText(heading, { maxLength: LONGEST_HEADING })
  return `### ${title === '' ? 'Agent tests' : title}`
}

type Fits = (text: string) => boolean

function fitsWithin({ chars, bytes }: NonNullable<BodyOptions['limit']> = {}): Fits {
  return (text) => {
    if (chars !== undefined && text.length > chars) return false
    return bytes === undefined || new TextEncoder().encode(text).length <= bytes
  }
}

function bodyWithin(report: Report, options: BodyOptions, fits: Fits): string | undefined {
  const { links = {}, limit = {} } = options
  const points = standpointsOf(report)
  const isLong = points.length * SHORTEST_ROW > (limit.chars ?? limit.bytes ?? Number.POSITIVE_INFINITY)
  for (const room of ROOMS) {
    if (room.lists && isLong) continue
    const text = bodyIn(sceneOf(report, points, links, room.rows), room, options)
    if (fits(text)) return text
  }
  return [blocks(metrics(report), LEFT_OUT, footer(report, links)), LEFT_OUT].find(fits)
}

function alertBlock(report: Report, maxLength = LONGEST_SENTENCE): string {
  return `> [!${headlineOf(report).alert}]\n> ${verdictLine(report, maxLength)}`
}

/** Heading and verdict without a body, or the verdict alone, cut until it fits. */
function headWithin(report: Report, head: string, fits: Fits): string {
  if (fits(head)) return head
  for (let maxLength = LONGEST_SENTENCE; maxLength > 0; maxLength = Math.floor(maxLength / 2)) {
    const text = alertBlock(report, maxLength)
    if (fits(text)) return text
  }
  return `**${headlineOf(report).title}**`
}

function bodyIn(scene: Scene, room: Room, { chart = false }: BodyOptions): string {
  const { report, links } = scene
  const failing = casesWithDetails(scene)
  return blocks(
    metrics(report),
    baselineLine(report),
    listed(otherReasons(report), { most: room.rows, noun: 'more reason' }).join('\n'),
    chart && room.lists ? chartOf(report) : undefined,
    troubleTables(scene),
    room.lists ? news(scene) : undefined,
    failures(failing, scene, { most: room.details, length: room.quote }),
    besides(report, room.rows),
    room.lists ? suitesTable(scene) : undefined,
    room.lists ? trendDetails(scene) : undefined,
    room.lists ? allCases(scene) : undefined,
    room.lists ? proposals(report) : undefined,
    acceptance(scene, room.rows),
    warnings(report, room.rows),
    leftOut(scene, room, failing.length),
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

const MOST_NOTES = 6

/** Notes, the control and what could not have been seen: a short list, so that a green report stays on one screen. */
function besides(report: Report, rows: number): string {
  const items = listed(notesBesides(report), { most: Math.min(MOST_NOTES, rows), noun: 'more note' })
  const control = controlSentence(report.judgement, code)
  const limits = sensitivitySentence(report)
  if (control !== undefined) items.push(`- ${control}`)
  if (limits !== undefined) items.push(`- ${ended(capital(limits), LONGEST_SENTENCE)}`)
  return items.join('\n')
}

function listed(sentences: readonly string[], { most, noun }: { readonly most: number; readonly noun: string }) {
  const items = sentences.slice(0, most).map((text) => `- ${ended(capital(text), LONGEST_SENTENCE)}`)
  return sentences.length > most ? [...items, `- … and ${plural(sentences.length - most, noun)}.`] : items
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

/** Words that end like a sentence. */
function ended(text: string, maxLength: number): string {
  const words = inlineText(text, { maxLength })
  return /[.!?…]$/.test(words) ? words : `${words}.`
}

function allCases(scene: Scene): string | undefined {
  const count = scene.points.length
  if (count === 0) return undefined
  return details(count === 1 ? 'The case' : `All ${plural(count, 'case')}`, allCasesTable(scene))
}

function warnings({ warnings: texts }: Report, rows: number): string | undefined {
  if (texts.length === 0) return undefined
  const shown = texts.slice(0, rows).map((text) => `- ${inlineText(text, { maxLength: LONGEST_SENTENCE })}`)
  if (texts.length > shown.length) shown.push(`- … and ${texts.length - shown.length} more`)
  return details(plural(texts.length, 'warning'), shown.join('\n'))
}

/** Says what a reader cannot see here. */
function leftOut(scene: Scene, room: Room, failing: number): string | undefined {
  const shown = Math.min(failing, room.details)
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
