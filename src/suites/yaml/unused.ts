import type { Json, JsonObject } from '../../core/json.ts'
import type { Place } from '../../core/reading/values.ts'

/** Fields that are known and mean nothing here, each with what to do instead. */
export type UnusedFields = Readonly<Record<string, string>>

/** The object without its unused fields, of which the user is told: nothing is dropped without a word. */
export function withoutUnused(value: JsonObject, unused: UnusedFields, { notes, at }: Place): JsonObject {
  const used: Record<string, Json> = {}
  for (const [field, written] of Object.entries(value)) {
    const why = Object.hasOwn(unused, field) ? unused[field] : undefined
    if (why === undefined) Object.defineProperty(used, field, { value: written, enumerable: true })
    else notes.warning(at === '' ? field : `${at}.${field}`, 'not used here', why)
  }
  return used
}
