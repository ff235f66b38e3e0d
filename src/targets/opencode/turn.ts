import { TargetError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import type { EmittedEvent } from '../../core/trace.ts'
import { formatDuration } from '../../lib/duration.ts'
import type { Answering } from './answering.ts'
import { retryOf } from './ask-events.ts'
import { type Ask, askOf, permissionAsk, questionAsk, replyOf } from './asks.ts'
import type { Client, Prompt } from './client.ts'
import { retryError, turnFault } from './failures.ts'
import type { Arrived, Inbox } from './inbox.ts'
import { type Failure, type MessageInfo, readFailure, readMessageInfo, readPart, type ServerEvent } from './raw.ts'
import type { Recording } from './recording.ts'
import type { Server } from './server.ts'

/** The state is asked for this often: an event may be lost, and none is stored. Source: spec opencode-server 0.7. */
const POLL_MS = 3_000
/** After a hint that the turn is over, which comes before the last message is written. */
const HINT_MS = 100
/** How long a session may be idle with an unfinished last message before that is taken for its end. */
const UNFINISHED_MS = 3_000
/** How long a session may be idle after a prompt that nothing came of. */
const NOTHING_MS = 30_000

export interface Limits {
  /** Of one turn. */
  readonly turnMs?: number
  /** Of the time in which nothing at all happens. */
  readonly inactivityMs: number
}

export interface Talk {
  readonly client: Client
  readonly server: Pick<Server, 'fault'>
  readonly sessionId: string
  readonly recording: Recording
  readonly inbox: Inbox
  readonly answering: Answering
  readonly limits: Limits
  readonly signal: AbortSignal
  readonly host: Pick<Host, 'now'>
  /** Takes every event as it came; a promise when the disk is behind. */
  keep(event: Arrived): Promise<void> | undefined
  /** Asks for the messages whose events were missed. */
  catchUp(): Promise<void>
}

interface Watch {
  readonly startedAt: number
  /** Messages of earlier turns. */
  readonly earlier: ReadonlySet<string>
  /** Calls that run, but for delegations: a subagent shows itself what it does. */
  readonly running: Set<string>
  /** Answers that no event has told of yet. */
  readonly answered: Map<string, { readonly ask: Ask; readonly accepted: boolean; readonly at: number }>
  lastEventAt: number
  lastPollAt: number
  /** Something said that the turn may be over. */
  hint: boolean
  /** When the session was first found idle. */
  idleSince?: number
  failure?: Failure
  /** The provider is being asked again. */
  retry?: string
}

/**
 * Says one thing and yields what comes of it until the session is idle. Throws a TargetError when that is no good end,
 * or when a limit is reached; then the session may still be at work. Gives the ids of all messages so far.
 */
export async function* takeTurn(
  prompt: Prompt,
  earlier: ReadonlySet<string>,
  talk: Talk,
): AsyncGenerator<EmittedEvent, ReadonlySet<string>> {
  const { client, host, inbox } = talk
  const now = host.now()
  const times = { startedAt: now, lastEventAt: now, lastPollAt: now }
  const watch: Watch = { ...times, earlier, running: new Set(), answered: new Map(), hint: false }
  await client.prompt(prompt)
  for (;;) {
    const arrived = await inbox.next(watch.hint ? HINT_MS : POLL_MS)
    failIfOver(talk)
    const hasMissed = inbox.hasMissed()
    const isDue = hasMissed || host.now() - watch.lastPollAt >= POLL_MS
    if (isDue) watch.lastPollAt = host.now()
    if (hasMissed) await talk.catchUp()
    const asks = [...(await take(arrived, watch, talk)), ...(isDue ? await askForMissed(watch, talk) : [])]
    yield* await answer(asks, watch, talk)
    yield* talk.recording.take('settled')
    const said = watch.hint || isDue ? await messagesAtEnd(watch, talk) : undefined
    if (said) return said
    failAtLimit(watch, talk)
  }
}

async function answer(asks: readonly Ask[], watch: Watch, { answering, host }: Talk): Promise<EmittedEvent[]> {
  const logs: EmittedEvent[] = []
  for (const { ask, accepted, log } of await answering.answer(asks)) {
    watch.answered.set(ask.id, { ask, accepted, at: host.now() })
    if (log) logs.push(log)
  }
  return logs
}

function failIfOver({ signal, server }: Talk): void {
  if (signal.aborted) throw new TargetError('the run was stopped', { code: 'ABORTED', cause: signal.reason })
  const fault = server.fault()
  if (fault !== undefined) throw new TargetError(fault, { code: 'CONNECTION', retryable: true })
}

async function take(arrived: readonly Arrived[], watch: Watch, talk: Talk): Promise<Ask[]> {
  const asks: Ask[] = []
  for (const one of arrived) {
    await talk.keep(one)
    const event = talk.recording.event(one.payload, one.at)
    if (!event) continue
    watch.lastEventAt = talk.host.now()
    notice(event, watch, talk.sessionId)
    const reply = replyOf(event)
    if (reply) watch.answered.delete(reply.id)
    const ask = askOf(event)
    if (ask) asks.push(ask)
  }
  return asks
}

function notice({ type, properties }: ServerEvent, watch: Watch, sessionId: string): void {
  if (type === 'message.part.updated') noticePart(properties['part'], watch)
  if (properties['sessionID'] !== sessionId) return
  switch (type) {
    case 'session.idle':
      watch.hint = true
      return
    case 'session.error': {
      watch.hint = true
      const failure = readFailure(properties['error'])
      // The first one says it in words, later ones repeat it with a stack.
      if (failure && !watch.failure) watch.failure = failure
      return
    }
    case 'session.status': {
      const { status } = properties
      const retry = retryOf(status)
      if (retry) watch.retry = retry.message
      if (isJsonObject(status) && status['type'] === 'idle') watch.hint = true
    }
  }
}

function noticePart(value: unknown, watch: Watch): void {
  const part = readPart(value)
  if (!part) return
  // An answer that goes on has got over its failure.
  if (part.type !== 'step-start') delete watch.retry
  if (part.type !== 'tool' || part.tool === 'task') return
  if (part.state?.status === 'running') watch.running.add(part.id)
  else watch.running.delete(part.id)
}

/**
 * Asks whose events were missed, and events in place of those that did not come: without them nobody would know later
 * that leave was asked for and given.
 */
async function askForMissed(watch: Watch, talk: Talk): Promise<Ask[]> {
  const { client, recording, host } = talk
  const tell = async (type: string, properties: JsonObject, at: number) => {
    const payload = { type, properties }
    await talk.keep({ payload, at })
    recording.event(payload, at)
  }
  const [permissions, questions] = await Promise.all([client.permissions(), client.questions()])
  const found = [
    ...permissions.map((given) => ({ type: 'permission.asked', given, ask: permissionAsk(given, 'asked') })),
    ...questions.map((given) => ({ type: 'question.asked', given, ask: questionAsk(given, 'asked') })),
  ]
  const unknown = found.filter(({ ask }) => ask && !recording.knows(ask.id))
  // What led to them was missed as well.
  if (unknown.length > 0) await talk.catchUp()
  for (const { type, given } of unknown) if (isJsonObject(given)) await tell(type, given, host.now())
  for (const [id, { ask, accepted, at }] of watch.answered) {
    const properties = { sessionID: ask.sessionId, requestID: id }
    if (ask.kind === 'permission') {
      await tell('permission.replied', { ...properties, reply: accepted ? 'once' : 'reject' }, at)
    } else await tell(accepted ? 'question.replied' : 'question.rejected', properties, at)
  }
  watch.answered.clear()
  return found.flatMap(({ ask }) => ask ?? [])
}

/** Ids of the messages, once the session is idle and done with the prompt. */
async function messagesAtEnd(watch: Watch, talk: Talk): Promise<ReadonlySet<string> | undefined> {
  const { client, sessionId, host } = talk
  const status = (await client.status())[sessionId]
  const isIdle = status === undefined || (isJsonObject(status) && status['type'] === 'idle')
  watch.hint = false
  if (!isIdle) {
    delete watch.idleSince
    return undefined
  }
  watch.idleSince ??= host.now()
  const listed = await client.messages(sessionId)
  const messages = listed.flatMap((one) => readMessageInfo(isJsonObject(one) ? one['info'] : undefined) ?? [])
  return isOver(messages, watch, talk) ? new Set(messages.map(({ id }) => id)) : undefined
}

/** Whether the idle session is done with the prompt. Throws a TargetError when it is, but not well. */
function isOver(messages: readonly MessageInfo[], watch: Watch, { host }: Talk): boolean {
  const last = messages.findLast(({ id, role }) => role === 'assistant' && !watch.earlier.has(id))
  const fault = turnFault(last, watch.failure)
  if (!fault) return true
  // A prompt may wait for its turn, and the last message is written after the session is idle.
  const patience = last || watch.failure ? UNFINISHED_MS : NOTHING_MS
  const isFinal = last?.error !== undefined
  if (!isFinal && host.now() - (watch.idleSince ?? 0) < patience) {
    watch.hint = true
    return false
  }
  throw fault
}

function failAtLimit(watch: Watch, { limits, host }: Talk): void {
  const now = host.now()
  const { turnMs, inactivityMs } = limits
  if (turnMs !== undefined && now - watch.startedAt >= turnMs)
    throw limitError(watch, `the turn took longer than ${formatDuration(turnMs)}`, turnMs)
  if (watch.running.size === 0 && now - watch.lastEventAt >= inactivityMs)
    throw limitError(watch, `nothing happened for ${formatDuration(inactivityMs)}`, inactivityMs)
}

function limitError({ retry }: Watch, what: string, ms: number): TargetError {
  return retry === undefined ? new TargetError(what, { code: 'TIMEOUT' }) : retryError(retry, formatDuration(ms))
}
