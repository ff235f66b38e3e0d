import { isJsonObject, isTooDeep, type Json, type JsonObject } from '../../../core/json.ts'
import { didYouMean, quote } from '../../../core/kind.ts'
import type { ToolCallRequest } from '../../../core/message.ts'
import { findJson } from '../../../lib/extract-json.ts'
import { ScriptCallError } from '../../../sandbox/sandbox.ts'
import type { ChatAnswer, ChatMessage } from '../../chat/chat-model.ts'
import type { Caller } from '../context/caller.ts'
import { runTool } from '../context/mcp-calls.ts'
import type { OfferedTool } from '../mcp/offered-tools.ts'
import { AgentFault } from './fault.ts'
import type { ToolRecord } from './request.ts'

/** The calls of an answer with ids, for a provider may leave them out and the results must name them. */
export function numberedCalls({ toolCalls }: ChatAnswer): readonly NumberedCall[] {
  return toolCalls.map((call, index) => ({ ...call, id: call.id ?? `call_${index + 1}` }))
}

export type NumberedCall = ToolCallRequest & { readonly id: string }

/**
 * Runs the calls of one answer in their order. What a tool throws and what is wrong with its arguments is for the model to
 * mend; a tool whose function is not there is a fault of the agent. Source: spec yao 11.5.
 */
export async function runCalls(
  calls: readonly NumberedCall[],
  offered: readonly OfferedTool[],
  caller: Caller,
): Promise<ToolRecord[]> {
  const records: ToolRecord[] = []
  for (const call of calls) records.push(await runCall(call, offered, caller))
  return records
}

async function runCall(call: NumberedCall, offered: readonly OfferedTool[], caller: Caller): Promise<ToolRecord> {
  const { name, arguments: text } = call.function
  const found = offered.find((one) => one.name === name)
  const base = { id: call.id, server: found?.server.id ?? '', tool: found?.tool.name ?? name, arguments: text }
  if (!found) {
    const names = offered.map((one) => one.name)
    const hint = didYouMean(name, names) ?? `the tools are ${names.join(', ')}`
    return { ...base, error: `there is no tool ${quote(name.slice(0, 100))}: ${hint}` }
  }
  const { process } = found.tool
  const script = /^(?:scripts|agents)\./.test(process)
    ? await caller.scope.application.scripts.findProcess(process)
    : undefined
  if (script?.kind === 'not-found') {
    const { message, hint } = script.problem
    const said = hint === undefined ? message : `${message} (${hint})`
    throw new AgentFault('tools', `tool ${found.tool.name} of MCP server ${found.server.id}: ${said}`)
  }
  const given = await parseArguments(text)
  if (given === undefined) return { ...base, error: 'invalid arguments: expected a JSON object' }
  try {
    return { ...base, result: await runTool(caller, found.tool, given) }
  } catch (error) {
    if (error instanceof ScriptCallError) return { ...base, error: error.message }
    throw error
  }
}

/** Models break their own JSON now and then, and Yao mends it. */
async function parseArguments(text: string): Promise<JsonObject | undefined> {
  if (text.trim() === '') return {}
  const value = parseJson(text) ?? (await firstJson(text))
  return isJsonObject(value) && !isTooDeep(value) ? value : undefined
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

async function firstJson(text: string): Promise<Json | undefined> {
  for await (const { value, isGuess } of findJson(text)) return isGuess ? undefined : (value as Json)
  return undefined
}

/** An answer with its calls and what came of them, as the model is told. */
export function toldMessages(
  answer: ChatAnswer,
  calls: readonly NumberedCall[],
  records: readonly ToolRecord[],
): ChatMessage[] {
  return [
    { role: 'assistant', content: answer.text === '' ? null : answer.text, tool_calls: calls as unknown as Json },
    ...records.map(({ id, result = null, error }) => ({
      role: 'tool',
      tool_call_id: id,
      content: error === undefined ? JSON.stringify(result) : `Error: ${error}`,
    })),
  ]
}
