import { TargetError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { ToolCallRequest } from '../../core/message.ts'
import type { EmittedEvent, Usage } from '../../core/trace.ts'

/** A message as OpenAI's chat completions take it. */
export type ChatMessage = JsonObject & { readonly role: string }

/** One question to a model. */
export interface ChatCall {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  /** The messages with volatile parts (date, time, chat id) replaced by their names; `messages` where there are none. */
  readonly keyMessages: readonly ChatMessage[]
  /** Further members of the request's body, `tools` among them; never model, messages or stream. */
  readonly parameters: JsonObject
  readonly origin: CallOrigin
  readonly signal: AbortSignal
}

/** Which case and run asks, for cassettes and messages. */
export interface CallOrigin {
  readonly id: string
  readonly file: string
  readonly line: number
  /** From 1. */
  readonly run: number
}

export interface ChatAnswer {
  readonly text: string
  readonly toolCalls: readonly ToolCallRequest[]
  /** Why it does not answer; it stands in `text`, too, when it says nothing else. */
  readonly refusal?: string
  /** What it thought, as far as the provider tells. */
  readonly reasoning?: string
  /** What answered, as the provider names it. */
  readonly model: string
  readonly finishReason?: string
  readonly usage?: Usage
}

/** A broken answer keeps what was said before it broke. */
export type ChatOutcome =
  | { readonly kind: 'answered'; readonly answer: ChatAnswer }
  | { readonly kind: 'broken'; readonly partial: string; readonly error: TargetError }

/** Something that answers chat calls: a provider or a cassette. */
export interface ChatModel {
  complete(call: ChatCall): Promise<ChatOutcome>
  dispose?(): Promise<void>
}

/** The answer as events; what a broken answer said comes before its error. */
export async function* ask(model: ChatModel, call: ChatCall): AsyncGenerator<EmittedEvent, void, undefined> {
  yield* eventsOf(await model.complete(call), call)
}

/** Throws the error of a broken answer after what it had said. */
export function* eventsOf(
  outcome: ChatOutcome,
  call: Pick<ChatCall, 'model'>,
): Generator<EmittedEvent, void, undefined> {
  if (outcome.kind === 'broken') {
    if (outcome.partial !== '') yield { type: 'assistant_message', text: outcome.partial, model: call.model }
    throw outcome.error
  }
  const { answer } = outcome
  if (answer.text !== '' || answer.toolCalls.length === 0) {
    yield { type: 'assistant_message', text: answer.text, model: answer.model }
  }
  for (const { function: called } of answer.toolCalls) {
    yield { type: 'tool_call', tool: called.name, parameters: parsedArguments(called.arguments), model: answer.model }
  }
  if (answer.usage) yield { type: 'usage', ...answer.usage, model: answer.model }
}

/** Models break their own JSON now and then; the text is then all there is to show. */
function parsedArguments(text: string): Json {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

export function aborted(cause?: unknown): TargetError {
  return new TargetError('interrupted before the model had answered', {
    code: 'ABORTED',
    ...(cause === undefined ? {} : { cause }),
  })
}
