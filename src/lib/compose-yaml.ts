import {
  Composer,
  type CST,
  type Document,
  LineCounter,
  type ParsedNode,
  Parser,
  parseDocument,
  YAMLParseError,
} from 'yaml'
import { MAX_LEVELS } from './yaml-value.ts'

/** A parsed YAML text; what is wrong with it is in the document's `errors`. */
interface ComposedYaml {
  readonly document: Document.Parsed
  readonly lines: LineCounter
}

/**
 * The first document of a text; a second one is an error. The package's own way composes the deepest nesting until the
 * stack overflows, and counts on an exception; but where a regular expression happens to be compiled there, the engine
 * ends the process. So the depth is measured before.
 */
export function composeYaml(text: string, { uniqueKeys = true }: { readonly uniqueKeys?: boolean } = {}): ComposedYaml {
  const lines = new LineCounter()
  const tokens = [...new Parser(lines.addNewLine).parse(text)]
  const deep = tokenBelow(tokens, MAX_LEVELS)
  if (deep !== undefined) return { document: broken([deep, deep + 1]), lines }
  const options = { lineCounter: lines, prettyErrors: false, logLevel: 'error', uniqueKeys } as const
  const [document, second] = new Composer<ParsedNode>(options).compose(tokens, true, text.length)
  if (!document) throw new Error('a document was asked for, whatever the text')
  if (second) {
    const [start, end] = second.range
    document.errors.push(new YAMLParseError([start, end], 'MULTIPLE_DOCS', 'a second document starts here'))
  }
  return { document, lines }
}

function broken(place: [number, number]): Document.Parsed {
  const document = parseDocument('')
  document.errors.push(new YAMLParseError(place, 'RESOURCE_EXHAUSTION', `nested deeper than ${MAX_LEVELS} levels`))
  return document
}

type Collection = Extract<CST.Token, { readonly items: unknown }>

/** Offset of a list or map that lies deeper than `levels`; undefined where none does. */
function tokenBelow(tokens: readonly CST.Token[], levels: number): number | undefined {
  let level = tokens.flatMap((token) => (token.type === 'document' ? collections(token.value) : []))
  for (let depth = 0; depth < levels && level.length > 0; depth += 1) {
    level = level.flatMap(({ items }) => items.flatMap(({ key, value }) => collections(key, value)))
  }
  return level[0]?.offset
}

function collections(...tokens: readonly (CST.Token | null | undefined)[]): Collection[] {
  return tokens.flatMap((token) => (token && 'items' in token ? [token] : []))
}
