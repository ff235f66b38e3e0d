import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { ClientOptions } from 'openai'

export interface Transport {
  /** For `new OpenAI({ fetch })`. */
  readonly fetch: NonNullable<ClientOptions['fetch']>
  close(): void
}

/** Bodies of errors are read whole; the rest of a bigger one is of no use. */
const MAX_TEXT_BYTES = 256 * 1024

/**
 * A fetch over node:http with connections kept alive. The built-in fetch costs four times as much processor time a
 * call, and most of that goes into web streams: so the response is the part of `Response` that `openai` uses
 * (`url`, `status`, `ok`, `headers`, `text()`) with an async iterable of bytes as its body.
 */
export function openTransport(): Transport {
  const options = {
    keepAlive: true,
    maxSockets: Number.POSITIVE_INFINITY,
    maxFreeSockets: 1024,
    scheduling: 'lifo',
  } as const
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) }
  const endpoints = new Map<string, Endpoint>()
  const endpointOf = (url: string): Endpoint => {
    const known = endpoints.get(url)
    if (known) return known
    const endpoint = parseEndpoint(url)
    endpoints.set(url, endpoint)
    return endpoint
  }
  return {
    fetch: async (input, init = {}) => {
      const url = typeof input === 'string' ? input : input instanceof URL ? input.href : input.url
      const { protocol, ...address } = endpointOf(url)
      const { request } = protocol === 'https:' ? https : http
      const body = init.body as string | undefined
      const headers = Object.fromEntries(init.headers as Iterable<[string, string]>)
      if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body))
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const { signal } = init
        if (signal?.aborted) return reject(abortError())
        const sent = request({ ...address, agent: agents[protocol], method: init.method ?? 'GET', headers }, resolve)
        // Stays after the response: what breaks the body is reported there, and must not be thrown here.
        sent.on('error', reject)
        signal?.addEventListener('abort', () => sent.destroy(abortError()), { once: true })
        sent.end(body)
      })
      return responseOf(response, url) as unknown as Response
    },
    close() {
      agents['http:'].destroy()
      agents['https:'].destroy()
    },
  }
}

interface Endpoint {
  readonly protocol: 'http:' | 'https:'
  readonly hostname: string
  readonly port: string
  readonly path: string
}

function parseEndpoint(url: string): Endpoint {
  const { protocol, hostname, port, pathname, search } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') throw new Error(`not an HTTP URL: ${url}`)
  // Node wants IPv6 addresses without the brackets of the URL.
  return { protocol, hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port, path: pathname + search }
}

function abortError(): Error {
  const error = new Error('the request was aborted')
  error.name = 'AbortError'
  return error
}

function responseOf(message: IncomingMessage, url: string) {
  const status = message.statusCode ?? 0
  const body = bytesOf(message)
  const text = async () => {
    const parts: Uint8Array[] = []
    let size = 0
    for await (const part of body) {
      size += part.length
      if (size <= MAX_TEXT_BYTES) parts.push(part)
    }
    return Buffer.concat(parts).toString('utf8')
  }
  return {
    url,
    status,
    ok: status >= 200 && status < 300,
    headers: headersOf(message.headers),
    body,
    text,
  }
}

function headersOf(headers: IncomingHttpHeaders) {
  const get = (name: string): string | null => {
    const value = headers[name.toLowerCase()]
    return value === undefined ? null : String(value)
  }
  return { get, entries: () => Object.keys(headers).map((name): [string, string] => [name, get(name) ?? '']) }
}

/** Node's own iterator over a stream does the same at several times the cost. */
function bytesOf(message: IncomingMessage): AsyncIterableIterator<Uint8Array> {
  const chunks: Uint8Array[] = []
  let ended = false
  let failure: Error | undefined
  let wake: (() => void) | undefined
  const ring = () => {
    wake?.()
    wake = undefined
  }
  // From the start: an error that nobody listens to would end the process.
  message.on('data', (chunk: Uint8Array) => {
    chunks.push(chunk)
    ring()
  })
  message.on('end', () => {
    ended = true
    ring()
  })
  message.on('error', (error) => {
    failure = error
    ring()
  })
  message.on('close', () => {
    if (!ended) failure ??= new Error('the connection was closed in the middle of the answer')
    ring()
  })
  return {
    async next() {
      for (;;) {
        const value = chunks.shift()
        if (value) return { done: false, value }
        if (ended) return { done: true, value: undefined }
        if (failure) throw failure
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    async return() {
      if (!ended) message.destroy()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
