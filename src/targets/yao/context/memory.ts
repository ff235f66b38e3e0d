import { type Json, jsonEquals } from '../../../core/json.ts'
import { ScriptCallError } from '../../../sandbox/sandbox.ts'

/** `ctx.memory` of one run: gone with it, so that no run sees what another one left. Source: spec yao 11.6. */
export interface Memory {
  /** One method of one namespace; throws a ScriptCallError for what is none, or for arguments of the wrong kind. */
  call(space: string, method: string, args: readonly Json[]): Json
  /** The same memory with a `context` namespace of its own: that one belongs to a single request. */
  forRequest(): Memory
}

type Entries = Map<string, Entry>

interface Entry {
  readonly text: string
  /** Milliseconds since the epoch; absent: it stays. */
  readonly until?: number
}

/** A hook that stores without end must not fill the memory of all the other runs. */
const MAX_STORED_LENGTH = 32 * 1024 ** 2

const SPACES = ['user', 'team', 'chat', 'context']

/** `now` gives milliseconds since the epoch, for values with a time to live. */
export function createMemory(now: () => number): Memory {
  return memoryOf({ user: new Map(), team: new Map(), chat: new Map(), size: { length: 0 } }, now)
}

interface Shared {
  readonly user: Entries
  readonly team: Entries
  readonly chat: Entries
  readonly size: { length: number }
}

function memoryOf(shared: Shared, now: () => number): Memory {
  const spaces = new Map<string, Entries>([
    ['user', shared.user],
    ['team', shared.team],
    ['chat', shared.chat],
    ['context', new Map()],
  ])
  return {
    forRequest: () => memoryOf(shared, now),
    call(space, method, args) {
      const entries = spaces.get(space)
      if (!entries) throw new ScriptCallError(`ctx.memory has no ${space} (it has ${SPACES.join(', ')})`)
      const operation = Object.hasOwn(OPERATIONS, method) ? OPERATIONS[method] : undefined
      if (!operation) throw new ScriptCallError(`ctx.memory.${space}.${method} is not a function`)
      const at = now()
      const store = storeOf(entries, shared.size, at)
      for (const [key, { until }] of entries) if (until !== undefined && until <= at) store.remove(key)
      return operation(store, args)
    },
  }
}

interface Store {
  readonly keys: () => string[]
  readonly get: (key: string) => Json
  readonly has: (key: string) => boolean
  /** Keeps the time to live of what is there, unless another one is given. */
  readonly set: (key: string, value: Json, ttlMs?: number) => void
  readonly remove: (key: string) => void
}

function storeOf(entries: Entries, size: { length: number }, at: number): Store {
  const lengthOf = (key: string) => (entries.has(key) ? key.length + (entries.get(key)?.text.length ?? 0) : 0)
  return {
    keys: () => [...entries.keys()],
    has: (key) => entries.has(key),
    get: (key) => JSON.parse(entries.get(key)?.text ?? 'null') as Json,
    set(key, value, ttlMs) {
      const text = JSON.stringify(value)
      const length = size.length - lengthOf(key) + key.length + text.length
      if (length > MAX_STORED_LENGTH) throw new ScriptCallError('ctx.memory is full')
      size.length = length
      const until = ttlMs === undefined ? entries.get(key)?.until : at + ttlMs
      entries.set(key, { text, ...(until === undefined ? {} : { until }) })
    },
    remove(key) {
      size.length -= lengthOf(key)
      entries.delete(key)
    },
  }
}

type Operation = (store: Store, args: readonly Json[]) => Json

