import { describe, expect, test } from 'vitest'
import { type FoundBlob, mergeBlobs } from '../../src/blobs/index.ts'
import type { RunBlob } from '../../src/core/run-blob.ts'
import { problemsOf } from '../support/problems-of.ts'
import { aBlob, OTHER_MANIFEST, storedCase } from './results.ts'

const IDS = ['a', 'b', 'c', 'd']

/** Shard `index` of two, with every other case. */
function shard(index: 1 | 2, overrides: Partial<RunBlob> = {}): FoundBlob {
  const places = [0, 1, 2, 3].filter((place) => place % 2 === index - 1)
  const cases = places.map((place) => storedCase(IDS[place] ?? ''))
  const workflow = { runId: 7, attempt: 1, job: 'tests', eventName: 'pull_request', headSha: 'a'.repeat(40) }
  const blob = aBlob({ cases, workflow, shard: { index, count: 2, places, of: 4 }, ...overrides })
  return { blob, source: `artifact ${index}` }
}

const cutInTwo = (places: readonly number[]) => ({
  shard: { index: 2, count: 2, places, of: 4 },
  cases: places.map((place) => storedCase(IDS[place] ?? '')),
})

async function refusalOf(found: readonly FoundBlob[]) {
  return await problemsOf(Promise.resolve(found).then(mergeBlobs))
}

describe('merging is refused', () => {
  test.each([
    ['without anything', [], [/no results/]],
    ['where a shard is missing', [shard(1)], [/shard 2\/2 of 2 did not store any results/]],
    [
      'where a shard is there twice',
      [shard(1), shard(2), shard(2)],
      [/job tests, shard 2\/2 is there twice, also in artifact 2/],
    ],
    [
      'where another plan was run',
      [shard(1), shard(1, { manifest: OTHER_MANIFEST }), shard(2)],
      [/shard 1\/2 has another plan/],
    ],
    [
      'where another commit was tested',
      [
        shard(1),
        shard(2),
        shard(2, { workflow: { runId: 7, attempt: 1, eventName: 'push', headSha: 'b'.repeat(40) } }),
      ],
      [/shard 2\/2 has another commit \(b+\) than the others \(a+\)/],
    ],
    [
      'where another run was taken',
      [
        shard(1),
        shard(1),
        shard(2, {
          workflow: { runId: 8, attempt: 1, job: 'tests', eventName: 'pull_request', headSha: 'a'.repeat(40) },
        }),
      ],
      [/another workflow run \(8\)/],
    ],
    [
      'where another version ran',
      [shard(1), shard(1), shard(2, { version: '2.0.0' })],
      [/another version of agent-test \(2\.0\.0\)/],
    ],
    [
      'where another number of runs was made',
      [shard(1), shard(1), shard(2, { runsPerCase: 5 })],
      [/another number of runs/],
    ],
    [
      'where a shard was cut otherwise',
      [shard(1), shard(1), shard(2, { shard: { index: 2, count: 3, places: [1, 3], of: 4 } })],
      [/another number of shards \(3\)/],
    ],
    [
      'where a case is in two shards',
      [shard(1), shard(2, cutInTwo([0, 1, 3]))],
      [/shard 2\/2 holds .*\/a, which job tests, shard 1\/2 holds too/],
    ],
    [
      'where two cases share a place',
      [shard(1), shard(2, { ...cutInTwo([1, 3]), shard: { index: 2, count: 2, places: [0, 3], of: 4 } })],
      [/holds too/],
    ],
    ['where a case is in none', [shard(1), shard(2, cutInTwo([1]))], [/1 of 4 cases are in no shard/]],
    [
      'of a whole run with another',
      [{ blob: aBlob(), source: 'one.json' }, shard(1)],
      [/holds the results of a whole run/],
    ],
  ] as const)('%s', async (_situation, found, reasons) => {
    const problems = await refusalOf(found)
    expect(problems).toMatchObject(reasons.map((reason) => ({ message: expect.stringMatching(reason) as string })))
    expect(problems).toHaveLength(reasons.length)
    expect(problems.every(({ hint }) => hint !== undefined)).toBe(true)
  })

  test('with the file or artifact of whoever differs, and every missing shard', async () => {
    const [odd] = await refusalOf([shard(1), shard(1), shard(2, { version: '2.0.0' })])
    expect(odd?.file).toBe('artifact 2')
    const lonely = shard(1, { shard: { index: 3, count: 5, places: [0, 2], of: 4 } })
    const [missing] = await refusalOf([lonely])
    expect(missing?.message).toBe('shards 1/5, 2/5, 4/5, 5/5 of 5 did not store any results')
  })

  test('without a word that a terminal obeys', async () => {
    const bad = shard(2, { version: '\u001b[31m2' })
    const [problem] = await refusalOf([shard(1), shard(1), bad])
    expect(problem?.message).not.toContain('\u001b')
  })
})

