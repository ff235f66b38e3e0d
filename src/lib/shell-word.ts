/** A word of a command line, its quotes removed. */
export interface ShellWord {
  readonly text: string
  /** A part of it was quoted or escaped. */
  readonly isQuoted: boolean
  /** An unquoted `*`, `?` or `[` in it: the shell puts file names in its place. */
  readonly isGlob: boolean
}

/** How far a script is read. */
export interface Scan {
  readonly text: string
  at: number
  /** Scripts inside it. */
  readonly inner: string[]
  /** Delimiters whose documents begin behind the next newline. */
  readonly heredocs: string[]
}

export function isWordEnd(sign: string): boolean {
  return sign === '' || ' \t\r\n;|&()<>'.includes(sign)
}

/** From the scan's place to the end of the word; always moves on. */
export function readWord(scan: Scan): ShellWord {
  const start = scan.at
  let word: ShellWord = { text: '', isQuoted: false, isGlob: false }
  for (let piece = readPiece(scan); piece; piece = readPiece(scan)) {
    word = {
      text: word.text + piece.text,
      isQuoted: word.isQuoted || piece.isQuoted,
      isGlob: word.isGlob || piece.isGlob,
    }
  }
  if (scan.at === start) scan.at += 1
  return word
}

const QUOTED = { isQuoted: true, isGlob: false }
const BARE = { isQuoted: false, isGlob: false }
/** Signs that are not simply themselves. */
const SPECIAL = new Set([
  '',
  ' ',
  '\t',
  '\r',
  '\n',
  ';',
  '|',
  '&',
  '(',
  ')',
  '<',
  '>',
  "'",
  '"',
  '\\',
  '`',
  '$',
  '*',
  '?',
  '[',
])

function readPiece(scan: Scan): ShellWord | undefined {
  const { text, at } = scan
  const sign = text.charAt(at)
  const next = text.charAt(at + 1)
  const isProcess = (sign === '<' || sign === '>') && next === '('
  if (isWordEnd(sign) && !isProcess) return undefined
  if (sign === "'" || sign === '"') return { text: readQuoted(scan, sign), ...QUOTED }
  if (isProcess || sign === '`' || (sign === '$' && (next === '(' || next === '{'))) {
    return { text: readSubstitution(scan), ...BARE }
  }
  if (sign === '\\') {
    scan.at += 2
    return { text: next, ...QUOTED }
  }
  scan.at += 1
  if (sign === '*' || sign === '?' || sign === '[') return { text: sign, isQuoted: false, isGlob: true }
  while (!SPECIAL.has(text.charAt(scan.at))) scan.at += 1
  return { text: text.slice(at, scan.at), ...BARE }
}

/** Unclosed quotes go on to the end. */
function readQuoted(scan: Scan, quote: string): string {
  const { text } = scan
  scan.at += 1
  let content = ''
  while (scan.at < text.length && text.charAt(scan.at) !== quote) {
    const sign = text.charAt(scan.at)
    const isSubstitution = sign === '`' || (sign === '$' && text.charAt(scan.at + 1) === '(')
    if (quote === '"' && sign === '\\') {
      content += text.charAt(scan.at + 1)
      scan.at += 2
    } else if (quote === '"' && isSubstitution) content += readSubstitution(scan)
    else {
      content += sign
      scan.at += 1
    }
  }
  scan.at += 1
  return content
}

/** `$(…)`, `${…}`, backticks, `<(…)`: what is inside is put aside as a script, but for `${…}` and sums. */
function readSubstitution(scan: Scan): string {
  const { text, at } = scan
  const isTick = text.charAt(at) === '`'
  const opening = isTick ? '`' : text.charAt(at + 1)
  const from = isTick ? at + 1 : at + 2
  const end = isTick ? indexOrEnd(text, '`', from) : closingOf(text, from, opening === '{' ? '{}' : '()')
  const content = text.slice(from, end)
  if (opening !== '{' && !content.startsWith('(')) scan.inner.push(content)
  scan.at = end + 1
  return text.slice(at, end + 1)
}

function indexOrEnd(text: string, sign: string, from: number): number {
  const index = text.indexOf(sign, from)
  return index === -1 ? text.length : index
}

function closingOf(text: string, from: number, [open, close]: string): number {
  let depth = 1
  for (let at = from; at < text.length; at += 1) {
    const sign = text.charAt(at)
    if (sign === '\\') at += 1
    else if (sign === open) depth += 1
    else if (sign === close) {
      depth -= 1
      if (depth === 0) return at
    }
  }
  return text.length
}
