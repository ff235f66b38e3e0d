import { type Alias, isAlias, isMap, isNode, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from 'yaml'

/** What JSON can say. */
export type PlainValue =
  | null
  | boolean
  | number
  | string
  | readonly PlainValue[]
  | { readonly [name: string]: PlainValue }

/** Levels of lists and maps that are read: whatever walks them later may recurse safely. */
export const MAX_LEVELS = 128

/** Tells of a node that is no plain data. */
type Refuse = (node: Node, message: string, hint?: string) => void

/** Values that aliases may multiply a text into. */
const VALUE_LIMIT = 500_000

const TOO_DEEP = `nested deeper than ${MAX_LEVELS} levels`
const TOO_MANY = `the aliases stand for more than ${VALUE_LIMIT} values`

/** Tags of plain data; anything else would be no JSON. */
const PLAIN_TAGS = ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`)

interface Making {
  readonly refuse: Refuse
  /** What was anchored so far; `undefined` is not finished. */
  readonly anchors: Map<string, PlainValue | undefined>
  /** Fields that were copied by merge keys. */
  copies: number
}

/**
 * A parsed YAML node as JSON; everything that JSON has not is refused. The package's own conversion takes the square of
 * the time for many anchors, and resolves what never ends; here an alias is the value that its anchor was made into.
 */
export function plainValue(root: Node | null, refuse: Refuse): PlainValue {
  const making: Making = { refuse, anchors: new Map(), copies: 0 }
  const value = root === null ? null : make(root, making, MAX_LEVELS)
  if (root && making.copies > VALUE_LIMIT) {
    refuse(root, TOO_MANY)
    return null
  }
  const left = valuesLeft(value, VALUE_LIMIT, MAX_LEVELS)
  if (root && (left === 'deep' || left < 0)) refuse(root, left === 'deep' ? TOO_DEEP : TOO_MANY)
  return value
}

function make(node: Node, making: Making, levels: number): PlainValue {
  if (isAlias(node)) return aliased(node, making)
  if (node.tag !== undefined && !PLAIN_TAGS.includes(node.tag)) {
    making.refuse(node, `the tag ${JSON.stringify(node.tag)} has no meaning here`)
    return null
  }
  const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined
  if (anchor !== undefined) making.anchors.set(anchor, undefined)
  const value = isScalar(node) ? scalar(node, making) : container(node, making, levels)
  if (anchor !== undefined) making.anchors.set(anchor, value)
  return value
}

function aliased(node: Alias, { refuse, anchors }: Making): PlainValue {
  const value = anchors.get(node.source)
  if (value !== undefined) return value
  const name = JSON.stringify(`&${node.source}`)
  refuse(
    node,
    anchors.has(node.source)
      ? `the alias is inside of its own anchor ${name}`
      : `there is no anchor ${name} before this alias`,
  )
  return null
}

function scalar(node: Scalar, { refuse }: Making): PlainValue {
  const { value } = node
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (value instanceof Date) refuse(node, 'a date of YAML 1.1 has no meaning here', 'write it in quotes')
  else
    refuse(
      node,
      typeof value === 'number' ? `the number ${value} has no meaning here` : 'the value has no meaning here',
    )
  return null
}

function container(node: Node, making: Making, levels: number): PlainValue {
  if (levels === 0) {
    making.refuse(node, TOO_DEEP)
    return null
  }
  if (isMap(node)) return mapping(node, making, levels - 1)
  if (isSeq(node)) return node.items.map((item) => (isNode(item) ? make(item, making, levels - 1) : null))
  return null
}

function mapping(node: YAMLMap, making: Making, levels: number): PlainValue {
  const own = new Map<string, PlainValue>()
  const merged = new Map<string, PlainValue>()
  for (const { key, value } of node.items) {
    if (!isScalar(key)) {
      making.refuse(isNode(key) ? key : node, 'a field name must be a plain text')
      continue
    }
    const name = String(key.value)
    const made = isNode(value) ? make(value, making, levels) : null
    if (isMerge(key)) merge(merged, made, key, making)
    else if (own.has(name)) making.refuse(key, 'this field was given before', 'only one of them could count')
    else own.set(name, made)
  }
  return Object.fromEntries([...merged, ...own])
}

function isMerge(key: Scalar): boolean {
  return key.value === '<<' && key.type === 'PLAIN'
}

/** What is there already stays. Source: the merge key of YAML 1.1. */
function merge(merged: Map<string, PlainValue>, made: PlainValue, key: Scalar, making: Making): void {
  const sources: readonly PlainValue[] = Array.isArray(made) ? made : [made]
  for (const source of sources) {
    if (typeof source !== 'object' || source === null || Array.isArray(source)) {
      making.refuse(key, 'expected a map, or a list of maps, to merge')
      return
    }
    const fields = Object.entries(source)
    making.copies += fields.length
    // What was refused once is not gone on with.
    if (making.copies > VALUE_LIMIT) return
    for (const [name, value] of fields) if (!merged.has(name)) merged.set(name, value)
  }
}

/** How many more values there may be; below zero when it is too many. */
function valuesLeft(value: PlainValue, limit: number, levels: number): number | 'deep' {
  if (typeof value === 'string') return limit - 1 - Math.floor(value.length / 100)
  if (typeof value !== 'object' || value === null) return limit - 1
  if (levels === 0) return 'deep'
  let left = limit - 1
  for (const item of Object.values(value)) {
    if (left < 0) return left
    const after = valuesLeft(item, left, levels - 1)
    if (after === 'deep') return after
    left = after
  }
  return left
}