/** Methods of a namespace. Source: spec yao 11.5; lists grow at their end, and Pop and Pull take from there. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  Get: (store, [key]) => store.get(keyOf(key)),
  Has: (store, [key]) => store.has(keyOf(key)),
  Keys: (store) => store.keys(),
  Len: (store) => store.keys().length,
  Set(store, [key, value = null, ttl = null]) {
    store.remove(keyOf(key))
    store.set(keyOf(key), value, typeof ttl === 'number' && ttl > 0 ? ttl * 1_000 : undefined)
    return null
  },
  Del(store, [key]) {
    const wanted = keyOf(key)
    // `prefix:*` stands for every key that starts so.
    const doomed = wanted.endsWith('*') ? store.keys().filter((one) => one.startsWith(wanted.slice(0, -1))) : [wanted]
    for (const one of doomed) store.remove(one)
    return null
  },
  GetDel(store, [key]) {
    const value = store.get(keyOf(key))
    store.remove(keyOf(key))
    return value
  },
  Clear(store) {
    for (const key of store.keys()) store.remove(key)
    return null
  },
  Incr: (store, [key, delta]) => count(store, key, numberOf(delta, 1)),
  Decr: (store, [key, delta]) => count(store, key, -numberOf(delta, 1)),
  Push: (store, [key, values]) => replaceList(store, key, [...listOf(store, key), ...several(values)]).length,
  AddToSet(store, [key, values]) {
    const known = [...listOf(store, key)]
    for (const value of several(values)) if (!known.some((one) => jsonEquals(one, value))) known.push(value)
    return replaceList(store, key, known).length
  },
  Pop(store, [key]) {
    const list = listOf(store, key)
    if (list.length > 0) replaceList(store, key, list.slice(0, -1))
    return list.at(-1) ?? null
  },
  Pull(store, [key, amount]) {
    const list = listOf(store, key)
    const taken = Math.min(list.length, Math.max(0, Math.trunc(numberOf(amount, 1))))
    if (taken > 0) replaceList(store, key, list.slice(0, list.length - taken))
    return list.slice(list.length - taken)
  },
  PullAll(store, [key]) {
    const list = listOf(store, key)
    store.remove(keyOf(key))
    return list
  },
  ArrayLen: (store, [key]) => listOf(store, key).length,
  ArrayAll: (store, [key]) => listOf(store, key),
  ArrayGet: (store, [key, index]) => listOf(store, key).at(numberOf(index, 0)) ?? null,
  ArraySet(store, [key, index, value = null]) {
    const list = listOf(store, key)
    const place = numberOf(index, 0) < 0 ? list.length + numberOf(index, 0) : numberOf(index, 0)
    if (!Number.isInteger(place) || place < 0 || place >= list.length) {
      throw new ScriptCallError(`ctx.memory: no element ${numberOf(index, 0)} in a list of ${list.length}`)
    }
    replaceList(store, key, list.with(place, value))
    return null
  },
  /** From `start` to before `end`; an end that counts from the end belongs to it: -10 to -1 are the last ten. */
  ArraySlice(store, [key, start, end]) {
    const list = listOf(store, key)
    const last = numberOf(end, list.length)
    return list.slice(numberOf(start, 0), last < 0 ? list.length + last + 1 : last)
  },
  ArrayPage(store, [key, page, size]) {
    const length = Math.max(1, numberOf(size, 20))
    const from = (Math.max(1, numberOf(page, 1)) - 1) * length
    return listOf(store, key).slice(from, from + length)
  },
}

/** Names of the methods, for the object inside. */
export const MEMORY_METHODS = Object.keys(OPERATIONS)

function keyOf(key: Json | undefined): string {
  if (typeof key === 'string' && key !== '') return key
  throw new ScriptCallError('ctx.memory: expected a key, a text that is not empty')
}

function numberOf(value: Json | undefined, otherwise: number): number {
  if (value === undefined || value === null) return otherwise
  if (typeof value === 'number') return value
  throw new ScriptCallError(`ctx.memory: expected a number, got ${JSON.stringify(value).slice(0, 60)}`)
}

function count(store: Store, key: Json | undefined, delta: number): number {
  const value = numberOf(store.get(keyOf(key)), 0) + delta
  store.set(keyOf(key), value)
  return value
}

function listOf(store: Store, key: Json | undefined): readonly Json[] {
  const value = store.get(keyOf(key))
  if (value === null) return []
  if (Array.isArray(value)) return value as readonly Json[]
  throw new ScriptCallError(`ctx.memory: ${JSON.stringify(keyOf(key)).slice(0, 60)} holds no list`)
}

function replaceList(store: Store, key: Json | undefined, list: readonly Json[]): readonly Json[] {
  store.set(keyOf(key), list)
  return list
}

/** A single value stands for a list of one. */
function several(values: Json | undefined): readonly Json[] {
  if (values === undefined) return []
  return Array.isArray(values) ? (values as readonly Json[]) : [values]
}
