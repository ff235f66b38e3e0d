import type { TargetError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { abortError } from './collect-events.ts'

/** Attempts at one thing; more than one only after retryable errors. */
const MAX_ATTEMPTS = 4
const FIRST_WAIT_MS = 1_000

/** Until when, and by whose clock. */
export interface Patience {
  readonly host: Host
  readonly signal: AbortSignal
  /** Milliseconds since the epoch. */
  readonly deadline: number
}

interface Attempt {
  readonly error?: TargetError | undefined
}

/**
 * Retries live here and nowhere else; an attempt that cannot start before the limit is not waited for. `lose` is told
 * of each that is followed by another.
 */
export async function attemptAll<T extends Attempt>(
  attempt: () => Promise<T>,
  { host, signal, deadline }: Patience,
  lose?: (lost: T) => void,
): Promise<{ readonly last: T; readonly error?: TargetError; readonly attempts: number }> {
  for (let attempts = 1; ; attempts += 1) {
    const last = await attempt()
    const { error } = last
    if (!error) return { last, attempts }
    const waitMs = error.retryAfterMs ?? FIRST_WAIT_MS * 2 ** (attempts - 1)
    const isHopeless = !error.retryable || attempts >= MAX_ATTEMPTS || host.now() + waitMs >= deadline
    if (isHopeless || isAborted(signal)) return { last, error, attempts }
    await host.sleep(waitMs, signal)
    if (isAborted(signal)) return { last, error: abortError(signal), attempts }
    lose?.(last)
  }
}

/** Ends with the signal, whatever the other side does. */
export async function stoppable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(abortError(signal))
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
  try {
    return await Promise.race([work, stopped])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Not narrowed by the compiler: a signal changes while one waits. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted
}
