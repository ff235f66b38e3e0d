import type { SpokenToolCall, TurnRecord } from '../core/conversation.ts'
import { asText, type Json } from '../core/json.ts'
import type { Message, ToolCallRequest } from '../core/message.ts'
import type { Case } from '../core/suite.ts'
import { eventsOf, outputOf, type Trace, type TraceEvent, toolMessagesOf } from '../core/trace.ts'

export type Reply = Pick<TurnRecord, 'output' | 'content' | 'toolCalls' | 'data'>

/** What the agent said and did in one turn. */
export function replyOf(trace: Trace): Reply {
  const data = eventsOf(trace, 'output').at(-1)?.value
  return {
    output: outputOf(trace),
    content: eventsOf(trace, 'assistant_message').findLast(({ text }) => text !== '')?.text ?? '',
    toolCalls: eventsOf(trace, 'tool_call').map(spokenCall),
    ...(data === undefined ? {} : { data }),
  }
}

function spokenCall({ tool, server, parameters, result, error }: ToolCallEvent): SpokenToolCall {
  return {
    tool,
    ...(server === undefined ? {} : { server }),
    parameters,
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
  }
}

type ToolCallEvent = Extract<TraceEvent, { type: 'tool_call' }>

/**
 * What checkpoints are tested against: structured data as everywhere, else the agent's words and below them what its
 * tools said. Source: spec yao 10.1.
 */
export function testedOutput(trace: Trace): Json {
  const output = outputOf(trace)
  if (typeof output !== 'string') return output
  return [...new Set([output, ...toolMessagesOf(trace)])].join('\n')
}

/**
 * The turn as messages, for the turns to come: the agent's words, its calls and what came of them, in order. The ids of
 * calls are ours, because traces have none.
 */
export function replyMessages(trace: Trace, turn: number): Message[] {
  const messages: Message[] = []
  let words: string | undefined
  let calls: ToolCallEvent[] = []
  let count = 0
  const close = () => {
    const made = calls.map((call) => ({ call, id: `call_${turn}_${++count}` }))
    const asked = made.map(({ call, id }) => requestOf(call, id))
    if (words !== undefined || asked.length > 0) {
      const said = words === undefined ? {} : { content: words }
      messages.push({ role: 'assistant', ...said, ...(asked.length > 0 ? { tool_calls: asked } : {}) })
    }
    messages.push(
      ...made.map(({ call, id }): Message => ({ role: 'tool', tool_call_id: id, content: outcomeOf(call) })),
    )
    words = undefined
    calls = []
  }
  for (const event of trace.events) {
    if (event.type === 'tool_call') calls.push(event)
    if (event.type !== 'assistant_message' || event.text === '') continue
    close()
    words = event.text
  }
  close()
  if (messages.some(({ role, content }) => role === 'assistant' && content !== undefined)) return messages
  // Nothing in words: what it gave instead is its answer, and an empty one keeps the speakers apart.
  const data = eventsOf(trace, 'output').at(-1)?.value ?? null
  if (messages.length > 0 && data === null) return messages
  return [...messages, { role: 'assistant', content: asText(data) }]
}

function requestOf({ tool, server, parameters }: ToolCallEvent, id: string): ToolCallRequest {
  // Models know a server's tools by this name. Source: spec yao 11.5.
  const name = server === undefined || server === '' ? tool : `${server.replaceAll('.', '_')}__${tool}`
  return { id, type: 'function', function: { name, arguments: asArguments(parameters) } }
}

function asArguments(parameters: Json): string {
  return typeof parameters === 'string' ? parameters : JSON.stringify(parameters)
}

/** A call without an outcome is answered with nothing: models take no call that is not answered. */
function outcomeOf({ result, error }: ToolCallEvent): string {
  if (error !== undefined) return error
  return result === undefined ? '' : asText(result)
}

/** The case as one turn of it sees it: what was said last is its input. Everything else is read from the case itself. */
export function turnCase(item: Case, messages: readonly Message[], input: Json): Case {
  return Object.create(item, { messages: { value: messages }, input: { value: input } }) as Case
}
