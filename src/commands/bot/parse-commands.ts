import { plainText } from '../../lib/escape.ts'

/** What somebody asks for in a comment. Names of cases and reasons are their words, unescaped. */
export type BotCommand =
  | { readonly kind: 'help' }
  /** Every case where none is named. */
  | { readonly kind: 'rerun'; readonly cases: readonly string[] }
  | { readonly kind: 'accept'; readonly name: string; readonly reason: string }
  | { readonly kind: 'explain'; readonly name: string }
  | { readonly kind: 'refresh_baseline' }
  /** Meant for us and not understood; `problem` is a clause of plain words. */
  | { readonly kind: 'mistaken'; readonly problem: string }

/** How each is written, for help and for whoever got it wrong. */
export const USAGE: readonly (readonly [usage: string, does: string])[] = [
  ['rerun [cases]', 'runs the failed jobs again, or the named cases alone'],
  ['accept <case> <reason>', 'answers with the lines that accept a change, and labels the pull request'],
  ['explain <case>', 'says what the newest results show of a case'],
  ['baseline refresh', 'tests the default branch anew, which renews the baseline'],
  ['help', 'lists the commands'],
]

const NAME = '/agent-test'
const MOST_COMMANDS = 5
const MOST_CASES = 50
const LONGEST_LINE = 2_000
const LONGEST_NAME = 300
const LONGEST_REASON = 500

/**
 * Commands are the first lines of a comment that begin with our name, and nothing below them: a comment that quotes a
 * command or speaks of one gives none.
 */
export function parseCommands(comment: string): BotCommand[] {
  const commands: BotCommand[] = []
  for (const line of comment.split(/\r\n?|\n/, MOST_COMMANDS)) {
    if (!/^\/agent-test(?:[ \t]|$)/.test(line)) break
    commands.push(parseLine(line))
  }
  return commands
}

function parseLine(line: string): BotCommand {
  if (line.length > LONGEST_LINE) return mistaken('the line is too long')
  const { word: verb, rest } = take(line.slice(NAME.length))
  if (!verb && rest.trim() !== '') return mistaken(UNCLOSED)
  switch (verb?.text.toLowerCase() ?? 'help') {
    case 'help':
      return { kind: 'help' }
    case 'rerun':
      return rerunOf(wordsOf(rest))
    case 'accept':
      return acceptOf(rest)
    case 'explain':
      return explainOf(wordsOf(rest))
    case 'baseline':
      return rest.trim().toLowerCase() === 'refresh'
        ? { kind: 'refresh_baseline' }
        : needs('baseline', 'the word refresh')
    default:
      return mistaken(`there is no command ${plainText(verb?.text ?? '', { maxLength: 40 })}`)
  }
}

function rerunOf(words: readonly Word[] | undefined): BotCommand {
  if (!words) return mistaken(UNCLOSED)
  const names = words.flatMap(({ text, isQuoted }) => (isQuoted ? [text] : text.split(',')))
  const cases = names.filter((name) => name !== '')
  if (cases.length > MOST_CASES) return mistaken(`rerun takes ${MOST_CASES} cases at most`)
  return cases.every(isName) ? { kind: 'rerun', cases: [...new Set(cases)] } : needs('rerun', 'names of cases')
}

function explainOf(words: readonly Word[] | undefined): BotCommand {
  if (!words) return mistaken(UNCLOSED)
  const [name, ...others] = words.map(({ text }) => text)
  return isName(name) && others.length === 0 ? { kind: 'explain', name } : needs('explain', 'one case')
}

/** The reason is whatever follows the case, quotation marks and all. */
function acceptOf(text: string): BotCommand {
  const { word, rest } = take(text)
  if (!word && text.trim() !== '') return mistaken(UNCLOSED)
  const reason = plainText(rest, { maxLength: LONGEST_LINE })
  if (!isName(word?.text) || reason === '') return needs('accept', 'a case and a reason')
  return reason.length > LONGEST_REASON
    ? mistaken('the reason is too long')
    : { kind: 'accept', name: word.text, reason }
}

function isName(word: string | undefined): word is string {
  return word !== undefined && word !== '' && word.length <= LONGEST_NAME
}

function needs(verb: string, what: string): BotCommand {
  return mistaken(`${verb} needs ${what}`)
}

function mistaken(problem: string): BotCommand {
  return { kind: 'mistaken', problem }
}

const UNCLOSED = 'a quotation mark is not closed'

interface Word {
  /** Without escape sequences, control and direction-changing characters. */
  readonly text: string
  readonly isQuoted: boolean
}

/** Words between blanks; undefined where a quotation does not end. */
function wordsOf(text: string): Word[] | undefined {
  const words: Word[] = []
  for (let left = text; left.trim() !== ''; ) {
    const { word, rest } = take(left)
    if (!word) return undefined
    words.push(word)
    left = rest
  }
  return words
}

/** The first word and what follows; backticks and double quotes hold blanks together. No word where there is none. */
function take(text: string): { readonly word?: Word; readonly rest: string } {
  const match = /^[ \t]*(?:`([^`]*)`|"([^"]*)"|([^ \t`"][^ \t]*))(?=[ \t]|$)/.exec(text)
  if (!match) return { rest: text }
  const [whole, inBackticks, inQuotes, bare = ''] = match
  const quoted = inBackticks ?? inQuotes
  const word = { text: plainText(quoted ?? bare, { maxLength: LONGEST_LINE }), isQuoted: quoted !== undefined }
  return { word, rest: text.slice(whole.length) }
}
