import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { quote } from '../../core/kind.ts'
import { readFields, shown } from '../../core/reading/fields.ts'
import { type Place, readTexts } from '../../core/reading/values.ts'
import { expectContextFiles } from './behavior.ts'
import type { DemandsBuilder } from './demands.ts'
import { DEFAULT_EVALUATORS, readEvaluatorName } from './evaluator-names.ts'

/** How one kind of item of a list is read. */
type ItemReader = (item: JsonObject, demands: DemandsBuilder, place: Place) => void

/** Lists that single public files use beside or in place of `behavior`. Source: spec opencode-evals A.4, at its end. */
const LISTS: Readonly<Record<DialectField, Readonly<Record<string, ItemReader>>>> = {
  assertions: { tool_called: readToolCalled, output_contains: (...args) => readContains('value', ...args) },
  expectedOutput: { contains: (...args) => readContains('text', ...args) },
  expectations: {
    context_loaded: readContextLoaded,
    tool_usage: readToolUsage,
    no_violations: readNoViolations,
    specific_evaluator: readSpecificEvaluator,
  },
}

export type DialectField = 'assertions' | 'expectations' | 'expectedOutput'

export function readDialectList(
  field: DialectField,
  list: readonly Json[],
  demands: DemandsBuilder,
  place: Place,
): void {
  const readers = LISTS[field]
  const known = Object.keys(readers).map(quote).join(', ')
  for (const [index, item] of list.entries()) {
    const { notes } = place
    const at = `${place.at}[${index}]`
    const type = isJsonObject(item) ? item['type'] : undefined
    const read = typeof type === 'string' && Object.hasOwn(readers, type) ? readers[type] : undefined
    if (isJsonObject(item) && read) read(item, demands, { notes, at })
    else if (isJsonObject(item)) notes.problem(`${at}.type`, `expected one of ${known}, got ${shown(type)}`)
    else notes.problem(at, `expected an object with a "type", got ${shown(item)}`)
  }
}

function readToolCalled(item: JsonObject, demands: DemandsBuilder, { notes, at }: Place): void {
  const table = { type: 'any', tool: 'string', with_args: 'object' } as const
  const { tool, with_args: args } = readFields(item, table, { notes, at, unknown: 'problem' })
  if (!tool) notes.problem(`${at}.tool`, 'required', 'the name of a tool')
  else {
    demands.assert([{ type: 'tool_called', value: { name: tool, ...(args === undefined ? {} : { arguments: args }) } }])
  }
}

function readContains(field: 'value' | 'text', item: JsonObject, demands: DemandsBuilder, { notes, at }: Place): void {
  const table = { type: 'any', [field]: 'string' } as const
  const text = readFields(item, table, { notes, at, unknown: 'problem' })[field]
  if (typeof text === 'string' && text !== '') demands.assert([{ type: 'contains', value: text }])
  else notes.problem(`${at}.${field}`, 'required', 'the text to look for')
}

function readContextLoaded(item: JsonObject, demands: DemandsBuilder, { notes, at }: Place): void {
  const table = { type: 'any', contexts: 'list' } as const
  const { contexts } = readFields(item, table, { notes, at, unknown: 'problem' })
  demands.set('behavior', 'requiresContext', true)
  expectContextFiles(demands, readTexts(contexts, { notes, at: `${at}.contexts` }))
}

function readToolUsage(item: JsonObject, demands: DemandsBuilder, { notes, at }: Place): void {
  const table = { type: 'any', tools: 'list', min_count: 'number' } as const
  const { tools, min_count: count } = readFields(item, table, { notes, at, unknown: 'problem' })
  if (tools === undefined) notes.problem(`${at}.tools`, 'required')
  const names = readTexts(tools, { notes, at: `${at}.tools` })
  if (count === undefined) demands.add('behavior', 'mustUseTools', names)
  else if (count !== 1) {
    notes.problem(
      `${at}.min_count`,
      `expected 1, got ${shown(count)}`,
      'how many calls there must be is behavior.minToolCalls',
    )
  } else if (demands.settings.get('behavior')?.['mustUseAnyOf'] !== undefined) {
    notes.problem(`${at}.min_count`, 'cannot be given beside behavior.mustUseAnyOf', 'write all of it there')
  } else
    demands.add(
      'behavior',
      'mustUseAnyOf',
      names.map((name) => [name]),
    )
}

function readNoViolations(item: JsonObject, demands: DemandsBuilder, { notes, at }: Place): void {
  readFields(item, { type: 'any' } as const, { notes, at, unknown: 'problem' })
  for (const evaluator of DEFAULT_EVALUATORS) demands.expectViolation({ evaluator, state: 'must_not' })
}

function readSpecificEvaluator(item: JsonObject, demands: DemandsBuilder, { notes, at }: Place): void {
  const table = { type: 'any', evaluator: 'any', should_pass: 'boolean' } as const
  const { evaluator, should_pass: passes = true } = readFields(item, table, { notes, at, unknown: 'problem' })
  const name = readEvaluatorName(evaluator, { notes, at: `${at}.evaluator` }, demands.custom)
  if (name !== undefined) demands.expectViolation({ evaluator: name, state: passes ? 'must_not' : 'must' })
}
