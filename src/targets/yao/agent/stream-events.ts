import type { EmittedEvent } from '../../../core/trace.ts'

/**
 * The events of a piece of work as they come, and then its end: what it throws comes after all that it emitted. Whoever
 * stops listening stops the work by its own signal.
 */
export async function* streamEvents(
  work: (emit: (event: EmittedEvent) => void) => Promise<void>,
): AsyncGenerator<EmittedEvent, void, undefined> {
  const events: EmittedEvent[] = []
  let wake: (() => void) | undefined
  const ring = () => {
    wake?.()
    wake = undefined
  }
  let end: { readonly error?: unknown } | undefined
  const ended = work((event) => {
    events.push(event)
    ring()
  }).then(
    () => {
      end = {}
      ring()
    },
    (error: unknown) => {
      end = { error }
      ring()
    },
  )
  for (;;) {
    const event = events.shift()
    if (event) yield event
    else if (end) break
    else {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  await ended
  if ('error' in end) throw end.error
}
