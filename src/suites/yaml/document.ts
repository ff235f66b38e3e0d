import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml'
import type { Json } from '../../core/json.ts'
import type { Findings } from '../findings.ts'
import { MAX_DEPTH } from '../scan-json.ts'
import { plainValue } from './plain-value.ts'

/** The one value that a YAML file holds, and where its fields stand. */
export interface YamlDocument {
  readonly value: Json
  /** 1-based line of a field such as `prompts[0].text`; of the nearest field around it where it is not there. */
  lineOf(field: string): number
}

const MIB = 1024 * 1024
/** Written by hand, tests are small; a parsed YAML text takes fifty times its size. */
const TEXT_LIMIT = 4 * MIB
/** One mistake makes a parser stumble again and again. */
const MOST_SYNTAX_ERRORS = 5

/** Never throws for what the text says: everything wrong goes to `findings`. */
export function readDocument(text: string, findings: Findings): YamlDocument | undefined {
  if (text.length > TEXT_LIMIT) {
    findings.at().problem('', `more than ${TEXT_LIMIT / MIB} MiB of YAML`, 'split it into several files')
    return undefined
  }
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
    uniqueKeys: false,
  })
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line)
  const broken = document.errors.slice(0, MOST_SYNTAX_ERRORS)
  for (const { code, message, pos } of broken) {
    const { col } = lines.linePos(pos[0])
    const { said, hint } = syntaxProblem(code, message)
    findings.at(lineAt(pos[0])).problem('', `YAML error at column ${Math.max(1, col)}: ${said}`, hint)
  }
  if (broken.length > 0) return undefined
  const before = findings.problems.length
  const value = plainValue(document.contents, (node, message, hint) => {
    findings.at(lineAt(node.range?.[0] ?? 0)).problem('', message, hint)
  })
  return findings.problems.length === before
    ? { value, lineOf: (field) => lineAt(startOf(document.contents, field)) }
    : undefined
}

const MESSAGES: Readonly<Record<string, { readonly said: string; readonly hint?: string }>> = {
  RESOURCE_EXHAUSTION: { said: `nested deeper than ${MAX_DEPTH} levels` },
  MULTIPLE_DOCS: {
    said: 'a second document starts here',
    hint: 'write the tests of one file as a list below "tests:"',
  },
}

function syntaxProblem(code: string, message: string): { readonly said: string; readonly hint?: string } {
  return MESSAGES[code] ?? { said: message.charAt(0).toLowerCase() + message.slice(1) }
}

/** Offset of the field's name, or of the item in a list. */
function startOf(root: unknown, field: string): number {
  let node = root
  let rest = field
  let start = isNode(root) ? (root.range?.[0] ?? 0) : 0
  while (rest !== '') {
    const step = isMap(node) ? mapStep(node.items, rest) : listStep(node, rest)
    if (!step) break
    start = step.start ?? start
    node = step.node
    rest = step.rest
  }
  return start
}

interface Step {
  readonly node: unknown
  readonly start: number | undefined
  readonly rest: string
}

function mapStep(
  items: readonly { readonly key: unknown; readonly value: unknown }[],
  field: string,
): Step | undefined {
  const fits = items.flatMap(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : ''
    const rest = afterName(field, name)
    return rest === undefined || !isNode(key) ? [] : [{ node: value, start: key.range?.[0], rest, length: name.length }]
  })
  // A name may itself hold dots.
  const fitting = fits.sort((left, right) => right.length - left.length)[0]
  if (fitting) return fitting
  const merge = items.find(({ key }) => isScalar(key) && key.source === '<<')?.key
  return isNode(merge) ? { node: undefined, start: merge.range?.[0], rest: field } : undefined
}

/** What follows the name in the path of a field; a long name is cut there. */
function afterName(field: string, name: string): string | undefined {
  if (name !== '' && field.startsWith(name)) {
    const rest = field.slice(name.length)
    if (rest === '' || rest.startsWith('[')) return rest
    if (rest.startsWith('.')) return rest.slice(1)
  }
  const cut = field.indexOf('…')
  return cut > 0 && name.startsWith(field.slice(0, cut)) ? '' : undefined
}

function listStep(node: unknown, field: string): Step | undefined {
  const [written, index] = /^\[(\d+)\]/.exec(field) ?? []
  if (written === undefined || typeof node !== 'object' || node === null || !('items' in node)) return undefined
  const item = Array.isArray(node.items) ? (node.items[Number(index)] as unknown) : undefined
  if (!isNode(item)) return undefined
  return { node: item, start: item.range?.[0], rest: field.slice(written.length).replace(/^\./, '') }
}
