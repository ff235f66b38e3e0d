import { type JsonObject, jsonEquals } from '../core/json.ts'
import { cut, excerpt } from './excerpt.ts'
import { argumentsOf } from './tool-arguments.ts'
import { isCallOf, shownName, type ToolCall } from './tool-name.ts'

export const PARAMETER_MODES = ['exact', 'ignore', 'subset', 'superset'] as const
export type ParameterMode = (typeof PARAMETER_MODES)[number]

/** A call that is expected. */
export interface Step {
  readonly tool: string
  /** Not looked at where absent. */
  readonly parameters?: JsonObject
  readonly mode: ParameterMode
}

export function isStep(call: ToolCall, step: Step): boolean {
  return differenceOf(call, step) === undefined
}

/** How a call is not the expected one; undefined when it is. */
export function differenceOf(call: ToolCall, step: Step): string | undefined {
  if (!isCallOf(call, step.tool)) return `the tool is ${excerpt(shownName(call))}`
  if (step.mode === 'ignore' || !step.parameters) return undefined
  const actual = argumentsOf(call)
  if (!actual) return 'the parameters are no object'
  const missing = Object.keys(step.parameters).filter((name) => !Object.hasOwn(actual, name))
  const extra = Object.keys(actual).filter((name) => !Object.hasOwn(step.parameters ?? {}, name))
  const different = parameterThatDiffers(actual, step.parameters)
  if (different !== undefined) return `parameter ${cut(different)} differs`
  // A subset may have fewer than the expected parameters, a superset more.
  if (missing[0] !== undefined && step.mode !== 'subset') return `parameter ${cut(missing[0])} is missing`
  if (extra[0] !== undefined && step.mode !== 'superset') return `parameter ${cut(extra[0])} is not expected`
  return undefined
}

function parameterThatDiffers(actual: JsonObject, expected: JsonObject): string | undefined {
  return Object.entries(expected).find(([name, value]) => {
    return Object.hasOwn(actual, name) && !jsonEquals(actual[name] ?? null, value)
  })?.[0]
}

export function describeStep({ tool, parameters, mode }: Step): string {
  if (!parameters || mode === 'ignore') return tool
  const how = { exact: 'exactly', subset: 'at most', superset: 'at least', ignore: '' }[mode]
  return `${tool} with ${how} ${excerpt(parameters)}`
}

export function describeCall(call: ToolCall): string {
  return `${shownName(call)} ${excerpt(call.parameters)}`
}
