import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject, jsonEquals } from '../core/json.ts'
import { eventsOf } from '../core/trace.ts'
import { defineAssertion, judged, type Outcome } from './assertion.ts'
import { cut, excerpt } from './excerpt.ts'
import { jsonObject, requiredJson, type SettingProblem, toolName, unknownKeys } from './settings.ts'
import { argumentsOf } from './tool-arguments.ts'
import { calledNames, isCallOf, missingNote, shownName, type ToolCall } from './tool-name.ts'

/** A call that is looked for. */
interface Wanted {
  readonly name: string
  /** Each must be among the call's arguments. */
  readonly arguments?: JsonObject
}

const FORMS = 'expected the name of a tool, a list of names, or {"name", "arguments"}'

const value = requiredJson(`${FORMS}, got nothing`).superRefine((written, context) => {
  for (const [path, item] of itemsOf(written)) {
    for (const problem of problemsOf(item)) {
      context.addIssue({ code: 'custom', message: problem.message, path: [...path, ...problem.path] })
    }
  }
})

/** Source: spec yao 4.3; nothing but whole names match, and any call may. */
export const toolCalled = defineAssertion({
  type: 'tool_called',
  schema: z.object({ value }),
  prepare({ value: written }) {
    const wanted = itemsOf(written).map(([, item]) => wantedOf(item))
    return {
      expectation: () => `a call of ${describe(wanted)}`,
      expected: written,
      ...(wanted.length === 0 ? { warning: 'an empty list names no tool, so no call can be one of them' } : {}),
      check: ({ trace }) => look(wanted, eventsOf(trace, 'tool_call')),
    }
  },
})

/** Each item with its path below `value`. */
function itemsOf(written: Json): readonly [readonly number[], Json][] {
  if (!Array.isArray(written)) return [[[], written]]
  return written.map((item: Json, index) => [[index], item])
}

function problemsOf(item: Json): SettingProblem[] {
  if (!isJsonObject(item)) {
    if (typeof item !== 'string') return [{ path: [], message: `${FORMS}, got ${excerpt(item)}` }]
    return toolName(item).map((message) => ({ path: [], message }))
  }
  return [
    ...unknownKeys(item, ['name', 'arguments']),
    ...toolName(item['name']).map((message) => ({ path: ['name'], message })),
    ...jsonObject(item['arguments'], 'the arguments by their names').map((message) => ({
      path: ['arguments'],
      message,
    })),
  ]
}

function wantedOf(item: Json): Wanted {
  const { name, arguments: given } = isJsonObject(item) ? item : { name: item }
  if (typeof name !== 'string') throw new Error('the settings of tool_called were not checked')
  return { name, ...(isJsonObject(given) ? { arguments: given } : {}) }
}

function look(wanted: readonly Wanted[], calls: readonly ToolCall[]): Outcome {
  const named = wanted.flatMap((one) =>
    calls.filter((call) => isCallOf(call, one.name)).map((call) => ({ one, call, differences: compare(one, call) })),
  )
  const found = named.find(({ differences }) => differences.length === 0)
  if (found) return judged(true, callFields(found.call))
  const [first] = named
  if (!first) {
    const names = wanted.map(({ name }) => name)
    return judged(false, calledNames(calls), missingNote(names, calls))
  }
  if (named.length === 1) return judged(false, callFields(first.call), first.differences.join(', '))
  return judged(
    false,
    named.map(({ call }) => callFields(call)),
    `none of ${named.length} calls`,
  )
}

function callFields(call: ToolCall): JsonObject {
  return { name: shownName(call), arguments: call.parameters }
}

/** What is wrong with the call's arguments; nothing when it is the wanted one. */
function compare(wanted: Wanted, call: ToolCall): string[] {
  const expected = Object.entries(wanted.arguments ?? {})
  if (expected.length === 0) return []
  const actual = argumentsOf(call)
  if (!actual) return ['the arguments are no object']
  return expected.flatMap(([key, member]) => {
    if (!Object.hasOwn(actual, key)) return [`argument ${cut(key)} is missing`]
    return jsonEquals(actual[key] ?? null, member) ? [] : [`argument ${cut(key)} differs`]
  })
}

function describe(wanted: readonly Wanted[]): string {
  if (wanted.length === 0) return 'one of no tools'
  const calls = wanted.map(({ name, arguments: given }) => {
    return `${excerpt(name)}${given === undefined ? '' : ` with ${excerpt(given)}`}`
  })
  return cut(calls.join(' or '))
}
