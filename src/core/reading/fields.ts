import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { didYouMean, quote } from '../kind.ts'
import type { Notes } from './findings.ts'

/** What the fields of an object must hold; an inner table is an object of its own. */
export interface FieldTable {
  readonly [field: string]: FieldType | FieldTable
}

interface FieldTypes {
  readonly string: string
  readonly boolean: boolean
  readonly number: number
  readonly object: JsonObject
  readonly list: readonly Json[]
  readonly any: Json
}
type FieldType = keyof FieldTypes

/** The fields that were set. */
export type FieldValues<T extends FieldTable> = {
  readonly [K in keyof T]?: T[K] extends FieldType
    ? FieldTypes[T[K]]
    : T[K] extends FieldTable
      ? FieldValues<T[K]>
      : never
}

interface FieldPlace {
  readonly notes: Notes
  /** Path of the object; '' is the whole record. */
  readonly at: string
  /** What an unknown field is. */
  readonly unknown: 'warning' | 'problem'
}

/**
 * Reads an object's fields by a table: wrong types are problems, `null` is not set, unknown fields are noted with a
 * did-you-mean and left out.
 */
export function readFields<const T extends FieldTable>(value: JsonObject, table: T, place: FieldPlace): FieldValues<T> {
  const values: Record<string, unknown> = {}
  for (const field of Object.keys(value)) {
    const type = Object.hasOwn(table, field) ? table[field] : undefined
    const written = value[field]
    if (type === undefined) noteUnknown(field, Object.keys(table), place)
    else if (written !== null && written !== undefined) {
      const read = readField(written, type, { ...place, at: join(place.at, field) })
      if (read !== undefined) values[field] = read
    }
  }
  // Every value was checked against the table that types it.
  return values as FieldValues<T>
}

function readField(value: Json, type: FieldType | FieldTable, place: FieldPlace): unknown {
  if (typeof type === 'object') {
    if (isJsonObject(value)) return readFields(value, type, place)
    place.notes.problem(place.at, `expected an object, got ${shown(value)}`)
    return undefined
  }
  if (hasType[type](value)) return value
  place.notes.problem(place.at, `expected ${NAMES[type]}, got ${shown(value)}`)
  return undefined
}

const hasType: Readonly<Record<FieldType, (value: Json) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  object: isJsonObject,
  list: Array.isArray,
  any: () => true,
}

const NAMES: Readonly<Record<FieldType, string>> = {
  string: 'a string',
  boolean: 'true or false',
  number: 'a number',
  object: 'an object',
  list: 'a list',
  any: 'a value',
}

function noteUnknown(field: string, known: readonly string[], { notes, at, unknown }: FieldPlace): void {
  const path = join(at, field.length <= 40 ? field : `${field.slice(0, 40)}…`)
  const hint = didYouMean(field, known) ?? `known fields: ${known.join(', ')}`
  if (unknown === 'warning') notes.warning(path, notes.isStrict ? 'unknown field' : 'unknown field, ignored', hint)
  else notes.problem(path, 'unknown field', hint)
}

/** What stands in place of a missing field. Yao's decoder ignores case; ours does not, and says so. */
export function nearField(name: string, record: JsonObject): string | undefined {
  const fields = Object.keys(record).filter((field) => field !== name)
  const other = fields.find((field) => field.toLowerCase() === name)
  if (other !== undefined) return `found ${quote(other)}: field names are lower case`
  const near = fields.find((field) => didYouMean(field, [name]) !== undefined)
  return near === undefined ? undefined : `found ${quote(near)}: did you mean ${quote(name)}?`
}

function join(at: string, field: string): string {
  return at === '' ? field : `${at}.${field}`
}

/** A value as a person recognises it in a message; never long. */
export function shown(value: Json | undefined): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (isJsonObject(value)) return 'an object'
  const text = JSON.stringify(value)
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`
}
