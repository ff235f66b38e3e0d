/**
 * Runs `work` over `items` with at most `concurrency` at a time and yields results as they end. Workers share one
 * cursor, so neither a promise nor a slot exists for what has not started. Leaving the loop starts nothing more;
 * what is running is the caller's to abort. Workers wait while nobody takes their results.
 */
export async function* pool<I, O>(
  items: Iterable<I>,
  concurrency: number,
  work: (item: I) => Promise<O>,
): AsyncGenerator<O, void, undefined> {
  const cursor = items[Symbol.iterator]()
  const ready: O[] = []
  const wake = signal()
  const taken = signal()
  const state: { stopped: boolean; failure?: { readonly error: unknown } } = { stopped: false }
  // Asked anew each time: the state changes while a worker waits.
  const isStopped = () => state.stopped

  const worker = async (): Promise<void> => {
    while (!isStopped()) {
      const next = cursor.next()
      if (next.done) return
      ready.push(await work(next.value))
      wake.fire()
      while (ready.length > concurrency && !isStopped()) await taken.wait()
    }
  }
  let running = concurrency
  for (let index = 0; index < concurrency; index += 1) {
    worker()
      .catch((error: unknown) => {
        state.failure ??= { error }
        state.stopped = true
      })
      .finally(() => {
        running -= 1
        wake.fire()
      })
  }

  try {
    for (;;) {
      const batch = ready.splice(0)
      taken.fire()
      for (const result of batch) yield result
      if (state.failure) throw state.failure.error
      if (ready.length > 0) continue
      if (running === 0) return
      await wake.wait()
    }
  } finally {
    state.stopped = true
    taken.fire()
  }
}

/** A level-triggered bell: a ring while nobody waits is kept for the next who does. */
function signal(): { fire(): void; wait(): Promise<void> } {
  let rung = false
  let waiting: (() => void)[] = []
  return {
    fire() {
      rung = waiting.length === 0
      for (const resume of waiting.splice(0)) resume()
    },
    wait() {
      if (rung) {
        rung = false
        return Promise.resolve()
      }
      return new Promise((resolve) => {
        waiting = [...waiting, resolve]
      })
    },
  }
}
