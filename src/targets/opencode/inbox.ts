import type { Host } from '../../core/host.ts'
import type { EventFeed } from './event-feed.ts'

export interface Arrived {
  readonly payload: unknown
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** What the server told of one folder since it was last asked. */
export interface Inbox {
  /** Waits for an event, for `ms`, or for the signal, and gives what came. */
  next(ms: number): Promise<readonly Arrived[]>
  /** Whether events may have been missed since this was last asked. */
  hasMissed(): boolean
  close(): void
}

export function openInbox(
  { feed, directory, signal }: { feed: EventFeed; directory: string; signal: AbortSignal },
  host: Pick<Host, 'sleep'>,
): Inbox {
  let arrived: Arrived[] = []
  let missed = false
  let wake: () => void = () => undefined
  const end = feed.listen(directory, {
    event(payload, at) {
      arrived.push({ payload, at })
      wake()
    },
    // The state is asked for at once.
    reconnected() {
      missed = true
      wake()
    },
  })
  return {
    async next(ms) {
      if (arrived.length === 0 && !missed && !signal.aborted) {
        const woken = new AbortController()
        wake = () => woken.abort()
        await host.sleep(ms, AbortSignal.any([woken.signal, signal]))
        wake = () => undefined
      }
      const taken = arrived
      arrived = []
      return taken
    },
    hasMissed() {
      const was = missed
      missed = false
      return was
    },
    close: end,
  }
}
