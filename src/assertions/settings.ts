import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { excerpt } from './excerpt.ts'

/** A setting that may be any JSON value, but must be there. */
export function requiredJson(missing: string) {
  return z.custom<Json>((value) => value !== undefined, missing)
}

/** A text setting whose error says what belongs there and what was written. */
export function requiredText(what: string) {
  return z.string({
    error: ({ input }) => `expected ${what}, got ${input === undefined ? 'nothing' : excerpt(input as Json)}`,
  })
}

/** Something wrong inside of a setting. */
export interface SettingProblem {
  readonly path: readonly string[]
  readonly message: string
}

/** What is wrong with the name of a tool; an empty one would be a check that cannot fail, or cannot pass. */
export function toolName(name: Json | undefined): string[] {
  if (typeof name === 'string' && name.trim() !== '') return []
  return [`expected the name of a tool, got ${name === undefined ? 'nothing' : excerpt(name)}`]
}

/** What is wrong with a setting that may be left out and is an object. */
export function jsonObject(value: Json | undefined, what: string): string[] {
  if (value === undefined || isJsonObject(value)) return []
  return [`expected ${what} (an object), got ${excerpt(value)}`]
}

export function unknownKeys(value: JsonObject, known: readonly string[]): SettingProblem[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => ({ path: [key], message: `unknown setting; known are ${known.join(', ')}` }))
}
