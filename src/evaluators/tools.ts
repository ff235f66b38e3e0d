import { isJsonObject } from '../core/json.ts'
import { isToolNamed } from '../core/tool-name.ts'
import type { Trace, TraceEvent } from '../core/trace.ts'

export type ToolCall = Extract<TraceEvent, { type: 'tool_call' }>

/** An event with its place in the trace: order is by place, for two events may share an instant. */
export interface Placed<E extends TraceEvent = TraceEvent> {
  readonly index: number
  readonly event: E
}

const SHELL = new Set(['bash', 'shell'])
const EDITING = new Set(['write', 'edit', 'patch', 'apply_patch', 'multiedit'])
const DELEGATING = new Set(['task'])
const READING = new Set(['read', 'glob', 'grep', 'list'])
const ASKING = new Set(['question'])

/** Source: spec opencode-evals C, "execution"; `patch`, `apply_patch`, `multiedit` and `shell` change things as well. */
export function isExecution(call: ToolCall): boolean {
  return isShell(call) || isEditing(call) || isDelegating(call)
}

export function isShell({ tool }: ToolCall): boolean {
  return SHELL.has(tool.toLowerCase())
}

/** It changes a file. */
export function isEditing({ tool }: ToolCall): boolean {
  return EDITING.has(tool.toLowerCase())
}

export function isDelegating({ tool }: ToolCall): boolean {
  return DELEGATING.has(tool.toLowerCase())
}

export function isReading({ tool }: ToolCall): boolean {
  return READING.has(tool.toLowerCase())
}

/** It puts a question to the user. */
export function isAsking({ tool }: ToolCall): boolean {
  return ASKING.has(tool.toLowerCase())
}

/** A call that its approval stopped has done nothing. */
export function wasExecuted({ status }: ToolCall): boolean {
  return status !== 'denied'
}

/** It ended well. */
export function wasCompleted({ status, error = '' }: ToolCall): boolean {
  return status === undefined && error === ''
}

/** Whether a suite means this call by `name`; the case of letters does not matter. */
export function isCallOf({ tool, server }: ToolCall, name: string): boolean {
  const named = { tool: tool.toLowerCase(), ...(server === undefined ? {} : { server: server.toLowerCase() }) }
  return isToolNamed(named, name.toLowerCase())
}

/** Of the session that was prompted, not of one that it started. */
export function isRoot({ session }: TraceEvent): boolean {
  return session === undefined || session.depth === 0
}

export function callsOf({ events }: Trace): Placed<ToolCall>[] {
  return events.flatMap((event, index) => (event.type === 'tool_call' ? [{ index, event }] : []))
}

/** The calls of the session that was prompted. */
export function rootCallsOf(trace: Trace): Placed<ToolCall>[] {
  return callsOf(trace).filter(({ event }) => isRoot(event))
}

/** A parameter that is a text. */
export function textParameter({ parameters }: ToolCall, ...names: readonly string[]): string | undefined {
  if (!isJsonObject(parameters)) return undefined
  for (const name of names) {
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

/** The file or folder that a call is about, with `/`. */
export function pathOf(call: ToolCall): string | undefined {
  return textParameter(call, 'filePath', 'path', 'file_path', 'file')?.replaceAll('\\', '/')
}

/** Every file that a call changes; a patch names its own. */
export function changedFiles(call: ToolCall): string[] {
  if (!isEditing(call)) return []
  const path = pathOf(call)
  const patch = textParameter(call, 'patchText', 'patch', 'input') ?? ''
  const inPatch = patch.split('\n').flatMap((line) => {
    const header = PATCH_HEADERS.find((one) => line.startsWith(one))
    return header === undefined ? [] : [line.slice(header.length).trim().replaceAll('\\', '/')]
  })
  return path === undefined ? inPatch : [path, ...inPatch]
}

const PATCH_HEADERS = ['*** Add File: ', '*** Update File: ', '*** Delete File: ']

export function commandOf(call: ToolCall): string {
  return textParameter(call, 'command', 'cmd') ?? ''
}

/** A text as evidence holds it. */
export function shortened(text: string, length = 200): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** A call in words, for messages: `bash "npm ci"`, `write notes.txt`. */
export function describeCall(call: ToolCall): string {
  if (isShell(call)) return `${call.tool} ${JSON.stringify(shortened(commandOf(call), 80))}`
  const what = pathOf(call) ?? textParameter(call, 'subagent_type', 'pattern')
  return what === undefined ? call.tool : `${call.tool} ${shortened(what, 80)}`
}
