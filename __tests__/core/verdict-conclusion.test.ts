import { describe, expect, test } from 'vitest'
import type { BaselineState } from '../../src/core/baseline.ts'
import { type Conclusion, type ExitReason, exitCodeOf, type Reason } from '../../src/core/verdict.ts'
import { aCaseReport, aFinding, aJudgement, aPool, mixed, passes } from '../support/builders.ts'
import { alarm, errors, KEY, type Situation, states, verdictOf, withRuns } from '../support/verdict-testbed.ts'

const finding = aFinding({ after: { passed: 1, judged: 3 } })

describe('max-error-rate', () => {
  test.each<[string, number, number, number, boolean]>([
    ['none allowed, one happened', 0, 1, 99, false],
    ['none allowed, none happened', 0, 0, 10, true],
    ['exactly as many as allowed', 10, 1, 9, true],
    ['one more than allowed', 10, 2, 9, false],
    ['a third at 33.3', 33.3, 1, 2, false],
    ['a third at 33.4', 33.4, 1, 2, true],
  ])('%s', (_, maxErrorRate, errored, passed, green) => {
    expect(verdictOf([withRuns([...errors(errored), ...passes(passed)])], {}, { maxErrorRate }).passed).toBe(green)
  })

  test('the share is taken over all runs of all cases', () => {
    const cases = [withRuns([...errors(1), ...passes(1)]), withRuns(passes(8), { id: 'greet-02' })]
    expect(verdictOf(cases, {}, { maxErrorRate: 10 }).passed).toBe(true)
  })
})

describe('the baseline', () => {
  const kinds = Object.keys(states) as BaselineState['kind'][]
  const settings = [false, true].flatMap((requireBaseline) =>
    (['fail', 'warn'] as const).map((onBaselineError) => ({ requireBaseline, onBaselineError })),
  )
  const table = kinds.flatMap((kind) =>
    settings.map(({ requireBaseline, onBaselineError }) => {
      const unreadable = kind === 'unreadable' && onBaselineError === 'fail'
      const required = requireBaseline && kind !== 'ok'
      const red: Reason['kind'] | undefined = unreadable
        ? 'baseline_unreadable'
        : required
          ? 'baseline_required'
          : undefined
      return { kind, requireBaseline, onBaselineError, red }
    }),
  )

  test.each(table)('$kind, required: $requireBaseline, on error: $onBaselineError gives $red', (row) => {
    const { kind, requireBaseline, onBaselineError, red } = row
    const verdict = verdictOf([withRuns(passes(3))], { baseline: states[kind] }, { requireBaseline, onBaselineError })
    expect(verdict.reasons).toEqual(red === undefined ? [] : [{ kind: red, state: states[kind] }])
    expect(verdict.exitReason).toBe(red === undefined ? 'passed' : red === 'baseline_unreadable' ? 'error' : 'failed')
  })
})

describe('the conclusion', () => {
  const moved = { ...finding, outcome: 'environment_moved', control: { passed: 1, judged: 5 } } as const
  const young = { kind: 'young', key: KEY, before: { passed: 2, judged: 2 }, after: { passed: 3, judged: 3 } } as const
  test.each<[string, Conclusion, Situation]>([
    ['all passed, nothing to be compared with was asked for', 'success', { cases: [withRuns(passes(3))] }],
    ['compared', 'success', { cases: [withRuns(passes(3))], baseline: states.ok, judgement: aJudgement() }],
    [
      'the environment of one case moved',
      'neutral',
      {
        cases: [withRuns(mixed(1, 2))],
        baseline: states.ok,
        judgement: aJudgement({ cases: [moved] }),
        pools: new Map([[KEY, aPool()]]),
      },
    ],
    [
      'the environment of the suite moved',
      'neutral',
      { cases: [withRuns(passes(3))], baseline: states.ok, judgement: alarm('environment_moved') },
    ],
    [
      'the environment moved, and a case is below its limit for another reason',
      'failure',
      {
        cases: [withRuns(mixed(1, 2)), withRuns(mixed(0, 3), { id: 'greet-02' })],
        baseline: states.ok,
        judgement: aJudgement({ cases: [moved] }),
        pools: new Map([[KEY, aPool()]]),
      },
    ],
    [
      'a gap that is not proven',
      'success',
      {
        cases: [withRuns(passes(3))],
        baseline: states.ok,
        judgement: aJudgement({ cases: [{ ...finding, outcome: 'not_proven' }] }),
      },
    ],
    ['every case is young', 'neutral', { cases: [withRuns(passes(3))], baseline: states.ok, changes: [young] }],
    [
      'some cases are young',
      'success',
      { cases: [withRuns(passes(3))], baseline: states.ok, changes: [young], judgement: aJudgement() },
    ],
    ['no baseline yet', 'neutral', { cases: [withRuns(passes(3))], baseline: states.none }],
    ['an expired baseline', 'neutral', { cases: [withRuns(passes(3))], baseline: states.expired }],
    [
      'no case that can be compared',
      'neutral',
      { cases: [withRuns(passes(3))], baseline: states.ok, changes: [{ kind: 'new', key: KEY }] },
    ],
    [
      'nothing was run, which is allowed',
      'neutral',
      { cases: [aCaseReport({ skip: 'later' })], gate: { allowEmpty: true } },
    ],
    ['a failure', 'failure', { cases: [withRuns(mixed(0, 3))] }],
    ['a failure without a baseline', 'failure', { cases: [withRuns(mixed(0, 3))], baseline: states.none }],
    ['interrupted after a failure', 'cancelled', { cases: [withRuns(mixed(0, 3))], interrupted: true, plannedRuns: 9 }],
  ])('%s: %s', (_, conclusion, { cases, gate, ...overrides }) => {
    const verdict = verdictOf(cases, overrides, gate)
    expect(verdict.conclusion).toBe(conclusion)
    expect(verdict.passed).toBe(conclusion === 'success' || conclusion === 'neutral')
  })
})

test.each<[ExitReason, number, number]>([
  ['passed', 0, 0],
  ['failed', 1, 1],
  ['regression', 1, 2],
  ['error', 1, 3],
  ['configuration', 1, 4],
  ['interrupted', 1, 130],
])('%s exits %d, in detail %d', (reason, seed, detailed) => {
  expect([exitCodeOf(reason, 'seed'), exitCodeOf(reason, 'detailed')]).toEqual([seed, detailed])
})
