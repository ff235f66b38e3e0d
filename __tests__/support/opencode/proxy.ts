import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Rules {
  /** Changes one event of the stream; undefined leaves it out. */
  readonly event?: (payload: Payload) => Payload | undefined
  /** The stream is cut right after an event of this type, once. */
  readonly cutAfter?: string
  /** Answers in place of the server. */
  readonly answer?: (call: { readonly method: string; readonly path: string }) => unknown
}

export interface Payload {
  readonly type: string
  readonly properties: Readonly<Record<string, unknown>>
}

export interface Proxy {
  readonly url: string
  /** `METHOD path` of every call, in order, with its body. */
  readonly calls: readonly { readonly call: string; readonly body: string }[]
  close(): Promise<void>
}

/** Stands before a real server and behaves like an older one, or like a bad line. */
export async function startProxy(target: string, rules: Rules): Promise<Proxy> {
  const calls: { call: string; body: string }[] = []
  const state = { cut: false }
  const server = createServer((incoming, response) => {
    void serve(incoming, response)
  })
  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const { pathname } = new URL(incoming.url ?? '/', target)
    const method = incoming.method ?? 'GET'
    calls.push({ call: `${method} ${pathname}`, body: body.toString('utf8') })
    const own = rules.answer?.({ method, path: pathname })
    if (own !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(own))
      return
    }
    const outgoing = request(new URL(incoming.url ?? '/', target), { method, headers: incoming.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      if (pathname === '/global/event') stream(answer, response, rules, state)
      else answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    response.on('close', () => outgoing.destroy())
    outgoing.end(body)
  }
  return { url: await listen(server), calls, close: () => close(server) }
}

function stream(answer: IncomingMessage, response: ServerResponse, rules: Rules, state: { cut: boolean }): void {
  let rest = ''
  answer.setEncoding('utf8').on('data', (text: string) => {
    const frames = (rest + text).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) {
      const item = JSON.parse(frame.replace(/^data: /, '')) as { payload: Payload }
      const payload = rules.event ? rules.event(item.payload) : item.payload
      if (payload) response.write(`data: ${JSON.stringify({ ...item, payload })}\n\n`)
      if (item.payload.type === rules.cutAfter && !state.cut) {
        state.cut = true
        response.destroy()
        return
      }
    }
  })
  answer.on('end', () => response.end())
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
