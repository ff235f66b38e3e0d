import type { Host } from '../../core/host.ts'
import { isJsonObject } from '../../core/json.ts'

/** A heartbeat comes every 10 s. Source: spec opencode-server 3. */
const SILENCE_MS = 35_000
const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 5_000

interface Listener {
  /** `at`: when it came, in milliseconds since the epoch. */
  event(payload: unknown, at: number): void
  /** Events may have been missed: the state is to be asked for. */
  reconnected(): void
}

/** The events of all folders over one connection, which is made anew whenever it ends. */
export interface EventFeed {
  /** Gives what ends the listening. */
  listen(directory: string, listener: Listener): () => void
  close(): void
}

/** How long the first connection is waited for; without one the state is asked for until one holds. */
const OPEN_MS = 5_000

/** Resolves once events arrive, or when they do not. */
export async function openEventFeed(
  connect: (signal: AbortSignal) => Promise<AsyncIterable<unknown>>,
  host: Pick<Host, 'now' | 'sleep'>,
): Promise<EventFeed> {
  const listeners = new Map<string, Set<Listener>>()
  const closing = new AbortController()
  const all = () => [...listeners.values()].flatMap((group) => [...group])
  const isOpen = new AbortController()
  void follow({ connect, host, closing: closing.signal, opened: () => isOpen.abort(), all, listeners })
  await host.sleep(OPEN_MS, isOpen.signal)
  return {
    listen(directory, listener) {
      const group = listeners.get(directory) ?? new Set<Listener>()
      listeners.set(directory, group.add(listener))
      return () => {
        group.delete(listener)
        if (group.size === 0 && listeners.get(directory) === group) listeners.delete(directory)
      }
    },
    close: () => closing.abort(),
  }
}

interface Following {
  readonly connect: (signal: AbortSignal) => Promise<AsyncIterable<unknown>>
  readonly host: Pick<Host, 'now' | 'sleep'>
  readonly closing: AbortSignal
  readonly opened: () => void
  readonly all: () => readonly Listener[]
  readonly listeners: ReadonlyMap<string, ReadonlySet<Listener>>
}

async function follow(following: Following): Promise<void> {
  const { host, closing, opened, all } = following
  let waitMs = FIRST_WAIT_MS
  let isFirst = true
  while (!closing.aborted) {
    const came = await oneConnection(following, () => {
      if (!isFirst) for (const listener of all()) listener.reconnected()
      isFirst = false
      opened()
    })
    opened()
    waitMs = came ? FIRST_WAIT_MS : Math.min(waitMs * 2, LONGEST_WAIT_MS)
    await host.sleep(waitMs, closing)
  }
}

/** Until it ends, whatever the reason; says whether anything came. */
async function oneConnection({ connect, host, closing, listeners }: Following, onOpen: () => void): Promise<boolean> {
  const ending = new AbortController()
  const end = () => ending.abort()
  closing.addEventListener('abort', end)
  let timer = setTimeout(end, SILENCE_MS)
  let isOpen = false
  try {
    for await (const item of await connect(ending.signal)) {
      clearTimeout(timer)
      timer = setTimeout(end, SILENCE_MS)
      if (!isOpen) onOpen()
      isOpen = true
      pass(item, host.now(), listeners)
    }
  } catch {
    // Cut or refused: the next one is tried, and until then the state is asked for.
  } finally {
    clearTimeout(timer)
    closing.removeEventListener('abort', end)
  }
  return isOpen
}

function pass(item: unknown, at: number, listeners: Following['listeners']): void {
  if (!isJsonObject(item)) return
  const { directory, payload } = item
  // The same once more, for servers that copy one another.
  if (!isJsonObject(payload) || payload['type'] === 'sync' || typeof directory !== 'string') return
  for (const listener of listeners.get(directory) ?? []) listener.event(payload, at)
}
