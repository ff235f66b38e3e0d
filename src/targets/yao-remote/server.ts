import { TargetError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { isJsonObject, type Json } from '../../core/json.ts'
import { aborted, type ChatOutcome } from '../chat/chat-model.ts'
import { badResponse, connectionError, statusError } from '../chat/errors.ts'
import { readAnswer } from '../chat/read-answer.ts'
import { openTransport, type Transport } from '../chat/transport.ts'
import type { RemoteRequest } from './request.ts'
import { withoutTraceLines } from './trace-line.ts'

export interface ServerSettings {
  /** Of the chat completions of one assistant. */
  readonly url: string
  readonly token: string
  /** The variable the token comes from, for the message when it is refused. */
  readonly tokenSetting: string
}

export interface YaoServer {
  /** `model` names what answers when the server does not. */
  send(request: RemoteRequest, call: { readonly model: string; readonly signal: AbortSignal }): Promise<ChatOutcome>
  close(): void
}

/**
 * The chat completions of a running Yao server. It always streams, gives no reason for the end and closes with [DONE].
 * A redirect is an error: the token is for this server alone. Source: spec yao 12.
 */
export function openServer({ url, token, tokenSetting }: ServerSettings, host: Host): YaoServer {
  const transport = openTransport()
  const context = () => ({ now: host.now(), keySetting: tokenSetting, baseURL: url, asked: 'the id of the assistant' })
  return {
    async send(request, call) {
      try {
        const response = await post(transport, { url, token, request, signal: call.signal })
        if (!response.ok) {
          const { status, headers } = response
          throw statusError({ status, headers, message: saidIn(await response.text()) }, context())
        }
        return clean(await readAnswer(response, call, { unfinished }))
      } catch (error) {
        return { kind: 'broken', partial: '', error: targetError(error, call.signal) }
      }
    },
    close: () => transport.close(),
  }

  function targetError(error: unknown, signal: AbortSignal): TargetError {
    if (signal.aborted) return aborted(error)
    return error instanceof TargetError ? error : connectionError(error, context())
  }
}

interface Post {
  readonly url: string
  readonly token: string
  readonly request: RemoteRequest
  readonly signal: AbortSignal
}

function post({ fetch }: Transport, { url, token, request, signal }: Post): Promise<Response> {
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'text/event-stream',
    'content-type': 'application/json',
    'user-agent': 'agent-test',
    ...request.headers,
  }
  return fetch(url, { method: 'POST', headers: Object.entries(headers), body: JSON.stringify(request.body), signal })
}

function unfinished(): TargetError {
  return badResponse('the stream ended without [DONE]: the answer may not be whole')
}

function clean(outcome: ChatOutcome): ChatOutcome {
  if (outcome.kind === 'broken') return { ...outcome, partial: withoutTraceLines(outcome.partial) }
  return { ...outcome, answer: { ...outcome.answer, text: withoutTraceLines(outcome.answer.text) } }
}

/** The words of an error: Yao's own body, that of OpenAI, or whatever else was sent. */
function saidIn(text: string): string {
  const body = parsed(text)
  if (!isJsonObject(body)) return text
  const { error, error_description: description, message, reason, missing_scopes: scopes } = body
  const nested = isJsonObject(error) ? error['message'] : error
  const [first = text] = [description, message, nested].filter(isWord)
  const details = [
    ...(isWord(reason) ? [reason] : []),
    ...(Array.isArray(scopes) && scopes.length > 0 ? [`missing scopes: ${scopes.filter(isWord).join(', ')}`] : []),
  ]
  return details.length === 0 ? first : `${first} (${details.join('; ')})`
}

function isWord(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== ''
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
