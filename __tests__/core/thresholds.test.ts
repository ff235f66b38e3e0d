import { describe, expect, test } from 'vitest'
import type { CaseGate, Gate } from '../../src/core/gate.ts'
import type { CasePool } from '../../src/core/history.ts'
import type { RunOutcome } from '../../src/core/result.ts'
import type { Note, Reason, Verdict } from '../../src/core/verdict.ts'
import { aFinding, aJudgement, aPool, mixed, passes } from '../support/builders.ts'
import { alarm, errors, KEY, states, verdictOf, withRuns } from '../support/verdict-testbed.ts'

const limit = (gate: Partial<Gate>): Partial<Gate> => ({ failOn: ['threshold'], minPassRate: 80, ...gate })

/** The kinds of reasons, then those of notes. */
function kindsOf({ reasons, notes }: Verdict): (Reason['kind'] | Note['kind'])[] {
  return [...reasons, ...notes].map(({ kind }) => kind)
}

describe('the observed rate', () => {
  test.each<[string, number, RunOutcome[], boolean]>([
    ['80 of 100 at 80', 80, mixed(80, 20), true],
    ['79 of 100 at 80', 80, mixed(79, 21), false],
    ['2 of 3 at 66.6', 66.6, mixed(2, 1), true],
    ['2 of 3 at 66.7', 66.7, mixed(2, 1), false],
    ['57 of 100 at 57, a product that floating point gets wrong', 57, mixed(57, 43), true],
    ['29 of 100 at 29', 29, mixed(29, 71), true],
    ['nothing passed at 0', 0, mixed(0, 3), true],
    ['errors beside passes do not lower the rate', 100, [...passes(2), ...errors(1)], true],
    ['errors beside failures do not raise it', 100, [...mixed(0, 1), ...errors(2)], false],
  ])('%s', (_, minPassRate, outcomes, passed) => {
    expect(verdictOf([withRuns(outcomes)], {}, limit({ minPassRate })).passed).toBe(passed)
  })

  test('every whole percentage is met by as many of a hundred', () => {
    for (let percent = 0; percent <= 100; percent++) {
      const cases = [withRuns(mixed(percent, 100 - percent))]
      expect(verdictOf(cases, {}, limit({ minPassRate: percent })).passed).toBe(true)
    }
  })
})

describe('the modes, at 80 %', () => {
  const cell = (mode: Gate['thresholdMode'], passed: number, failed: number) =>
    kindsOf(verdictOf([withRuns(mixed(passed, failed))], {}, limit({ thresholdMode: mode })))
  const red = ['below_min_pass_rate']
  const open = ['threshold_not_proven']
  test.each<[Gate['thresholdMode'], number, number, string[]]>([
    // Source: spec verdict 7, "to show < 80 %".
    ['shown', 1, 4, red],
    ['shown', 2, 3, open],
    ['shown', 5, 5, red],
    ['shown', 6, 4, open],
    ['shown', 8, 7, red],
    ['shown', 9, 6, open],
    ['shown', 12, 8, red],
    ['shown', 13, 7, open],
    ['shown', 4, 1, []],
    ['shown', 3, 0, []],
    ['observed', 4, 1, []],
    ['observed', 3, 1, red],
    // "To show >= 80 %": 14 runs all passing, 22 with one failure, 30 with two.
    ['proven', 14, 0, []],
    ['proven', 13, 0, red],
    ['proven', 21, 1, []],
    ['proven', 20, 1, red],
    ['proven', 28, 2, []],
    ['proven', 27, 2, red],
    ['proven', 0, 3, red],
    // From three judged runs on, what is not shown is not red.
    ['auto', 2, 1, open],
    ['auto', 0, 3, red],
    ['auto', 1, 1, red],
    ['auto', 0, 1, red],
    ['auto', 2, 0, []],
  ])('%s: %d passed, %d failed: %j', (mode, passed, failed, kinds) => {
    expect(cell(mode, passed, failed)).toEqual(kinds)
  })

  test('errored runs are none of the three that auto asks for', () => {
    const verdict = verdictOf([withRuns([...mixed(1, 1), ...errors(3)])], {}, limit({ thresholdMode: 'auto' }))
    expect(kindsOf(verdict)).toEqual(['below_min_pass_rate'])
  })
})

