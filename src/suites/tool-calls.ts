import { isJsonObject, type Json } from '../core/json.ts'
import type { ToolCallRequest } from '../core/message.ts'
import { readFields, shown } from '../core/reading/fields.ts'
import type { Notes } from '../core/reading/findings.ts'

const TOOL_CALL = {
  id: 'string',
  type: 'any',
  index: 'number',
  function: { name: 'string', arguments: 'any' },
} as const

/** The tool calls of an assistant message, arguments as JSON text. Source: spec yao 3.1. */
export function readToolCalls(calls: readonly Json[], at: string, notes: Notes): ToolCallRequest[] {
  return calls.flatMap((call, index) => readToolCall(call, `${at}[${index}]`, notes))
}

function readToolCall(call: Json, at: string, notes: Notes): ToolCallRequest[] {
  if (!isJsonObject(call)) {
    notes.problem(at, `expected a tool call object, got ${shown(call)}`)
    return []
  }
  const { id, type = 'function', function: called } = readFields(call, TOOL_CALL, { notes, at, unknown: 'warning' })
  if (type !== 'function') notes.problem(`${at}.type`, `expected "function", got ${shown(type)}`)
  if (!called?.name) notes.problem(`${at}.function.name`, 'required')
  const request = {
    name: called?.name ?? '',
    arguments: argumentsText(called?.arguments, `${at}.function.arguments`, notes),
  }
  return [{ ...(id === undefined ? {} : { id }), type: 'function', function: request }]
}

function argumentsText(written: Json | undefined, at: string, notes: Notes): string {
  if (written === undefined) return ''
  if (typeof written === 'string') return written
  if (isJsonObject(written)) return JSON.stringify(written)
  notes.problem(at, `expected an object or its JSON text, got ${shown(written)}`)
  return ''
}
