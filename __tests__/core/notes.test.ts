import { describe, expect, test } from 'vitest'
import type { Change } from '../../src/core/comparison.ts'
import type { ControlState } from '../../src/core/judgement.ts'
import type { Evidence, Note } from '../../src/core/verdict.ts'
import { aBaseline, aCaseReport, aFinding, aJudgement, aPool, noSpending, passes } from '../support/builders.ts'
import {
  alarm,
  errors,
  KEY,
  resource,
  type Situation,
  states,
  verdictOf,
  withRuns,
} from '../support/verdict-testbed.ts'

const green = { cases: [withRuns(passes(3))], baseline: states.ok, judgement: aJudgement() }
const compared: Change = { kind: 'unchanged', key: KEY, before: rate(20, 20), after: rate(3, 3) }
const young = (judged: number): Change => ({ kind: 'young', key: KEY, before: rate(judged, judged) })
const ran = (missing: (ControlState & { kind: 'run' })['missing']): ControlState => ({
  kind: 'run',
  commit: 'abc1234',
  runs: 6,
  erroredRuns: 0,
  durationMs: 1,
  missing,
})

test.each<[string, Situation, readonly Note[]]>([
  ['nothing to say', green, []],
  [
    'a case of which the environment moved',
    {
      ...green,
      judgement: aJudgement({ cases: [aFinding({ outcome: 'environment_moved', control: rate(0, 5) })] }),
    },
    [{ kind: 'environment_moved', key: KEY, before: rate(21, 21), after: rate(0, 3), control: rate(0, 5) }],
  ],
  [
    'a suite of which it did, with the rates of all compared cases',
    {
      cases: [
        withRuns(passes(3)),
        withRuns(passes(3), { id: 'greet-02' }),
        withRuns(passes(3), { id: 'greet-03' }),
        aCaseReport({ id: 'greet-04', runs: [] }),
      ],
      baseline: states.ok,
      judgement: alarm('environment_moved'),
      pools: new Map([
        [KEY, aPool()],
        ['tests/support.jsonl/greet-02', aPool({ counts: { passed: 8, failed: 2 } })],
        ['tests/support.jsonl/greet-03', aPool({ state: 'redefined', counts: { passed: 0, failed: 9 } })],
        ['tests/support.jsonl/greet-04', aPool()],
      ]),
    },
    [{ kind: 'environment_moved', before: rate(28, 30), after: rate(269, 300), control: rate(180, 200) }],
  ],
  [
    'a gap that is not proven',
    { ...green, judgement: aJudgement({ cases: [aFinding({ outcome: 'not_proven' })] }) },
    [{ kind: 'not_proven', key: KEY, finding: aFinding({ outcome: 'not_proven' }) }],
  ],
  [
    'the base commit could not be run',
    { ...green, judgement: aJudgement({ control: { kind: 'unavailable', reason: 'shallow clone' } }) },
    [{ kind: 'control_unavailable', reason: 'shallow clone' }],
  ],
  ['the base commit was run', { ...green, judgement: aJudgement({ control: ran([]) }) }, []],
  [
    'it could not run one of the cases',
    { ...green, judgement: aJudgement({ control: ran([{ key: 'a/b', reason: 'no such agent' }]) }) },
    [{ kind: 'control_unavailable', reason: 'it could not run a/b: no such agent' }],
  ],
  [
    'nor two others',
    {
      ...green,
      judgement: aJudgement({
        control: ran(['b', 'c', 'd'].map((name) => ({ key: `a/${name}`, reason: 'no such agent' }))),
      }),
    },
    [{ kind: 'control_unavailable', reason: 'it could not run a/b, nor 2 more cases: no such agent' }],
  ],
  [
    'young cases among others',
    { ...green, changes: [compared, young(1), young(2), { kind: 'new', key: 'x' }, { kind: 'removed', key: 'y' }] },
    [
      { kind: 'young_baseline', cases: 2, of: 3, runs: 2 },
      { kind: 'removed', keys: ['y'] },
    ],
  ],
  [
    'nothing but young cases: said once',
    { cases: green.cases, baseline: states.ok, changes: [young(2)] },
    [{ kind: 'young_baseline', cases: 1, of: 1, runs: 2 }],
  ],
  ['no baseline', { cases: green.cases, baseline: states.none }, [{ kind: 'not_compared', state: states.none }]],
  [
    'nothing in it to compare with',
    { cases: green.cases, baseline: states.ok, changes: [{ kind: 'new', key: KEY }] },
    [{ kind: 'not_compared', state: states.ok }],
  ],
  ['no baseline was asked for', { cases: green.cases }, []],
  ['nothing was run', { cases: [], baseline: states.none }, []],
  ['no baseline, which is red', { cases: green.cases, baseline: states.none, gate: { requireBaseline: true } }, []],
  [
    'an unreadable one, which is not',
    { cases: green.cases, baseline: states.unreadable, gate: { onBaselineError: 'warn' } },
    [{ kind: 'not_compared', state: states.unreadable }],
  ],
  [
    'slower and costlier',
    {
      ...green,
      judgement: aJudgement({
        resources: [resource('duration'), resource('tokens'), { ...resource('turns'), increased: false }],
      }),
    },
    [
      { kind: 'slower', finding: resource('duration') },
      { kind: 'costlier', finding: resource('tokens') },
    ],
  ],
  [
    'slower, which is never red',
    { ...green, gate: { failOn: ['cost'] }, judgement: aJudgement({ resources: [resource('duration')] }) },
    [{ kind: 'slower', finding: resource('duration') }],
  ],
  [
    'runs without a price, of all that were made',
    {
      ...green,
      spending: { ...noSpending, unpricedRuns: 4 },
      costLimited: true,
      judgement: aJudgement({ control: ran([]) }),
    },
    [{ kind: 'unpriced', runs: 4, of: 9, limited: true }],
  ],
  [
    'a window that shrank',
    { ...green, baseline: { ...states.ok, missing: ['run 811 has expired', 'run 810 is gone'] } },
    [
      { kind: 'history_shrunk', detail: 'run 811 has expired' },
      { kind: 'history_shrunk', detail: 'run 810 is gone' },
    ],
  ],
  [
    'suites that nothing was changed for',
    {
      ...green,
      cases: [
        ...green.cases,
        ...['a', 'b', 'c'].map((id) =>
          aCaseReport({ id, suite: id === 'c' ? 'two.jsonl' : 'one.jsonl', runs: [], unchanged: 'untouched' }),
        ),
      ],
    },
    [{ kind: 'unchanged_suites', suites: ['one.jsonl', 'two.jsonl'], cases: 3 }],
  ],
])('%s', (_, { cases, gate, ...evidence }, notes) => {
  expect(verdictOf(cases, evidence, gate).notes).toEqual(notes)
})

describe('what makes the verdict neutral comes first', () => {
  const evidence: Partial<Evidence> = {
    baseline: { ...states.ok, baseline: aBaseline([]), missing: ['run 811 has expired'] },
    judgement: { ...alarm('environment_moved'), resources: [resource('duration')] },
    changes: [young(1)],
  }
  test('before what a reader may skip', () => {
    const kinds = verdictOf([withRuns([...passes(3), ...errors(0)])], evidence).notes.map(({ kind }) => kind)
    expect(kinds).toEqual(['environment_moved', 'young_baseline', 'slower', 'history_shrunk'])
  })
})

function rate(passed: number, judged: number) {
  return { passed, judged }
}
