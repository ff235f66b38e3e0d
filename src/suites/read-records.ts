import { isJsonObject, type JsonObject } from '../core/json.ts'
import { isTooDeep, MAX_DEPTH, scanJson } from './scan-json.ts'

/** Characters a record may have: room for inline data, and a stop for what is no suite. */
const RECORD_LIMIT = 32 * 1024 * 1024

const EXPECTED = 'expected a record such as {"id": "T001", "input": "Hello"}'

/** One record of a JSONL text, or what is wrong where one should be. Lines are 1-based. */
export type ReadRecord =
  | { readonly kind: 'record'; readonly line: number; readonly value: JsonObject }
  | { readonly kind: 'broken'; readonly line: number; readonly message: string; readonly hint?: string }

/**
 * The records of a JSONL text. Blank lines and `//` lines are skipped. A record normally is one line; it may also be
 * printed over several, and ends where its JSON ends. A broken record never hides those after it.
 */
export function* readRecords(text: string): Generator<ReadRecord> {
  let place: Place = { offset: 0, line: 1 }
  while (place.offset < text.length) {
    const { offset, line } = place
    const end = lineEnd(text, offset)
    const content = text.slice(offset, end)
    place = { offset: end + 1, line: line + 1 }
    if (isSkipped(content)) continue
    const value = parseLine(content)
    if (value) {
      yield { kind: 'record', line, value }
      continue
    }
    const { record, next } = readCarefully(text, { offset, line })
    yield record
    place = next
  }
}

/** Start of a line. */
interface Place {
  readonly offset: number
  readonly line: number
}

interface CarefulRead {
  readonly record: ReadRecord
  /** Where reading goes on. */
  readonly next: Place
}

function parseLine(content: string): JsonObject | undefined {
  if (content.length > RECORD_LIMIT) return undefined
  try {
    const value: unknown = JSON.parse(content)
    // A nesting level takes two characters at least, so short lines need no look.
    if (!isJsonObject(value) || (content.length > 2 * MAX_DEPTH && isTooDeep(value))) return undefined
    return value
  } catch {
    return undefined
  }
}

function readCarefully(text: string, start: Place): CarefulRead {
  const limit = Math.min(text.length, start.offset + RECORD_LIMIT)
  const scan = scanJson(text, { from: start.offset, to: limit, comments: true })
  if (scan.kind === 'complete') return completeRecord(text, start, scan.end)
  if (scan.kind === 'broken') return brokenRecord(text, start, scan)
  const isTooLong = limit < text.length
  const next = isTooLong ? lineAfter(text, start, limit) : nextRecord(text, start)
  const message = isTooLong
    ? `the record is longer than ${RECORD_LIMIT / 1024 / 1024} MiB`
    : 'the record is not finished at the end of the file'
  return { record: { kind: 'broken', line: start.line, message }, next }
}

function completeRecord(text: string, start: Place, end: number): CarefulRead {
  const next = lineAfter(text, start, end)
  const lastLine = next.line - 1
  const rest = text.slice(end, lineEnd(text, end))
  if (rest.trim() !== '') {
    const at = end + rest.search(/\S/)
    const message = `JSON error at column ${columnOf(text, at)}: text after the end of the record`
    return { record: { kind: 'broken', line: lastLine, message, ...restHint(rest.trim()) }, next }
  }
  const value: unknown = JSON.parse(text.slice(start.offset, end).replaceAll(COMMENT_LINE, ''))
  if (isJsonObject(value)) return { record: { kind: 'record', line: start.line, value }, next }
  const message = `${EXPECTED}, got ${Array.isArray(value) ? 'a list' : JSON.stringify(value).slice(0, 40)}`
  const hint = Array.isArray(value)
    ? { hint: 'write one record after the other, without [ ] around them or commas between them' }
    : {}
  return { record: { kind: 'broken', line: start.line, message, ...hint }, next }
}

/** A string never spans lines, so this is never inside of one. */
const COMMENT_LINE = /^[ \t]*\/\/.*$/gm

function restHint(rest: string): { hint?: string } {
  if (rest.startsWith('//')) return { hint: 'a comment needs a line of its own' }
  if (rest.startsWith(',')) return { hint: 'records are not separated by commas' }
  return rest.startsWith('{') ? { hint: 'every record starts on a line of its own' } : {}
}

function brokenRecord(text: string, start: Place, mistake: { at: number; message: string }): CarefulRead {
  const mistakeLine = lineAfter(text, start, mistake.at).line - 1
  const next = mistakeLine === start.line ? lineAfter(text, start, mistake.at) : nextRecord(text, start, mistake.at)
  const syntax = `JSON error at column ${columnOf(text, mistake.at)}: ${mistake.message}`
  if (mistakeLine === start.line) {
    const first = text.charAt(mistake.at)
    const isFirst = mistake.at === start.offset + indentation(text, start.offset)
    const message = isFirst ? `${EXPECTED}, got ${JSON.stringify(first)}` : syntax
    const hint = isFirst && first === '#' ? { hint: 'a comment starts with //' } : {}
    return { record: { kind: 'broken', line: start.line, message, ...hint }, next }
  }
  // The line with the mistake is read again as a record of its own, so this one broke off before it.
  if (next.line <= mistakeLine) {
    return {
      record: { kind: 'broken', line: start.line, message: `the record is not finished before line ${next.line}` },
      next,
    }
  }
  const message = `${syntax} (the record starts in line ${start.line})`
  return { record: { kind: 'broken', line: mistakeLine, message }, next }
}

/** What a line of a printed record may start with. */
const CONTINUES = '"[]},:'

/**
 * Where the next record starts after a broken one that spans lines: at the next `{` that is indented no deeper than
 * the broken record's first line, or at the line that does not continue it.
 */
function nextRecord(text: string, start: Place, mistake?: number): Place {
  const depth = indentation(text, start.offset)
  let place = lineAfter(text, start, start.offset)
  while (place.offset < text.length) {
    const indent = indentation(text, place.offset)
    const first = text.charAt(place.offset + indent)
    if (indent <= depth && first === '{') return place
    if (indent <= depth && place.offset + indent === mistake && !CONTINUES.includes(first)) return place
    place = lineAfter(text, place, place.offset)
  }
  return place
}

function isSkipped(content: string): boolean {
  if (content.startsWith('{')) return false
  const trimmed = content.trimStart()
  return trimmed === '' || trimmed.startsWith('//')
}

function lineEnd(text: string, from: number): number {
  const newline = text.indexOf('\n', from)
  return newline === -1 ? text.length : newline
}

/** The start of the line after the one that holds `offset`, counted from `start`. */
function lineAfter(text: string, start: Place, offset: number): Place {
  let end = lineEnd(text, start.offset)
  let line = start.line + 1
  while (end < offset) {
    end = lineEnd(text, end + 1)
    line += 1
  }
  return { offset: end + 1, line }
}

function indentation(text: string, offset: number): number {
  let at = offset
  while (text.charAt(at) === ' ' || text.charAt(at) === '\t') at += 1
  return at - offset
}

function columnOf(text: string, offset: number): number {
  return offset - text.lastIndexOf('\n', offset - 1)
}
