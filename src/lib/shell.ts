import { isWordEnd, readWord, type Scan, type ShellWord } from './shell-word.ts'

interface Redirection {
  /** Without the number of the stream: `>`, `>>`, `<`, `<<`, `<<<`, `>&`, `&>`. */
  readonly operator: string
  readonly target: string
}

/** One simple command. */
export interface ShellCommand {
  /** Such as `LC_ALL=C`. */
  readonly assignments: readonly string[]
  readonly words: readonly ShellWord[]
  readonly redirections: readonly Redirection[]
  /** One of several that a `|` joins. */
  readonly isPiped: boolean
}

/** Substitutions in substitutions that are looked into. */
const MAX_DEPTH = 4

/**
 * The simple commands of a script in one pass: split at `&&`, `||`, `;`, `|`, `&`, newlines and brackets; quotes,
 * comments and here-documents are no commands, but what `$(…)`, backticks and `<(…)` hold is.
 */
export function shellCommands(script: string): ShellCommand[] {
  return commandsOf(script, 0)
}

function commandsOf(script: string, depth: number): ShellCommand[] {
  const inner: string[] = []
  const scan: Scan = { text: script, at: 0, inner, heredocs: [] }
  const commands: ShellCommand[] = []
  let pipeline: Draft[] = [newDraft()]
  const endPipeline = () => {
    const kept = pipeline.filter(isCommand)
    commands.push(...kept.map((draft) => ({ ...draft, isPiped: kept.length > 1 })))
    pipeline = [newDraft()]
  }
  while (scan.at < script.length) {
    const token = nextToken(scan)
    if (token.kind === 'end') endPipeline()
    else if (token.kind === 'pipe') pipeline.push(newDraft())
    else take(pipeline.at(-1) ?? newDraft(), token)
  }
  endPipeline()
  return depth >= MAX_DEPTH ? commands : [...commands, ...inner.flatMap((text) => commandsOf(text, depth + 1))]
}

interface Draft {
  readonly assignments: string[]
  readonly words: ShellWord[]
  readonly redirections: Redirection[]
}

function newDraft(): Draft {
  return { assignments: [], words: [], redirections: [] }
}

function isCommand({ words, redirections }: Draft): boolean {
  return words.length > 0 || redirections.length > 0
}

type Token =
  | { readonly kind: 'end' | 'pipe' | 'nothing' }
  | { readonly kind: 'word'; readonly word: ShellWord }
  | { readonly kind: 'redirection'; readonly redirection: Redirection }

const NOTHING: Token = { kind: 'nothing' }
/** They only hold commands together. */
const KEYWORDS = new Set(['if', 'then', 'else', 'elif', 'fi', 'while', 'until', 'do', 'done', '{', '}', '!', 'time'])

function take(draft: Draft, token: Token): void {
  if (token.kind === 'redirection') draft.redirections.push(token.redirection)
  if (token.kind !== 'word') return
  const { text, isQuoted } = token.word
  const isFirst = draft.words.length === 0
  if (isFirst && !isQuoted && KEYWORDS.has(text)) return
  if (isFirst && isAssignment(text)) draft.assignments.push(text)
  else draft.words.push(token.word)
}

function isAssignment(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(text)
}

function nextToken(scan: Scan): Token {
  const { text, at } = scan
  const sign = text.charAt(at)
  if (sign === '\n') {
    scan.at += 1
    skipHeredocs(scan)
    return { kind: 'end' }
  }
  if (sign === ' ' || sign === '\t' || sign === '\r') return step(scan, 1, NOTHING)
  if (sign === '\\' && text.charAt(at + 1) === '\n') return step(scan, 2, NOTHING)
  if (sign === '#') {
    scan.at = endOfLine(text, at)
    return NOTHING
  }
  if (sign === ';' || sign === '(' || sign === ')') return step(scan, 1, { kind: 'end' })
  if (sign === '|') return pipeToken(scan)
  if (sign === '&' && text.charAt(at + 1) !== '>')
    return step(scan, text.charAt(at + 1) === '&' ? 2 : 1, { kind: 'end' })
  return redirectionAt(scan) ?? { kind: 'word', word: readWord(scan) }
}

function step(scan: Scan, length: number, token: Token): Token {
  scan.at += length
  return token
}

function pipeToken(scan: Scan): Token {
  const next = scan.text.charAt(scan.at + 1)
  if (next === '|') return step(scan, 2, { kind: 'end' })
  return step(scan, next === '&' ? 2 : 1, { kind: 'pipe' })
}

const OPERATORS = ['&>>', '&>', '<<<', '<<-', '<<', '<>', '<&', '>>', '>|', '>&', '>', '<']

/** As they are told apart here: what a heredoc strips and whether a file may be overwritten are not. */
const SHOWN: Readonly<Record<string, string>> = { '<<-': '<<', '>|': '>', '&>>': '&>' }

function redirectionAt(scan: Scan): Token | undefined {
  const { text } = scan
  let at = scan.at
  while (text.charAt(at) >= '0' && text.charAt(at) <= '9') at += 1
  const operator = OPERATORS.find((one) => text.startsWith(one, at))
  if (operator === undefined) return undefined
  at += operator.length
  // `<(…)` and `>(…)` are words with a script inside.
  if (operator.length === 1 && text.charAt(at) === '(') return undefined
  while (text.charAt(at) === ' ' || text.charAt(at) === '\t') at += 1
  scan.at = at
  const target = isWordEnd(text.charAt(at)) ? '' : readWord(scan).text
  if (operator.startsWith('<<') && operator !== '<<<') scan.heredocs.push(target)
  return { kind: 'redirection', redirection: { operator: SHOWN[operator] ?? operator, target } }
}

function skipHeredocs(scan: Scan): void {
  for (const delimiter of scan.heredocs.splice(0)) {
    while (scan.at < scan.text.length) {
      const end = endOfLine(scan.text, scan.at)
      const line = scan.text.slice(scan.at, end).replace(/^\t+/, '').replace(/\r$/, '')
      scan.at = end + 1
      if (line === delimiter) break
    }
  }
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}
