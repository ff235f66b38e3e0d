import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import { toChatMessages } from '../../chat/messages.ts'
import { AgentFault } from '../agent/fault.ts'
import { askModel, openConnector } from '../agent/model.ts'
import { completionJson } from '../agent/response.ts'
import { parseMessages } from '../hooks/parse-messages.ts'
import { requestParameters } from '../parameters.ts'
import { runBatch } from './batch.ts'
import type { BatchMethod, Caller } from './caller.ts'

/**
 * `ctx.llm.Stream` and its kin: `{connector, messages, options}` to `{connector, response, content}`. A connector that does
 * not exist or messages of the wrong form are an `error` in the result; a model that could not be asked ends the run, for
 * it says nothing about the agent. Source: spec yao 11.5.
 */
export function callModels(caller: Caller, method: BatchMethod, requests: readonly JsonObject[]): Promise<Json> {
  return runBatch(
    method,
    requests.map((request) => () => callModel(caller, request)),
  )
}

async function callModel({ scope, assistant }: Caller, request: JsonObject): Promise<JsonObject> {
  const { connector: id, messages, options = null } = request
  if (typeof id !== 'string' || id === '') return { connector: '', error: 'expected the id of a connector' }
  const parsed = parseMessages(messages, 'messages')
  if ('problem' in parsed) return { connector: id, error: parsed.problem }
  const converted = toChatMessages({ messages: parsed.messages, input: [] })
  const [problem] = converted.problems
  if (problem) return { connector: id, error: problem.message }
  try {
    const { connector, chat } = await openConnector(scope, id)
    const parameters = requestParameters(isJsonObject(options) ? options : {}, connector)
    const answer = await askModel(scope, chat, {
      model: connector.model,
      messages: converted.messages,
      keyMessages: converted.messages,
      parameters,
    })
    if (answer.usage) scope.emit({ type: 'usage', ...answer.usage, model: answer.model, agent: assistant.id })
    return { connector: id, response: completionJson(answer), content: answer.text }
  } catch (error) {
    if (error instanceof AgentFault && !error.isFinal) return { connector: id, error: error.message }
    throw error
  }
}
