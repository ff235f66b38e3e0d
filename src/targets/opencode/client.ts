import type { OpencodeClient } from '@opencode-ai/sdk/v2/client'
import { TargetError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json.ts'
import { connectionError, shorten } from '../chat/errors.ts'
import type { Ask } from './asks.ts'

/** How long a call may take; the first in a folder starts everything up there. Source: spec opencode-server 0.12. */
const CALL_MS = 60_000

export interface Connection {
  /** Without a `/` at its end. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export interface ModelRef {
  readonly providerID: string
  readonly modelID: string
}

export interface Prompt {
  readonly sessionId: string
  readonly text: string
  readonly agent: string
  readonly model?: ModelRef
}

/** What we ask of a server, in one folder of its own. Every call throws a TargetError when it fails. */
export interface Client {
  version(): Promise<string>
  agents(): Promise<readonly unknown[]>
  /** `{providers, default}`. */
  providers(): Promise<unknown>
  config(): Promise<unknown>
  /** Names of what lies in the folder, as the server sees it. */
  files(): Promise<readonly unknown[]>
  createSession(title: string): Promise<unknown>
  /** Comes back at once: what becomes of it is told by events. */
  prompt(prompt: Prompt): Promise<void>
  /** What every session of the folder that is not idle does, by id. */
  status(): Promise<Readonly<Record<string, unknown>>>
  messages(sessionId: string): Promise<readonly unknown[]>
  session(sessionId: string): Promise<unknown>
  /** Undefined for one that the server does not know. */
  findSession(sessionId: string): Promise<unknown>
  /** Those that it called for. */
  children(sessionId: string): Promise<readonly unknown[]>
  permissions(): Promise<readonly unknown[]>
  questions(): Promise<readonly unknown[]>
  /** An ask that is over already is no error. */
  reply(ask: Ask, answer: Answer): Promise<void>
  abort(sessionId: string): Promise<void>
  remove(sessionId: string): Promise<void>
  /** Ends what the server runs for the folder. */
  leave(): Promise<void>
  /** Events of every folder, until `signal` aborts or the connection ends. */
  events(signal: AbortSignal): Promise<AsyncIterable<unknown>>
}

export type Answer =
  | { readonly kind: 'once' }
  | { readonly kind: 'reject'; readonly message?: string }
  /** Of a question: the label chosen of each. */
  | { readonly kind: 'choices'; readonly labels: readonly (readonly string[])[] }

/** Loaded when it is used: whoever tests something else does not wait for it. */
export async function openClient({ url, headers }: Connection, directory?: string): Promise<Client> {
  const { createOpencodeClient } = await import('@opencode-ai/sdk/v2/client')
  const sdk = createOpencodeClient({
    baseUrl: url,
    headers: { ...headers },
    ...(directory === undefined ? {} : { directory }),
  })
  const { read, act } = callers(url)
  const limit = () => ({ signal: AbortSignal.timeout(CALL_MS) })
  return {
    version: async () => textOf(await read('its version', () => sdk.global.health(limit())), 'version') ?? 'unknown',
    agents: async () => listOf(await read('its agents', () => sdk.app.agents({}, limit()))),
    providers: () => read('its models', () => sdk.config.providers({}, limit())),
    config: () => read('its configuration', () => sdk.config.get({}, limit())),
    files: async () => listOf(await read('the files', () => sdk.file.list({ path: '.' }, limit()))),
    createSession: (title) => act('a new session', sdk.session.create({ title }, limit())),
    async prompt({ sessionId, text, agent, model }) {
      const parts = [{ type: 'text' as const, text }]
      const asked = { sessionID: sessionId, agent, parts, ...(model === undefined ? {} : { model }) }
      await act('the prompt', sdk.session.promptAsync(asked, limit()))
    },
    status: async () => recordOf(await read('the state of sessions', () => sdk.session.status({}, limit()))),
    messages: async (sessionID) => listOf(await read('messages', () => sdk.session.messages({ sessionID }, limit()))),
    session: (sessionID) => read('the session', () => sdk.session.get({ sessionID }, limit())),
    async findSession(sessionID) {
      const outcome = await outcomeOf(sdk.session.get({ sessionID }, limit()), url)
      if (outcome.response.status === 404) return undefined
      failIfRefused('the session', outcome)
      return outcome.data
    },
    children: async (sessionID) => listOf(await read('subagents', () => sdk.session.children({ sessionID }, limit()))),
    permissions: async () => listOf(await read('open permissions', () => sdk.permission.list({}, limit()))),
    questions: async () => listOf(await read('open questions', () => sdk.question.list({}, limit()))),
    async reply(ask, answer) {
      for (const route of routesOf(sdk, ask, answer)) {
        const outcome = await outcomeOf(route(), url)
        if (outcome.response.status === 404) continue
        failIfRefused('a reply', outcome)
        return
      }
    },
    abort: async (sessionID) => void (await act('an abort', sdk.session.abort({ sessionID }, limit()))),
    remove: async (sessionID) => void (await act('a removal', sdk.session.delete({ sessionID }, limit()))),
    leave: async () => void (await act('an end', sdk.instance.dispose({}, limit()))),
    async events(signal) {
      const { stream } = await sdk.global.event({ signal, sseMaxRetryAttempts: 1 })
      return stream
    },
  }
}

/** What the SDK gives in place of throwing. */
interface Outcome {
  readonly data?: unknown
  readonly error?: unknown
  readonly response?: Response | undefined
}

interface Answered extends Outcome {
  readonly response: Response
}

async function outcomeOf(request: Promise<Outcome>, baseURL: string): Promise<Answered> {
  const { data, error, response } = await request.catch((cause: unknown) => {
    throw connectionError(cause, { baseURL })
  })
  if (!response) throw connectionError(error ?? new Error('no answer'), { baseURL })
  return { data, response, ...(error === undefined ? {} : { error }) }
}

function failIfRefused(what: string, { error, response }: Answered): void {
  if (error === undefined) return
  const said = `the OpenCode server refused ${what} (${response.status}): ${shorten(messageOf(error))}`
  const isKey = response.status === 401 || response.status === 403
  throw new TargetError(isKey ? `${said}; its password is taken from OPENCODE_SERVER_PASSWORD` : said, {
    code: isKey ? 'AUTHENTICATION' : 'BAD_RESPONSE',
  })
}

/** A connection that is kept open may be one to an earlier server at the same address: reading is tried again. */
const READ_TRIES = 3

function callers(baseURL: string) {
  const act = async (what: string, request: Promise<Outcome>): Promise<unknown> => {
    const outcome = await outcomeOf(request, baseURL)
    failIfRefused(what, outcome)
    return outcome.data
  }
  const read = async (what: string, request: () => Promise<Outcome>): Promise<unknown> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await act(what, request())
      } catch (error) {
        const isCut = error instanceof TargetError && error.code === 'CONNECTION'
        if (!isCut || tries >= READ_TRIES) throw error
      }
    }
  }
  return { act, read }
}

