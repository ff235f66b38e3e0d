import type { OpenAI } from 'openai'
import { TargetError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { aborted, type ChatCall, type ChatModel } from './chat-model.ts'
import { connectionError, statusError } from './errors.ts'
import { readAnswer } from './read-answer.ts'
import { reuseRequest } from './reuse-request.ts'

export interface ProviderSettings {
  /** Up to and with `/v1`, without a slash at the end. */
  readonly baseURL: string
  readonly key?: string
  /** How the key is sent; default: `bearer`. */
  readonly authMode?: AuthMode
  readonly headers?: Readonly<Record<string, string>>
  /** Names the setting that holds the key, for the message when it is refused. */
  readonly keySetting: string
}

export const AUTH_MODES = ['bearer', 'api-key', 'x-api-key'] as const
type AuthMode = (typeof AUTH_MODES)[number]

/** The largest delay a timer takes: the runner alone limits the time of a run. */
const NO_TIMEOUT_MS = 2 ** 31 - 1

/** An OpenAI-compatible provider. The SDK is loaded here, because runs without a provider should not pay for it. */
export async function openProvider(settings: ProviderSettings, host: Host): Promise<ChatModel> {
  const [{ OpenAI, APIError }, { openTransport }] = await Promise.all([import('openai'), import('./transport.ts')])
  const transport = openTransport()
  const client = new OpenAI({ ...clientOptions(settings), fetch: transport.fetch })
  reuseRequest(client, transport)
  const toTargetError = (error: unknown, signal: AbortSignal): TargetError => {
    if (error instanceof TargetError) return error
    if (signal.aborted) return aborted(error)
    const context = { now: host.now(), keySetting: settings.keySetting, baseURL: settings.baseURL }
    return error instanceof APIError ? statusError(error, context) : connectionError(error, context)
  }
  return {
    async complete(call) {
      let response: Response
      try {
        response = await request(client, call)
      } catch (error) {
        return { kind: 'broken', partial: '', error: toTargetError(error, call.signal) }
      }
      return readAnswer(response, call)
    },
    async dispose() {
      transport.close()
    },
  }
}

/** Everything the SDK would read from the environment is given, so that nothing but the settings decides. */
function clientOptions({ baseURL, key, authMode = 'bearer', headers }: ProviderSettings) {
  const isBearer = authMode === 'bearer' && key !== undefined
  return {
    baseURL,
    apiKey: isBearer ? key : 'unused',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: NO_TIMEOUT_MS,
    logLevel: 'off' as const,
    defaultHeaders: {
      // The SDK would send the name of its class, which the bundle shortens.
      'user-agent': 'agent-test',
      ...(isBearer ? {} : { authorization: null }),
      ...(authMode !== 'bearer' && key !== undefined ? { [authMode]: key } : {}),
      ...lowerCased(headers ?? {}),
    },
  }
}

/** One name in two spellings would be sent with both values. */
function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function request(client: OpenAI, { model, messages, parameters, signal }: ChatCall): Promise<Response> {
  const body = { ...parameters, model, messages, stream: true, stream_options: { include_usage: true } }
  // Suites and assistants may hold parameters that the SDK's types do not know; the provider judges them.
  const typed = body as unknown as OpenAI.ChatCompletionCreateParamsStreaming
  return client.chat.completions.create(typed, { signal }).asResponse()
}
