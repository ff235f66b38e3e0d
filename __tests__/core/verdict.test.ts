import { describe, expect, test } from 'vitest'
import type { BaselineState } from '../../src/core/baseline.ts'
import type { CaseReport } from '../../src/core/case-report.ts'
import type { RunOutcome } from '../../src/core/result.ts'
import {
  describeReason,
  type Evidence,
  type ExitReason,
  exitCodeOf,
  type FailOn,
  type Gate,
  judge,
  type Reason,
  totalRuns,
} from '../../src/core/verdict.ts'
import { aBaseline, aCaseReport, aGate, erroredOutcome, mixed, passes, someRuns } from '../support/builders.ts'

const KEY = 'tests/support.jsonl/greet-01'
const withRuns = (outcomes: readonly RunOutcome[], overrides: Partial<CaseReport> = {}) =>
  aCaseReport({ runs: someRuns(outcomes), ...overrides })
const errors = (count: number, message = 'the model answered 500') =>
  Array.from({ length: count }, () => erroredOutcome('PROVIDER_ERROR', message))

const states = {
  off: { kind: 'off' },
  ok: { kind: 'ok', baseline: aBaseline([aCaseReport()]), source: 'artifact of run 812 on main' },
  none: { kind: 'none', detail: 'main has no run yet' },
  expired: { kind: 'expired', detail: 'kept until yesterday' },
  unreadable: { kind: 'unreadable', detail: 'HTTP 500' },
  not_comparable: { kind: 'not_comparable', detail: 'another target' },
  self: { kind: 'self', detail: 'this commit' },
  too_thin: { kind: 'too_thin', detail: 'all errored' },
} satisfies Record<BaselineState['kind'], BaselineState>

function evidenceOf(cases: readonly CaseReport[], overrides: Partial<Evidence> = {}): Evidence {
  return { cases, changes: [], baseline: states.off, plannedRuns: totalRuns(cases), interrupted: false, ...overrides }
}

function verdictOf(cases: readonly CaseReport[], overrides: Partial<Evidence> = {}, gate: Partial<Gate> = {}) {
  return judge(evidenceOf(cases, overrides), { ...aGate, ...gate })
}

/** What was seen, beside what `evidenceOf` and the gate of the command line take for granted. */
type Situation = Partial<Evidence> & { readonly cases: readonly CaseReport[]; readonly gate?: Partial<Gate> }

const regressed = {
  changes: [{ kind: 'regressed', key: KEY, before: { passed: 3, judged: 3 }, after: { passed: 1, judged: 3 } }],
} as const

describe('reasons', () => {
  test('all passed: green, with no reason', () => {
    expect(verdictOf([withRuns(passes(3))])).toEqual({ passed: true, exitReason: 'passed', reasons: [] })
  })

  test.each<[string, Situation, ExitReason, readonly Reason[]]>([
    [
      'a case below the threshold',
      { cases: [withRuns(mixed(2, 1)), withRuns(passes(3), { id: 'greet-02' })] },
      'failed',
      [{ kind: 'below_min_pass_rate', key: KEY, actual: { passed: 2, judged: 3 }, required: 100 }],
    ],
    [
      'a regression, below the threshold as well',
      { cases: [withRuns(mixed(1, 2))], ...regressed },
      'regression',
      [
        { kind: 'regressed', key: KEY, before: { passed: 3, judged: 3 }, after: { passed: 1, judged: 3 } },
        { kind: 'below_min_pass_rate', key: KEY, actual: { passed: 1, judged: 3 }, required: 100 },
      ],
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
      [{ kind: 'below_min_pass_rate', key: KEY, actual: { passed: 0, judged: 1 }, required: 100 }],
    ],
    [
      'an unreadable baseline, and a failure that weighs more',
      { cases: [withRuns(mixed(0, 1))], baseline: states.unreadable },
      'failed',
      [
        { kind: 'below_min_pass_rate', key: KEY, actual: { passed: 0, judged: 1 }, required: 100 },
        { kind: 'baseline_unreadable', state: states.unreadable },
      ],
    ],
  ])('%s', (_, { cases, gate, ...overrides }, exitReason, reasons) => {
    expect(verdictOf(cases, overrides, gate)).toEqual({ passed: false, exitReason, reasons })
  })

  test('an empty run is green where that is allowed', () => {
    expect(verdictOf([aCaseReport({ skip: 'later' })], {}, { allowEmpty: true }).passed).toBe(true)
  })

  test('a skipped case beside one that passed is no reason', () => {
    expect(verdictOf([withRuns(passes(1)), aCaseReport({ id: 'greet-02', skip: 'later' })]).passed).toBe(true)
  })

  test.each(['unchanged', 'improved', 'dropped'] as const)('a case that is %s is no reason', (kind) => {
    const rates = { before: { passed: 3, judged: 3 }, after: { passed: 2, judged: 3 } }
    expect(verdictOf([withRuns(passes(3))], { changes: [{ kind, key: KEY, ...rates }] }).passed).toBe(true)
  })
})