/** Ways to answer, that of the ask's own words first: what one of them does not know, another may. */
function routesOf(sdk: OpencodeClient, { kind, id, sessionId, dialect }: Ask, answer: Answer) {
  const limit = () => ({ signal: AbortSignal.timeout(CALL_MS) })
  const refused = answer.kind === 'reject'
  const asked = { sessionID: sessionId, requestID: id }
  const nextFirst = <T>(today: readonly T[], next: T): readonly T[] =>
    dialect === 'v2' ? [next, ...today] : [...today, next]
  if (kind === 'question') {
    const answers = answer.kind === 'choices' ? answer.labels.map((labels) => [...labels]) : []
    const { question } = sdk.v2.session
    return nextFirst<() => Promise<Outcome>>(
      [
        () =>
          refused
            ? sdk.question.reject({ requestID: id }, limit())
            : sdk.question.reply({ requestID: id, answers }, limit()),
      ],
      () =>
        refused ? question.reject(asked, limit()) : question.reply({ ...asked, questionV2Reply: { answers } }, limit()),
    )
  }
  const reply = refused ? ('reject' as const) : ('once' as const)
  const body = { reply, ...(refused && answer.message !== undefined ? { message: answer.message } : {}) }
  const today = () => sdk.permission.reply({ requestID: id, ...body }, limit())
  const old = () => sdk.permission.respond({ sessionID: sessionId, permissionID: id, response: reply }, limit())
  return nextFirst<() => Promise<Outcome>>(dialect === 'updated' ? [old, today] : [today, old], () =>
    sdk.v2.session.permission.reply({ ...asked, ...body }, limit()),
  )
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message
  if (!isJsonObject(error)) return String(error)
  const { data } = error
  const message = isJsonObject(data) ? data['message'] : error['message']
  return typeof message === 'string' ? message : JSON.stringify(error)
}

function textOf(value: unknown, key: string): string | undefined {
  const found = isJsonObject(value) ? value[key] : undefined
  return typeof found === 'string' ? found : undefined
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {}
}
