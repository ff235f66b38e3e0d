import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** What arrived, as the client sent it. */
export interface ModelRequest {
  readonly method: string
  /** Path with query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The parsed body; an empty object when there was none. */
  readonly body: ChatBody
}

export interface ChatBody {
  readonly model?: string
  readonly messages?: readonly { readonly role: string; readonly content?: unknown; readonly [key: string]: unknown }[]
  readonly stream?: boolean
  readonly [parameter: string]: unknown
}

interface ToolCallAnswer {
  readonly id?: string
  readonly name: string
  /** JSON text, as models send it. */
  readonly arguments: string
}

interface Pace {
  /** Milliseconds until the response's headers are sent. */
  readonly latencyMs?: number
  /** Milliseconds before each chunk. */
  readonly tokenMs?: number
}

export interface TextAnswer extends Pace {
  readonly text?: string
  /** The text cut into chunks; default: one chunk with all of `text`. */
  readonly chunks?: readonly string[]
  readonly reasoning?: string
  readonly refusal?: string
  readonly toolCalls?: readonly ToolCallAnswer[]
  /** Default: the model that was asked for. */
  readonly model?: string
  /** `null`: the server reports none. Default: 7 in, 3 out. */
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null
  /** `null`: no chunk says why the answer ended. */
  readonly finishReason?: string | null
  /** `json`: the server does not stream whatever it was asked. */
  readonly form?: 'sse' | 'json'
  readonly headers?: Readonly<Record<string, string>>
}

export interface FaultAnswer extends Pace {
  readonly fault: Fault
  /** What was streamed before the fault (`cut`, `end`, `hang-body`, `malformed`, `error-chunk`). */
  readonly chunks?: readonly string[]
}

type Fault =
  | {
      readonly kind: 'status'
      readonly status: number
      readonly message?: string
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }
  /** The connection is dropped in the middle of the stream. */
  | { readonly kind: 'cut' }
  /** The stream ends in order, but before the answer is finished. */
  | { readonly kind: 'end' }
  /** Nothing is ever sent. */
  | { readonly kind: 'hang-headers' }
  /** The stream stops and stays open. */
  | { readonly kind: 'hang-body' }
  /** A chunk that is no JSON. */
  | { readonly kind: 'malformed'; readonly data?: string }
  /** A chunk that reports an error of the provider. */
  | { readonly kind: 'error-chunk'; readonly error: Readonly<Record<string, unknown>> }
  /** 200 without a body. */
  | { readonly kind: 'empty' }
  /** Chunks without choices. */
  | { readonly kind: 'no-choices' }
  /** The connection is reset before the headers. */
  | { readonly kind: 'reset' }

export type Answer = string | TextAnswer | FaultAnswer

export async function sendText(answer: TextAnswer, request: ModelRequest, response: ServerResponse): Promise<void> {
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value)
  if (answer.form === 'json' || request.body.stream !== true)
    return sendJson(response, 200, completionOf(answer, request))
  const chunks = chunksOf(answer, request)
  if ((answer.tokenMs ?? 0) === 0) {
    // One write for the whole stream: what a fast provider's first packet looks like, and cheap for the bench.
    response.writeHead(200, SSE_HEADERS)
    response.end(`${chunks.map(frame).join('')}data: [DONE]\n\n`)
    return
  }
  startStream(response)
  for (const chunk of chunks) {
    await sleep(answer.tokenMs ?? 0)
    if (response.destroyed) return
    response.write(frame(chunk))
  }
  response.end('data: [DONE]\n\n')
}

const SSE_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'req_scripted' }

function startStream(response: ServerResponse): void {
  response.writeHead(200, SSE_HEADERS)
  response.flushHeaders()
}

function frame(chunk: unknown): string {
  return `data: ${JSON.stringify(chunk)}\n\n`
}

function envelope(answer: { readonly model?: string }, request: ModelRequest, object: string) {
  return {
    id: 'chatcmpl-scripted',
    object,
    created: 1_700_000_000,
    model: answer.model ?? request.body.model ?? 'scripted',
  }
}

function wireToolCalls(calls: readonly ToolCallAnswer[]) {
  return calls.map((call, index) => ({
    index,
    id: call.id ?? `call_${index + 1}`,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }))
}

function finishOf({ finishReason, toolCalls }: TextAnswer): string | null {
  return finishReason === undefined ? (toolCalls === undefined ? 'stop' : 'tool_calls') : finishReason
}

function usageOf({
  usage,
}: TextAnswer): { prompt_tokens: number; completion_tokens: number; total_tokens: number } | undefined {
  if (usage === null) return undefined
  const { prompt_tokens, completion_tokens } = usage ?? { prompt_tokens: 7, completion_tokens: 3 }
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}

