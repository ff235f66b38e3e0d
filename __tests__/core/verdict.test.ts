import { describe, expect, test } from 'vitest'
import type { BudgetStop } from '../../src/core/budget.ts'
import type { FailOn } from '../../src/core/gate.ts'
import type { ExitReason, Reason } from '../../src/core/verdict.ts'
import { aCaseReport, aFinding, aJudgement, aPool, mixed, passes } from '../support/builders.ts'
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

const finding = aFinding({ after: { passed: 1, judged: 3 }, outcome: 'confirmed', control: { passed: 5, judged: 5 } })
const judgement = aJudgement({ cases: [finding] })
const regressed = { judgement, baseline: states.ok } as const
const isNamed: Reason = {
  kind: 'regressed',
  key: KEY,
  before: { passed: 21, judged: 21 },
  after: { passed: 1, judged: 3 },
  finding,
  tested: 1,
  limit: 0.04,
}
const below = (actual: { passed: number; judged: number }): Reason => ({
  kind: 'below_min_pass_rate',
  key: KEY,
  actual,
  required: 100,
  mode: 'observed',
})
const stop: BudgetStop = { limit: 'cost', allowed: 1, used: 1.02 }

describe('reasons', () => {
  test('all passed: green, with no reason', () => {
    expect(verdictOf([withRuns(passes(3))])).toEqual({
      passed: true,
      conclusion: 'success',
      exitReason: 'passed',
      reasons: [],
      notes: [],
    })
  })

  test.each<[string, Situation, ExitReason, readonly Reason[]]>([
    [
      'a case below the threshold',
      { cases: [withRuns(mixed(2, 1)), withRuns(passes(3), { id: 'greet-02' })] },
      'failed',
      [below({ passed: 2, judged: 3 })],
    ],
    [
      'a regression, below the threshold as well: named once',
      { cases: [withRuns(mixed(1, 2))], ...regressed },
      'regression',
      [isNamed],
    ],
    [
      'a regression that the base commit could not be asked about',
      {
        cases: [withRuns(mixed(1, 2))],
        baseline: states.ok,
        judgement: aJudgement({ cases: [aFinding()], control: { kind: 'unavailable', reason: 'no such commit' } }),
      },
      'regression',
      [{ ...isNamed, after: { passed: 0, judged: 3 }, finding: aFinding() }],
    ],
    [
      'the suite as a whole, no case by itself',
      { cases: [withRuns(passes(3))], baseline: states.ok, judgement: alarm('uncontrolled') },
      'regression',
      [{ kind: 'suite_regressed', finding: alarm('uncontrolled').suite, limit: 0.01 }],
    ],
    [
      'a critical case that failed a run',
      { cases: [withRuns(mixed(2, 1), { gate: { critical: true, minPassRate: 10 } })] },
      'failed',
      [{ kind: 'critical_failed', key: KEY, actual: { passed: 2, judged: 3 } }],
    ],
    [
      'a critical case that the base branch fails as well',
      {
        cases: [withRuns(mixed(2, 1), { gate: { critical: true } })],
        baseline: states.ok,
        judgement: aJudgement(),
        pools: new Map([[KEY, aPool({ outcomes: mixed(10, 10) })]]),
      },
      'failed',
      [{ kind: 'critical_failed', key: KEY, actual: { passed: 2, judged: 3 } }],
    ],
    [
      'a critical case that regressed: named once',
      { cases: [withRuns(mixed(1, 2), { gate: { critical: true } })], ...regressed },
      'regression',
      [isNamed],
    ],
    [
      'cases that are gone, where that counts',
      {
        cases: [withRuns(passes(3))],
        gate: { failOn: ['removed'] },
        changes: [
          { kind: 'removed', key: 'a/b', before: { passed: 3, judged: 3 } },
          { kind: 'removed', key: 'a/c' },
        ],
      },
      'failed',
      [{ kind: 'removed', keys: ['a/b', 'a/c'] }],
    ],
    [
      'more tokens, where that counts; longer is no reason',
      {
        cases: [withRuns(passes(3))],
        gate: { failOn: ['cost'] },
        baseline: states.ok,
        judgement: aJudgement({ resources: [resource('duration'), resource('tokens')] }),
      },
      'failed',
      [{ kind: 'cost_increased', finding: resource('tokens') }],
    ],
    [
      'a budget that was used up, though every run passed',
      { cases: [withRuns(passes(1))], plannedRuns: 9, stoppedBy: stop },
      'failed',
      [{ kind: 'budget_reached', stop, done: 1, planned: 9 }],
    ],
    [
      'a budget that was used up by re-runs',
      { cases: [withRuns(passes(5))], runsPerCase: 3, plannedRuns: 3, stoppedBy: stop },
      'failed',
      [{ kind: 'budget_reached', stop, done: 3, planned: 3 }],
    ],
    [
      'a budget that was used up, and a regression that weighs more',
      { cases: [withRuns(mixed(1, 2))], plannedRuns: 9, stoppedBy: stop, ...regressed },
      'regression',
      [{ kind: 'budget_reached', stop, done: 3, planned: 9 }, isNamed],
    ],
    [
      'stopped early: re-runs of one case do not make up for the runs of another',
      {
        cases: [withRuns(passes(5)), withRuns(passes(1), { id: 'greet-02' })],
        runsPerCase: 3,
        plannedRuns: 6,
      },
      'failed',
      [{ kind: 'stopped_early', done: 4, planned: 6 }],
    ],
    [
      'errors, named once by their most frequent cause',
      { cases: [withRuns([...passes(2), ...errors(1, 'rare')]), withRuns(errors(2, 'frequent'), { id: 'greet-02' })] },
      'error',
      [{ kind: 'errored', errored: 3, runs: 5, cause: 'frequent' }],
    ],
    [
      'nothing but errors',
      { cases: [withRuns(errors(2))] },
      'error',
      [{ kind: 'errored', errored: 2, runs: 2, cause: 'the model answered 500' }],
    ],
    [
      'nothing but errors, though errors are tolerated',
      { cases: [withRuns(errors(2))], gate: { maxErrorRate: 100 } },
      'error',
      [{ kind: 'nothing_judged', cause: 'the model answered 500' }],
    ],
    ['no case at all', { cases: [] }, 'failed', [{ kind: 'no_runs', skipped: 0 }]],
    ['only skipped cases', { cases: [aCaseReport({ skip: 'later' })] }, 'failed', [{ kind: 'no_runs', skipped: 1 }]],
    [
      'interrupted, whatever was done until then',
      { cases: [withRuns(passes(1))], interrupted: true, plannedRuns: 9 },
      'interrupted',
      [{ kind: 'interrupted', done: 1, planned: 9 }],
    ],
    [
      'interrupted before the first run',
      { cases: [], interrupted: true, plannedRuns: 9 },
      'interrupted',
      [{ kind: 'interrupted', done: 0, planned: 9 }],
    ],
    [
      'stopped early without another reason',
      { cases: [withRuns(passes(1))], plannedRuns: 3 },
      'failed',
      [{ kind: 'stopped_early', done: 1, planned: 3 }],
    ],
    [
      'stopped early by the failure that is named',
      { cases: [withRuns(mixed(0, 1))], plannedRuns: 3 },
      'failed',
      [below({ passed: 0, judged: 1 })],
    ],
    [
      'an unreadable baseline, and a failure that weighs more',
      { cases: [withRuns(mixed(0, 1))], baseline: states.unreadable },
      'failed',
      [below({ passed: 0, judged: 1 }), { kind: 'baseline_unreadable', state: states.unreadable }],
    ],
  ])('%s', (_, { cases, gate, ...overrides }, exitReason, reasons) => {
    const conclusion = exitReason === 'interrupted' ? 'cancelled' : 'failure'
    expect(verdictOf(cases, overrides, gate)).toMatchObject({ passed: false, conclusion, exitReason, reasons })
  })

  test('an empty run is green where that is allowed', () => {
    expect(verdictOf([aCaseReport({ skip: 'later' })], {}, { allowEmpty: true }).passed).toBe(true)
  })

  test('a skipped case beside one that passed is no reason', () => {
    expect(verdictOf([withRuns(passes(1)), aCaseReport({ id: 'greet-02', skip: 'later' })]).passed).toBe(true)
  })

  test.each(['unchanged', 'improved', 'risen', 'dropped', 'not_proven', 'environment_moved'] as const)(
    'a case that is %s is no reason',
    (kind) => {
      const rates = { before: { passed: 3, judged: 3 }, after: { passed: 2, judged: 3 } }
      expect(verdictOf([withRuns(passes(3))], { changes: [{ kind, key: KEY, ...rates }] }).passed).toBe(true)
    },
  )

  test('cases that the base branch stands for are not nothing', () => {
    const unchanged = aCaseReport({ runs: [], unchanged: 'nothing that it depends on was changed' })
    expect(verdictOf([unchanged])).toMatchObject({ passed: true, conclusion: 'neutral', reasons: [] })
  })
})

