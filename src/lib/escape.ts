import { stripVTControlCharacters } from 'node:util'

/** Nothing that people read needs more; what is cut says so. */
const DEFAULT_MAX_LENGTH = 10_000
/** Removing control characters shortens a text, so a longer piece is cleaned than is kept. */
const CLEANING_SLACK = 4

/** A character that is not seen and breaks up what GitHub would link: @name, #1, a commit's hash, www., ://. */
const BREAK = '\u200B'

interface Limit {
  /** In UTF-16 units, as GitHub counts; a longer text is cut and ends in an ellipsis. */
  readonly maxLength?: number
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '|': '&#124;',
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? '')
}

/** One line of plain words inside an HTML block such as `<summary>`: no element, reference or mention comes of it. */
export function htmlText(text: string, limit: Limit = {}): string {
  return escapeHtml(unlinked(oneLine(text, limit))).replace(/\$/g, '<span>$</span>')
}

/**
 * A code span that nothing can break out of, on one line, also inside a table cell. A pipe cannot be written in a
 * code span both inside and outside of a table, so such a text becomes an HTML `<code>` element.
 */
export function inlineCode(text: string, limit: Limit = {}): string {
  const line = oneLine(text, limit)
  if (line === '') return '(empty)'
  if (line.includes('|')) return `<code>${everyMarkAsEntity(unlinked(line))}</code>`
  const fence = '`'.repeat(longestRun(line, '`') + 1)
  const padding = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${fence}${padding}${line}${padding}${fence}`
}

function everyMarkAsEntity(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, (mark) => `&#${mark.codePointAt(0)};`)
}

/** One line of plain words in Markdown: no emphasis, link, mention, reference, HTML, math or table break comes of it. */
export function inlineText(text: string, limit: Limit = {}): string {
  return unlinked(oneLine(text, limit))
    .replace(/[&<>|]/g, (mark) => ENTITIES[mark] ?? '')
    .replace(/[\\`*_[\]~]/g, '\\$&')
    .replace(/\$/g, '<span>$</span>')
    .replace(/^([-+=:#])/, '\\$1')
    .replace(/ #+$/, (closing) => `${closing.slice(0, -1)}\\#`)
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
}

/** Breaks up whatever GitHub turns into a link, a notification or an emoji after Markdown has been rendered. */
function unlinked(text: string): string {
  return text
    .replace(/@(?=.)/g, `@${BREAK}`)
    .replace(/#(?=\d)/g, `#${BREAK}`)
    .replace(/(?<![a-z\d])gh-(?=\d)/gi, `$&${BREAK}`)
    .replace(/:(?=\/\/)/g, `:${BREAK}`)
    .replace(/www(?=\.)/gi, `$&${BREAK}`)
    .replace(/:(?=[\w+-]+:)/g, `:${BREAK}`)
    .replace(/[0-9a-f]{7,}/gi, (digits) => digits.replace(/.{6}(?=.)/g, `$&${BREAK}`))
}

interface FenceOptions extends Limit {
  /** Info string; anything but letters, digits, `+` and `-` is dropped. */
  readonly language?: string
}

/** A fenced block, always closed, with a fence longer than any run inside; line breaks are kept. */
export function fencedBlock(text: string, { language = '', ...limit }: FenceOptions = {}): string {
  const body = manyLines(text, limit)
  const fence = '`'.repeat(Math.max(3, longestRun(body, '`') + 1))
  return `${fence}${language.replace(/[^\w+-]/g, '')}\n${body}${body.endsWith('\n') ? '' : '\n'}${fence}`
}

/** One line for a terminal: no escape sequence, control or direction-changing character is left. */
export function plainText(text: string, limit: Limit = {}): string {
  return oneLine(text, limit)
}

/** Several lines for a terminal, with the same guarantee. */
export function terminalBlock(text: string, limit: Limit = { maxLength: Number.POSITIVE_INFINITY }): string {
  return manyLines(text, limit)
}

/** Data of a workflow command. Source: actions/runner, ActionCommand.cs. */
export function workflowData(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A')
}

/** A property of a workflow command. Source: actions/runner, ActionCommand.cs. */
export function workflowProperty(text: string): string {
  return workflowData(text).replace(/:/g, '%3A').replace(/,/g, '%2C')
}

/**
 * Text for a log that a GitHub runner reads, where no line can be a workflow command: `::name::` at a line's start and
 * `##[name]` anywhere. The runner compares in a culture that overlooks invisible characters, so the break is a blank.
 */
export function inertLine(text: string): string {
  return text
    .split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/)
    .map((line) =>
      line
        .replace(/^([\s\p{C}\p{DI}]*:)([\p{C}\p{DI}]*:)/u, '$1 $2')
        .replace(/(#[\p{C}\p{DI}]*#)([\p{C}\p{DI}]*\[)/gu, '$1 $2'),
    )
    .join('\n')
}

/** Cuts to `maxLength` UTF-16 units without splitting a character; the ellipsis is part of it. */
export function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const kept = text.slice(0, Math.max(0, maxLength - 1)).replace(/[\uD800-\uDBFF]$/, '')
  return maxLength < 1 ? '' : `${kept}…`
}

function oneLine(text: string, { maxLength = DEFAULT_MAX_LENGTH }: Limit): string {
  return cut(visible(text, maxLength).replace(/\s+/g, ' ').trim(), maxLength)
}

/** A longer text is cut at `maxLength`, and a last line says how much is missing. */
function manyLines(text: string, { maxLength = DEFAULT_MAX_LENGTH }: Limit): string {
  const cleaned = visible(text, maxLength)
  const unread = Math.max(0, text.length - maxLength * CLEANING_SLACK)
  if (cleaned.length <= maxLength && unread === 0) return cleaned
  const kept = cut(cleaned, maxLength)
  const missing = cleaned.length + unread - (kept.length - 1)
  return `${kept}\n(${missing} more characters)`
}

/** Without escape sequences, control, direction-changing and broken characters; line breaks become `\n`. */
function visible(text: string, maxLength: number): string {
  const piece = text.length > maxLength * CLEANING_SLACK ? text.slice(0, maxLength * CLEANING_SLACK) : text
  return stripVTControlCharacters(piece)
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(/(?![\t\n])\p{Cc}|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '')
    .replace(/\p{Surrogate}/gu, '\uFFFD')
}

function longestRun(text: string, character: string): number {
  let longest = 0
  let run = 0
  for (const current of text) {
    run = current === character ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest
}
