import { describe, expect, test } from 'vitest'
import type { CaseReport } from '../../src/core/case-report.ts'
import { type Change, compare, type Findings } from '../../src/core/comparison.ts'
import type { CasePool } from '../../src/core/history.ts'
import type { CaseFinding } from '../../src/core/judgement.ts'
import type { RunOutcome } from '../../src/core/result.ts'
import { aBaseline, aCaseReport, aFinding, aPool, mixed, passes } from '../support/builders.ts'
import { errors, KEY, withRuns } from '../support/verdict-testbed.ts'

const NOTHING: Findings = { cases: [], improved: [] }
const none = aBaseline([])

function changeOf(item: CaseReport, pool?: CasePool, findings: Partial<Findings> = {}) {
  const pools = new Map(pool ? [[item.key, pool]] : [])
  return compare([item], { pools, baseline: none, findings: { ...NOTHING, ...findings } })
}

describe('one case against its window', () => {
  test.each<[string, RunOutcome[], RunOutcome[], Change['kind']]>([
    ['the same rate', passes(20), passes(3), 'unchanged'],
    ['the same rate of another number of runs', mixed(2, 2), mixed(5, 5), 'unchanged'],
    ['a rise that may be chance', mixed(1, 2), mixed(2, 1), 'risen'],
    ['a fall that may be chance, to nothing', passes(5), mixed(0, 3), 'dropped'],
    ['a small fall', passes(10), mixed(9, 1), 'dropped'],
    ['errors do not count: before', [...passes(4), ...errors(6)], passes(2), 'unchanged'],
    ['errors do not count: now', passes(4), [...passes(1), ...errors(3)], 'unchanged'],
    ['nothing could be judged now', passes(3), errors(3), 'not_judged'],
    ['nothing could be judged before', errors(3), passes(3), 'new'],
    ['two runs before', passes(2), mixed(0, 3), 'young'],
    ['two runs before, nothing judged now', passes(2), errors(1), 'young'],
  ])('%s', (_, before, now, kind) => {
    const changes = changeOf(withRuns(now), aPool({ outcomes: before }))
    expect(changes.map((change) => [change.kind, change.key])).toEqual([[kind, KEY]])
  })

  test.each<[CaseFinding['outcome'], Change['kind']]>([
    ['confirmed', 'regressed'],
    ['uncontrolled', 'regressed'],
    ['environment_moved', 'environment_moved'],
    ['not_proven', 'not_proven'],
    ['quiet', 'dropped'],
  ])('flagged and %s is %s, with what was found', (outcome, kind) => {
    const finding = aFinding({ outcome })
    expect(changeOf(withRuns(mixed(0, 3)), aPool(), { cases: [finding] })).toEqual([
      { kind, key: KEY, before: { passed: 20, judged: 20 }, after: { passed: 0, judged: 3 }, finding },
    ])
  })

  test('better is said only of what is shown to be', () => {
    const shown = changeOf(withRuns(passes(3)), aPool({ outcomes: mixed(0, 20) }), { improved: [KEY] })
    expect(shown).toMatchObject([{ kind: 'improved' }])
    const fallen = changeOf(withRuns(mixed(0, 3)), aPool(), { improved: [KEY] })
    expect(fallen).toMatchObject([{ kind: 'dropped' }])
  })

  test('another definition is another question', () => {
    expect(changeOf(withRuns(mixed(0, 3)), aPool({ state: 'redefined' }))).toEqual([
      { kind: 'redefined', key: KEY, after: { passed: 0, judged: 3 } },
    ])
    expect(changeOf(withRuns(errors(1)), aPool({ state: 'redefined' }))).toEqual([{ kind: 'redefined', key: KEY }])
  })

  test.each([
    ['without a pool', undefined],
    ['with a pool that says so', aPool({ state: 'new', outcomes: [] })],
  ])('a case the base branch does not know is new, judged or not, %s', (_, pool) => {
    expect(changeOf(withRuns(passes(2)), pool)).toEqual([{ kind: 'new', key: KEY, after: { passed: 2, judged: 2 } }])
    expect(changeOf(withRuns(errors(2)), pool)).toEqual([{ kind: 'new', key: KEY }])
  })

  test.each<[string, Partial<CaseReport>]>([
    ['skipped', { runs: [], skip: 'not today' }],
    ['never started', { runs: [] }],
    ['not run because nothing was changed', { runs: [], unchanged: 'untouched' }],
  ])('a case that is %s is neither changed nor removed', (_, overrides) => {
    const baseline = aBaseline([withRuns(passes(3))])
    const pools = new Map([[KEY, aPool()]])
    expect(compare([aCaseReport(overrides)], { pools, baseline, findings: NOTHING })).toEqual([])
  })
})

describe('cases that are gone', () => {
  test('are named with what they had', () => {
    const baseline = aBaseline([withRuns(mixed(2, 1)), withRuns(errors(2), { id: 'greet-02' })], {}, 1)
    expect(compare([], { pools: new Map(), baseline, findings: NOTHING })).toEqual([
      { kind: 'removed', key: KEY, before: { passed: 2, judged: 3 } },
      { kind: 'removed', key: 'tests/support.jsonl/greet-02' },
    ])
  })

  test('are those of the newest session, not what the base branch gave up before', () => {
    const whole = aBaseline([withRuns(passes(1)), withRuns(passes(1), { id: 'greet-02' })], {}, 3)
    const cases = whole.cases.map((item, place) =>
      place === 0 ? { ...item, runs: item.runs.filter(({ session }) => session < 2) } : item,
    )
    const changes = compare([], { pools: new Map(), baseline: { ...whole, cases }, findings: NOTHING })
    expect(changes.map(({ key }) => key)).toEqual(['tests/support.jsonl/greet-02'])
  })
})

test('cases come in the order of this run, those that are gone last', () => {
  const ids = ['b', 'a', 'c']
  const baseline = aBaseline(['z', ...ids].map((id) => withRuns(passes(1), { id })))
  const changes = compare(
    ids.map((id) => withRuns(passes(1), { id })),
    { pools: new Map(), baseline, findings: NOTHING },
  )
  expect(changes.map((change) => change.key.at(-1))).toEqual(['b', 'a', 'c', 'z'])
})

test.each(['__proto__', 'constructor'])('a case called %s is compared like any other', (key) => {
  const item = { ...withRuns(mixed(0, 3)), key }
  const finding = aFinding({ key })
  expect(changeOf(item, aPool({ key }), { cases: [finding] })).toMatchObject([{ kind: 'regressed', key }])
  expect(changeOf(item)).toMatchObject([{ kind: 'new', key }])
})
