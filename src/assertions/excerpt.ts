import { type Json, sortedJson } from '../core/json.ts'

const LIMIT = 200

/** A value as a failure text shows it: one line of JSON, long ones cut. */
export function excerpt(value: Json): string {
  return typeof value === 'string' ? JSON.stringify(cut(value)) : cut(sortedJson(value))
}

/** At most 200 characters, never half a surrogate pair. */
export function cut(text: string): string {
  if (text.length <= LIMIT) return text
  return `${text.slice(0, LIMIT).replace(/[\uD800-\uDBFF]$/, '')}…`
}
