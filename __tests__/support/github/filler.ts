import { asSchema, loadDescription, resolvePointer, type Schema } from './description.ts'

type Filled = null | boolean | number | string | Filled[] | { [key: string]: Filled }

/** A body that fits a schema of GitHub's description: every required property with a plausible value, `state` laid over it. */
export function fill(name: string, state: object): Record<string, unknown> {
  const { nullable: _nullable, ...schema } = resolvePointer(loadDescription().document, `#/components/schemas/${name}`)
  const body = plausible(schema)
  return overlay(body, state) as Record<string, unknown>
}

function plausible(schema: Schema): Filled {
  const { $ref: reference, nullable, anyOf, oneOf, allOf, enum: values, type } = schema
  if (typeof reference === 'string') return plausible(resolvePointer(loadDescription().document, reference))
  if (nullable === true) return null
  if (Array.isArray(values)) return values[0] as Filled
  if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map((part) => plausible(asSchema(part)))) as Filled
  const branches = anyOf ?? oneOf
  if (Array.isArray(branches)) return plausible(asSchema(branches[0]))
  switch (type) {
    case 'array':
      return []
    case 'boolean':
      return false
    case 'integer':
    case 'number':
      return 1
    case 'string':
      return textOf(schema)
    default:
      return objectOf(schema)
  }
}

function textOf({ format }: Schema): string {
  if (format === 'date-time') return '2026-01-02T03:04:05Z'
  if (format === 'uri') return 'https://github.com/'
  return format === 'email' ? 'someone@example.com' : 'text'
}

function objectOf({ properties = {}, required = [] }: Schema): Filled {
  const all = asSchema(properties)
  return Object.fromEntries((required as string[]).map((name) => [name, plausible(asSchema(all[name] ?? {}))]))
}

/** Objects are merged, everything else is replaced. */
function overlay(base: unknown, over: unknown): unknown {
  if (!isPlainObject(base) || !isPlainObject(over)) return over
  const merged: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(over)) merged[key] = key in base ? overlay(base[key], value) : value
  return merged
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
