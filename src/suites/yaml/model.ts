import type { Json } from '../../core/json.ts'
import { shown } from '../../core/reading/fields.ts'
import type { Place } from '../../core/reading/values.ts'

/** `provider/model`; only the first slash parts them, so a model may hold more. */
export function readModel(value: Json | undefined, { notes, at }: Place): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && /^[^/\s]+\/\S+$/.test(value)) return value
  notes.problem(at, `expected a model as PROVIDER/MODEL, got ${shown(value)}`, 'such as anthropic/claude-sonnet-4-5')
  return undefined
}
