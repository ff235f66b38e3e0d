import type { RunResult } from '../core/result.ts'
import { openSpool, type Position } from '../lib/spool.ts'

/** What a report says of each run, in a temporary file until the report is written. */
export interface RunSpool {
  /** A promise when the buffer is full, as an appender's. */
  add(run: Pick<RunResult, 'key' | 'run'>, text: string): Promise<void> | undefined
  /** In the order of the runs' numbers. */
  textsOf(key: string): Promise<string[]>
  close(): Promise<void>
}

interface Place {
  readonly run: number
  readonly at: Position
}

export async function openRunSpool(): Promise<RunSpool> {
  const spool = await openSpool()
  const places = new Map<string, Place[]>()
  return {
    add({ key, run }, text) {
      const { at, full } = spool.append(text)
      const known = places.get(key)
      if (known) known.push({ run, at })
      else places.set(key, [{ run, at }])
      return full
    },
    async textsOf(key) {
      const found = places.get(key) ?? []
      if (found.length > 1) found.sort((left, right) => left.run - right.run)
      const texts: string[] = []
      for (const { at } of found) texts.push(await spool.read(at))
      return texts
    },
    close: () => spool.close(),
  }
}
