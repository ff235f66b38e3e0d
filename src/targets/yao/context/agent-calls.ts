import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import { AgentFault } from '../agent/fault.ts'
import { responseJson, wordsOf } from '../agent/response.ts'
import { deeper } from '../agent/scope.ts'
import { parseMessages } from '../hooks/parse-messages.ts'
import { runBatch } from './batch.ts'
import type { BatchMethod, Caller } from './caller.ts'

/**
 * `ctx.agent.Call` and its kin: `{agent, messages, options}` to `{agent_id, response, content}`. An agent that fails is an
 * `error` in its result, as in Yao; one that could not be run ends the run. Source: spec yao 11.5.
 */
export function callAgents(caller: Caller, method: BatchMethod, requests: readonly JsonObject[]): Promise<Json> {
  return runBatch(
    method,
    requests.map((request) => () => callAgent(caller, request)),
  )
}

export async function callAgent(caller: Caller, request: JsonObject): Promise<JsonObject> {
  const { agent, messages, options = null } = request
  const id = typeof agent === 'string' ? agent.replace(/^agents:/, '') : ''
  const parsed = parseMessages(messages, 'messages')
  if (id === '') return { agent_id: '', error: 'expected the id of an agent' }
  if ('problem' in parsed) return { agent_id: id, error: parsed.problem }
  const chosen = isJsonObject(options) ? options : {}
  const { scope, context } = caller
  const found = scope.application.assistant(id)
  if ('problem' in found) return { agent_id: id, error: found.problem }
  const trail = deeper(caller.trail, id)
  try {
    const response = await caller.answer(
      {
        assistant: found.assistant,
        messages: parsed.messages,
        options: chosen,
        context: { ...context, referer: 'agent', metadata: { ...context.metadata, ...objectOf(chosen['metadata']) } },
        trail,
        isVisible: false,
      },
      scope,
    )
    return { agent_id: id, response: responseJson(response), content: wordsOf(response) }
  } catch (error) {
    if (error instanceof AgentFault && !error.isFinal) return { agent_id: id, error: error.message }
    throw error
  }
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}
