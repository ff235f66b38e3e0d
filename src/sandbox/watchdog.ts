export interface Watchdog {
  readonly start: () => void
  readonly stop: () => void
}

/** Calls `expire` when `ms` have passed since the last start. */
export function createWatchdog(ms: number, expire: () => void): Watchdog {
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  return {
    stop,
    start: () => {
      stop()
      // A busy process is late for the thread's messages too: they come first.
      timer = setTimeout(() => setImmediate(() => timer !== undefined && expire()), Math.min(ms, MAX_TIMER_MS))
    },
  }
}

/** Node takes longer times for none at all. */
const MAX_TIMER_MS = 2 ** 31 - 1
