import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export const YAO_TOKEN = 'yao-token-of-the-tests'

interface YaoRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Readonly<Record<string, unknown>>
}

/** What the server does with one request; a text is an answer in one chunk. */
export type YaoAnswer = string | YaoStream | YaoRefusal

interface YaoStream {
  /** Contents of the chunks, one after the other. */
  readonly chunks?: readonly string[]
  /** The line about the trace that stands before the answer. */
  readonly traceLine?: 'content' | 'reasoning'
  /** Whole events in place of chunks, as the text after `data: `. */
  readonly events?: readonly string[]
  /** Default: [DONE] and the end. */
  readonly ending?: 'done' | 'no done' | 'cut' | 'hang'
}

interface YaoRefusal {
  readonly status: number
  readonly body: object | string
  readonly headers?: Readonly<Record<string, string>>
}

export interface YaoServer {
  /** Without a path. */
  readonly url: string
  readonly requests: readonly YaoRequest[]
  /** Connections that were closed by the client while an answer was still to come. */
  readonly abandoned: number
  close(): Promise<void>
}

/**
 * A stand-in for a Yao server on loopback: its paths and bearer token, always a stream, `finish_reason` null
 * throughout, [DONE] at the end. Source: spec yao 12.
 */
export async function startYaoServer(answer: (request: YaoRequest, n: number) => YaoAnswer): Promise<YaoServer> {
  const requests: YaoRequest[] = []
  const state = { abandoned: 0 }
  const server = createServer((incoming, response) => {
    read(incoming)
      .then(async (request) => {
        response.once('close', () => {
          if (!response.writableFinished) state.abandoned += 1
        })
        requests.push(request)
        await send(refusalOf(request) ?? answer(request, requests.length), response)
      })
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get abandoned() {
      return state.abandoned
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function read(incoming: IncomingMessage): Promise<YaoRequest> {
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part as Buffer)
  const body = JSON.parse(Buffer.concat(parts).toString('utf8') || '{}') as YaoRequest['body']
  return { path: incoming.url ?? '/', headers: incoming.headers, body }
}

/** What every request is refused for. */
function refusalOf({ headers, path, body }: YaoRequest): YaoRefusal | undefined {
  if (headers.authorization !== `Bearer ${YAO_TOKEN}`)
    return { status: 401, body: { error: 'invalid_token', error_description: 'The token is invalid' } }
  const named = headers['x-yao-assistant'] ?? /\/experts\/([^/]+)\/chat\/completions$/.exec(path)?.[1]
  if (!path.endsWith('/chat/completions') || named === undefined) return { status: 404, body: '404 page not found' }
  if (!Array.isArray(body['messages']) || body['messages'].length === 0)
    return { status: 400, body: { error: 'invalid_request', error_description: 'messages field is required' } }
  return undefined
}

const TRACE_LINE = 'Agent is working - [View trace](http://localhost:8000/__yao_admin_root/trace/t-1/view)\n'

async function send(answer: YaoAnswer, response: ServerResponse): Promise<void> {
  if (typeof answer === 'string') return await stream({ chunks: [answer] }, response)
  if (!('status' in answer)) return await stream(answer, response)
  const isText = typeof answer.body === 'string'
  response.writeHead(answer.status, { 'content-type': isText ? 'text/plain' : 'application/json', ...answer.headers })
  response.end(isText ? answer.body : JSON.stringify(answer.body))
}

async function stream(answer: YaoStream, response: ServerResponse): Promise<void> {
  const { chunks = [], traceLine, events = [], ending = 'done' } = answer
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  if (traceLine === 'content') response.write(chunk({ content: `🚀 ${TRACE_LINE}` }))
  if (traceLine === 'reasoning') response.write(chunk({ reasoning_content: `🔍 ${TRACE_LINE}` }))
  for (const [index, content] of chunks.entries()) {
    response.write(chunk({ ...(index === 0 ? { role: 'assistant' } : {}), content }))
  }
  for (const event of events) response.write(`data: ${event}\n\n`)
  if (ending === 'done') response.end('data: [DONE]\n\n')
  if (ending === 'no done') response.end()
  if (ending !== 'cut') return
  // What was streamed reaches the client before the cut does.
  await sleep(20)
  response.socket?.destroy()
}

function chunk(delta: object): string {
  const choices = [{ index: 0, delta, finish_reason: null }]
  return `data: ${JSON.stringify({ id: 'm-1', object: 'chat.completion.chunk', created: 1, model: 'yao-agent', choices })}\n\n`
}
