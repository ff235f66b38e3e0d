import { JSONPath } from 'jsonpath-plus'
import { type Json, jsonType } from '../core/json.ts'

/** A path in Yao's small dialect, ready to be followed. Source: spec yao 4.3 and seed 000, "JSON Path Notes". */
export type Path = readonly Step[]

interface Step {
  readonly container: 'object' | 'array'
  readonly name: string
  /** Under what jsonpath-plus knows this step. */
  readonly expression: string
}

const reader = JSONPath({ path: '$', json: {}, wrap: false, eval: false, autostart: false })

/**
 * Dotted keys and `[n]`, with `$` or `$.` before them; empty segments collapse. Undefined for a text that can address
 * nothing, such as quoted keys, negative indexes or an unclosed bracket.
 */
export function compilePath(text: string): Path | undefined {
  const steps: Step[] = []
  for (const segment of text.replace(/^\$(?:\.|(?=\[)|$)/, '').split('.')) {
    const match = /^([^[\]]*)((?:\[\d+\])*)$/.exec(segment)
    if (!match) return undefined
    const [, key = '', indexes = ''] = match
    if (key !== '') steps.push(stepOf('object', key))
    for (const [digits] of indexes.matchAll(/\d+/g)) steps.push(stepOf('array', String(Number(digits))))
  }
  return steps
}

function stepOf(container: Step['container'], name: string): Step {
  const expression = `\`${name}`
  // jsonpath-plus reads even an array path by way of text. With its answer in its cache beforehand, no character of
  // a suite's path is ever taken for a filter, a wildcard or a script; the backtick makes the name literal.
  JSONPath.cache[expression] ??= ['$', `\`${name}`]
  return { container, name, expression }
}

/** The value at the path; undefined where the document has no such place. */
export function valueAt(document: Json, path: Path): Json | undefined {
  let here = document
  for (const { container, name, expression } of path) {
    // jsonpath-plus alone would read `length` of a text, `.0` of a list and `[0]` of an object.
    if (jsonType(here) !== container || here === null || !Object.hasOwn(here as object, name)) return undefined
    const next: unknown = reader.evaluate(expression, here, undefined, undefined)
    here = next as Json
  }
  return here
}