describe('fail-on', () => {
  // One case of each trouble; what is red depends only on what the gate looks at.
  const cases = [withRuns(mixed(1, 2)), withRuns([...passes(1), ...errors(1)], { id: 'greet-02' })]
  test.each<[FailOn[], ExitReason, Reason['kind'][]]>([
    [[], 'passed', []],
    [['regression'], 'regression', ['regressed']],
    [['threshold'], 'failed', ['below_min_pass_rate']],
    [['error'], 'error', ['errored']],
    [['regression', 'threshold'], 'regression', ['regressed', 'below_min_pass_rate']],
    [['regression', 'error'], 'regression', ['regressed', 'errored']],
    [['threshold', 'error'], 'failed', ['below_min_pass_rate', 'errored']],
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

describe('thresholds', () => {
  test.each<[string, number, RunOutcome[], boolean]>([
    ['80 of 100 at 80', 80, mixed(80, 20), true],
    ['79 of 100 at 80', 80, mixed(79, 21), false],
    ['2 of 3 at 66.6', 66.6, mixed(2, 1), true],
    ['2 of 3 at 66.7', 66.7, mixed(2, 1), false],
    ['57 of 100 at 57, a product that floating point gets wrong', 57, mixed(57, 43), true],
    ['29 of 100 at 29', 29, mixed(29, 71), true],
    ['nothing passed at 0', 0, mixed(0, 3), true],
    ['errors beside passes do not lower the rate', 100, [...passes(2), ...errors(1)], true],
  ])('%s', (_, minPassRate, outcomes, passed) => {
    expect(verdictOf([withRuns(outcomes)], {}, { minPassRate, failOn: ['threshold'] }).passed).toBe(passed)
  })

  test('every whole percentage is met by as many of a hundred', () => {
    for (let percent = 0; percent <= 100; percent++) {
      const cases = [withRuns(mixed(percent, 100 - percent))]
      expect(verdictOf(cases, {}, { minPassRate: percent }).passed).toBe(true)
    }
  })
})

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

describe('words and codes', () => {
  test.each<[Reason, string]>([
    [
      { kind: 'regressed', key: 'a/b', before: { passed: 3, judged: 3 }, after: { passed: 1, judged: 3 } },
      'a/b regressed: 3/3 passed in the baseline, 1/3 here',
    ],
    [
      { kind: 'below_min_pass_rate', key: 'a/b', actual: { passed: 2, judged: 3 }, required: 80 },
      'a/b passed 2/3 (66.7%), below the required 80%',
    ],
    [
      { kind: 'below_min_pass_rate', key: 'a/b', actual: { passed: 2999, judged: 3000 }, required: 100 },
      'a/b passed 2999/3000 (99.9%), below the required 100%',
    ],
    [{ kind: 'errored', errored: 2, runs: 5, cause: 'no key' }, '2 of 5 runs errored: no key'],
    [{ kind: 'nothing_judged', cause: 'no key' }, 'every run errored, so nothing could be judged: no key'],
    [{ kind: 'no_runs', skipped: 0 }, 'no case was run'],
    [{ kind: 'no_runs', skipped: 4 }, 'no case was run: all 4 are skipped'],
    [{ kind: 'no_runs', skipped: 1 }, 'no case was run: the only one is skipped'],
    [
      { kind: 'baseline_required', state: states.none },
      'a baseline is required. No baseline yet: main has no run yet.',
    ],
    [{ kind: 'baseline_unreadable', state: states.unreadable }, 'The baseline could not be read: HTTP 500.'],
    [{ kind: 'interrupted', done: 2, planned: 9 }, 'interrupted after 2 of 9 runs'],
    [{ kind: 'stopped_early', done: 2, planned: 9 }, 'stopped after 2 of 9 runs, so the suite is not proven'],
  ])('%j', (reason, words) => {
    expect(describeReason(reason)).toBe(words)
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
})