describe('what a case asks of itself', () => {
  test.each<[string, CaseGate, RunOutcome[], string[]]>([
    ['less', { minPassRate: 50 }, mixed(2, 2), []],
    ['more', { minPassRate: 100 }, mixed(9, 1), ['below_min_pass_rate']],
    ['another mode', { thresholdMode: 'shown' }, mixed(2, 1), ['threshold_not_proven']],
    ['proof', { thresholdMode: 'proven' }, passes(3), ['below_min_pass_rate']],
    ['everything: one failure', { critical: true }, mixed(99, 1), ['critical_failed']],
    ['everything: none', { critical: true }, passes(3), []],
    ['everything: errors are no failures', { critical: true }, [...passes(3), ...errors(1)], []],
    ['everything, and proof', { critical: true, thresholdMode: 'proven' }, passes(3), ['below_min_pass_rate']],
    ['everything, in another mode', { critical: true, thresholdMode: 'shown' }, mixed(14, 1), ['critical_failed']],
  ])('%s', (_, gate, outcomes, kinds) => {
    expect(kindsOf(verdictOf([withRuns(outcomes, { gate })], {}, limit({})))).toEqual(kinds)
  })

  test.each<[Gate['failOn'], string[]]>([
    [['regression'], ['critical_failed']],
    [['threshold'], ['critical_failed']],
    [['error'], []],
    [[], []],
  ])('a critical case under fail-on %j', (failOn, kinds) => {
    expect(kindsOf(verdictOf([withRuns(mixed(2, 1), { gate: { critical: true } })], {}, { failOn }))).toEqual(kinds)
  })
})

describe('threshold-scope', () => {
  const bad = mixed(3, 17)
  test.each<[string, Partial<CasePool> & { outcomes?: RunOutcome[] }, Partial<Gate>, CaseGate, string[]]>([
    ['below on the base branch already', { outcomes: bad }, {}, {}, ['known_bad']],
    ['all cases are asked', { outcomes: bad }, { thresholdScope: 'all' }, {}, ['below_min_pass_rate']],
    ['critical', { outcomes: bad }, {}, { critical: true }, ['critical_failed']],
    ['above on the base branch', { outcomes: mixed(16, 4) }, {}, {}, ['below_min_pass_rate']],
    ['just below on the base branch', { outcomes: mixed(15, 5) }, {}, {}, ['known_bad']],
    ['below by its own limit', { outcomes: mixed(16, 4) }, {}, { minPassRate: 90 }, ['known_bad']],
    ['above by its own limit', { outcomes: mixed(12, 8) }, {}, { minPassRate: 60 }, ['below_min_pass_rate']],
    ['too few runs to know', { outcomes: mixed(0, 2) }, {}, {}, ['below_min_pass_rate']],
    ['just enough runs to know', { outcomes: mixed(0, 3) }, {}, {}, ['known_bad']],
    ['errors do not count', { outcomes: [...mixed(0, 2), ...errors(9)] }, {}, {}, ['below_min_pass_rate']],
    ['another definition', { outcomes: bad, state: 'redefined' }, {}, {}, ['below_min_pass_rate']],
    ['known bad, and shown', { outcomes: bad }, { thresholdMode: 'shown' }, {}, ['known_bad']],
    ['known bad, and not proven', { outcomes: bad }, { thresholdMode: 'proven' }, {}, ['known_bad']],
  ])('%s', (_, pool, gate, own, kinds) => {
    const pools = new Map([[KEY, aPool(pool)]])
    const verdict = verdictOf([withRuns(mixed(1, 4), { gate: own })], { pools }, limit(gate))
    expect(kindsOf(verdict)).toEqual(kinds)
  })

  test('the note has both rates and the limit', () => {
    const pools = new Map([[KEY, aPool({ outcomes: bad })]])
    expect(verdictOf([withRuns(mixed(1, 4))], { pools }, limit({})).notes).toEqual([
      {
        kind: 'known_bad',
        key: KEY,
        before: { passed: 3, judged: 20 },
        actual: { passed: 1, judged: 5 },
        required: 80,
      },
    ])
  })
})

describe('what moved around the agent is not held against it', () => {
  const moved = aFinding({ outcome: 'environment_moved', control: { passed: 0, judged: 5 } })
  const one = { judgement: aJudgement({ cases: [moved] }), baseline: states.ok, pools: new Map([[KEY, aPool()]]) }
  const suite = { ...one, judgement: alarm('environment_moved') }
  const gate: Partial<Gate> = { failOn: ['regression', 'threshold'], minPassRate: 80 }
  test.each<[string, typeof one, Partial<Gate>, CaseGate, string[]]>([
    ['one case', one, {}, {}, ['environment_moved']],
    ['the suite: the case is named as well', suite, {}, {}, ['environment_moved', 'environment_moved']],
    ['unless all cases are asked', one, { thresholdScope: 'all' }, {}, ['below_min_pass_rate', 'environment_moved']],
    ['unless it is critical', one, {}, { critical: true }, ['critical_failed', 'environment_moved']],
    [
      'unless the base branch does not know it',
      { ...suite, pools: new Map() },
      {},
      {},
      ['below_min_pass_rate', 'environment_moved'],
    ],
    [
      'unless it regressed all the same',
      { ...suite, judgement: { ...suite.judgement, cases: [aFinding({ outcome: 'confirmed' })] } },
      {},
      {},
      ['regressed', 'environment_moved'],
    ],
  ])('%s', (_, evidence, overrides, own, kinds) => {
    const verdict = verdictOf([withRuns(mixed(0, 3), { gate: own })], evidence, { ...gate, ...overrides })
    expect(kindsOf(verdict)).toEqual(kinds)
  })
})
