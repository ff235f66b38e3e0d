import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Answer,
  type ChatBody,
  type FaultAnswer,
  type ModelRequest,
  sendFault,
  sendJson,
  sendText,
  type TextAnswer,
} from './scripted-answers.ts'

export type { Answer, ModelRequest } from './scripted-answers.ts'

export interface ScriptedModel {
  /** Base URL up to and with `/v1`. */
  readonly url: string
  /** Root without `/v1`, as Yao connectors want their host. */
  readonly host: string
  /** Chat requests in order of arrival. */
  readonly requests: readonly ModelRequest[]
  /** Requests for anything else. */
  readonly others: readonly ModelRequest[]
  /** Chat requests that were being answered at the same time, at most. */
  readonly maxInFlight: number
  /** Connections opened so far. */
  readonly connections: number
  close(): Promise<void>
}

interface Script {
  /** Gets the request and its number, from 1. */
  readonly answer: (request: ModelRequest, n: number) => Answer | Promise<Answer>
  readonly models?: readonly string[]
  /** Latency of every answer that does not set its own. */
  readonly latencyMs?: number
  /** `false`: requests are not kept, for runs of many thousand calls. */
  readonly record?: boolean
}

/** An OpenAI-compatible server on loopback that answers by script and keeps what it was asked. */
export async function startScriptedModel({
  answer,
  models = ['scripted'],
  latencyMs = 0,
  record = true,
}: Script): Promise<ScriptedModel> {
  const requests: ModelRequest[] = []
  const others: ModelRequest[] = []
  const state = { count: 0, inFlight: 0, maxInFlight: 0, connections: 0 }

  const onChat = async (request: ModelRequest, response: ServerResponse) => {
    state.count += 1
    state.inFlight += 1
    state.maxInFlight = Math.max(state.maxInFlight, state.inFlight)
    response.once('close', () => {
      state.inFlight -= 1
    })
    if (record) requests.push(request)
    const script = await answer(request, state.count)
    const chosen: TextAnswer | FaultAnswer = typeof script === 'string' ? { text: script } : script
    const wait = chosen.latencyMs ?? latencyMs
    if (wait > 0) await sleep(wait)
    await ('fault' in chosen ? sendFault(chosen, request, response) : sendText(chosen, request, response))
  }

  const server = createServer((incoming, response) => {
    readRequest(incoming)
      .then(async (request) => {
        if (request.method === 'POST' && new URL(request.path, 'http://x').pathname.endsWith('/chat/completions'))
          return onChat(request, response)
        others.push(request)
        if (request.method === 'GET' && request.path === '/v1/models') {
          return sendJson(response, 200, {
            object: 'list',
            data: models.map((id) => ({ id, object: 'model', created: 1, owned_by: 'test' })),
          })
        }
        return sendJson(response, 404, {
          error: { message: `no route ${request.method} ${request.path}`, type: 'invalid_request_error' },
        })
      })
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  server.on('connection', () => {
    state.connections += 1
  })
  // Node closes idle connections after 5 s by default, which would race with slow tests.
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    url: `${host}/v1`,
    host,
    requests,
    others,
    get maxInFlight() {
      return state.maxInFlight
    },
    get connections() {
      return state.connections
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function readRequest(incoming: IncomingMessage): Promise<ModelRequest> {
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part as Buffer)
  const text = Buffer.concat(parts).toString('utf8')
  return {
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '/',
    headers: incoming.headers,
    body: (text === '' ? {} : JSON.parse(text)) as ChatBody,
  }
}
