import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { eventsOf, type SeedEvent, type Trace, type TraceEvent, toSeed } from '../core/trace.ts'
import { cut } from '../lib/escape.ts'

/** What a picture of a run is drawn from: its sessions as a tree, and their events in order. */
export interface TimelineFields {
  readonly sessions: readonly SessionFields[]
  readonly events: readonly SeedEvent[]
  /** What was left out, where something was. */
  readonly cut?: {
    /** From the middle. */
    readonly events?: number
    /** Long texts, of which the beginning is there. */
    readonly texts?: number
  }
}

interface SessionFields {
  readonly id: string
  readonly parent_id?: string
  /** 0 for the session that was prompted. */
  readonly depth: number
  readonly agents: readonly string[]
  /** Milliseconds since the epoch. */
  readonly started_at: number
  readonly ended_at: number
  readonly events: number
  readonly tool_calls: number
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly cost_usd?: number
  readonly children: readonly SessionFields[]
}

/** Of a run, in characters of JSON: the whole trace stands beside it, this is for looking at. */
const ROOM = 512 * 1024
const LONGEST_TEXT = 2_000
/** Of a list, or of an object's members. */
const MOST_ITEMS = 100
/** Of a member of an event, in characters of JSON; longer ones are given as text. */
const LONGEST_MEMBER = 8_000
/** Of sessions that called for each other. */
const MOST_LEVELS = 50

/** Undefined for a run without sessions, whose trace says it all. */
export function timelineFields(trace: Trace): TimelineFields | undefined {
  const sessions = sessionsOf(trace.events)
  if (sessions.length === 0) return undefined
  const counting = { texts: 0 }
  const events = toSeed(trace).map((event) => ({ ...event, data: shortenedData(event.data, counting) }))
  const kept = withinRoom(events)
  const lost = events.length - kept.length
  const { texts } = counting
  const left = { ...(lost > 0 ? { events: lost } : {}), ...(texts > 0 ? { texts } : {}) }
  return { sessions, events: kept, ...(lost + texts === 0 ? {} : { cut: left }) }
}

/** Beginning and end, for the end says how it went. */
function withinRoom(events: readonly SeedEvent[]): readonly SeedEvent[] {
  const sizes = events.map((event) => JSON.stringify(event).length)
  if (sizes.reduce((sum, size) => sum + size, 0) <= ROOM) return events
  let [room, first, last] = [ROOM, 0, events.length]
  while (first < last) {
    const isFromEnd = (first + events.length - last) % 2 === 1
    room -= sizes[isFromEnd ? last - 1 : first] ?? 0
    if (room < 0) break
    if (isFromEnd) last -= 1
    else first += 1
  }
  return [...events.slice(0, first), ...events.slice(last)]
}

function shortenedData(data: JsonObject, counting: { texts: number }): JsonObject {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const shorter = shortened(value, counting)
      const text = JSON.stringify(shorter)
      if (text.length <= LONGEST_MEMBER) return [name, shorter]
      counting.texts += 1
      return [name, cut(text, LONGEST_TEXT)]
    }),
  )
}

function shortened(value: Json, counting: { texts: number }): Json {
  if (typeof value === 'string') {
    if (value.length > LONGEST_TEXT) counting.texts += 1
    return cut(value, LONGEST_TEXT)
  }
  if (Array.isArray(value)) {
    if (value.length > MOST_ITEMS) counting.texts += 1
    return value.slice(0, MOST_ITEMS).map((item: Json) => shortened(item, counting))
  }
  if (!isJsonObject(value)) return value
  const members = Object.entries(value)
  if (members.length > MOST_ITEMS) counting.texts += 1
  return Object.fromEntries(members.slice(0, MOST_ITEMS).map(([name, item]) => [name, shortened(item, counting)]))
}

function sessionsOf(events: readonly TraceEvent[]): SessionFields[] {
  const bySession = new Map<string, TraceEvent[]>()
  for (const event of events) {
    if (!event.session) continue
    const own = bySession.get(event.session.id) ?? []
    if (own.length === 0) bySession.set(event.session.id, own)
    own.push(event)
  }
  const known = [...bySession].flatMap(([id, own]) => (own[0]?.session ? [{ ...own[0].session, id, own }] : []))
  const ids = new Set(known.map(({ id }) => id))
  const byParent = new Map<string, typeof known>()
  for (const one of known) {
    const children = byParent.get(one.parentId ?? '') ?? []
    if (children.length === 0) byParent.set(one.parentId ?? '', children)
    children.push(one)
  }
  const placed = new Set<string>()
  const build = (list: typeof known, level = 0): SessionFields[] =>
    list.flatMap(({ id, own }) => {
      if (placed.has(id)) return []
      placed.add(id)
      const children = level < MOST_LEVELS ? build(byParent.get(id) ?? [], level + 1) : []
      return [{ ...sessionFields(id, own), children }]
    })
  const roots = known.filter(({ parentId }) => parentId === undefined || !ids.has(parentId))
  // Parents that lead in a circle, or too far: each of these sessions stands for itself.
  return [...build(roots), ...build(known)]
}

function sessionFields(id: string, events: readonly TraceEvent[]): Omit<SessionFields, 'children'> {
  const times = events.map(({ timestamp, durationMs = 0 }) => [timestamp, timestamp + durationMs] as const)
  const usage = eventsOf({ events }, 'usage')
  const costs = usage.flatMap(({ costUsd }) => (costUsd === undefined ? [] : [costUsd]))
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const { parentId, depth = 0 } = events[0]?.session ?? {}
  return {
    id,
    ...(parentId === undefined ? {} : { parent_id: parentId }),
    depth,
    agents: [...new Set(events.flatMap(({ agent }) => (agent === undefined ? [] : [agent])))],
    started_at: times.reduce((least, [start]) => Math.min(least, start), Number.POSITIVE_INFINITY),
    ended_at: times.reduce((most, [, end]) => Math.max(most, end), 0),
    events: events.length,
    tool_calls: eventsOf({ events }, 'tool_call').length,
    ...(usage.length === 0
      ? {}
      : {
          input_tokens: sum(usage.map(({ inputTokens }) => inputTokens)),
          output_tokens: sum(usage.map(({ outputTokens }) => outputTokens)),
        }),
    ...(costs.length === 0 ? {} : { cost_usd: sum(costs) }),
  }
}