describe('what is merged', () => {
  test('stands in the order of the plan, whatever order it was found in', () => {
    expect(mergeBlobs([shard(2), shard(1)]).cases.map(({ id }) => id)).toEqual(IDS)
    expect(mergeBlobs([shard(2), shard(1)]).shard).toBeUndefined()
  })

  test('lasted from the first start to the last end', () => {
    const late = shard(2, { startedAt: '2026-03-01T10:00:30.000Z', finishedAt: '2026-03-01T10:02:00.000Z' })
    expect(mergeBlobs([shard(1), late])).toMatchObject({
      startedAt: '2026-03-01T10:00:00.000Z',
      finishedAt: '2026-03-01T10:02:00.000Z',
      durationMs: 120_000,
    })
  })

  test('spent what all of them spent', () => {
    const spending = { tokens: 10, costUsd: 0.5, unpricedRuns: 1, unmeteredRuns: 2 }
    const merged = mergeBlobs([shard(1, { spending }), shard(2, { spending })])
    expect(merged.spending).toEqual({ tokens: 20, costUsd: 1, unpricedRuns: 2, unmeteredRuns: 4 })
    expect(merged.plannedRuns).toBe(12)
  })

  test('was interrupted, or stopped by its budget, where one shard was', () => {
    const stoppedBy = { limit: 'cost', allowed: 1, used: 1.1 } as const
    expect(mergeBlobs([shard(1), shard(2, { interrupted: true, stoppedBy })])).toMatchObject({
      interrupted: true,
      stoppedBy,
    })
    expect(mergeBlobs([shard(1), shard(2)])).not.toHaveProperty('stoppedBy')
  })

  test('warns once of what every shard warns of', () => {
    const merged = mergeBlobs([shard(1, { warnings: ['x', 'y'] }), shard(2, { warnings: ['x'] })])
    expect(merged.warnings).toEqual(['x', 'y'])
  })

  test('tells of the newest attempt', () => {
    const workflow = { runId: 7, attempt: 3, job: 'tests', eventName: 'pull_request', headSha: 'a'.repeat(40) }
    expect(mergeBlobs([shard(1), shard(2, { workflow })]).workflow).toMatchObject({ runId: 7, attempt: 3 })
  })

  test('of one whole run is that run: it may be judged again by another gate', () => {
    const blob = aBlob()
    expect(mergeBlobs([{ blob, source: 'results.json' }])).toEqual(blob)
  })

  test('may have shards without any case', () => {
    const empty = (index: number) => ({ index, count: 3, places: [], of: 1 })
    const only = { index: 2, count: 3, places: [0], of: 1 }
    const found = [
      shard(1, { cases: [], shard: empty(1) }),
      shard(1, { cases: [storedCase('a')], shard: only }),
      shard(1, { cases: [], shard: empty(3) }),
    ]
    expect(mergeBlobs(found).cases.map(({ id }) => id)).toEqual(['a'])
  })
})
