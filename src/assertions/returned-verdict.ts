import { isJsonObject, type Json, jsonType } from '../core/json.ts'
import { judged, type Outcome, unevaluable } from './assertion.ts'
import { excerpt } from './excerpt.ts'

/** What a function of the author says: `true`, `false` or `{"pass", "message"}`; anything else decides nothing. */
export function returnedVerdict(returned: Json, output: Json, name: string): Outcome {
  if (typeof returned === 'boolean') return judged(returned, output)
  const pass = isJsonObject(returned) ? returned['pass'] : undefined
  if (!isJsonObject(returned) || typeof pass !== 'boolean') {
    const got = isJsonObject(returned) ? excerpt(returned) : jsonType(returned)
    return unevaluable(`${name}: expected true, false or {"pass", "message"}, got ${got}`)
  }
  const message = returned['message']
  const text = typeof message === 'string' && message !== '' ? { text: `${name}: ${message}` } : {}
  return { kind: 'judged', holds: pass, actual: output, ...text }
}
