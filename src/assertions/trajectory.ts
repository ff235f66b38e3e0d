import { z } from 'zod'
import type { Json, JsonObject } from '../core/json.ts'
import { isJsonObject } from '../core/json.ts'
import { didYouMean } from '../core/kind.ts'
import { eventsOf } from '../core/trace.ts'
import { defineAssertion, type Outcome } from './assertion.ts'
import { cut, excerpt } from './excerpt.ts'
import { jsonObject, toolName } from './settings.ts'
import { isCallOf, shownName, type ToolCall } from './tool-name.ts'
import { partingOf, TRAJECTORY_MODES, type TrajectoryMode } from './trajectory-match.ts'
import { describeStep, PARAMETER_MODES, type ParameterMode, type Step } from './trajectory-step.ts'

/** Nobody writes more, and matching takes its time. */
const MOST_STEPS = 500
/** Of the calls that there were, in a report. */
const MOST_SHOWN = 50

/** One of a few words, with the one that was meant. */
function oneOf<const T extends readonly string[]>(words: T) {
  return z.enum(words, {
    error: ({ input }) => {
      const hint = typeof input === 'string' ? didYouMean(input, words) : undefined
      return `expected ${words.join(', ')}, got ${excerpt(input as Json)}${hint === undefined ? '' : `; ${hint}`}`
    },
  })
}

const step = z.custom<Json>().superRefine((written, context) => {
  for (const { path = [], message } of problemsOf(written)) context.addIssue({ code: 'custom', message, path })
})

const calls = z
  .array(step, {
    error: ({ input }) =>
      `expected a list of calls such as {"tool", "parameters"}, got ${input === undefined ? 'nothing' : excerpt(input as Json)}`,
  })
  .max(MOST_STEPS, `expected at most ${MOST_STEPS} calls`)

/** The calls of tools, in order, as a whole. Source: issue "OpenCode evaluation", point 10. */
export const trajectory = defineAssertion({
  type: 'trajectory',
  schema: z.object({
    mode: oneOf(TRAJECTORY_MODES).default('strict'),
    calls,
    /** How parameters are compared. */
    parameters: oneOf(PARAMETER_MODES).default('exact'),
    /** The same for single tools. */
    tools: z.record(z.string().min(1), oneOf(PARAMETER_MODES), 'expected the modes by tool (an object)').default({}),
  }),
  prepare({ mode, calls: written, parameters, tools }) {
    const steps = written.map((one) => stepOf(one, (tool) => modeOf(tool, tools) ?? parameters))
    const warning = warningOf(mode, steps, Object.keys(tools))
    return {
      expectation: () => `the tool calls ${WORDS[mode]} ${cut(steps.map(describeStep).join(', ')) || 'none'}`,
      expected: written,
      ...(warning === undefined ? {} : { warning }),
      check: ({ trace }) => look(mode, steps, eventsOf(trace, 'tool_call')),
    }
  },
})

const WORDS: Readonly<Record<TrajectoryMode, string>> = {
  strict: 'to be exactly',
  unordered: 'to be, in any order,',
  subset: 'to be among',
  superset: 'to include',
  in_order: 'to include, in this order,',
}

function look(mode: TrajectoryMode, steps: readonly Step[], made: readonly ToolCall[]): Outcome {
  const parting = partingOf(mode, steps, made)
  const actual = made.slice(0, MOST_SHOWN).map((call) => ({ tool: shownName(call), parameters: call.parameters }))
  if (parting === undefined) return { kind: 'judged', holds: true, actual }
  return { kind: 'judged', holds: false, actual, text: parting }
}

function problemsOf(written: Json): { readonly path?: string[]; readonly message: string }[] {
  if (!isJsonObject(written)) return [{ message: `expected {"tool", "parameters"}, got ${excerpt(written ?? null)}` }]
  const unknown = Object.keys(written).filter((key) => key !== 'tool' && key !== 'parameters')
  return [
    ...unknown.map((key) => ({
      path: [key],
      message: `unknown setting; ${didYouMean(key, ['tool', 'parameters']) ?? 'known are tool, parameters'}`,
    })),
    ...toolName(written['tool']).map((message) => ({ path: ['tool'], message })),
    ...jsonObject(written['parameters'], 'the parameters by their names').map((message) => ({
      path: ['parameters'],
      message,
    })),
  ]
}

function stepOf(written: Json, modeFor: (tool: string) => ParameterMode): Step {
  const { tool, parameters } = isJsonObject(written) ? written : ({} as JsonObject)
  if (typeof tool !== 'string') throw new Error('the settings of trajectory were not checked')
  return { tool, mode: modeFor(tool), ...(isJsonObject(parameters) ? { parameters } : {}) }
}

function modeOf(tool: string, tools: Readonly<Record<string, ParameterMode>>): ParameterMode | undefined {
  return Object.entries(tools).find(([name]) => isCallOf({ tool }, name) || isCallOf({ tool: name }, tool))?.[1]
}

/** Legal, but hardly meant. */
function warningOf(mode: TrajectoryMode, steps: readonly Step[], named: readonly string[]): string | undefined {
  if (steps.length === 0 && (mode === 'superset' || mode === 'in_order')) {
    return `an empty list of calls is in every trajectory, so "${mode}" always holds; "strict" means that no tool is called`
  }
  const stray = named.find(
    (name) => !steps.some(({ tool }) => isCallOf({ tool }, name) || isCallOf({ tool: name }, tool)),
  )
  if (stray === undefined) return undefined
  const hint = didYouMean(stray, [...new Set(steps.map(({ tool }) => tool))])
  return `tools.${stray} is none of the expected calls${hint === undefined ? '' : `; ${hint}`}`
}
