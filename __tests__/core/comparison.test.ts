import { describe, expect, test } from 'vitest'
import type { CaseReport } from '../../src/core/case-report.ts'
import { type Change, compare } from '../../src/core/comparison.ts'
import type { RunOutcome } from '../../src/core/result.ts'
import { aBaseline, aCaseReport, erroredOutcome, mixed, passes, someRuns } from '../support/builders.ts'

const KEY = 'tests/support.jsonl/greet-01'
const withRuns = (outcomes: readonly RunOutcome[], overrides: Partial<CaseReport> = {}) =>
  aCaseReport({ runs: someRuns(outcomes), ...overrides })
const errors = (count: number) => Array.from({ length: count }, () => erroredOutcome())

describe('one case against its baseline, at a required 80 %', () => {
  test.each<[string, RunOutcome[], RunOutcome[], Change['kind']]>([
    ['the same rate', passes(3), passes(3), 'unchanged'],
    ['the same rate of another number of runs', mixed(1, 1), mixed(5, 5), 'unchanged'],
    ['a rise', mixed(1, 2), mixed(2, 1), 'improved'],
    ['a rise from nothing', mixed(0, 3), mixed(1, 2), 'improved'],
    ['a fall through the required rate', passes(5), mixed(3, 2), 'regressed'],
    ['a fall from exactly the required rate', mixed(4, 1), mixed(3, 2), 'regressed'],
    ['a fall to exactly the required rate', passes(5), mixed(4, 1), 'dropped'],
    ['a fall above the required rate', passes(10), mixed(9, 1), 'dropped'],
    ['a fall below the required rate, where it was already', mixed(3, 2), mixed(1, 4), 'dropped'],
    ['errors do not count: before', [...passes(4), ...errors(6)], passes(2), 'unchanged'],
    ['errors do not count: now', passes(4), [...passes(1), ...errors(3)], 'unchanged'],
    [
      'a fall among the runs that were judged',
      [...passes(1), ...errors(1)],
      [...mixed(0, 1), ...errors(1)],
      'regressed',
    ],
    ['nothing could be judged now', passes(3), errors(3), 'not_judged'],
    ['nothing could be judged before', errors(3), passes(3), 'new'],
  ])('%s', (_, before, now, kind) => {
    const changes = compare(aBaseline([withRuns(before)]), [withRuns(now)], 80)
    expect(changes.map((change) => [change.kind, change.key])).toEqual([[kind, KEY]])
  })

  test('the rates stand beside the change', () => {
    const [change] = compare(aBaseline([withRuns([...passes(2), ...errors(1)])]), [withRuns(mixed(1, 2))], 80)
    expect(change).toEqual({
      kind: 'regressed',
      key: KEY,
      before: { passed: 2, judged: 2 },
      after: { passed: 1, judged: 3 },
    })
  })

  test.each([
    ['a threshold that no fraction meets exactly in floating point', 57, 57, 100, 'unchanged'],
    ['one run below it', 57, 56, 100, 'regressed'],
  ] as const)('%s', (_, required, passed, judged, kind) => {
    const before = withRuns(mixed(57, 43))
    const [change] = compare(aBaseline([before]), [withRuns(mixed(passed, judged - passed))], required)
    expect(change?.kind).toBe(kind)
  })
})

describe('cases that cannot be set side by side', () => {
  test.each<[string, Partial<CaseReport>]>([
    ['another definition', { fingerprint: 'another' }],
    ['another target', { target: 'http:https://example.test/v1' }],
  ])('%s is another question', (_, overrides) => {
    const changes = compare(aBaseline([withRuns(passes(3))]), [withRuns(mixed(0, 3), overrides)], 80)
    expect(changes).toEqual([{ kind: 'redefined', key: KEY, after: { passed: 0, judged: 3 } }])
  })

  test('a case the baseline does not know is new, judged or not', () => {
    const [first, second] = [withRuns(passes(2)), withRuns(errors(2), { id: 'greet-02' })]
    expect(compare(aBaseline([]), [first, second], 80)).toEqual([
      { kind: 'new', key: KEY, after: { passed: 2, judged: 2 } },
      { kind: 'new', key: 'tests/support.jsonl/greet-02' },
    ])
  })

  test('a case that is gone is named with what it had', () => {
    const gone = [withRuns(mixed(2, 1)), withRuns(errors(2), { id: 'greet-02' })]
    expect(compare(aBaseline(gone), [], 80)).toEqual([
      { kind: 'removed', key: KEY, before: { passed: 2, judged: 3 } },
      { kind: 'removed', key: 'tests/support.jsonl/greet-02' },
    ])
  })

  test.each<[string, Partial<CaseReport>]>([
    ['skipped', { runs: [], skip: 'not today' }],
    ['never started', { runs: [] }],
  ])('a case that is %s is neither changed nor removed', (_, overrides) => {
    expect(compare(aBaseline([withRuns(passes(3))]), [aCaseReport(overrides)], 80)).toEqual([])
  })
})

test('cases come in the order of this run, those that are gone last', () => {
  const ids = ['b', 'a', 'c']
  const earlier = aBaseline(['z', ...ids].map((id) => withRuns(passes(1), { id })))
  const changes = compare(
    earlier,
    ids.map((id) => withRuns(passes(1), { id })),
    80,
  )
  expect(changes.map((change) => change.key.at(-1))).toEqual(['b', 'a', 'c', 'z'])
})

test('a case called __proto__ is compared like any other', () => {
  const hostile = (outcomes: readonly RunOutcome[]) => ({ ...withRuns(outcomes), key: '__proto__' })
  expect(compare(aBaseline([hostile(passes(1))]), [hostile(mixed(0, 1))], 80)).toMatchObject([
    { kind: 'regressed', key: '__proto__' },
  ])
  expect(compare(aBaseline([]), [hostile(passes(1))], 80)).toMatchObject([{ kind: 'new', key: '__proto__' }])
})
