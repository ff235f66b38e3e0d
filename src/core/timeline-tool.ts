import { isJsonObject, type Json, type JsonObject } from './json.ts'
import type { TraceEvent } from './trace.ts'

type ToolCallBody = Omit<Extract<TraceEvent, { type: 'tool_call' }>, 'timestamp'>

/** Stands for the name of a tool that was called and is not known any more: the call still counts. */
const NO_NAME = 'unknown'

/** How a server says that the gate stopped a call. Source: traces of opencode 1.18.33. */
const DENIALS = ['rejected permission', 'specified a rule which prevents', 'permission denied by']

/** Members of `data` that are no parameters where the parameters lie beside them. */
const OWN_MEMBERS = new Set([
  'type',
  'tool',
  'name',
  'state',
  'id',
  'callID',
  'callId',
  'status',
  'output',
  'result',
  'error',
  'isError',
  'is_error',
])

/** A tool call in any of the shapes that it has been recorded in. Source: spec opencode-evals 0.1, C.5. */
export function readToolCall(data: JsonObject): ToolCallBody {
  const state = isJsonObject(data['state']) ? data['state'] : {}
  const result = data['result'] ?? data['output'] ?? state['output'] ?? undefined
  const failure = data['error'] ?? state['error'] ?? errorFlag(data, result)
  const error = failure === undefined || failure === false ? undefined : errorText(failure)
  const status = statusOf(data['status'] ?? state['status'], error)
  const exitCode = exitCodeOf(data, state)
  return {
    type: 'tool_call',
    tool: nameOf(data['tool']) ?? nameOf(state['tool']) ?? nameOf(data['name']) ?? NO_NAME,
    parameters: data['parameters'] ?? data['input'] ?? data['args'] ?? state['input'] ?? flatParameters(data),
    ...(result === undefined ? {} : { result }),
    ...(error === undefined || error === '' ? {} : { error }),
    ...(status === undefined ? {} : { status }),
    ...(exitCode === undefined ? {} : { exitCode }),
  }
}

/** `isError` as tools of MCP servers set it, beside the result or in it. */
function errorFlag(data: JsonObject, result: Json | undefined): true | undefined {
  const holders = [data, result].filter(isJsonObject)
  return holders.some(({ isError, is_error: snake }) => isError === true || snake === true) || undefined
}

/** A bare flag says no more than that it failed. */
function errorText(failure: Json): string {
  if (typeof failure === 'string') return failure
  if (isJsonObject(failure) && typeof failure['message'] === 'string') return failure['message']
  return failure === true ? 'the call failed' : JSON.stringify(failure)
}

function statusOf(written: Json | undefined, error: string | undefined): ToolCallBody['status'] {
  if (written === 'denied' || (error !== undefined && DENIALS.some((words) => error.includes(words)))) return 'denied'
  if (error !== undefined || written === 'error' || written === 'failed') return 'failed'
  return written === 'running' || written === 'pending' ? 'running' : undefined
}

function exitCodeOf(data: JsonObject, state: JsonObject): number | undefined {
  const holders = [data, state['metadata'], data['metadata'], data['result'], data['output']].filter(isJsonObject)
  const codes = holders.flatMap(({ exitCode, exit, exit_code: snake }) => [exitCode, exit, snake])
  return codes.find((code) => typeof code === 'number' && Number.isSafeInteger(code)) as number | undefined
}

function flatParameters(data: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !OWN_MEMBERS.has(name)))
}

function nameOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
