/** A block between backticks, as models write them in Markdown. */
export interface Fence {
  /** The word after the opening backticks, lower-case; empty when there is none. */
  readonly label: string
  readonly body: string
  /** Where the body starts in the text. */
  readonly offset: number
}

interface Mark {
  readonly start: number
  readonly end: number
  /** Alone on its line, so that it closes a block whatever the block holds. */
  readonly isAlone: boolean
}

// The repetitions are bounded so that no text makes these look far ahead again and again.
const LABEL = /[\w+#.-]{0,40}/y
const REST_OF_OPENING_LINE = /[^\n`{[]{0,200}\n/y
const BLANK_REST = /[ \t]{0,200}\r?(?:\n|$)/y

/** Every fenced block in order, in one pass; one that is never closed reaches to the end of the text. */
export function fencesIn(text: string): Fence[] {
  const marks = marksIn(text)
  const nextAlone = nextAloneOf(marks)
  const fences: Fence[] = []
  let index = 0
  while (index < marks.length) {
    const opening = marks[index] as Mark
    const label = matchAt(LABEL, text, opening.end) ?? ''
    const restOfLine = matchAt(REST_OF_OPENING_LINE, text, opening.end + label.length)
    const offset = opening.end + label.length + (restOfLine?.length ?? 0)
    // A backtick inside a JSON text cannot stand alone on a line; on the opening's own line any mark closes.
    const closing = (restOfLine === undefined ? undefined : nextAlone[index + 1]) ?? index + 1
    const end = marks[closing]?.start ?? text.length
    fences.push({ label: label.toLowerCase(), body: text.slice(offset, Math.max(offset, end)), offset })
    index = closing + 1
  }
  return fences
}

function marksIn(text: string): Mark[] {
  return Array.from(text.matchAll(/`{3,}/g), ({ 0: { length }, index }) => ({
    start: index,
    end: index + length,
    isAlone: startsLine(text, index) && matchAt(BLANK_REST, text, index + length) !== undefined,
  }))
}

/** For every mark, the index of the first one from there on that stands alone. */
function nextAloneOf(marks: readonly Mark[]): (number | undefined)[] {
  const next: (number | undefined)[] = []
  let last: number | undefined
  for (let index = marks.length - 1; index >= 0; index--) {
    if (marks[index]?.isAlone) last = index
    next[index] = last
  }
  return next
}

function startsLine(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - 20), index)
  return /(?:^|\n)[ \t]*$/.test(before) && (index <= 20 || before.includes('\n'))
}

function matchAt(pattern: RegExp, text: string, index: number): string | undefined {
  pattern.lastIndex = index
  return pattern.exec(text)?.[0]
}
