import { TargetError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { TraceEvent } from '../core/trace.ts'
import type { RunRequest, Target } from '../targets/target.ts'
import type { Watch } from './watch.ts'

/** How long an aborted target may take to hand over what it has and to clean up behind itself. */
const GRACE_MS = 4_000

interface Collected {
  readonly events: TraceEvent[]
  readonly error?: TargetError
}

/**
 * One attempt: the target's events until it ends, throws or is aborted. A target that ignores its signal is left
 * behind after a grace time; what it yielded so far stays in the trace.
 */
export async function collectEvents(target: Target, asked: RunRequest, host: Host, watch?: Watch): Promise<Collected> {
  const events: TraceEvent[] = []
  const signal = watch ? AbortSignal.any([asked.signal, watch.signal]) : asked.signal
  const request = watch ? { ...asked, signal } : asked
  const failure = () => (asked.signal.aborted ? { error: abortError(asked.signal) } : {})
  const expiry = graceAfter(signal)
  const iterator = target.execute(request)[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), expiry.promise])
      if (next === 'expired' || next.done) break
      const event = { timestamp: host.now(), ...next.value }
      events.push(event)
      watch?.event(event)
    }
  } catch (error) {
    // A run that its watch has ended is no failure of the target: what is there is judged.
    return signal.aborted ? { events, ...failure() } : { events, error: targetError(error) }
  } finally {
    expiry.cancel()
    // Not awaited: a target that hangs would hang its clean-up too. Its own failure has nobody left to hear it.
    void iterator.return?.().then(undefined, () => undefined)
  }
  return { events, ...failure() }
}

/** What stopped the run: its time limit, or an interruption from outside. */
export function abortError(signal: AbortSignal): TargetError {
  return signal.reason instanceof TargetError ? signal.reason : new TargetError('interrupted', { code: 'ABORTED' })
}

/** Anything but a TargetError is a bug of ours, and must not be counted as the agent's. */
function targetError(error: unknown): TargetError {
  if (error instanceof TargetError) return error
  throw error
}

function graceAfter(signal: AbortSignal): { promise: Promise<'expired'>; cancel(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let start: () => void = () => undefined
  const promise = new Promise<'expired'>((resolve) => {
    start = () => {
      timer = setTimeout(() => resolve('expired'), GRACE_MS)
    }
    if (signal.aborted) start()
    else signal.addEventListener('abort', start, { once: true })
  })
  return {
    promise,
    cancel() {
      clearTimeout(timer)
      signal.removeEventListener('abort', start)
    },
  }
}
