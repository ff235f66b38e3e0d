import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject, jsonEquals, sortedJson } from '../core/json.ts'
import { eventsOf } from '../core/trace.ts'
import { compilePattern, patternProblem } from '../lib/regex.ts'
import { defineAssertion, judged, type Outcome } from './assertion.ts'
import { cut, excerpt } from './excerpt.ts'
import { requiredJson, type SettingProblem, toolName, unknownKeys } from './settings.ts'
import { calledNames, isCallOf, missingNote, shownName, type ToolCall } from './tool-name.ts'

const PATTERN = 'regex:'
const FORM = 'expected {"tool", "result"}'

const value = requiredJson(`${FORM}, got nothing`).superRefine((written, context) => {
  if (!isJsonObject(written)) {
    context.addIssue({ code: 'custom', message: `${FORM}, got ${excerpt(written)}` })
    return
  }
  const problems = [
    ...unknownKeys(written, ['tool', 'result']),
    ...toolName(written['tool']).map((message) => ({ path: ['tool'], message })),
    ...patternProblems(written['result'] ?? null, ['result']),
  ]
  for (const { path, message } of problems) context.addIssue({ code: 'custom', message, path: [...path] })
})

/** Source: spec yao 4.3: the first call of the tool is looked at, and an error of the tool fails. */
export const toolResult = defineAssertion({
  type: 'tool_result',
  schema: z.object({ value }),
  prepare({ value: written }) {
    const { tool, result } = settingsOf(written)
    const returned = result === undefined ? 'without an error' : `with the result ${excerpt(result)}`
    return {
      expectation: () => `the first call of ${excerpt(tool)} to end ${returned}`,
      expected: written,
      check: ({ trace }) => look(tool, result, eventsOf(trace, 'tool_call')),
    }
  },
})

function settingsOf(written: Json): { readonly tool: string; readonly result: Json | undefined } {
  const { tool, result } = isJsonObject(written) ? written : {}
  if (typeof tool !== 'string') throw new Error('the settings of tool_result were not checked')
  return { tool, result }
}

function look(tool: string, expected: Json | undefined, calls: readonly ToolCall[]): Outcome {
  const named = calls.filter((call) => isCallOf(call, tool))
  const [first] = named
  if (!first) return judged(false, calledNames(calls), missingNote([tool], calls))
  const which = `${shownName(first)}${named.length === 1 ? '' : `, first of ${named.length} calls`}`
  const error = errorOf(first)
  if (error !== undefined) return judged(false, error, `error of ${which}`)
  const actual = first.result ?? null
  const difference = expected === undefined ? undefined : differenceOf(expected, actual, '')
  return judged(difference === undefined, actual, difference === undefined ? which : `${which}: ${difference}`)
}

/** Why the call failed, if it did. */
function errorOf({ error = '', status }: ToolCall): string | undefined {
  if (error !== '') return error
  return status === undefined ? undefined : `the call was ${status}`
}

/** What is different and where. Objects are matched as subsets at every level, lists and booleans exactly. */
function differenceOf(expected: Json, actual: Json | undefined, path: string): string | undefined {
  const place = path === '' ? 'the result' : cut(path)
  if (actual === undefined) return `${place} is missing`
  if (isJsonObject(expected)) return isJsonObject(actual) ? inside(expected, actual, path) : `${place} is no object`
  const isSame = typeof expected === 'string' ? textMatches(expected, actual) : jsonEquals(expected, actual)
  return isSame ? undefined : `${place} differs`
}

function inside(expected: JsonObject, actual: JsonObject, path: string): string | undefined {
  for (const [key, member] of Object.entries(expected)) {
    const own = Object.hasOwn(actual, key) ? actual[key] : undefined
    const difference = differenceOf(member, own, path === '' ? key : `${path}.${key}`)
    if (difference !== undefined) return difference
  }
  return undefined
}

/** A text is compared with the printed value: `"true"` matches true, and so does `regex:^t`. */
function textMatches(expected: string, actual: Json): boolean {
  const printed = typeof actual === 'string' ? actual : sortedJson(actual)
  return expected.startsWith(PATTERN)
    ? compilePattern(expected.slice(PATTERN.length)).test(printed)
    : printed === expected
}

function patternProblems(expected: Json, path: readonly string[]): SettingProblem[] {
  if (isJsonObject(expected)) {
    return Object.entries(expected).flatMap(([key, member]) => patternProblems(member, [...path, key]))
  }
  if (typeof expected !== 'string' || !expected.startsWith(PATTERN)) return []
  const message = patternProblem(expected.slice(PATTERN.length))
  return message === undefined ? [] : [{ path, message }]
}
