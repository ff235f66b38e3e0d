import type { OpenAI } from 'openai'
import type { Transport } from './transport.ts'

/**
 * Makes every request of a client from its first one. URL and headers never differ between the chat calls of one client,
 * yet building them takes a third of all that a call costs; and the SDK's own time limit makes a timer and an abort
 * controller a call, where the runner already limits the time. Only for a client that calls a single endpoint.
 */
export function reuseRequest(client: OpenAI, { fetch }: Transport): void {
  const build = client.buildRequest.bind(client)
  // The SDK lists and masks a request's headers for its debug log, which is off, at every call.
  const notLogged = new Headers()
  let first: Promise<Template> | undefined
  let headers: Template['headers'] = []
  client.buildRequest = async (options) => {
    first ??= build(options).then(templateOf)
    const { url, timeout, method, ...template } = await first
    headers = template.headers
    const { body, signal } = options
    return { url, timeout, req: { method, headers: notLogged, body: JSON.stringify(body), signal: signal ?? null } }
  }
  client.fetchWithTimeout = (url, init = {}) => fetch(url, { ...init, headers })
}

interface Template {
  readonly url: string
  readonly timeout: number
  readonly method: string
  readonly headers: [string, string][]
}

function templateOf({ req, url, timeout }: Awaited<ReturnType<OpenAI['buildRequest']>>): Template {
  const headers = [...(req.headers as unknown as Iterable<[string, string]>)]
  return { url, timeout, method: (req.method ?? 'get').toUpperCase(), headers }
}
