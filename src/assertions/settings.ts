import { z } from 'zod'
import type { Json } from '../core/json.ts'
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
