/** A stretch of text from a bracket to the one that closes it. */
export interface Bracketed {
  readonly start: number
  /** Behind the closing bracket. */
  readonly end: number
  /** Levels of brackets, itself included. */
  readonly depth: number
  /** Those directly inside, in order. */
  readonly inner: readonly Bracketed[]
}

type Opening = '{' | '['
type Bracket = Opening | '}' | ']'

const OPENING_OF: Readonly<Record<'}' | ']', Opening>> = { '}': '{', ']': '[' }

/** The outermost balanced stretches of `{}` and `[]`, in order and in one pass; brackets in JSON strings do not count. */
export function bracketsIn(text: string): Bracketed[] {
  const open: OpenBracket[] = []
  const openCount: Record<Opening, number> = { '{': 0, '[': 0 }
  const done: Bracketed[] = []
  eachBracket(text, (sign, index) => {
    if (isOpening(sign)) {
      open.push({ sign, start: index })
      openCount[sign]++
    } else {
      const start = closeBracket(open, openCount, OPENING_OF[sign])
      if (start !== undefined) addOuter(done, start, index + 1)
    }
    return open.length
  })
  return done
}

/** The deepest nesting of brackets in the text; exact for valid JSON. */
export function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  eachBracket(text, (sign) => {
    depth = Math.max(0, depth + (isOpening(sign) ? 1 : -1))
    deepest = Math.max(deepest, depth)
    return depth
  })
  return deepest
}

/** Visits every bracket outside of JSON strings; `visit` answers how many are open now. */
function eachBracket(text: string, visit: (sign: Bracket, index: number) => number): void {
  let open = 0
  let isInString = false
  for (let index = 0; index < text.length; index++) {
    const sign = text.charAt(index)
    if (isInString) {
      if (sign === '\\') index++
      // JSON strings end on their line; without this a lone quotation mark would hide the rest of the text.
      else if (sign === '"' || sign === '\n') isInString = false
    } else if (sign === '"') {
      // Quotation marks in the prose around are just prose.
      isInString = open > 0
    } else if (isBracket(sign)) open = visit(sign, index)
  }
}

function isBracket(sign: string): sign is Bracket {
  return sign === '{' || sign === '[' || sign === '}' || sign === ']'
}

function isOpening(sign: Bracket): sign is Opening {
  return sign === '{' || sign === '['
}

interface OpenBracket {
  readonly sign: Opening
  readonly start: number
}

/** Where the bracket that is being closed was opened; unclosed ones inside it are dropped. Undefined for a stray one. */
function closeBracket(open: OpenBracket[], openCount: Record<Opening, number>, wanted: Opening): number | undefined {
  if (openCount[wanted] === 0) return undefined
  for (let opening = open.pop(); opening; opening = open.pop()) {
    openCount[opening.sign]--
    if (opening.sign === wanted) return opening.start
  }
  return undefined
}

/** Adds a stretch, with those it holds moved inside. */
function addOuter(done: Bracketed[], start: number, end: number): void {
  const inner: Bracketed[] = []
  let depth = 1
  for (let last = done.at(-1); last && last.start > start; last = done.at(-1)) {
    inner.push(last)
    depth = Math.max(depth, last.depth + 1)
    done.pop()
  }
  done.push({ start, end, depth, inner: inner.reverse() })
}
