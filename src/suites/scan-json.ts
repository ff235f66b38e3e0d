/** Deeper values are refused: whatever walks them later may recurse safely. */
export const MAX_DEPTH = 128

export type JsonScan =
  /** A whole value; `end` is the offset after it. */
  | { readonly kind: 'complete'; readonly end: number }
  | { readonly kind: 'broken'; readonly at: number; readonly message: string }
  /** Right so far, but the text ends too early. */
  | { readonly kind: 'unfinished' }

type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end'

type Step =
  | { readonly end: number; readonly next: Expected }
  | { readonly at: number; readonly message: string }
  | 'unfinished'

interface ScanOptions {
  readonly from?: number
  readonly to?: number
  /** Whether lines that start with `//` are skipped. */
  readonly comments?: boolean
}

/**
 * Finds the end of the JSON value at `from`, or the first place where it stops being JSON. JSON.parse is many times
 * faster but its messages differ between versions and mostly give no position, and it cannot say where a value ends.
 */
export function scanJson(text: string, { from = 0, to = text.length, comments = false }: ScanOptions = {}): JsonScan {
  const open: ('}' | ']')[] = []
  let expected: Expected = 'value'
  let at = from
  for (;;) {
    at = skipBlanks(text, at, to)
    if (comments && isCommentLine(text, at)) {
      at = text.indexOf('\n', at)
      if (at === -1) return { kind: 'unfinished' }
      continue
    }
    if (at >= to) return { kind: 'unfinished' }
    const step = takeStep({ text, at, to }, expected, open)
    if (step === 'unfinished') return { kind: 'unfinished' }
    if ('message' in step) return { kind: 'broken', ...step }
    at = step.end
    expected = step.next
    if (open.length === 0) return { kind: 'complete', end: at }
  }
}

interface Cursor {
  readonly text: string
  readonly at: number
  readonly to: number
}

function takeStep(cursor: Cursor, expected: Expected, open: ('}' | ']')[]): Step {
  const { text, at } = cursor
  const char = text.charAt(at)
  const closing = open.at(-1)
  if (char === closing && expected.endsWith(' or end')) {
    open.pop()
    return { end: at + 1, next: 'comma or end' }
  }
  switch (expected) {
    case 'colon':
      return char === ':' ? { end: at + 1, next: 'value' } : unexpected(char, at, 'expected ":" after the field name')
    case 'comma or end':
      if (char === ',') return { end: at + 1, next: closing === '}' ? 'name' : 'value' }
      return unexpected(char, at, `expected "," or "${closing}"`)
    case 'name':
    case 'name or end':
      if (char === '"') return takeString(cursor, 'colon')
      return unexpected(
        char,
        at,
        char === closing ? 'a comma must be followed by another field' : 'expected a field name in double quotes',
      )
    case 'value':
    case 'value or end':
      return takeValue(cursor, char, open)
  }
}

function takeValue(cursor: Cursor, char: string, open: ('}' | ']')[]): Step {
  const { text, at } = cursor
  if (char === '"') return takeString(cursor, 'comma or end')
  if (char === '{' || char === '[') {
    if (open.length === MAX_DEPTH) return { at, message: `nested deeper than ${MAX_DEPTH} levels` }
    open.push(char === '{' ? '}' : ']')
    return { end: at + 1, next: char === '{' ? 'name or end' : 'value or end' }
  }
  const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
  scalar.lastIndex = at
  if (scalar.test(text)) return { end: scalar.lastIndex, next: 'comma or end' }
  if (char === "'") return unexpected(char, at, 'strings need double quotes')
  return unexpected(
    char,
    at,
    char === open.at(-1) ? 'a comma or colon must be followed by a value' : 'expected a value',
  )
}

function takeString({ text, at, to }: Cursor, next: Expected): Step {
  for (let index = at + 1; index < to; index++) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) return { end: index + 1, next }
    if (code === NEWLINE || code === RETURN) return { at, message: 'the string is not closed on its line' }
    if (code < BLANK) return { at: index, message: 'control characters must be escaped in a string' }
    if (code === BACKSLASH) {
      const escaped = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y
      escaped.lastIndex = index + 1
      if (!escaped.test(text)) return { at: index, message: 'unknown escape in a string' }
      index = escaped.lastIndex - 1
    }
  }
  return 'unfinished'
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const NEWLINE = 0x0a
const RETURN = 0x0d
const BLANK = 0x20
const TAB = 0x09

function skipBlanks(text: string, from: number, to: number): number {
  let at = from
  for (; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code !== BLANK && code !== NEWLINE && code !== RETURN && code !== TAB) break
  }
  return at
}

function isCommentLine(text: string, at: number): boolean {
  return text.startsWith('//', at) && text.slice(text.lastIndexOf('\n', at) + 1, at).trim() === ''
}

function unexpected(char: string, at: number, message: string): Step {
  return { at, message: `${message}, got ${JSON.stringify(char)}` }
}

/** 1-based line and column of an offset. */
export function positionOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}

/** What is wrong with a text that JSON.parse refuses, and where. */
export function syntaxErrorIn(text: string): { line: number; column: number; message: string } {
  const scan = scanJson(text)
  switch (scan.kind) {
    case 'broken':
      return { ...positionOf(text, scan.at), message: scan.message }
    case 'complete':
      return { ...positionOf(text, scan.end + text.slice(scan.end).search(/\S/)), message: 'text after the end' }
    case 'unfinished':
      return { ...positionOf(text, text.length), message: 'the text ends too early' }
  }
}

/** True when a value is nested so deep that walking it could exhaust the stack. */
export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((item) => isTooDeep(item, levels - 1))
}
