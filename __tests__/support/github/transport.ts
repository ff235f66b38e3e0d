import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Answer } from './route.ts'

/** A request with its whole body. */
export interface RawRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

export async function receive(message: IncomingMessage, origin: string): Promise<RawRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  const { method = 'GET', headers } = message
  return { method, url: new URL(message.url ?? '/', origin), headers, body: Buffer.concat(chunks) }
}

/** Undefined without a body, the bytes themselves where they are no JSON. */
export function parseBody(body: Buffer): unknown {
  if (body.length === 0) return undefined
  try {
    return JSON.parse(body.toString())
  } catch {
    return body
  }
}

const RATE_LIMIT = { 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': '999', 'x-ratelimit-used': '1' }

export function respond(response: ServerResponse, answer: Answer): void {
  response.end(begin(response, answer))
}

/** Half of the answer, and then the connection is gone. */
export function respondInPart(response: ServerResponse, answer: Answer): void {
  const content = begin(response, answer)
  response.write(content.subarray(0, content.length / 2), () => response.socket?.destroy())
}

/** Writes the head; the content is left to the caller. */
function begin(response: ServerResponse, { status, body, headers = {} }: Answer): Buffer {
  const content = Buffer.isBuffer(body) ? body : Buffer.from(body === undefined ? '' : JSON.stringify(body))
  const isJson = body !== undefined && content !== body
  const type = isJson ? { 'content-type': 'application/json; charset=utf-8' } : {}
  response.writeHead(status, { ...RATE_LIMIT, ...type, 'content-length': content.length, ...headers })
  return content
}
