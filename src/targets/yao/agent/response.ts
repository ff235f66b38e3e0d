import type { Json, JsonObject } from '../../../core/json.ts'
import type { ChatAnswer } from '../../chat/chat-model.ts'
import type { AgentResponse, ToolRecord } from './request.ts'

/** `completion`, as `Next` and callers of models see it. Source: spec yao 11.5. */
export function completionJson({
  text,
  toolCalls,
  model,
  finishReason,
  usage,
  refusal,
  reasoning,
}: ChatAnswer): JsonObject {
  return {
    id: `chatcmpl-${model}`,
    model,
    role: 'assistant',
    content: text,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls as unknown as Json }),
    ...(refusal === undefined ? {} : { refusal }),
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    finish_reason: finishReason ?? 'stop',
    ...(usage === undefined
      ? {}
      : {
          usage: {
            prompt_tokens: usage.inputTokens,
            completion_tokens: usage.outputTokens,
            total_tokens: usage.inputTokens + usage.outputTokens,
          },
        }),
  }
}

/** `tools`, as `Next` sees them. Source: spec yao 11.5. */
export function toolsJson(tools: readonly ToolRecord[]): JsonObject[] {
  return tools.map(({ id, server, tool, arguments: given, result = null, error = '' }) => ({
    toolcall_id: id,
    server,
    tool,
    arguments: given,
    result,
    error,
  }))
}

/** What `ctx.agent.Call` gives as `response`. */
export function responseJson({ assistant, chatId, answer, data, tools }: AgentResponse): JsonObject {
  return {
    request_id: chatId,
    context_id: chatId,
    trace_id: chatId,
    chat_id: chatId,
    assistant_id: assistant,
    ...(data === undefined ? {} : { next: data }),
    ...(answer === undefined ? {} : { completion: completionJson(answer) }),
    ...(tools.length === 0 ? {} : { tools: toolsJson(tools) }),
  }
}

/** `content` of `ctx.agent.Call`: the words of the model. */
export function wordsOf({ answer }: AgentResponse): string {
  return answer?.text ?? ''
}
