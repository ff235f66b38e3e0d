import type { EmittedEvent, SessionRef } from '../../core/trace.ts'
import { type Asked, type AskSurroundings, askEvents, leavesOf, noteOf } from './ask-events.ts'
import { askOf, type Reply, replyOf } from './asks.ts'
import { callKey, eventsOfMessage, type Placed } from './message-events.ts'
import {
  type MessageInfo,
  type Part,
  readMessageInfo,
  readPart,
  readServerEvent,
  readSession,
  type ServerEvent,
  type SessionInfo,
  timeOfId,
} from './raw.ts'

/** What a server told of one family of sessions, from its events, its lists of messages, or both. */
export interface Recording {
  /** `at`: when it came, in milliseconds since the epoch. Gives the event when it is one. */
  event(value: unknown, at?: number): ServerEvent | undefined
  /** `{info, parts}` as the server lists it; more to be trusted than what events said of it. */
  message(value: unknown): void
  session(value: unknown): void
  sessions(): readonly SessionInfo[]
  /** Whether an ask of this id was told of. */
  knows(askId: string): boolean
  /** Events not taken yet, in order: those that nothing can come before any more, or everything. */
  take(what: 'settled' | 'everything'): EmittedEvent[]
  /** What the session has said last; empty when it has said nothing. */
  lastText(sessionId: string): string
  /** What could not be read, in words. */
  skipped(): readonly string[]
}

interface State {
  readonly sessions: Map<string, SessionInfo>
  /** Parents as told by the calls that made the sessions. */
  readonly parents: Map<string, string>
  readonly messages: Map<string, MessageInfo>
  /** By message, in order. */
  readonly parts: Map<string, Map<string, Part>>
  readonly asks: Map<string, Asked>
  readonly notes: Placed[]
  /** Events of messages that have not changed since: outputs are long, and most messages are over. */
  readonly placed: Map<string, readonly Placed[]>
  readonly taken: Set<string>
  readonly skipped: string[]
  /** The latest time that was seen. */
  now: number
}

export function createRecording(): Recording {
  const state: State = {
    sessions: new Map(),
    parents: new Map(),
    messages: new Map(),
    parts: new Map(),
    asks: new Map(),
    notes: [],
    placed: new Map(),
    taken: new Set(),
    skipped: [],
    now: 0,
  }
  return {
    event(value, at) {
      const event = readServerEvent(value)
      if (!event) state.skipped.push('an event without a type')
      else accept(event, at, state)
      return event
    },
    message: (value) => listed(value, state),
    session: (value) => keepSession(value, state),
    sessions: () => [...state.sessions.values()],
    knows: (askId) => state.asks.has(askId),
    take: (what) => take(state, what),
    lastText: (sessionId) => lastText(sessionId, state),
    skipped: () => state.skipped,
  }
}

function accept(event: ServerEvent, given: number | undefined, state: State): void {
  const { type, properties } = event
  const at = timeOfId(event.id, given ?? state.now) ?? given ?? state.now
  state.now = Math.max(state.now, at)
  const ask = askOf(event)
  if (ask && !state.asks.has(ask.id)) state.asks.set(ask.id, { ask, at: askedAt(properties, at) })
  const reply = replyOf(event)
  if (reply) answer(reply, at, state)
  if (ask ?? reply) state.placed.clear()
  switch (type) {
    case 'session.created':
    case 'session.updated':
      keepSession(properties['info'], state)
      return
    case 'message.updated':
      keepInfo(properties['info'], state)
      return
    case 'message.removed':
      state.messages.delete(idIn(properties, 'messageID'))
      return
    case 'message.part.updated':
      keepPart(properties['part'], state)
      return
    case 'message.part.removed':
      state.placed.delete(idIn(properties, 'messageID'))
      state.parts.get(idIn(properties, 'messageID'))?.delete(idIn(properties, 'partID'))
      return
    case 'session.status':
    case 'session.error':
    case 'session.compacted':
      note(event, at, state)
  }
}

function idIn(properties: ServerEvent['properties'], name: string): string {
  const id = properties[name]
  return typeof id === 'string' ? id : ''
}

/** Of old servers, whose events had no ids. */
function askedAt({ time }: ServerEvent['properties'], at: number): number {
  const created = typeof time === 'object' && time !== null && 'created' in time ? time.created : undefined
  return typeof created === 'number' ? created : at
}

function answer(reply: Reply, at: number, state: State): void {
  const asked = state.asks.get(reply.id)
  if (asked && !asked.reply) state.asks.set(reply.id, { ...asked, reply: { ...reply, at: Math.max(at, asked.at) } })
}

