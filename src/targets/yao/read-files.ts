import { readFileSync } from 'node:fs'
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import type { z } from 'zod'
import type { Problem } from '../../core/errors.ts'
import { issuesToProblems } from '../../core/kind.ts'
import { composeYaml } from '../../lib/compose-yaml.ts'

/** A file to read, and how messages name it. */
export interface SourceFile {
  /** Absolute path. */
  readonly path: string
  readonly shown: string
}

export interface JsoncFile<T> {
  readonly value: T
  /** File and line of a member, or of its nearest parent that exists. */
  readonly placeOf: (path: readonly (string | number)[]) => { readonly file: string; readonly line: number }
}

/** JSON with comments and trailing commas, checked by a schema; undefined when something is wrong with it. */
export function readJsonc<S extends z.ZodType>(
  source: SourceFile,
  schema: S,
  problems: Problem[],
): JsoncFile<z.infer<S>> | undefined {
  const text = readText(source, problems)
  if (text === undefined) return undefined
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { allowTrailingComma: true })
  const file = source.shown
  for (const { error, offset } of errors) {
    problems.push({ file, line: lineAt(text, offset), message: `not JSON: ${wordsOf(printParseErrorCode(error))}` })
  }
  if (!tree || errors.length > 0) return undefined
  const placeOf = (path: readonly (string | number)[]) => ({ file, line: lineAt(text, nearestNode(tree, path).offset) })
  const parsed = schema.safeParse(getNodeValue(tree))
  if (parsed.success) return { value: parsed.data, placeOf }
  const details = issuesToProblems(parsed.error)
  problems.push(
    ...parsed.error.issues.map((issue, index) => ({ ...placeOf(issue.path as string[]), ...pick(details[index]) })),
  )
  return undefined
}

function pick(problem: Problem | undefined): { field: string; message: string } {
  return { field: problem?.field ?? '', message: problem?.message ?? 'wrong shape' }
}

function nearestNode(tree: Node, path: readonly (string | number)[]): Node {
  for (let length = path.length; length > 0; length -= 1) {
    const found = findNodeAtLocation(tree, path.slice(0, length))
    if (found) return found
  }
  return tree
}

/** `CommaExpected` as "comma expected". */
function wordsOf(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
}

/** A YAML document; `lineOf` takes an offset into the text that was parsed. */
export function parseYaml(text: string) {
  const { document, lines } = composeYaml(text)
  return { document, lineOf: (offset: number) => lines.linePos(offset).line }
}

/** A YAML file as plain data; undefined when it cannot be read. */
export function readYaml(source: SourceFile, problems: Problem[]): unknown {
  const text = readText(source, problems)
  if (text === undefined) return undefined
  const { document, lineOf } = parseYaml(text)
  for (const { message, pos } of document.errors) {
    problems.push({ file: source.shown, line: lineOf(pos[0]), message: `not YAML: ${firstLine(message)}` })
  }
  return document.errors.length > 0 ? undefined : (document.toJS() as unknown)
}

export function readText({ path, shown }: SourceFile, problems: Problem[]): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    problems.push({ file: shown, message: `cannot be read: ${error instanceof Error ? error.message : String(error)}` })
    return undefined
  }
}

export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
