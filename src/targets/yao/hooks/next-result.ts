import { isJsonObject, type Json, type JsonObject, jsonType } from '../../../core/json.ts'
import { type Delegate, type Parsed, parseDelegate } from './create-result.ts'

/** What `Next` decided. Without data or delegate the model's answer stands. */
export interface NextResult {
  /** The answer in place of the model's; null is no data. */
  readonly data?: Json
  readonly delegate?: Delegate
}

/**
 * What `Next` returned: `{delegate}` wins over `{data}`, and `{metadata}` is for the records of a Yao server alone; every
 * other member is ignored, as in Yao, which reads only these three. Source: spec yao 11.5.
 */
export function parseNextResult(returned: Json): Parsed<NextResult> {
  if (returned === null) return { value: {} }
  if (!isJsonObject(returned)) {
    return { problem: `expected {"data"}, {"delegate"} or null, got ${jsonType(returned)}` }
  }
  const delegated = parseDelegate(returned['delegate'])
  if ('problem' in delegated) return delegated
  const { metadata = null } = returned
  if (metadata !== null && !isJsonObject(metadata)) return { problem: 'metadata: expected an object' }
  const data = (returned as Partial<JsonObject>)['data'] ?? null
  return {
    value: {
      ...(data === null ? {} : { data }),
      ...(delegated.value ? { delegate: delegated.value } : {}),
    },
  }
}
