import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { Usage } from '../../core/trace.ts'
import type { ChatAnswer } from './chat-model.ts'
import { badResponse, reportedError, shorten } from './errors.ts'

/** Collects the chunks of one answer. */
export interface Accumulator {
  /** Takes the JSON of a chunk, or of a whole completion; throws a TargetError for what is neither. */
  add(json: string): void
  /** The words so far. */
  text(): string
  /** A reason for the end was given. */
  isFinished(): boolean
  /** The whole answer; throws a TargetError when there was none. */
  answer(askedModel: string): ChatAnswer
}

interface ToolCallParts {
  id?: string
  name: string
  arguments: string
}

export function createAccumulator(): Accumulator {
  let text = ''
  let refusal = ''
  let reasoning = ''
  let model: string | undefined
  let finishReason: string | undefined
  let usage: Usage | undefined
  let hasChoice = false
  const calls = new Map<number, ToolCallParts>()

  const addChoice = (choice: JsonObject) => {
    // Of several choices only the first is an answer.
    if (typeof choice['index'] === 'number' && choice['index'] > 0) return
    hasChoice = true
    if (typeof choice['finish_reason'] === 'string') finishReason = choice['finish_reason']
    const said = choice['delta'] ?? choice['message']
    if (!isJsonObject(said)) return
    text += textOf(said['content'])
    if (typeof said['refusal'] === 'string') refusal += said['refusal']
    if (typeof said['reasoning_content'] === 'string') reasoning += said['reasoning_content']
    if (Array.isArray(said['tool_calls'])) addCalls(said['tool_calls'] as readonly Json[], calls)
  }
  return {
    add(json) {
      const chunk = parseChunk(json)
      if (chunk['error'] !== undefined && chunk['error'] !== null) throw reportedError(chunk['error'])
      if (typeof chunk['model'] === 'string' && chunk['model'] !== '') model ??= chunk['model']
      usage = usageOf(chunk['usage']) ?? usage
      for (const choice of listOf(chunk['choices'])) if (isJsonObject(choice)) addChoice(choice)
    },
    text: () => text || refusal,
    isFinished: () => finishReason !== undefined,
    answer(askedModel) {
      if (!hasChoice) throw badResponse('the model sent an answer without choices')
      return {
        text: text || refusal,
        toolCalls: [...calls.values()].map(({ id, ...called }) => ({
          ...(id === undefined ? {} : { id }),
          type: 'function',
          function: called,
        })),
        ...(refusal === '' ? {} : { refusal }),
        ...(reasoning === '' ? {} : { reasoning }),
        model: model ?? askedModel,
        ...(finishReason === undefined ? {} : { finishReason }),
        ...(usage === undefined ? {} : { usage }),
      }
    },
  }
}

function parseChunk(json: string): JsonObject {
  try {
    const value: unknown = JSON.parse(json)
    if (isJsonObject(value)) return value
  } catch (error) {
    throw badResponse(`the model sent a chunk that is no JSON: ${shorten(json)}`, error)
  }
  throw badResponse(`the model sent a chunk that is no object: ${shorten(json)}`)
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}

/** Some providers send a list of parts; what is no text in it is reasoning. */
function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .map((part) =>
      isJsonObject(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : '',
    )
    .join('')
}

function usageOf(value: Json | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  const { prompt_tokens: input, completion_tokens: output } = value
  if (typeof input !== 'number' && typeof output !== 'number') return undefined
  return { inputTokens: countOf(input), outputTokens: countOf(output) }
}

function countOf(value: Json | undefined): number {
  return typeof value === 'number' && value >= 0 ? value : 0
}

/** Pieces of one call share its index; providers that leave it out send each call whole. */
function addCalls(pieces: readonly Json[], calls: Map<number, ToolCallParts>): void {
  for (const piece of pieces) {
    if (!isJsonObject(piece)) continue
    const index = typeof piece['index'] === 'number' ? piece['index'] : calls.size
    const call = calls.get(index) ?? { name: '', arguments: '' }
    calls.set(index, call)
    if (typeof piece['id'] === 'string' && piece['id'] !== '') call.id = piece['id']
    const called = piece['function']
    if (!isJsonObject(called)) continue
    if (typeof called['name'] === 'string') call.name += called['name']
    if (typeof called['arguments'] === 'string') call.arguments += called['arguments']
  }
}
