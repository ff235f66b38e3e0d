import { z } from 'zod'
import type { Problem } from '../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { checkKindConfig, type KindConfig } from '../core/kind.ts'
import { excerpt } from './excerpt.ts'
import { assertions } from './registry.ts'

/** Settings that every type takes. */
const common = z.object({
  negate: z.boolean('expected true or false').optional(),
  message: z.string('expected a text').optional(),
})

/** What a Yao record may carry on any assertion; a type that has no use for one ignores it there, too. */
const YAO_SETTINGS: readonly string[] = ['value', 'path', 'script', 'use', 'options', 'name']

export interface NormalisedAssertions {
  readonly assertions: KindConfig[]
  readonly problems: Problem[]
  readonly warnings: string[]
}

/**
 * Reads a record's `assert` and `expected`, as written, into one list of assertions. `assert` wins; null is "not set"
 * for both. Fields of problems start at the record, such as `assert[0].value`.
 */
export function normaliseAssertions(assert: Json | undefined, expected: Json | undefined): NormalisedAssertions {
  if (assert === undefined || assert === null) {
    const isExpected = expected !== undefined && expected !== null
    return { assertions: isExpected ? [{ type: 'equals', value: expected }] : [], problems: [], warnings: [] }
  }
  if (!Array.isArray(assert)) return readAssertion(assert, 'assert')
  if (assert.length === 0) {
    return { assertions: [], problems: [], warnings: ['assert: an empty list checks nothing, so every reply passes'] }
  }
  const items = assert.map((item: Json, index) => readAssertion(item, `assert[${index}]`))
  return {
    assertions: items.flatMap((item) => item.assertions),
    problems: items.flatMap((item) => item.problems),
    warnings: items.flatMap((item) => item.warnings),
  }
}

function readAssertion(item: Json, field: string): NormalisedAssertions {
  if (!isJsonObject(item)) {
    const hint =
      typeof item === 'string'
        ? `write {"type": ${excerpt(item)}, "value": …}`
        : 'such as {"type": "contains", "value": "…"}'
    return refused({ field, message: `expected an assertion (an object), got ${excerpt(item)}`, hint })
  }
  const type = item['type'] ?? ''
  if (typeof type !== 'string' || item['type'] === null) {
    return refused({ field: `${field}.type`, message: `expected a text, got ${excerpt(item['type'] ?? null)}` })
  }
  return readSettings({ ...item, type: type === '' ? 'equals' : type }, field)
}

function readSettings(config: JsonObject & KindConfig, field: string): NormalisedAssertions {
  const kind = assertions.get(config.type)
  const ignored = kind ? YAO_SETTINGS.filter((name) => name in config && !(name in kind.schema.shape)) : []
  const used = Object.fromEntries(Object.entries(config).filter(([name]) => !ignored.includes(name)))
  const problems = checkKindConfig(assertions, { ...used, type: config.type }, { noun: 'assertion', field, common })
  if (!kind || problems.length > 0) return { assertions: [], problems, warnings: [] }
  const { warning } = kind.prepare(config)
  return {
    assertions: [config],
    problems: [],
    warnings: [
      ...ignored.map((name) => `${field}.${name}: ignored by assertion type ${excerpt(config.type)}`),
      ...(warning === undefined ? [] : [`${field}: ${warning}`]),
    ],
  }
}

function refused(problem: Problem): NormalisedAssertions {
  return { assertions: [], problems: [problem], warnings: [] }
}
