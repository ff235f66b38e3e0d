import type { Secrets } from './host.ts'

type Redactor = Pick<Secrets, 'redact'>

/**
 * The value with every text in it redacted, keys included; what holds no secret is shared, not copied. For documents on
 * their way out, before they are rendered: escaping breaks a secret up so that it would not be found any more.
 */
export function redactDeep<T>(value: T, secrets: Redactor): T {
  return redacted(value, secrets) as T
}

function redacted(value: unknown, secrets: Redactor): unknown {
  if (typeof value === 'string') return secrets.redact(value)
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? redactedList(value, secrets) : redactedRecord(value as Record<string, unknown>, secrets)
}

/** A copy is begun at the first change: nearly every document is clean, and then nothing is allocated. */
function redactedList(list: readonly unknown[], secrets: Redactor): readonly unknown[] {
  let copy: unknown[] | undefined
  for (const [index, item] of list.entries()) {
    const safe = redacted(item, secrets)
    if (copy) copy.push(safe)
    else if (safe !== item) copy = [...list.slice(0, index), safe]
  }
  return copy ?? list
}

function redactedRecord(record: Record<string, unknown>, secrets: Redactor): Record<string, unknown> {
  let copy: [string, unknown][] | undefined
  let seen = 0
  for (const key in record) {
    if (!Object.hasOwn(record, key)) continue
    const [safeKey, safe] = [secrets.redact(key), redacted(record[key], secrets)]
    if (copy) copy.push([safeKey, safe])
    else if (safeKey !== key || safe !== record[key]) {
      copy = [...Object.entries(record).slice(0, seen), [safeKey, safe]]
    }
    seen += 1
  }
  return copy ? Object.fromEntries(copy) : record
}
