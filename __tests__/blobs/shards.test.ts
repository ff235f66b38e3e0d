import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutPlan, manifestOf, mergeBlobs, partition, weightsOf } from '../../src/blobs/index.ts'
import type { RunBlob } from '../../src/core/run-blob.ts'
import { aBlob, reread, storedCase } from './results.ts'

const weights = fc.array(fc.nat(60_000), { maxLength: 60 })
const counts = fc.integer({ min: 1, max: 12 })

/** Sums by shard. */
function loads(of: readonly number[], shards: readonly number[], count: number): number[] {
  return Array.from({ length: count }, (_, index) =>
    of.reduce((sum, weight, place) => sum + (shards[place] === index + 1 ? weight : 0), 0),
  )
}

describe('a partition', () => {
  test('puts every case into exactly one shard that there is', () => {
    fc.assert(
      fc.property(weights, counts, (of, count) => {
        const shards = partition(of, count)
        expect(shards).toHaveLength(of.length)
        expect(shards.every((shard) => Number.isInteger(shard) && shard >= 1 && shard <= count)).toBe(true)
      }),
    )
  })

  test('is balanced within the largest case', () => {
    fc.assert(
      fc.property(weights, counts, (of, count) => {
        const sums = loads(of, partition(of, count), count)
        expect(Math.max(...sums) - Math.min(...sums)).toBeLessThanOrEqual(Math.max(0, ...of))
      }),
    )
  })

  test('spreads cases of one weight evenly, also such as weigh nothing', () => {
    fc.assert(
      fc.property(fc.nat(5), fc.nat(40), counts, (weight, length, count) => {
        const of = Array.from({ length }, () => weight)
        const sizes = loads(
          of.map(() => 1),
          partition(of, count),
          count,
        )
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('is what it was at a tie', () => {
    expect(partition([5, 5, 5, 1, 1, 9], 2)).toEqual([2, 2, 1, 2, 2, 1])
    expect(partition([3, 3, 3, 3], 3)).toEqual([1, 2, 3, 1])
  })

  test('of a case that takes longer than all others together leaves it alone', () => {
    expect(partition([1, 1, 1, 100], 2)).toEqual([2, 2, 2, 1])
  })
})

describe('weights', () => {
  const item = (key: string, skip?: string) => ({ item: { key, ...(skip === undefined ? {} : { skip }) } })
  test.each([
    ['recorded durations', [item('a'), item('b')], { a: 100, b: 300 }, [100, 300]],
    [
      'an unknown case as the median',
      [item('a'), item('b'), item('c'), item('d')],
      { a: 1, b: 50, c: 900 },
      [1, 50, 900, 50],
    ],
    ['all alike where nothing is known', [item('a'), item('b')], {}, [1, 1]],
    ['nothing for a case that is not run', [item('a', 'no'), item('b')], { a: 100, b: 3 }, [0, 3]],
    ['nothing for a case that is spared', [{ ...item('a'), unchanged: 'no' }, item('b')], { a: 100, b: 3 }, [0, 3]],
    ['whole numbers, and never nothing', [item('a'), item('b')], { a: 0.2, b: 2.5 }, [1, 3]],
    ['durations that are none as unknown', [item('a'), item('b')], { a: Number.NaN, b: -4 }, [1, 1]],
    ['a day at most', [item('a')], { a: 1e300 }, [86_400_000]],
  ] as const)('%s', (_situation, cases, durations, expected) => {
    expect(weightsOf(cases, new Map(Object.entries(durations)))).toEqual(expected)
  })
})

function plan(ids: readonly string[], overrides: object = {}) {
  const cases = ids.map((id) => ({
    item: { key: `s/${id}`, fingerprint: `fingerprint of ${id}` },
    target: { label: 'yao:bot' },
  }))
  return { cases, runsPerCase: 3, flags: {}, ...overrides }
}

describe('a manifest', () => {
  const whole = plan(['a', 'b', 'c'])
  const [first, ...rest] = whole.cases
  test.each([
    ['another case', plan(['a', 'b', 'd'])],
    ['a case less', plan(['a', 'b'])],
    ['another order', plan(['b', 'a', 'c'])],
    ['another number of runs', plan(['a', 'b', 'c'], { runsPerCase: 5 })],
    ['another connector', plan(['a', 'b', 'c'], { connector: 'gpt' })],
    ['another user', plan(['a', 'b', 'c'], { flags: { user: 'bob' } })],
    ['another definition', { ...whole, cases: [{ ...first, item: { key: 's/a', fingerprint: 'x' } }, ...rest] }],
    ['other judges', { ...whole, cases: [{ ...first, fingerprint: 'x' }, ...rest] }],
    ['another target', { ...whole, cases: [{ ...first, target: { label: 'yao:other' } }, ...rest] }],
    ['another model', { ...whole, cases: [{ ...first, requestedModel: 'gpt' }, ...rest] }],
  ])('differs for %s', (_situation, other) => {
    expect(manifestOf(other as typeof whole)).not.toBe(manifestOf(whole))
  })

  test('is the same for the same plan, and knows no gate and no number of re-runs', () => {
    const again = plan(['a', 'b', 'c'], { maxRuns: 30, parallel: 4, timeoutMs: 5 })
    expect(manifestOf(again)).toBe(manifestOf(whole))
    expect(manifestOf(whole)).toMatch(/^[0-9a-f]{64}$/)
  })

  test('of a shard is that of the whole', () => {
    const cut = cutPlan(whole, { index: 2, count: 2 }, [1, 2, 1])
    expect(cut.cases.map(({ item }) => item.key)).toEqual(['s/b'])
    expect(cut.cut).toEqual({
      shard: { index: 2, count: 2, places: [1], of: 3 },
      manifest: manifestOf(whole),
    })
    expect(manifestOf(cut)).toBe(manifestOf(whole))
  })
})

const letters = fc.stringMatching(/^[pfe]{1,5}$/)

test('shards that are merged are what one job would have gathered', () => {
  fc.assert(
    fc.property(
      fc.array(letters, { maxLength: 20 }),
      fc.integer({ min: 1, max: 6 }),
      fc.infiniteStream(fc.nat(1000)),
      (runs, count, durations) => {
        const cases = runs.map((run, index) => storedCase(`case-${index}`, run))
        const whole = aBlob({ cases, approvals: Object.fromEntries(cases.map(({ key }) => [key, ['bash']])) })
        const shards = partition(
          cases.map(() => durations.next().value as number),
          count,
        )
        const blobs = Array.from({ length: count }, (_, at) => partOf(whole, shards, { index: at + 1, count }))
        const merged = mergeBlobs(blobs.map((blob) => ({ blob: reread(blob), source: 'x' })).toReversed())
        expect(merged).toEqual(reread(whole))
      },
    ),
  )
})

function partOf(
  whole: RunBlob,
  shards: readonly number[],
  { index, count }: { index: number; count: number },
): RunBlob {
  const places = [...whole.cases.keys()].filter((place) => shards[place] === index)
  const cases = whole.cases.filter((_, place) => shards[place] === index)
  return aBlob({
    ...whole,
    cases,
    plannedRuns: 3 * cases.length,
    approvals: Object.fromEntries(cases.map(({ key }) => [key, whole.approvals[key] ?? []])),
    shard: { index, count, places, of: whole.cases.length },
  })
}
