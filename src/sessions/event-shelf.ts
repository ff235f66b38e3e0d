import type { Json } from '../core/json.ts'
import type { TraceEvent } from '../core/trace.ts'
import { openTextFile, type TextFile } from '../lib/text-file.ts'

/** Collects the events of a session in order of time; of equal times the one that was added first comes first. */
export interface EventShelf {
  add(event: TraceEvent): void
  events(): TraceEvent[]
  /** Packed events cannot be read any more. */
  close(): void
}

/**
 * `isLarge`: the session has more to say than can be held. Then its events are packed: what they say lies in a temporary
 * file and is read whenever somebody looks; and the figures of an agent come as one sum. A packed event reads, and can be
 * copied, like any other.
 */
export function createEventShelf({ isLarge }: { readonly isLarge: boolean }): EventShelf {
  const events: TraceEvent[] = []
  const packing = isLarge ? createPacking() : undefined
  const sums = new Map<string, Usage>()
  return {
    add(event) {
      if (packing && event.type === 'usage') addUp(event, sums)
      else events.push(packing ? packing.pack(event) : event)
    },
    events() {
      events.push(...sums.values())
      sums.clear()
      return events.sort((left, right) => left.timestamp - right.timestamp)
    },
    close: () => packing?.close(),
  }
}

type Usage = Extract<TraceEvent, { type: 'usage' }>

function addUp(event: Usage, sums: Map<string, Usage>): void {
  const key = JSON.stringify([event.session?.id, event.agent, event.model])
  const known = sums.get(key)
  if (!known) return void sums.set(key, event)
  const costs = [known.costUsd, event.costUsd].filter((cost) => cost !== undefined)
  sums.set(key, {
    ...event,
    inputTokens: known.inputTokens + event.inputTokens,
    outputTokens: known.outputTokens + event.outputTokens,
    ...(costs.length === 0 ? {} : { costUsd: costs.reduce((sum, cost) => sum + cost, 0) }),
  })
}

/** Members that everybody looks at, and that are the same few texts or numbers everywhere. */
const HELD = new Set(['type', 'timestamp', 'tool', 'status', 'exitCode', 'durationMs', 'agent', 'model', 'session'])
/** Longer members are read only when they themselves are looked at. */
const LONGEST_TOGETHER = 1_024
/** Whoever goes from event to event looks at each a few times. */
const MOST_PARSED = 32

type Members = Readonly<Record<string, Json>>

/** Where the members of an event lie: those that are read together, and then each long one by its name. */
interface Stored {
  readonly members: Members
  readonly long?: Readonly<Record<string, readonly [at: number, size: number]>>
}

const AT = Symbol('at')
const SIZE = Symbol('size')

interface Packed {
  readonly [AT]: number
  readonly [SIZE]: number
}

function createPacking() {
  const texts = openTextFile()
  const shared = new Map<string, Json>()
  const parsed: ({ readonly at: number; readonly stored: Stored } | undefined)[] = []
  const read = ({ [AT]: at, [SIZE]: size }: Packed): Stored => {
    const slot = at % MOST_PARSED
    const known = parsed[slot]
    if (known?.at === at) return known.stored
    const stored = JSON.parse(texts.read({ at, size })) as Stored
    parsed[slot] = { at, stored }
    return stored
  }
  // One getter for a member of all events: with one of its own, each event would have a shape of its own.
  const getters = new Map<string, PropertyDescriptor>()
  const getterOf = (name: string): PropertyDescriptor => {
    const known = getters.get(name)
    if (known) return known
    const made: PropertyDescriptor & ThisType<Packed> = {
      enumerable: true,
      configurable: true,
      get() {
        const { members, long } = read(this)
        const place = long?.[name]
        return place ? (JSON.parse(texts.read({ at: place[0], size: place[1] })) as Json) : members[name]
      },
    }
    getters.set(name, made)
    return made
  }
  return {
    pack(event: TraceEvent): TraceEvent {
      const packed: Record<string, Json> = {}
      const rest: [string, Json][] = []
      for (const [name, value] of Object.entries(event) as [string, Json | undefined][]) {
        if (value === undefined) continue
        if (HELD.has(name)) packed[name] = one(value, shared)
        else rest.push([name, value])
      }
      const { at, size } = texts.add(JSON.stringify(storedOf(rest, texts)))
      Object.defineProperty(packed, AT, { value: at })
      Object.defineProperty(packed, SIZE, { value: size })
      for (const [name] of rest) Object.defineProperty(packed, name, getterOf(name))
      return packed as unknown as TraceEvent
    },
    close: () => texts.close(),
  }
}

function storedOf(rest: readonly (readonly [string, Json])[], texts: TextFile): Stored {
  const members: [string, Json][] = []
  const long: [string, readonly [number, number]][] = []
  for (const [name, value] of rest) {
    const text = JSON.stringify(value)
    if (text.length <= LONGEST_TOGETHER) members.push([name, value])
    else {
      const { at, size } = texts.add(text)
      long.push([name, [at, size]])
    }
  }
  return { members: Object.fromEntries(members), ...(long.length === 0 ? {} : { long: Object.fromEntries(long) }) }
}

/** Most distinct values that are remembered: names may be made up without end. */
const MOST_SHARED = 10_000

/** Parsed anew each time, equal texts would be copies. */
function one(value: Json, shared: Map<string, Json>): Json {
  if (typeof value === 'number') return value
  const key = JSON.stringify(value)
  const known = shared.get(key)
  if (known !== undefined) return known
  if (shared.size < MOST_SHARED) shared.set(key, value)
  return value
}
