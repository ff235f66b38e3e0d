import { createHash } from 'node:crypto'
import { z } from 'zod'

/** What one job shows in a comment that several share: data, kept in the comment and read from there again. */
export interface CommentSection {
  /** Plain text, not escaped. */
  readonly title: string
  readonly alert: Alert
  /** The verdict in one line of Markdown. */
  readonly line: string
  /** The rest in Markdown. */
  readonly body: string
}

type Alert = (typeof ALERTS)[number]

const ALERTS = ['CAUTION', 'WARNING', 'NOTE', 'TIP'] as const

/** Which workflow run a text is of. */
export interface RunOrigin {
  readonly headSha: string
  readonly runId: number
  /** From 1. */
  readonly attempt: number
}

interface SectionOrigin extends RunOrigin {
  /** Which job it is of, the same in every run: hex. */
  readonly leg: string
  /** The process that wrote it: two jobs that take themselves for the same one are found out by it. */
  readonly writer: string
  /** A later commit that this job has not reported for. */
  readonly awaits?: string
}

export interface PlacedSection extends CommentSection {
  readonly origin: SectionOrigin
}

/** Hidden lines around a section's body as it stands in the comment, which may be shorter than the section's own. */
export type SectionMarks = (
  section: CommentSection,
  body: string,
) => { readonly before: string; readonly after: string }

const START = '<!-- agent-test-section '
/** What only our hidden lines may begin with. */
const MARK = '<!-- agent-test'
const LONGEST_LINE = 1_000

const number = z.number().int().positive()
const dataSchema = z.object({
  leg: z.string().regex(/^[0-9a-f]{16}$/),
  head: z.string().regex(/^[0-9a-f]{0,64}$/i),
  run: z.number().int().nonnegative(),
  attempt: number,
  writer: z.string().regex(/^[0-9a-f]{16}$/),
  awaits: z
    .string()
    .regex(/^[0-9a-f]{1,64}$/i)
    .optional(),
  title: z.string().max(200),
  alert: z.enum(ALERTS),
  line: z
    .string()
    .max(LONGEST_LINE)
    .regex(/^[^\r\n]*$/),
  /** Of the body, in UTF-16 units. */
  length: z.number().int().nonnegative(),
  /** Of everything here and of the body. */
  hash: z.string(),
})
type Data = z.infer<typeof dataSchema>

/** The lines by which `readSections` finds these very sections again; one of several is known by identity. */
export function marksOf(sections: readonly PlacedSection[]): SectionMarks {
  const bySection = new Map<CommentSection, PlacedSection>(sections.map((section) => [section, section]))
  return (section, body) => {
    const placed = sections.length === 1 ? sections[0] : bySection.get(section)
    if (!placed) throw new Error('a section was rendered that is not one of the comment')
    const json = JSON.stringify(dataOf(placed, body))
    return { before: `${START}${Buffer.from(json).toString('base64')} -->`, after: '' }
  }
}

function dataOf({ title, alert, line, origin }: PlacedSection, body: string): Data {
  const { leg, headSha: head, runId: run, attempt, writer, awaits } = origin
  const data = { leg, head, run, attempt, writer, ...(awaits === undefined ? {} : { awaits }), title, alert, line }
  return { ...data, length: body.length, hash: hashOf(data, body) }
}

