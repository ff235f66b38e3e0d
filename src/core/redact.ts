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
  if (value instanceof Map) return redactedMap(value, secrets)
  return Array.isArray(value) ? redactedList(value, secrets) : redactedRecord(value as Record<string, unknown>, secrets)
}

function redactedMap(map: ReadonlyMap<unknown, unknown>, secrets: Redactor): ReadonlyMap<unknown, unknown> {
  const entries = [...map]
  const safe = redactedList(entries, secrets)
  return safe === entries ? map : new Map(safe as typeof entries)
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

function redactedRecord(record: Readonly<Record<string, unknown>>, secrets: Redactor): Record<string, unknown> {
  let copy: [string, unknown][] | undefined
  let seen = 0
  // Inherited members as well: the report of a case computes what it says of it.
  for (const key in record) {
    const value = record[key]
    const [safeKey, safe] = [secrets.redact(key), redacted(value, secrets)]
    if (copy) copy.push([safeKey, safe])
    else if (safeKey !== key || safe !== value) copy = [...firstMembers(record, seen), [safeKey, safe]]
    seen += 1
  }
  return copy ? Object.fromEntries(copy) : record
}

function firstMembers(record: Readonly<Record<string, unknown>>, count: number): [string, unknown][] {
  const members: [string, unknown][] = []
  for (const key in record) {
    if (members.length === count) break
    members.push([key, record[key]])
  }
  return members
}
