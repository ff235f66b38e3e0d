import type { JsonObject } from '../../../core/json.ts'
import type { BatchMethod } from './caller.ts'

/** The outcome of one request: an answer, or `error` in it. */
type Work = () => Promise<JsonObject>

/**
 * `All` gives every result in the order of the requests. `Any` and `Race` give a list of one, where
 * on a server the fastest wins: `Any` the first that succeeds, or the last failure; `Race` the first. One after the other
 * in every case: so a run ends the same way every time, and agents that ask agents hold one thread a level, not a tree.
 */
export async function runBatch(method: BatchMethod, works: readonly Work[]): Promise<JsonObject[]> {
  const results: JsonObject[] = []
  for (const work of works) {
    const result = await work()
    results.push(result)
    if (method === 'Race' || (method === 'Any' && result['error'] === undefined)) return [result]
  }
  return method === 'Any' ? results.slice(-1) : results
}
