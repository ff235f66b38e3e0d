import { parse } from 'sucrase/dist/parser/index.js'
import { ContextualKeyword } from 'sucrase/dist/parser/tokenizer/keywords.js'
import { TokenType as tt } from 'sucrase/dist/parser/tokenizer/types.js'
import type { Token } from 'sucrase/dist/types/parser/tokenizer/index.js'
import type { ScriptFunction } from './parse-script.ts'

interface Declarations {
  readonly functions: readonly ScriptFunction[]
  /** Everything with a name at the top level. */
  readonly names: readonly string[]
  readonly isComplete: boolean
  /** Line of the first `import(…)`. */
  readonly dynamicImport?: number
}

/** Roles of a name that is declared at the top level, alone or as the shorthand of a pattern. */
const TOP_LEVEL = [2, 5]

/** What a script declares, by its tokens: comments, texts and templates are no declarations. Throws for bad syntax. */
export function declarationsIn(text: string, isTypeScript: boolean): Declarations {
  const tokens = parse(text, false, isTypeScript, false).tokens.filter(({ isType }) => !isType)
  const lineOf = lineCounter(text)
  const word = (token: Token | undefined): string => (token ? text.slice(token.start, token.end) : '')
  const names = new Set<string>()
  const functions = new Map<string, ScriptFunction>()
  for (const [index, token] of tokens.entries()) {
    if (token.identifierRole === null || !TOP_LEVEL.includes(token.identifierRole)) continue
    const name = word(token)
    names.add(name)
    if (isFunction(tokens, index, word)) functions.set(name, { name, line: lineOf(token.start) })
  }
  for (const { local, exported } of exportClauses(tokens, word)) {
    const known = functions.get(local)
    if (known) functions.set(exported, { name: exported, line: known.line })
  }
  const dynamic = tokens.find((token, index) => token.type === tt._import && tokens[index + 1]?.type === tt.parenL)
  return {
    functions: [...functions.values()].sort((left, right) => left.line - right.line),
    names: [...names],
    isComplete: !exportsMore(tokens, word),
    ...(dynamic === undefined ? {} : { dynamicImport: lineOf(dynamic.start) }),
  }
}

/** `function name`, `async function* name`, and `name = function…` or `name = (…) => …`. */
function isFunction(tokens: readonly Token[], at: number, word: (token: Token | undefined) => string): boolean {
  const before = tokens[at - 1]
  if (before?.type === tt._function) return true
  if (before?.type === tt.star && tokens[at - 2]?.type === tt._function) return true
  if (tokens[at + 1]?.type !== tt.eq) return false
  return isFunctionAt(tokens, at + 2, word)
}

function isFunctionAt(tokens: readonly Token[], at: number, word: (token: Token | undefined) => string): boolean {
  const start = tokens[at]?.contextualKeyword === ContextualKeyword._async ? at + 1 : at
  const first = tokens[start]
  // The parser takes the word of a function expression for a name.
  if (word(first) === 'function') return true
  // `async => 1` is an arrow function whose parameter has that name.
  if (tokens[start]?.type === tt.arrow) return true
  if (first?.type === tt.name) return tokens[start + 1]?.type === tt.arrow
  if (first?.type !== tt.parenL) return false
  const after = tokens[closing(tokens, start) + 1]?.type
  if (after === tt.arrow) return true
  // In parentheses of its own, and not called there.
  return ![tt.parenL, tt.dot, tt.bracketL].some((type) => type === after) && isFunctionAt(tokens, start + 1, word)
}

/** Position of the parenthesis that closes the one at `open`. */
function closing(tokens: readonly Token[], open: number): number {
  let depth = 0
  for (let at = open; at < tokens.length; at += 1) {
    const type = tokens[at]?.type
    if (type === tt.parenL) depth += 1
    else if (type === tt.parenR) depth -= 1
    if (depth === 0) return at
  }
  return tokens.length
}

/** The members of `export { a, b as c }`, without those of `export { … } from`. */
function exportClauses(tokens: readonly Token[], word: (token: Token | undefined) => string) {
  const found: { local: string; exported: string }[] = []
  for (const [index, token] of tokens.entries()) {
    if (token.type !== tt._export || tokens[index + 1]?.type !== tt.braceL) continue
    const end = tokens.findIndex(({ type }, at) => at > index && type === tt.braceR)
    if (isFrom(tokens[end + 1])) continue
    for (let at = index + 2; at < end; at += 1) {
      const isRenamed = tokens[at + 1]?.contextualKeyword === ContextualKeyword._as
      found.push({ local: word(tokens[at]), exported: word(tokens[isRenamed ? at + 2 : at]) })
      at += isRenamed ? 3 : 1
    }
  }
  return found
}

/** `export … from` and CommonJS: what they export is known when the script runs, and not before. */
function exportsMore(tokens: readonly Token[], word: (token: Token | undefined) => string): boolean {
  return tokens.some((token, index) => {
    if (token.type === tt._export) {
      if (tokens[index + 1]?.type === tt.star) return true
      if (tokens[index + 1]?.type !== tt.braceL) return false
      return isFrom(tokens[tokens.findIndex(({ type }, at) => at > index && type === tt.braceR) + 1])
    }
    return token.type === tt.name && ['exports', 'module'].includes(word(token))
  })
}

function isFrom(token: Token | undefined): boolean {
  return token?.contextualKeyword === ContextualKeyword._from
}

function lineCounter(text: string): (offset: number) => number {
  let [line, at] = [1, 0]
  return (offset) => {
    // Asked in any order; nearly always forwards.
    if (offset < at) [line, at] = [1, 0]
    for (; at < offset; at += 1) if (text.charCodeAt(at) === 10) line += 1
    return line
  }
}
