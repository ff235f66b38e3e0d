import { z } from 'zod'
import type { Trace } from '../core/trace.ts'
import type { Inspection } from './evaluator.ts'
import { callsOf, isCallOf, isRoot, type Placed, type ToolCall, textParameter, wasCompleted } from './tools.ts'

/** What may be asked of the subagents that were called. Source: spec opencode-evals A.4, `delegationExpectations`. */
export const subagentSchema = {
  /** Which must be called; the end of its path is enough. */
  subagentType: z.string().min(1).optional(),
  subagentMustUseTools: z.array(z.string().min(1)).default([]),
  subagentMinToolCalls: z.int().min(0).optional(),
  subagentMustComplete: z.boolean().default(false),
}

type Settings = z.infer<z.ZodObject<typeof subagentSchema>>

interface Delegated {
  readonly trace: Trace
  /** The calls that started subagents. */
  readonly tasks: readonly Placed<ToolCall>[]
}

/** Weights of the project that the expectations come from: type 30, tools 40, calls 20, completed 10. */
export function subagentInspections(settings: Settings, { trace, tasks }: Delegated): Inspection[] {
  const { subagentType, subagentMustUseTools, subagentMinToolCalls, subagentMustComplete } = settings
  const fitting = tasks.filter(({ event }) => subagentType === undefined || isOfType(event, subagentType))
  const inner = callsOf(trace).filter(({ event }) => !isRoot(event))
  const inspections: Inspection[] = []
  const inspect = (name: string, weight: number, type: string, messages: readonly string[]) => {
    inspections.push({ name, weight, findings: messages.map((message) => ({ type, message })) })
  }
  if (subagentType !== undefined)
    inspect('subagent-type', 30, 'wrong-subagent', wrongType(subagentType, tasks, fitting))
  const wantsInside = subagentMustUseTools.length > 0 || subagentMinToolCalls !== undefined
  if (wantsInside && fitting.length > 0 && !trace.events.some((event) => !isRoot(event))) {
    inspect('subagent-data', 60, 'missing-data', [
      'nothing of what the subagent did was recorded, so it cannot be judged',
    ])
  } else {
    const unused = subagentMustUseTools.filter((name) => !inner.some(({ event }) => isCallOf(event, name)))
    const unusedTexts = unused.map((name) => `no subagent used the tool ${JSON.stringify(name)}`)
    if (subagentMustUseTools.length > 0) inspect('subagent-tools', 40, 'missing-subagent-tool', unusedTexts)
    if (subagentMinToolCalls !== undefined) {
      const isShort = inner.length < subagentMinToolCalls
      const few = isShort
        ? [`subagents made ${inner.length} tool calls, expected at least ${subagentMinToolCalls}`]
        : []
      inspect('subagent-calls', 20, 'insufficient-subagent-tool-calls', few)
    }
  }
  if (!subagentMustComplete) return inspections
  const isDone = fitting.some(({ event }) => wasCompleted(event))
  inspect('subagent-completed', 10, 'incomplete-subagent', isDone ? [] : ['no subagent came to its end'])
  return inspections
}

function isOfType(call: ToolCall, type: string): boolean {
  const called = typeOf(call)
  return called === type || called.endsWith(`/${type}`) || type.endsWith(`/${called}`)
}

function typeOf(call: ToolCall): string {
  return textParameter(call, 'subagent_type', 'subagentType', 'agent') ?? ''
}

function wrongType(type: string, tasks: readonly Placed<ToolCall>[], fitting: readonly Placed<ToolCall>[]): string[] {
  if (fitting.length > 0) return []
  const called = [...new Set(tasks.map(({ event }) => typeOf(event) || 'one without a type'))].slice(0, 5).join(', ')
  return [
    `expected the subagent ${JSON.stringify(type)}, ${called === '' ? 'none was called' : `called was ${called}`}`,
  ]
}
