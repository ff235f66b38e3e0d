import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { pool } from '../../src/lib/pool.ts'

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of source) items.push(item)
  return items
}

describe('pool', () => {
  test.each([1, 3, 8, 100])('does every item once with %i workers, never more at a time', async (concurrency) => {
    const items = Array.from({ length: 50 }, (_, index) => index)
    let running = 0
    let most = 0
    const results = await collect(
      pool(items, concurrency, async (item) => {
        running += 1
        most = Math.max(most, running)
        await delay(item % 3)
        running -= 1
        return item
      }),
    )
    expect(results.toSorted((left, right) => left - right)).toEqual(items)
    expect(most).toBe(Math.min(concurrency, items.length))
  })

  test('yields results as they end, not as they started', async () => {
    const results = await collect(pool([40, 5], 2, async (ms) => delay(ms, ms)))
    expect(results).toEqual([5, 40])
  })

  test('is empty for no items', async () => {
    expect(await collect(pool([], 4, (item) => Promise.resolve(item)))).toEqual([])
  })

  test('starts nothing more once the loop is left', async () => {
    const started: number[] = []
    const work = async (item: number) => {
      started.push(item)
      await delay(1)
      return item
    }
    for await (const _ of pool([1, 2, 3, 4, 5, 6, 7, 8], 2, work)) break
    const atBreak = started.length
    await delay(20)
    expect(started.length).toBe(atBreak)
    expect(atBreak).toBeLessThan(8)
  })

  test('does not run ahead of a consumer that is slow', async () => {
    let started = 0
    const work = (item: number) => {
      started += 1
      return Promise.resolve(item)
    }
    let taken = 0
    let mostAhead = 0
    for await (const _ of pool(Array.from({ length: 200 }).keys(), 2, work)) {
      taken += 1
      mostAhead = Math.max(mostAhead, started - taken)
      await delay(0)
    }
    expect(taken).toBe(200)
    expect(mostAhead).toBeLessThanOrEqual(8)
  })

  test('throws what the work throws, and starts nothing after it', async () => {
    let started = 0
    const failing = pool(Array.from({ length: 100 }).keys(), 2, async (item) => {
      started += 1
      await delay(1)
      if (item === 3) throw new Error('broken work')
      return item
    })
    await expect(collect(failing)).rejects.toThrow('broken work')
    await delay(20)
    expect(started).toBeLessThan(20)
  })
})
