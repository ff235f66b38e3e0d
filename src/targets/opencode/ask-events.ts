import { isJsonObject, type Json } from '../../core/json.ts'
import type { SessionRef } from '../../core/trace.ts'
import type { Ask, Reply } from './asks.ts'
import { callKey, type Leave, type Placed } from './message-events.ts'
import { readFailure, type ServerEvent } from './raw.ts'
import { textWithoutRoot, withoutRoot } from './relative-paths.ts'

/** An ask with the time it was made at, and its reply as soon as there is one. */
export interface Asked {
  readonly ask: Ask
  readonly at: number
  readonly reply?: Reply & { readonly at: number }
}

export interface AskSurroundings {
  readonly session: SessionRef
  readonly root: string | undefined
  /** Tool that it is about, where it is known. */
  readonly tool: string | undefined
}

/** Leave that calls needed, by call. */
export function leavesOf(asks: Iterable<Asked>): Map<string, Leave[]> {
  const found = new Map<string, Leave[]>()
  for (const { ask, at, reply } of asks) {
    if (ask.kind !== 'permission' || ask.callId === undefined) continue
    const key = callKey(ask.messageId ?? ask.sessionId, ask.callId)
    found.set(key, [...(found.get(key) ?? []), { askedAt: at, ...(reply === undefined ? {} : { reply }) }])
  }
  return found
}

export function askEvents({ ask, at, reply }: Asked, { session, root, tool }: AskSurroundings): Placed[] {
  if (ask.kind === 'question') {
    const said = ask.questions.map(({ question }) => question).join(' ')
    const fate = reply === undefined ? 'was not answered' : `was ${reply.accepted ? 'answered' : 'rejected'}`
    const event = { type: 'log' as const, level: 'info' as const, text: `the question ${JSON.stringify(said)} ${fate}` }
    return [{ key: ask.id, event: { ...event, session, timestamp: at }, rank: 2, settled: reply !== undefined }]
  }
  const call = ask.callId === undefined ? {} : { callId: callKey(ask.messageId ?? ask.sessionId, ask.callId) }
  const request = {
    type: 'approval_request' as const,
    id: ask.id,
    tool: tool ?? ask.permission,
    parameters: {
      permission: ask.permission,
      patterns: ask.patterns.map((pattern) => textWithoutRoot(pattern, root)),
      metadata: withoutRoot(ask.metadata, root),
    },
    session,
    ...call,
    timestamp: at,
  }
  const asked: Placed = { key: ask.id, event: request, rank: 0, settled: true }
  if (!reply) return [asked]
  const response = { type: 'approval_response' as const, id: ask.id, approved: reply.accepted, session, ...call }
  return [asked, { key: `${ask.id} reply`, event: { ...response, timestamp: reply.at }, rank: 1, settled: true }]
}

interface Note {
  readonly type: 'log'
  readonly level: 'info' | 'warn' | 'error'
  readonly text: string
}

/** Retries and failures of the provider: no deeds of the agent, but worth reading. */
export function noteOf({ type, properties }: ServerEvent): Note | undefined {
  if (type === 'session.compacted') return { type: 'log', level: 'info', text: 'the session was compacted' }
  if (type === 'session.error') {
    const failure = readFailure(properties['error'])
    return {
      type: 'log',
      level: 'error',
      text: `${failure?.name ?? 'error'}: ${failure?.data.message ?? 'no message'}`,
    }
  }
  const retry = retryOf(properties['status'])
  if (!retry) return undefined
  return { type: 'log', level: 'warn', text: `the provider is asked again (${retry.attempt}): ${retry.message}` }
}

/** What the provider said, when a status tells that it is being asked again. */
export function retryOf(status: Json | undefined): { readonly attempt: number; readonly message: string } | undefined {
  if (!isJsonObject(status) || status['type'] !== 'retry') return undefined
  const { attempt, message } = status
  return {
    attempt: typeof attempt === 'number' ? attempt : 1,
    message: typeof message === 'string' ? message : 'no message',
  }
}
