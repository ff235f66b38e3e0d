import type { Report } from '../core/report.ts'
import { cut, htmlText, inlineText } from '../lib/escape.ts'
import type { ReportLinks } from './links.ts'
import { shortenBlocks } from './shorten-blocks.ts'
import { headingOf, renderBody, verdictLine } from './summary.ts'
import { blocks, details, table } from './table.ts'
import { type Alert, headlineOf } from './verdict-line.ts'
import { plural } from './words.ts'

/**
 * What one job, such as a matrix leg, contributes to a comment that several share. All of it is data that can be kept
 * in the comment and read from there again.
 */
export interface Section {
  /** What tells it from the others, such as "support-bot"; plain text, not escaped. */
  readonly title: string
  readonly alert: Alert
  /** The verdict in one line of Markdown, which may stand in a table cell too. */
  readonly line: string
  /**
   * The rest in Markdown: figures, baseline, tables, failures, footer, most important first. Blocks stand between blank
   * lines, and what is cut off at such a line leaves nothing open.
   */
  readonly body: string
}

interface SectionOptions {
  /** Its title. */
  readonly heading: string
  readonly links?: ReportLinks
  /** Of the body, in UTF-16 units. */
  readonly chars: number
}

export function renderSection(report: Report, { heading, links = {}, chars }: SectionOptions): Section {
  return {
    title: heading,
    alert: headlineOf(report).alert,
    line: verdictLine(report),
    body: renderBody(report, { links, limit: { chars } }),
  }
}

interface SectionsOptions {
  /** Words of the first line where there are several sections; a single one has its title there. */
  readonly heading: string
  /** The whole text stays within it, hidden lines included; in UTF-16 units. */
  readonly chars: number
  /**
   * Hidden lines before and after a section's body, such as HTML comments, so that it can be found again. They are given
   * the body as it stands between them, which may be shorter than the section's own or empty.
   */
  readonly marks?: Marks
}

type Marks = (section: Section, body: string) => { readonly before: string; readonly after: string }

const SEVERITIES: readonly Alert[] = ['CAUTION', 'WARNING', 'NOTE', 'TIP']
/** A body cut to less says nothing. */
const LEAST_ROOM = 300

/** Sections of several jobs in one text, worst first: made just now or read from the comment, in any order. */
export function renderSections(sections: readonly Section[], options: SectionsOptions): string {
  const sorted = [...sections].sort((left, right) => severityOf(left) - severityOf(right))
  const fits = (text: string) => text.length <= options.chars
  const whole = assembled(sorted, { ...options, rooms: sorted.map(({ body }) => body.length) })
  if (fits(whole)) return whole
  const bare = assembled(sorted, { ...options, rooms: sorted.map(() => 0) })
  // Titles and hidden lines of bodies take room too, so that the first share may be too large.
  for (let budget = options.chars - bare.length; budget > LEAST_ROOM; budget = Math.floor(budget * 0.85)) {
    const text = assembled(sorted, { ...options, rooms: sharesOf(sorted, budget) })
    if (fits(text)) return text
  }
  return fits(bare) ? bare : shortest(sorted, options)
}

function severityOf({ alert }: Section): number {
  return SEVERITIES.indexOf(alert)
}

/** How long each body may be: what short ones leave goes to the longer ones. */
function sharesOf(sections: readonly Section[], budget: number): number[] {
  const rooms = sections.map(() => 0)
  let left = budget
  const bySize = sections
    .map(({ body }, index) => ({ index, size: body.length }))
    .sort((one, other) => one.size - other.size)
  for (const [place, { index, size }] of bySize.entries()) {
    const room = Math.min(size, Math.floor(left / (bySize.length - place)))
    rooms[index] = room
    left -= room
  }
  return rooms
}

interface Assembly extends SectionsOptions {
  /** Longest body of each section. */
  readonly rooms: readonly number[]
}

function assembled(sections: readonly Section[], { heading, marks = unmarked, rooms }: Assembly): string {
  const parts = sections.map((section, index) => {
    const room = rooms[index] ?? 0
    const body = room < Math.min(LEAST_ROOM, section.body.length) ? '' : (shortenBlocks(section.body, room) ?? '')
    const { before, after } = marks(section, body)
    const text = blocks(before, body, after)
    if (sections.length === 1 || body === '') return text
    return isRed(section)
      ? blocks(`#### ${titleText(section)}`, alertBlock(section), text)
      : details(summaryOf(section), text)
  })
  const [only] = sections
  const isTold = (index: number) => (rooms[index] ?? 0) > 0
  const head =
    only && sections.length === 1 ? blocks(headingOf(only.title), alertBlock(only)) : headOf(sections, heading, isTold)
  return blocks(head, ...parts)
}

const unmarked: Marks = () => ({ before: '', after: '' })

function isRed({ alert }: Section): boolean {
  return alert === 'CAUTION' || alert === 'WARNING'
}

function titleText({ title }: Section): string {
  const text = inlineText(title, { maxLength: 150 })
  return text === '' ? 'Agent tests' : text
}

function summaryOf({ title, alert }: Section): string {
  const text = htmlText(title, { maxLength: 150 })
  return `<b>${text === '' ? 'Agent tests' : text}</b>${alert === 'TIP' ? ' passed' : ''}`
}

function alertBlock({ alert, line }: Pick<Section, 'alert' | 'line'>): string {
  return `> [!${alert}]\n> ${oneLine(line)}`
}

/** A line that was read from a comment may be anything. */
function oneLine(line: string): string {
  return line.replace(/\s+/g, ' ').trim()
}

/** The words in front, where the rest is told below. */
function shortLine(line: string): string {
  const title = /^\*\*([^*]+):\*\*/.exec(line)?.[1]
  return title === undefined ? oneLine(line) : `**${oneLine(title)}**`
}

/** What a reader sees first of several: how many are red, the worst of them, and each in one row. */
function headOf(sections: readonly Section[], heading: string, isTold: (index: number) => boolean): string {
  const rows = sections.map((section, index) => {
    return [titleText(section), isRed(section) && isTold(index) ? shortLine(section.line) : oneLine(section.line)]
  })
  return blocks(headingOf(heading), overall(sections), table([{ title: 'Section' }, { title: 'Verdict' }], rows))
}

function overall(sections: readonly Section[]): string {
  const red = sections.filter(isRed).length
  const [worst] = sections
  const count = plural(sections.length, 'section')
  const line = red === 0 ? `**${count}, none failed.**` : `**${red} of ${count} failed.**`
  return alertBlock({ alert: worst?.alert ?? 'NOTE', line })
}

/** What is kept whatever the limit: the worst alone, and how many there are. */
function shortest(sections: readonly Section[], { heading, chars }: SectionsOptions): string {
  const [worst] = sections
  const title = worst && sections.length === 1 ? worst.title : heading
  const alert = worst && sections.length === 1 ? alertBlock(worst) : overall(sections)
  const tries = [blocks(headingOf(title), alert), alert]
  return tries.find((text) => text.length <= chars) ?? cut(sections.length === 1 ? 'Agent tests' : alert, chars)
}
