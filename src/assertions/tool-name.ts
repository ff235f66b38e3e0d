import { fullName, isToolNamed } from '../core/tool-name.ts'
import type { TraceEvent } from '../core/trace.ts'

export type ToolCall = Extract<TraceEvent, { type: 'tool_call' }>

/** Whether this is a call of the tool `name`; the rule is that of `isToolNamed`. */
export function isCallOf(call: Pick<ToolCall, 'tool' | 'server'>, name: string): boolean {
  return isToolNamed(call, name)
}

/** A call's name as failure texts show it. */
export function shownName(call: Pick<ToolCall, 'tool' | 'server'>): string {
  return fullName(call)
}

/** The names of the calls that there were, each once, in order. */
export function calledNames(calls: readonly ToolCall[]): string[] {
  return [...new Set(calls.map(shownName))]
}

/** Why no call has one of these names, for the end of a failure text. */
export function missingNote(names: readonly string[], calls: readonly ToolCall[]): string {
  if (calls.length === 0) return 'no tool was called'
  const called = calledNames(calls)
  const near = names.map((name) => ({ name, whole: called.find((full) => full.includes(name)) }))
  const part = near.find(({ whole }) => whole !== undefined)
  if (part?.whole === undefined) return 'the tools that were called'
  return `${JSON.stringify(part.name)} is only a part of the name ${JSON.stringify(part.whole)}`
}
