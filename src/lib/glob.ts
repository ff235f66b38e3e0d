import { compilePattern, type Pattern } from './regex.ts'

/** Whether a path with `/` is one of those that were meant. */
export type PathMatcher = (path: string) => boolean

/** Longer ones are no pattern that a person wrote. */
const MOST_CHARACTERS = 1_000

/**
 * A glob as shells know it: `*` and `?` within a name, `**` over folders, `[a-z]`, `[!a-z]`, `{a,b}`, and `\` before a
 * character that stands for itself. A path without any of them also means what lies below it. Linear in the path,
 * whatever the pattern. Throws an Error whose message says what is wrong with the pattern.
 */
export function compileGlob(glob: string): PathMatcher {
  if (glob.length > MOST_CHARACTERS) throw new Error(`a pattern of more than ${MOST_CHARACTERS} characters`)
  if (glob.startsWith('!')) throw new Error('a pattern says what it matches, and not what it does not')
  const path = glob.replace(/^(?:\.\/+)+/, '').replace(/(?<!\\)\/+$/, '/**')
  if (path === '' || path === '.') throw new Error('an empty pattern matches nothing')
  const pattern = compiled(`^${translate(path)}${/[*?[{]/.test(path) ? '' : '(?:/.*)?'}$`)
  return (tested) => pattern.test(tested)
}

/** What is wrong with a glob, for whoever reads settings; undefined when it can be used. */
export function globProblem(glob: string): string | undefined {
  try {
    compileGlob(glob)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function compiled(source: string): Pattern {
  try {
    // `s`: a name may hold a line break, too.
    return compilePattern(`(?s)${source}`)
  } catch (cause) {
    throw new Error('the pattern cannot be read', { cause })
  }
}

/** What stands for one sign of a pattern, and where the next begins. */
interface Piece {
  readonly source: string
  readonly next: number
}

function translate(glob: string): string {
  let source = ''
  let open = 0
  for (let at = 0; at < glob.length; ) {
    const sign = glob.charAt(at)
    if (sign === '{') open += 1
    const piece = open > 0 ? (bracePiece(sign, at) ?? pieceAt(glob, at)) : pieceAt(glob, at)
    if (open > 0 && sign === '}') open -= 1
    source += piece.source
    at = piece.next
  }
  if (open > 0) throw new Error('a "{" is not closed')
  return source
}

function bracePiece(sign: string, at: number): Piece | undefined {
  const source = { '{': '(?:', ',': '|', '}': ')' }[sign]
  return source === undefined ? undefined : { source, next: at + 1 }
}

function pieceAt(glob: string, at: number): Piece {
  const sign = glob.charAt(at)
  if (sign === '*') return starsAt(glob, at)
  if (sign === '?') return { source: '[^/]', next: at + 1 }
  if (sign === '[') return classAt(glob, at)
  const isEscape = sign === '\\' && at + 1 < glob.length
  const start = isEscape ? at + 1 : at
  const character = String.fromCodePoint(glob.codePointAt(start) ?? 0)
  return { source: escaped(character), next: start + character.length }
}

/** `**` goes over folders where it stands for whole names, and is a `*` elsewhere. */
function starsAt(glob: string, at: number): Piece {
  let end = at
  while (glob.charAt(end) === '*') end += 1
  const isWhole = end - at > 1 && isBorder(glob.charAt(at - 1)) && isBorder(glob.charAt(end))
  if (!isWhole) return { source: '[^/]*', next: end }
  return glob.charAt(end) === '/' ? { source: '(?:.*/)?', next: end + 1 } : { source: '.*', next: end }
}

function isBorder(sign: string): boolean {
  return ['', '/', '{', ',', '}'].includes(sign)
}

function classAt(glob: string, at: number): Piece {
  const isNegated = /[!^]/.test(glob.charAt(at + 1))
  const start = at + (isNegated ? 2 : 1)
  // A `]` that stands first is one of the characters.
  const end = glob.indexOf(']', start + 1)
  if (end === -1) throw new Error('a "[" is not closed')
  const characters = glob.slice(start, end).replace(/[\\[\]^&~]/g, '\\$&')
  return { source: isNegated ? `[^/${characters}]` : `[${characters}]`, next: end + 1 }
}

function escaped(character: string): string {
  return /[\w/\s]/.test(character) || character > '\u007f' ? character : `\\${character}`
}
