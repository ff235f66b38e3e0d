import { describeProblem } from '../../../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import { findJson } from '../../../lib/extract-json.ts'
import { ScriptCallError } from '../../../sandbox/sandbox.ts'
import { contextData, deeper, unsupported } from '../agent/scope.ts'
import { runScript } from '../hooks/run-script.ts'
import { callAgent } from './agent-calls.ts'
import type { Caller } from './caller.ts'
import { isProcessRun } from './outside.ts'
import { INVOKE_CONTEXT_LAST } from './prelude.ts'

/** `Process(name, …)`. What only a server can do ends the run by its name. Source: spec yao 11.6. */
export async function callProcess(caller: Caller, name: string, args: readonly Json[]): Promise<Json | undefined> {
  if (!isProcessRun(name)) throw unsupported(`Process("${name.slice(0, 100)}")`)
  const lower = name.toLowerCase()
  if (lower === 'text.extractjson') return extractJson(args[0])
  if (lower === 'agent.call') return callAgent(caller, agentRequest(args[0]))
  return callFunction(caller, name, args)
}

/** A function of the application's scripts, in a context of its own; what it throws, its caller may catch. */
export async function callFunction(
  caller: Caller,
  name: string,
  args: readonly Json[],
  { withContext = false } = {},
): Promise<Json> {
  const { scope, assistant } = caller
  const found = await scope.application.scripts.findProcess(name)
  if (found.kind === 'not-found') throw new ScriptCallError(describeProblem(found.problem))
  const inner = { ...caller, trail: deeper(caller.trail, name) }
  const end = await runScript(
    {
      script: found.script.path,
      function: found.function,
      agent: assistant.id,
      args: withContext ? [contextData(caller.context, assistant), ...args] : args,
      ...(withContext ? { invoke: INVOKE_CONTEXT_LAST } : {}),
      call: inner.calls(inner),
    },
    scope,
  )
  switch (end.kind) {
    case 'returned':
      return end.value
    case 'missing':
      throw new ScriptCallError(`${found.script.path} has no function ${found.function}`)
    case 'failed': {
      scope.emit({ type: 'log', level: 'warn', text: `${name}: ${end.message}`, agent: assistant.id })
      throw new ScriptCallError(firstLine(end.message).replace(/^(?:Error|Exception): /, ''))
    }
  }
}

/** `agent.Call` has the names of an HTTP request, not those of `ctx.agent`. */
function agentRequest(request: Json | undefined): JsonObject {
  if (!isJsonObject(request)) throw new ScriptCallError('agent.Call: expected {"assistant_id", "messages"}')
  const { assistant_id: agent = null, messages = null, model = null, metadata = null, skip = null } = request
  return { agent, messages, options: { ...(model === null ? {} : { connector: model }), metadata, skip } }
}

/** Null when there is none. */
async function extractJson(text: Json | undefined): Promise<Json> {
  if (typeof text !== 'string') return text ?? null
  for await (const { value } of findJson(text)) return value as Json
  return null
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
