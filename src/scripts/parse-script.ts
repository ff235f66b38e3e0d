import { extname } from 'node:path'
import { type Transform, transform } from 'sucrase'
import type { Problem } from '../core/errors.ts'
import { isJsonObject } from '../core/json.ts'
import { declarationsIn } from './declarations.ts'

/** A script as the sandbox takes it. */
export interface ParsedScript {
  /** CommonJS; a line of it is the same line of the source. */
  readonly code: string
  /** Functions at the top level, exported or not, in the order of the file. */
  readonly functions: readonly ScriptFunction[]
  /** Whether `functions` are all that it can be asked for: it exports nothing that is made elsewhere. */
  readonly isComplete: boolean
}

export interface ScriptFunction {
  /** As it is asked for: of `export { a as b }` there is one of each name. */
  readonly name: string
  /** 1-based. */
  readonly line: number
}

/** `shown` is the path for messages. Never throws for what the text says. */
export function parseScript(text: string, shown: string): ParsedScript | { readonly problem: Problem } {
  if (extname(shown).toLowerCase() === '.json') return parseJson(text, shown)
  const isTypeScript = extname(shown).toLowerCase() !== '.js'
  try {
    const found = declarationsIn(text, isTypeScript)
    if (found.dynamicImport !== undefined) return { problem: dynamicImport(shown, found.dynamicImport) }
    const transforms: Transform[] = isTypeScript ? ['typescript', 'imports'] : ['imports']
    const { code } = transform(text, { transforms, disableESTransforms: true, production: true })
    // Functions that are not exported are reached by name as well. Source: spec yao 7, "Loading". Each only when it is
    // asked for: the parser takes a parameter of `async <T,>(t) => t` for a name of the top level.
    const locals = `\nmodule.locals = { ${found.names.map((name) => `get ${name}() { return ${name} }`).join(', ')} }`
    return { code: code + locals, functions: found.functions, isComplete: found.isComplete }
  } catch (error) {
    return { problem: syntaxProblem(error, shown) }
  }
}

function parseJson(text: string, shown: string): ParsedScript | { readonly problem: Problem } {
  try {
    JSON.parse(text)
    return { code: `module.exports = JSON.parse(${JSON.stringify(text)})`, functions: [], isComplete: true }
  } catch (error) {
    return { problem: { file: shown, message: `not JSON: ${error instanceof Error ? error.message : String(error)}` } }
  }
}

function dynamicImport(file: string, line: number): Problem {
  const hint = 'use import … from at the top of the file'
  return { file, line, message: 'import() is not available in scripts', hint }
}

/** The parser appends its position to the message: `Unexpected token (2:8)`. */
function syntaxProblem(error: unknown, file: string): Problem {
  const place: unknown = error instanceof Error && 'loc' in error ? error.loc : undefined
  const line = isJsonObject(place) && typeof place['line'] === 'number' ? { line: place['line'] } : {}
  const text = error instanceof Error ? error.message : String(error)
  const message = text.replace(/^Error transforming [^:]*: /, '').replace(/ \(\d+:\d+\)$/, '')
  return { file, ...line, message: `not a valid script: ${message.charAt(0).toLowerCase()}${message.slice(1)}` }
}
