import { describe, expect, test } from 'vitest'
import { earlierRuns } from '../../src/blobs/index.ts'
import type { Controls } from '../../src/core/run-blob.ts'
import { aBlob, MANIFEST, OTHER_MANIFEST, runsOf, STARTED_AT, storedCase } from './results.ts'

const KEY = 'tests/support.jsonl/a'
const HOUR = 3_600_000
const wanted = { manifest: MANIFEST, maxRuns: 15 }

/** What an attempt gathered of case `a`, `hours` after the first. */
function attempt(letters: string, hours = 0, overrides: object = {}) {
  const startedAt = STARTED_AT + hours * HOUR
  const cases = [storedCase('a', '', { runs: runsOf(KEY, letters, startedAt) })]
  return aBlob({ cases, startedAt: new Date(startedAt).toISOString(), ...overrides })
}

/** `p`, `f`, or a dot, by the number of the run. */
function known(...blobs: Parameters<typeof earlierRuns>[0]): string {
  const runs = earlierRuns(blobs, wanted)?.runs.get(KEY) ?? []
  const length = Math.max(0, ...runs.map(({ run }) => run))
  const letters = Array.from({ length }, (_, at) => runs.find(({ run }) => run === at + 1)?.status[0] ?? '.')
  return letters.join('')
}

describe('of earlier attempts', () => {
  test.each([
    ['every judged run is kept', [attempt('pfp')], 'pfp'],
    ['what errored is run again', [attempt('pep')], 'p.p'],
    ['what was not run is run', [attempt('p')], 'p'],
    ['failures stay failures, however often it is run again', [attempt('ffp'), attempt('ppp', 1)], 'ffp'],
    ['a pass stays a pass', [attempt('ppp'), attempt('fff', 1)], 'ppp'],
    ['whichever is listed first, the first to be run stands', [attempt('ppp', 1), attempt('ffp')], 'ffp'],
    ['later attempts fill the gaps', [attempt('pe'), attempt('.fp', 1)], 'pfp'],
    [
      'the gaps of many are filled by the first to fill them',
      [attempt('eee'), attempt('.pe', 1), attempt('fff', 2)],
      'fpf',
    ],
    ['nothing of another plan counts', [attempt('fff', 0, { manifest: OTHER_MANIFEST }), attempt('p', 1)], 'p'],
    ['re-runs keep their number', [attempt('pffffffff')], 'pffffffff'],
  ] as const)('%s', (_situation, blobs, expected) => {
    expect(known(...blobs)).toBe(expected)
  })

  test('runs beyond what may be run now are left out', () => {
    const runs = earlierRuns([attempt('pffff')], { manifest: MANIFEST, maxRuns: 3 })?.runs.get(KEY)
    expect(runs?.map(({ run }) => run)).toEqual([1, 2, 3])
  })

  test.each([
    ['there are none', []],
    ['they errored', [attempt('eee')]],
    ['they are of another plan', [attempt('ppp', 0, { manifest: OTHER_MANIFEST })]],
  ])('nothing is known where %s', (_situation, blobs) => {
    expect(earlierRuns(blobs, wanted)).toBeUndefined()
  })
})

describe('the base side', () => {
  const controls = (passed: number, failed: number, runs = passed + failed): Controls => ({
    suite: {},
    cases: { [KEY]: { passed, failed } },
    state: { kind: 'run', commit: 'c', runs, erroredRuns: 0, durationMs: 1, missing: [] },
  })

  test('is asked once: its first answer stands', () => {
    const found = earlierRuns(
      [attempt('fff', 0, { controls: controls(5, 0) }), attempt('fff', 1, { controls: controls(0, 5) })],
      wanted,
    )
    expect(found?.controls.cases).toEqual({ [KEY]: { passed: 5, failed: 0 } })
  })

  test('has its fuller answer kept', () => {
    const found = earlierRuns(
      [attempt('fff', 0, { controls: controls(2, 0) }), attempt('fff', 1, { controls: controls(3, 2) })],
      wanted,
    )
    expect(found?.controls).toMatchObject({
      cases: { [KEY]: { passed: 3, failed: 2 } },
      state: { kind: 'run', runs: 5 },
    })
  })

  test('that could not be run is asked again', () => {
    const unavailable = { suite: {}, cases: {}, state: { kind: 'unavailable', reason: 'no git' } }
    const found = earlierRuns([attempt('fff', 0, { controls: unavailable })], wanted)
    expect(found?.controls.state).toEqual({ kind: 'not_needed' })
  })
})
