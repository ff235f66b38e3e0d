/** A JSON value, as suites, traces and reports carry it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Deep JSON equality: numbers by value, types strict, arrays ordered, key order ignored, strings exact. */
export function jsonEquals(left: Json, right: Json): boolean {
  if (left === right) return true
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false
    return left.every((item: Json, index) => jsonEquals(item, right[index] as Json))
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every((key) => Object.hasOwn(right, key) && jsonEquals(left[key] as Json, right[key] as Json))
}

/** Compact JSON with sorted keys: the same text for equal values, whatever order they were built in. */
export function sortedJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${sortedJson(value[key] as Json)}`)
  return `{${members.join(',')}}`
}

/** Text form of an output for `contains` and `regex`: null is empty, strings are themselves, the rest is sorted JSON. */
export function asText(value: Json): string {
  if (value === null) return ''
  return typeof value === 'string' ? value : sortedJson(value)
}

/** The JSON name of a value's type, as the `type` assertion spells it. */
export function jsonType(value: Json): 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object' {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value as 'boolean' | 'number' | 'string' | 'object'
}

/** Levels of lists and objects that are taken from outside; deeper ones would overflow the stack of whoever walks them. */
export const MAX_DEPTH = 500

export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    level = level.flatMap((item): unknown[] => (typeof item === 'object' && item !== null ? Object.values(item) : []))
    if (level.length === 0) return false
  }
  return true
}
