import { isJsonObject, type JsonObject } from '../core/json.ts'
import { byteLines } from '../lib/byte-lines.ts'
import { askOf, readServerEvent, replyOf } from '../targets/index.ts'
import { LONGEST_BYTES } from './layout.ts'
import { openLines, parseObject } from './read-file.ts'

export interface TimedEvent {
  readonly event: JsonObject
  /** Milliseconds since the epoch, where the recording says. */
  readonly at?: number
}

/** What the recorded events of a family of sessions say that its messages do not. */
export interface StoredEvents {
  /** Requests for leave and questions about calls of this message, with the replies; each is given once. */
  aboutMessage(messageId: string, callIds: readonly string[]): readonly TimedEvent[]
  /** What is left: other requests, retries and failures of the provider. */
  rest(): readonly TimedEvent[]
  readonly malformed: number
  /** What could not be read, in words. */
  readonly notes: readonly string[]
}

/** Events in memory, such as those that an exported file holds. */
export function eventsFrom(list: Iterable<TimedEvent>): StoredEvents {
  const kept = collect()
  for (const timed of list) kept.add(timed)
  return kept.stored({ malformed: 0, notes: [] })
}

/** Events that are kept besides requests and replies: few, and told nowhere else. */
const NOTES = new Set(['session.status', 'session.error', 'session.compacted'])

interface Asked {
  readonly events: TimedEvent[]
  readonly messageId?: string
  readonly callId?: string
}

/** Reads a recording of events line by line; `{at, event}` as we write it, or events alone. None where there is no file. */
export async function readEvents(path: string): Promise<StoredEvents> {
  const kept = collect()
  const file = await openLines(path)
  if (file === undefined) return kept.stored({ malformed: 0, notes: [] })
  if ('why' in file) return kept.stored({ malformed: 0, notes: [`the recorded events: ${file.why}`] })
  let malformed = 0
  try {
    for await (const { text, isTooLong } of byteLines(file, { longest: LONGEST_BYTES })) {
      if (text.trim() === '' && !isTooLong) continue
      const timed = isTooLong ? undefined : timedEvent(text)
      if (timed) kept.add(timed)
      else malformed += 1
    }
  } finally {
    await file.close()
  }
  return kept.stored({ malformed, notes: [] })
}

function collect() {
  const asks = new Map<string, Asked>()
  const notes: TimedEvent[] = []
  return {
    add: (timed: TimedEvent) => keep(timed, asks, notes),
    stored: (faults: Pick<StoredEvents, 'malformed' | 'notes'>): StoredEvents => ({
      ...storedEvents(asks, notes),
      ...faults,
    }),
  }
}

function timedEvent(text: string): TimedEvent | undefined {
  const parsed = parseObject(text)
  if ('fault' in parsed) return undefined
  const { event, at } = parsed.value
  if (isJsonObject(event)) return { event, ...(typeof at === 'number' ? { at } : {}) }
  return typeof parsed.value['type'] === 'string' ? { event: parsed.value } : undefined
}

function keep(timed: TimedEvent, asks: Map<string, Asked>, notes: TimedEvent[]): void {
  const event = readServerEvent(timed.event)
  if (!event) return
  const ask = askOf(event)
  if (ask) {
    const { messageId, callId } = ask.kind === 'permission' ? ask : {}
    const about = { ...(messageId === undefined ? {} : { messageId }), ...(callId === undefined ? {} : { callId }) }
    asks.set(ask.id, { events: [timed], ...about })
    return
  }
  const reply = replyOf(event)
  if (reply) asks.get(reply.id)?.events.push(timed)
  else if (NOTES.has(event.type)) notes.push(timed)
}

function storedEvents(
  asks: ReadonlyMap<string, Asked>,
  notes: readonly TimedEvent[],
): Pick<StoredEvents, 'aboutMessage' | 'rest'> {
  const left = new Set(asks.keys())
  const byMessage = grouped(asks, ({ messageId }) => messageId)
  const byCall = grouped(asks, ({ messageId, callId }) => (messageId === undefined ? callId : undefined))
  const take = (found: readonly Entry[]) => found.flatMap(([id, { events }]) => (left.delete(id) ? events : []))
  return {
    aboutMessage(messageId, callIds) {
      const own = byMessage.get(messageId) ?? []
      const called = callIds.flatMap((callId) => byCall.get(callId) ?? [])
      return take([...own, ...called])
    },
    rest: () => [...take([...asks].filter(([id]) => left.has(id))), ...notes],
  }
}

type Entry = readonly [id: string, asked: Asked]

function grouped(asks: ReadonlyMap<string, Asked>, keyOf: (asked: Asked) => string | undefined): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>()
  for (const entry of asks) {
    const key = keyOf(entry[1])
    if (key === undefined) continue
    const group = groups.get(key) ?? []
    if (group.length === 0) groups.set(key, group)
    group.push(entry)
  }
  return groups
}
