import { isJsonObject, type JsonObject } from '../core/json.ts'
import type { Trace } from '../core/trace.ts'
import { translate } from '../targets/index.ts'
import { createEventShelf, type EventShelf } from './event-shelf.ts'
import type { StoredEvents } from './read-events.ts'
import { type ListedMessage, readMessage } from './read-message.ts'
import type { StoredParts } from './read-parts.ts'

/** A session and those that it called for, wherever they are kept; its messages are read one at a time. */
export interface SessionSource {
  readonly id: string
  /** Where the server says that it works. */
  readonly directory?: string
  /** What is missing of it. */
  readonly notes: readonly string[]
  readonly children: readonly SessionSource[]
  readonly parts: StoredParts
  /** What its messages take on disk. */
  bytes(): Promise<number>
  messages(): AsyncIterable<SourceMessage>
}

export type SourceMessage =
  | { readonly kind: 'message'; readonly where: string; readonly value: JsonObject }
  | { readonly kind: 'malformed'; readonly where: string; readonly fault: string }
  | { readonly kind: 'missing'; readonly what: string }

/** What a session and those of its subagents come to. */
export interface SessionTimeline {
  readonly trace: Trace
  readonly metadata: TimelineMetadata
  /** Its long texts cannot be read any more. */
  close(): void
}

interface TimelineMetadata {
  readonly sessions: number
  readonly messages: number
  /** Messages and events that could not be understood. */
  readonly skipped: number
  /** What there should be and is not, in words; the first of them. */
  readonly partial: readonly string[]
}

/** Sessions with more to say are not held in memory. */
const LARGE_BYTES = 16 * 1024 ** 2
const MOST_NOTES = 20

interface Options {
  readonly events: StoredEvents
  /** Told of each message that is skipped, the first of them. */
  warn(message: string): void
}

/**
 * The timeline of a session and its subagents', in order of time. A message that cannot be understood is told to `warn`
 * and skipped; what is missing is noted. Source: seed 001, "Error Handling"; spec opencode-evals D.2.
 */
export async function buildTimeline(root: SessionSource, { events, warn }: Options): Promise<SessionTimeline> {
  const family = familyOf(root)
  const sizes = await Promise.all(family.map(({ session }) => session.bytes()))
  const shelf = createEventShelf({ isLarge: sizes.reduce((sum, size) => sum + size, 0) > LARGE_BYTES })
  const reading: Reading = {
    shelf,
    events,
    counts: { messages: 0, skipped: events.malformed, last: 0 },
    ...notebook(events.notes),
    warn,
  }
  try {
    for (const member of family) await addSession(member, reading)
    const sessions = family.map(({ line }) => line.at(-1))
    addEvents(translate({ sessions, events: near(events.rest(), reading.counts.last) }), reading)
    const { messages, skipped } = reading.counts
    return {
      trace: { events: shelf.events() },
      metadata: { sessions: family.length, messages, skipped, partial: reading.partial },
      close: shelf.close,
    }
  } catch (error) {
    shelf.close()
    throw error
  }
}

interface Member {
  readonly session: SessionSource
  /** Those above it and itself, as a server describes them. */
  readonly line: readonly JsonObject[]
}

/** Parents are those that were found: what a session says of itself may lead in a circle. */
function familyOf(session: SessionSource, above: readonly JsonObject[] = []): Member[] {
  const { id, directory } = session
  const parentID = above.at(-1)?.['id']
  const described = {
    id,
    ...(parentID === undefined ? {} : { parentID }),
    ...(directory === undefined ? {} : { directory }),
  }
  const line = [...above, described]
  return [{ session, line }, ...session.children.flatMap((child) => familyOf(child, line))]
}

interface Reading {
  readonly shelf: EventShelf
  readonly events: StoredEvents
  readonly counts: { messages: number; skipped: number; last: number }
  readonly partial: readonly string[]
  missing(what: string): void
  warn(message: string): void
}

function notebook(first: readonly string[]): Pick<Reading, 'partial' | 'missing'> {
  const partial: string[] = []
  const missing = (what: string) => {
    if (partial.length < MOST_NOTES) partial.push(what)
    else if (partial.length === MOST_NOTES) partial.push('and more')
  }
  for (const what of first) missing(what)
  return { partial, missing }
}

async function addSession({ session, line }: Member, reading: Reading): Promise<void> {
  const { counts, warn, missing } = reading
  for (const note of session.notes) missing(note)
  let number = 0
  for await (const found of session.messages()) {
    if (found.kind === 'missing') {
      missing(found.what)
      continue
    }
    number += 1
    const message =
      found.kind === 'malformed'
        ? found
        : readMessage(found.value, { sessionId: session.id, number, parts: session.parts, missing })
    if ('fault' in message) {
      counts.skipped += 1
      if (counts.skipped <= MOST_NOTES) warn(`${found.where}: the message is skipped: ${message.fault}`)
    } else addMessage(message, line, reading)
  }
}

function addMessage(message: ListedMessage, sessions: readonly JsonObject[], reading: Reading): void {
  const { counts, events } = reading
  const { id, time } = message.info
  const created = isJsonObject(time) && typeof time['created'] === 'number' ? time['created'] : counts.last
  const callIds = message.parts.flatMap(({ callID }) => (typeof callID === 'string' ? [callID] : []))
  const about = typeof id === 'string' ? events.aboutMessage(id, callIds) : []
  counts.messages += 1
  counts.last = Math.max(counts.last, created)
  addEvents(translate({ sessions, messages: [message], events: near(about, created) }), reading)
}

/** Ids of events tell a time without its year. */
function near(events: ReturnType<StoredEvents['rest']>, time: number) {
  return events.map(({ event, at = time }) => ({ event, at }))
}

function addEvents({ events, skipped }: ReturnType<typeof translate>, { shelf, counts, missing }: Reading): void {
  for (const event of events) shelf.add({ ...event, timestamp: event.timestamp ?? counts.last })
  for (const what of skipped) missing(`skipped: ${what}`)
}
