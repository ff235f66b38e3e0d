import type { Secrets } from '../core/host.ts'
import { isJsonObject, type Json } from '../core/json.ts'
import type { RunResult } from '../core/result.ts'

/**
 * Replaces secrets in everything a run carries out of the runner. After judging, so that an assertion that looks for
 * a leaked key can still see it.
 */
export function redactResult(result: RunResult, secrets: Secrets): RunResult {
  // One serialisation decides for the whole result: almost none holds a secret.
  const text = JSON.stringify(result)
  if (secrets.redact(text) === text && !/\\["\\/bfnrtu]/.test(text)) return result
  return redactValue(result as unknown as Json, secrets) as unknown as RunResult
}

function redactValue(value: Json, secrets: Secrets): Json {
  if (typeof value === 'string') return secrets.redact(value)
  if (Array.isArray(value)) return value.map((item: Json) => redactValue(item, secrets))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [secrets.redact(key), redactValue(item, secrets)]),
  )
}
