import { describe, expect, test } from 'vitest'
import type { RunRecord } from '../../src/core/result.ts'
import { batchRuns, firstStage, type PlannedRun, plannedRuns } from '../../src/runner/plan.ts'
import { aCase, passes, someRuns } from '../support/builders.ts'
import { aPlan } from '../support/plans.ts'
import { say, scriptedTarget } from './fake-targets.ts'

const target = scriptedTarget(() => say('hi'))
const cases = [{ item: aCase({ id: 'a' }) }, { item: aCase({ id: 'b', skip: 'later' }) }, { item: aCase({ id: 'c' }) }]
const plan = aPlan(
  cases.map((planned) => ({ ...planned, target })),
  { runsPerCase: 3 },
)
const named = (runs: Iterable<PlannedRun>) => [...runs].map(({ item, run }) => `${item.id}${run}`)
const keyOf = (id: string) => aCase({ id }).key
const records = (...numbers: readonly number[]): RunRecord[] =>
  numbers.flatMap((run) => someRuns(passes(1), {}).map((record) => ({ ...record, run })))

describe('the first stage', () => {
  test('is run 1 of every case, then run 2; skipped cases have none', () => {
    expect(named(firstStage(plan))).toEqual(['a1', 'c1', 'a2', 'c2', 'a3', 'c3'])
    expect(plannedRuns(plan)).toBe(6)
  })

  test.each<[string, Record<string, number[]>, string[]]>([
    ['one run of a case', { a: [2] }, ['a1', 'c1', 'c2', 'a3', 'c3']],
    ['all of a case, re-runs as well', { a: [1, 2, 3, 4, 9] }, ['c1', 'c2', 'c3']],
    ['only re-runs', { c: [4, 5] }, ['a1', 'c1', 'a2', 'c2', 'a3', 'c3']],
    ['all there is', { a: [1, 2, 3], c: [3, 2, 1] }, []],
    ['a case that is not planned', { z: [1] }, ['a1', 'c1', 'a2', 'c2', 'a3', 'c3']],
  ])('leaves out what an earlier attempt has made: %s', (_, made, expected) => {
    const earlier = new Map(Object.entries(made).map(([id, numbers]) => [keyOf(id), records(...numbers)]))
    expect(named(firstStage({ ...plan, earlier }))).toEqual(expected)
    expect(plannedRuns({ ...plan, earlier })).toBe(6)
  })
})

describe('a batch of further runs', () => {
  test('goes over the asked cases in turn, numbers going on', () => {
    const next = new Map([
      [0, 4],
      [2, 16],
    ])
    const asked = [
      { place: 2, count: 1 },
      { place: 0, count: 3 },
    ]
    const runs = [...batchRuns(plan, asked, (place) => next.get(place) ?? 0)]
    expect(named(runs)).toEqual(['c16', 'a4', 'a5', 'a6'])
    expect(runs.map(({ index }) => index)).toEqual([2, 0, 0, 0])
  })

  test('does not count runs twice that end while others are still to be started', () => {
    let next = 4
    const numbers: number[] = []
    for (const { run } of batchRuns(plan, [{ place: 0, count: 4 }], () => next)) {
      numbers.push(run)
      next = run + 1
    }
    expect(numbers).toEqual([4, 5, 6, 7])
  })

  test.each([
    ['nothing', []],
    ['a skipped case', [{ place: 1, count: 2 }]],
    ['a case that there is not', [{ place: 9, count: 2 }]],
    ['no run of a case', [{ place: 0, count: 0 }]],
  ])('is empty where %s is asked for', (_, asked) => {
    expect(named(batchRuns(plan, asked, () => 4))).toEqual([])
  })
})
