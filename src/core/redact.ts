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
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => redacted(item, secrets))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  const entries = Object.entries(value).map(([key, item]): [string, unknown, boolean] => {
    const [safeKey, safeItem] = [secrets.redact(key), redacted(item, secrets)]
    return [safeKey, safeItem, safeKey !== key || safeItem !== item]
  })
  return entries.some(([, , isChanged]) => isChanged) ? Object.fromEntries(entries) : value
}
