import { isMap, isNode, isScalar } from 'yaml'
import { composeYaml } from './compose-yaml.ts'
import { type PlainValue, plainValue } from './yaml-value.ts'

/** The one value that a YAML text holds, and where its fields stand. */
export interface YamlText {
  readonly value: PlainValue
  /** 1-based line of a field such as `prompts[0].text`; of the nearest field around it where it is not there. */
  lineOf(field: string): number
}

export interface YamlMistake {
  /** 1-based; absent where the text as a whole is meant. */
  readonly line?: number
  readonly message: string
  readonly hint?: string
}

const MIB = 1024 * 1024
/** Written by hand, such texts are small; a parsed one takes fifty times its size. */
const TEXT_LIMIT = 4 * MIB
/** One mistake makes a parser stumble again and again. */
const MOST_SYNTAX_ERRORS = 5

/** Never throws for what the text says: `tell` gets every mistake, and then nothing is returned. */
export function readYamlText(text: string, tell: (mistake: YamlMistake) => void): YamlText | undefined {
  if (text.length > TEXT_LIMIT) {
    tell({ message: `more than ${TEXT_LIMIT / MIB} MiB of YAML`, hint: 'split it into several files' })
    return undefined
  }
  const { document, lines } = composeYaml(text, { uniqueKeys: false })
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line)
  const broken = document.errors.slice(0, MOST_SYNTAX_ERRORS)
  for (const { code, message, pos } of broken) {
    const { col } = lines.linePos(pos[0])
    const said = message.charAt(0).toLowerCase() + message.slice(1)
    tell({ line: lineAt(pos[0]), message: `YAML error at column ${Math.max(1, col)}: ${said}`, ...hintFor(code) })
  }
  if (broken.length > 0) return undefined
  const refused: YamlMistake[] = []
  const value = plainValue(document.contents, (node, message, hint) => {
    refused.push({ line: lineAt(node.range?.[0] ?? 0), message, ...(hint === undefined ? {} : { hint }) })
  })
  refused.forEach(tell)
  return refused.length === 0 ? { value, lineOf: (field) => lineAt(startOf(document.contents, field)) } : undefined
}

function hintFor(code: string): { readonly hint?: string } {
  return code === 'MULTIPLE_DOCS' ? { hint: 'a file holds one: write what belongs together as a list' } : {}
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
