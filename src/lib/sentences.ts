/** One sentence of a text, with its words as they can be compared. */
export interface Sentence {
  readonly text: string
  /** Small letters, without apostrophes; a mark that ends a clause is a word of its own, `,`. */
  readonly words: readonly string[]
  /** Ends with a question mark. */
  readonly isQuestion: boolean
  /** Ends with a mark at all; a heading or a list item often does not. */
  readonly isClosed: boolean
}

const WORD_OR_BREAK = /[\p{L}\p{N}_]+|[,;:–—]|-(?=\s)/gu
const APOSTROPHES = /['’‘ʼ]/g
const ENDS = new Set(['.', '!', '?', '。', '！', '？'])
const QUESTIONS = new Set(['?', '？'])
/** What may stand between the end of a sentence and the space after it. */
const CLOSERS = new Set(['"', "'", '”', '’', ')', ']', '*', '_', '`'])
const SPACES = new Set([' ', '\t', '\n', '\r', '\u00a0'])

/** The sentences of a text in one pass; code in it stands for one unknown word. */
export function sentencesOf(text: string): Sentence[] {
  const plain = withoutCode(text)
  const sentences: Sentence[] = []
  let start = 0
  const close = (end: number) => {
    const words = wordsOf(plain.slice(start, end))
    if (words.some((word) => word !== ','))
      sentences.push({ text: plain.slice(start, end).trim(), words, ...markOf(plain, start, end) })
    start = end
  }
  for (let at = 0; at < plain.length; at += 1) {
    const sign = plain.charAt(at)
    if (sign === '\n' && startsBlock(plain, at + 1)) close(at + 1)
    const end = ENDS.has(sign) ? endOf(plain, at + 1) : undefined
    if (end !== undefined) close(end)
  }
  close(plain.length)
  return sentences
}

export function wordsOf(text: string): string[] {
  const found = text.toLowerCase().replace(APOSTROPHES, '').match(WORD_OR_BREAK) ?? []
  return found.map((word) => (isBreak(word) ? ',' : word))
}

function isBreak(word: string): boolean {
  return word.length === 1 && ',;:–—-'.includes(word)
}

/** Behind the sentence that ends before `next`, quotes and brackets included; a dot inside `notes.txt` ends nothing. */
function endOf(text: string, next: number): number | undefined {
  let at = next
  while (at < text.length && CLOSERS.has(text.charAt(at)) && at - next < 4) at += 1
  return at >= text.length || SPACES.has(text.charAt(at)) ? at : undefined
}

/** Whether the line that starts here is not the rest of the sentence before it. */
function startsBlock(text: string, lineStart: number): boolean {
  let at = lineStart
  while (at < text.length && (text.charAt(at) === ' ' || text.charAt(at) === '\t')) at += 1
  if (at >= text.length) return true
  const sign = text.charAt(at)
  if ('\r\n#>|'.includes(sign)) return true
  if ('-*•+'.includes(sign)) return true
  return sign >= '0' && sign <= '9' && '.)'.includes(text.charAt(at + 1) || ' ')
}

function markOf(text: string, start: number, end: number): { isQuestion: boolean; isClosed: boolean } {
  let at = end - 1
  while (at >= start && (SPACES.has(text.charAt(at)) || CLOSERS.has(text.charAt(at)))) at -= 1
  const sign = at < start ? '' : text.charAt(at)
  return { isQuestion: QUESTIONS.has(sign), isClosed: ENDS.has(sign) }
}

/** Fenced blocks go, and inline code becomes the word `code`: its words are not the speaker's. */
function withoutCode(text: string): string {
  if (!text.includes('`')) return text
  const parts = text.split('```')
  // An odd part lies between two fences; an unclosed fence goes on to the end.
  return parts.flatMap((part, index) => (index % 2 === 0 ? [withoutInline(part)] : ['\n\n'])).join('')
}

function withoutInline(text: string): string {
  const parts = text.split('`')
  return parts.map((part, index) => (index % 2 === 0 || index === parts.length - 1 ? part : 'code')).join('')
}
