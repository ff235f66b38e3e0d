import { isJsonObject, type Json, type JsonObject, jsonEquals, jsonType } from '../../../core/json.ts'

/**
 * The arguments of a tool as those of the function behind it: `:arguments` is all of them, `$args.a.b` and `$a.b` one
 * member (null where there is none), anything else a constant; without a list all of them are the one argument. A name
 * alone after `$` that is no member is null, too. Source: spec yao 11.5.
 */
export function processArguments(mapped: readonly string[], given: JsonObject): Json[] {
  if (mapped.length === 0) return [given]
  return mapped.map((written) => {
    if (written === ':arguments') return given
    if (!written.startsWith('$')) return written
    const path = written.slice(1).replace(/^args\./, '')
    return path.split('.').reduce<Json>((at, key) => memberOf(at, key), given)
  })
}

function memberOf(value: Json, key: string): Json {
  return isJsonObject(value) && Object.hasOwn(value, key) ? (value[key] ?? null) : null
}

/** A deeper schema is taken as fulfilled: arguments themselves are never nested like this. */
const MAX_LEVEL = 50

/**
 * What is wrong with a value by its JSON schema; undefined when nothing is. Only what models get wrong is looked at:
 * type, required, enum, const, the limits of numbers, texts and lists, properties and items. Patterns, formats and
 * combined schemas (`anyOf`, `$ref`) are not judged, for a call must not fail by what nobody checked before.
 */
export function schemaProblem(value: Json, schema: Json | undefined, at = '', level = 0): string | undefined {
  if (!isJsonObject(schema) || level > MAX_LEVEL) return undefined
  const place = at === '' ? 'the arguments' : at
  const types = listOf(schema['type'])
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    return `${place}: expected ${types.map(String).join(' or ')}, got ${jsonType(value)}`
  }
  const allowed = schema['enum']
  if (Array.isArray(allowed) && !(allowed as readonly Json[]).some((one) => jsonEquals(one, value))) {
    return `${place}: expected one of ${JSON.stringify(allowed).slice(0, 300)}`
  }
  if (Object.hasOwn(schema, 'const') && !jsonEquals(schema['const'] as Json, value)) {
    return `${place}: expected ${JSON.stringify(schema['const']).slice(0, 300)}`
  }
  return limitProblem(value, schema, place) ?? membersProblem(value, schema, at, level)
}

function membersProblem(value: Json, schema: JsonObject, at: string, level: number): string | undefined {
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).entries()
    return firstOf(items, ([index, item]) => schemaProblem(item, schema['items'], `${at}[${index}]`, level + 1))
  }
  if (!isJsonObject(value)) return undefined
  const required = listOf(schema['required']).filter((name) => typeof name === 'string')
  const missing = required.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return `${join(at, missing)} is required`
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {}
  return firstOf(Object.entries(value), ([name, member]) => {
    if (Object.hasOwn(properties, name)) return schemaProblem(member, properties[name], join(at, name), level + 1)
    return schema['additionalProperties'] === false ? `${join(at, name)}: unknown argument` : undefined
  })
}

function firstOf<T>(items: Iterable<T>, problemOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = problemOf(item)
    if (problem !== undefined) return problem
  }
  return undefined
}

function limitProblem(value: Json, schema: JsonObject, place: string): string | undefined {
  const outside = (size: number, low: string, high: string, unit: string) => {
    const [min, max] = [schema[low], schema[high]]
    if (typeof min === 'number' && size < min) return `${place}: expected at least ${min}${unit}`
    return typeof max === 'number' && size > max ? `${place}: expected at most ${max}${unit}` : undefined
  }
  if (typeof value === 'number') return outside(value, 'minimum', 'maximum', '')
  if (typeof value === 'string') return outside(value.length, 'minLength', 'maxLength', ' characters')
  return Array.isArray(value) ? outside(value.length, 'minItems', 'maxItems', ' items') : undefined
}

function isOfType(value: Json, type: Json): boolean {
  if (type === 'integer') return typeof value === 'number' && Number.isInteger(value)
  return jsonType(value) === type
}

function listOf(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? (value as readonly Json[]) : [value]
}

function join(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`
}