function chunksOf(answer: TextAnswer, request: ModelRequest): unknown[] {
  const base = envelope(answer, request, 'chat.completion.chunk')
  const delta = (change: object, finish: string | null = null) => ({
    ...base,
    choices: [{ index: 0, delta: change, logprobs: null, finish_reason: finish }],
  })
  const texts = answer.chunks ?? (answer.text === undefined ? [] : [answer.text])
  const usage = usageOf(answer)
  return [
    delta({ role: 'assistant', content: '' }),
    ...(answer.reasoning === undefined ? [] : [delta({ reasoning_content: answer.reasoning })]),
    ...texts.map((content) => delta({ content })),
    ...(answer.refusal === undefined ? [] : [delta({ refusal: answer.refusal })]),
    ...toolCallDeltas(answer.toolCalls ?? []).map((call) => delta({ tool_calls: [call] })),
    delta({}, finishOf(answer)),
    ...(usage === undefined ? [] : [{ ...base, choices: [], usage }]),
  ]
}

/** Arguments arrive in two pieces, the id and name only with the first. */
function toolCallDeltas(calls: readonly ToolCallAnswer[]): object[] {
  return wireToolCalls(calls).flatMap(({ index, id, type, function: { name, arguments: text } }) => {
    const half = Math.ceil(text.length / 2)
    return [
      { index, id, type, function: { name, arguments: text.slice(0, half) } },
      { index, function: { arguments: text.slice(half) } },
    ]
  })
}

function completionOf(answer: TextAnswer, request: ModelRequest) {
  const text = answer.text ?? answer.chunks?.join('')
  return {
    ...envelope(answer, request, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text ?? null,
          ...(answer.refusal === undefined ? {} : { refusal: answer.refusal }),
          ...(answer.reasoning === undefined ? {} : { reasoning_content: answer.reasoning }),
          ...(answer.toolCalls === undefined ? {} : { tool_calls: wireToolCalls(answer.toolCalls) }),
        },
        finish_reason: finishOf(answer),
      },
    ],
    usage: usageOf(answer),
  }
}

export async function sendFault(answer: FaultAnswer, request: ModelRequest, response: ServerResponse): Promise<void> {
  const { fault } = answer
  switch (fault.kind) {
    case 'status':
      return sendStatus(fault, response)
    case 'reset':
      response.socket?.resetAndDestroy()
      return
    case 'hang-headers':
      return
    case 'empty':
      response.writeHead(200, SSE_HEADERS)
      response.end()
      return
    case 'cut':
    case 'end':
    case 'hang-body':
    case 'malformed':
    case 'error-chunk':
    case 'no-choices':
      await streamWords(answer, request, response)
      return breakStream(fault, request, response)
  }
}

async function streamWords(
  { chunks = [], tokenMs = 0 }: FaultAnswer,
  request: ModelRequest,
  response: ServerResponse,
): Promise<void> {
  startStream(response)
  const base = envelope({}, request, 'chat.completion.chunk')
  for (const content of chunks) {
    if (tokenMs > 0) await sleep(tokenMs)
    response.write(frame({ ...base, choices: [{ index: 0, delta: { content }, finish_reason: null }] }))
  }
  // What was streamed reaches the client before the fault does.
  await sleep(20)
}

type StreamFault = Exclude<Fault, { readonly kind: 'status' | 'reset' | 'hang-headers' | 'empty' }>

function breakStream(fault: StreamFault, request: ModelRequest, response: ServerResponse): void {
  switch (fault.kind) {
    case 'cut':
      response.socket?.destroy()
      return
    case 'hang-body':
      return
    case 'end':
      response.end()
      return
    case 'malformed':
      response.end(`data: ${fault.data ?? '{"choices": [{"delta":'}\n\n`)
      return
    case 'error-chunk':
      response.end(`${frame({ error: fault.error })}data: [DONE]\n\n`)
      return
    case 'no-choices':
      response.end(`${frame({ ...envelope({}, request, 'chat.completion.chunk'), choices: [] })}data: [DONE]\n\n`)
      return
  }
}

function sendStatus(fault: Extract<Fault, { kind: 'status' }>, response: ServerResponse): void {
  for (const [name, value] of Object.entries(fault.headers ?? {})) response.setHeader(name, value)
  if (fault.body !== undefined) {
    response.writeHead(fault.status, { 'content-type': 'text/plain' })
    response.end(fault.body)
    return
  }
  sendJson(response, fault.status, {
    error: { message: fault.message ?? `scripted ${fault.status}`, type: 'scripted_error', code: null },
  })
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}