describe('fail-on', () => {
  // One case of each trouble; what is red depends only on what the gate looks at.
  const cases = [
    withRuns(mixed(1, 2)),
    withRuns([...passes(1), ...errors(1)], { id: 'greet-02' }),
    withRuns(mixed(2, 1), { id: 'greet-03' }),
  ]
  test.each<[FailOn[], ExitReason, Reason['kind'][]]>([
    [[], 'passed', []],
    [['regression'], 'regression', ['regressed']],
    [['threshold'], 'failed', ['below_min_pass_rate', 'below_min_pass_rate']],
    [['error'], 'error', ['errored']],
    [['regression', 'threshold'], 'regression', ['regressed', 'below_min_pass_rate']],
    [['removed'], 'passed', []],
    [['cost'], 'passed', []],
    [['regression', 'error'], 'regression', ['regressed', 'errored']],
    [['threshold', 'error'], 'failed', ['below_min_pass_rate', 'below_min_pass_rate', 'errored']],
    [['regression', 'threshold', 'error'], 'regression', ['regressed', 'below_min_pass_rate', 'errored']],
  ])('%j', (failOn, exitReason, kinds) => {
    const verdict = verdictOf(cases, regressed, { failOn })
    expect(verdict.reasons.map((reason) => reason.kind)).toEqual(kinds)
    expect([verdict.passed, verdict.exitReason]).toEqual([exitReason === 'passed', exitReason])
  })

  test.each<[string, FailOn[]]>([
    ['nothing', []],
    ['the threshold only', ['threshold']],
  ])('a gate on %s is still red when every run errored', (_, failOn) => {
    expect(verdictOf([withRuns(errors(3))], {}, { failOn })).toMatchObject({
      passed: false,
      exitReason: 'error',
      reasons: [{ kind: 'nothing_judged' }],
    })
  })
})