function hashOf(
  { leg, head, run, attempt, writer, awaits, title, alert, line }: Omit<Data, 'length' | 'hash'>,
  body: string,
) {
  const text = JSON.stringify([leg, head, run, attempt, writer, awaits ?? null, title, alert, line, body])
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/**
 * The sections of a comment. What is in a section's text cannot pass for another one: texts are written without our
 * marks, are skipped by their length, and count only when they are what was written.
 */
export function readSections(comment: string): PlacedSection[] {
  const text = comment.replace(/\r\n?/g, '\n')
  const found: PlacedSection[] = []
  for (let at = text.indexOf(START); at >= 0; at = text.indexOf(START, at)) {
    const end = text.indexOf('\n', at)
    const line = text.slice(at, end < 0 ? undefined : end)
    at += line.length
    const data = isLineStart(text, at - line.length) ? parseData(line) : undefined
    const section = data && sectionAt(text, at, data)
    if (!data || !section) continue
    found.push(section)
    at += data.length
  }
  return found
}

function isLineStart(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === '\n'
}

function parseData(line: string): Data | undefined {
  const encoded = /^<!-- agent-test-section ([A-Za-z0-9+/]+={0,2}) -->$/.exec(line)?.[1]
  if (encoded === undefined) return undefined
  try {
    return dataSchema.safeParse(JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'))).data
  } catch {
    return undefined
  }
}

/** The body follows its line, behind line breaks that the renderer chose. */
function sectionAt(text: string, after: number, data: Data): PlacedSection | undefined {
  const start = after + (/^\n*/.exec(text.slice(after, after + 4))?.[0].length ?? 0)
  for (let at = start; at >= after; at -= 1) {
    const body = text.slice(at, at + data.length)
    if (hashOf(data, body) === data.hash) return body.includes(MARK) ? undefined : placed(data, body)
  }
  return undefined
}

function placed({ leg, head: headSha, run: runId, attempt, writer, awaits, title, alert, line }: Data, body: string) {
  const origin = { leg, headSha, runId, attempt, writer, ...(awaits === undefined ? {} : { awaits }) }
  return { title, alert, line, body, origin }
}

/** A section as it may stand in a comment: nothing in it looks like a hidden line of ours. */
export function defused({ title, alert, line, body }: CommentSection): CommentSection {
  const safe = (text: string) =>
    text.replace(/\r\n?/g, '\n').replaceAll(MARK, `${MARK.slice(0, 2)}\u200B${MARK.slice(2)}`)
  return {
    title: safe(title).replaceAll('\n', ' ').slice(0, 200),
    alert,
    line: safe(line).replaceAll('\n', ' ').slice(0, LONGEST_LINE),
    body: safe(body),
  }
}

export type Merged =
  | { readonly kind: 'merged'; readonly sections: readonly PlacedSection[]; readonly replaced?: SectionOrigin }
  /** The comment shows a later run, which an earlier one must not cover. */
  | { readonly kind: 'newer_run' }

/**
 * Ours beside those that were found. A section of another commit is kept as one line, until the commit after this one:
 * its job may still report, and one that never will is forgotten.
 */
export function mergeSections(found: readonly PlacedSection[], ours: PlacedSection): Merged {
  const { leg, headSha, runId } = ours.origin
  const latest = new Map<string, PlacedSection>()
  for (const section of found) {
    const known = latest.get(section.origin.leg)
    if (!known || !isNewer(known.origin, section.origin)) latest.set(section.origin.leg, section)
  }
  const replaced = latest.get(leg)?.origin
  if (replaced && isNewer(replaced, ours.origin)) return { kind: 'newer_run' }
  const others = [...latest.values()].filter((section) => section.origin.leg !== leg)
  if (others.some(({ origin }) => origin.headSha !== headSha && origin.runId > runId)) return { kind: 'newer_run' }
  const sections = [ours, ...others.flatMap((section) => asOf(headSha, section))].sort(byTitle)
  return { kind: 'merged', sections, ...(replaced ? { replaced } : {}) }
}

function asOf(headSha: string, section: PlacedSection): PlacedSection[] {
  const { origin } = section
  if (origin.headSha === headSha) return [section]
  if (origin.awaits !== undefined) return origin.awaits === headSha ? [section] : []
  const line = `Not reported yet for this commit. For \`${origin.headSha.slice(0, 7)}\`: ${section.line}`
  return [
    { ...section, alert: 'NOTE', line: line.slice(0, LONGEST_LINE), body: '', origin: { ...origin, awaits: headSha } },
  ]
}

function byTitle(left: PlacedSection, right: PlacedSection): number {
  return compareText(left.title, right.title) || compareText(left.origin.leg, right.origin.leg)
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

/** Whether `left` is of a later run, or of a later attempt of the same one. */
export function isNewer(left: RunOrigin, right: RunOrigin): boolean {
  return left.runId > right.runId || (left.runId === right.runId && left.attempt > right.attempt)
}