function keepSession(value: unknown, state: State): void {
  const info = readSession(value)
  if (!info) return void state.skipped.push('a session without an id')
  if (!state.sessions.has(info.id)) state.placed.clear()
  state.now = Math.max(state.now, info.time?.created ?? 0)
  state.sessions.set(info.id, info)
}

function keepInfo(value: unknown, state: State): string | undefined {
  const info = readMessageInfo(value)
  if (!info) {
    state.skipped.push('a message without id, session, role or time')
    return undefined
  }
  state.messages.set(info.id, info)
  state.placed.delete(info.id)
  state.now = Math.max(state.now, info.time.completed ?? info.time.created)
  return info.id
}

function keepPart(value: unknown, state: State): void {
  const part = readPart(value)
  if (!part) return void state.skipped.push('a part without id, message or type')
  const child = part.state?.metadata?.['sessionId']
  if (part.tool === 'task' && typeof child === 'string') state.parents.set(child, part.sessionID)
  state.placed.delete(part.messageID)
  const parts = state.parts.get(part.messageID) ?? new Map<string, Part>()
  state.parts.set(part.messageID, parts)
  parts.set(part.id, part)
}

function listed(value: unknown, state: State): void {
  const { info, parts } = (value ?? {}) as { readonly info?: unknown; readonly parts?: unknown }
  const id = keepInfo(info, state)
  if (id === undefined) return
  if (!Array.isArray(parts)) return void state.skipped.push(`parts of the message ${id}`)
  state.parts.delete(id)
  for (const part of parts) keepPart(part, state)
}

function note(event: ServerEvent, at: number, state: State): void {
  const { sessionID } = event.properties
  const log = noteOf(event)
  if (!log || typeof sessionID !== 'string') return
  const placed = { ...log, session: sessionOf(sessionID, state), timestamp: at }
  state.notes.push({ key: `note ${state.notes.length}`, event: placed, rank: 2, settled: true })
}

function sessionOf(id: string, { sessions, parents }: State): SessionRef {
  const parentOf = (child: string) => sessions.get(child)?.parentID ?? parents.get(child)
  const above = new Set([id])
  for (let at = parentOf(id); at !== undefined && !above.has(at); at = parentOf(at)) above.add(at)
  const parentId = parentOf(id)
  return { id, ...(parentId === undefined ? {} : { parentId }), depth: above.size - 1 }
}

function take(state: State, what: 'settled' | 'everything'): EmittedEvent[] {
  const events: EmittedEvent[] = []
  for (const placed of inOrder(state)) {
    if (state.taken.has(placed.key)) continue
    if (what === 'settled' && !placed.settled) break
    state.taken.add(placed.key)
    const wasCutOff = placed.event.type === 'assistant_message' && placed.event.text === ''
    if (!wasCutOff) events.push(placed.event)
  }
  return events
}

function lastText(sessionId: string, state: State): string {
  const said = inOrder(state).findLast(
    ({ event }) => event.type === 'assistant_message' && event.session?.id === sessionId,
  )
  return said?.event.type === 'assistant_message' ? said.event.text : ''
}

function inOrder(state: State): Placed[] {
  const leave = leavesOf(state.asks.values())
  const spoken = [...state.messages.values()].flatMap((info) => {
    const known = state.placed.get(info.id)
    if (known) return known
    const placed = eventsOfMessage(info, [...(state.parts.get(info.id)?.values() ?? [])], {
      session: sessionOf(info.sessionID, state),
      root: rootOf(info, state),
      leaveOf: (callId) => leave.get(callKey(info.id, callId)) ?? leave.get(callKey(info.sessionID, callId)) ?? [],
    })
    state.placed.set(info.id, placed)
    return placed
  })
  const placed = [
    ...[...state.asks.values()].flatMap((asked) => askEvents(asked, surroundingsOf(asked, state))),
    ...spoken,
    ...state.notes,
  ]
  return placed.sort((left, right) => left.event.timestamp - right.event.timestamp || left.rank - right.rank)
}

function surroundingsOf({ ask }: Asked, state: State): AskSurroundings {
  const { sessionId } = ask
  const parts = ask.kind === 'permission' ? state.parts.get(ask.messageId ?? '') : undefined
  const part =
    ask.kind === 'permission' ? [...(parts?.values() ?? [])].find(({ callID }) => callID === ask.callId) : undefined
  const root = state.sessions.get(sessionId)?.directory ?? rootOfMessages(sessionId, state)
  return { session: sessionOf(sessionId, state), root, tool: part?.tool }
}

function rootOf({ path, sessionID }: MessageInfo, { sessions }: State): string | undefined {
  return path?.cwd ?? sessions.get(sessionID)?.directory
}

function rootOfMessages(sessionId: string, { messages }: State): string | undefined {
  return [...messages.values()].find((info) => info.sessionID === sessionId && info.path)?.path?.cwd
}
