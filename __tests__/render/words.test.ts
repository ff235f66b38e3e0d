import { describe, expect, test } from 'vitest'
import type { BaselineState } from '../../src/core/baseline.ts'
import type { Spending } from '../../src/core/budget.ts'
import type { Report } from '../../src/core/report.ts'
import { costAgainstBase, costOf, tokensUsed } from '../../src/render/figures.ts'
import { gateSentence, reasonsLine, renderSummary } from '../../src/render/index.ts'
import {
  describeRuns,
  formatCount,
  formatPoints,
  formatTokens,
  groupFailures,
  jsonText,
  logText,
  plural,
} from '../../src/render/words.ts'
import {
  aCaseReport,
  aGate,
  aReport,
  erroredOutcome,
  failedOutcome,
  loadedBaseline,
  mixed,
  noSpending,
  passedOutcome,
  passes,
  someRuns,
} from '../support/builders.ts'

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1,000'],
  [1_234_567, '1,234,567'],
])('formatCount(%d)', (count, wanted) => expect(formatCount(count)).toBe(wanted))

describe('logText', () => {
  const lines = (...texts: string[]) => texts.map((text) => ({ level: 'info' as const, text }))

  test.each([
    ['nothing', [], 10, ''],
    ['a line each, with its level', [{ level: 'warn' as const, text: 'low' }, ...lines('b')], 12, '[warn] low\nb'],
    ['all that fits', lines('aaaa', 'bbbb'), 9, 'aaaa\nbbbb'],
    ['the last lines, each whole', lines('aaaa', 'bbbb', 'cccc'), 12, '…\nbbbb\ncccc'],
    ['no part of a line', lines('aaaa', 'bbbb', 'cccc'), 11, '…\ncccc'],
    ['the end of one that is too long itself', lines('aaaa', 'bbbbcccc'), 6, '…\ncccc'],
  ])('%s', (_title, logs, maxLength, wanted) => {
    expect(logText(logs, maxLength)).toBe(wanted)
  })
})

test.each([
  [950, '950'],
  [9_999, '9,999'],
  [182_400, '182k'],
  [999_600, '1.0M'],
])('formatTokens(%d)', (count, wanted) => expect(formatTokens(count)).toBe(wanted))

test.each([
  [0, '0 pp'],
  [-96.666, '-96.7 pp'],
  [0.01, '+0.1 pp'],
  [-0.01, '-0.1 pp'],
])('formatPoints(%d)', (points, wanted) => expect(formatPoints(points)).toBe(wanted))

test.each([
  [1, '1 case'],
  [2, '2 cases'],
  [0, '0 cases'],
])('plural(%d)', (count, wanted) => expect(plural(count, 'case')).toBe(wanted))

test.each([
  [[2], 'run 2'],
  [[1, 2], 'runs 1 and 2'],
  [[1, 2, 3], 'runs 1 to 3'],
  [[1, 3, 4], 'runs 1, 3 and 4'],
  [[1, 3, 5, 7, 9, 11, 13, 15], '8 runs from 1 to 15'],
])('describeRuns(%j)', (numbers, wanted) => {
  const runs = numbers.flatMap((run) => someRuns([passedOutcome], {}).map((record) => ({ ...record, run })))
  expect(describeRuns(runs)).toBe(wanted)
})

test.each([
  ['text', 'text'],
  [null, 'null'],
  [{ a: [1] }, '{\n  "a": [\n    1\n  ]\n}'],
])('jsonText(%j)', (value, wanted) => expect(jsonText(value)).toBe(wanted))

test('failures are put together by what was wanted, not by what came', () => {
  const failure = (actual: string) =>
    failedOutcome({ name: 'equals', message: `expected 4, got ${actual}`, expected: 4, actual })
  const outcomes = [
    failure('5'),
    passedOutcome,
    erroredOutcome(),
    failure('6'),
    erroredOutcome(),
    failedOutcome('too rude'),
  ]
  const groups = groupFailures(aCaseReport({ runs: someRuns(outcomes) }))
  expect(groups.map((group) => group.map(({ run }) => run))).toEqual([[1, 4], [3, 5], [6]])
})

const flaky = aCaseReport({ id: 'tone', runs: someRuns(mixed(2, 1)) })
const broken = aCaseReport({ id: 'refund', runs: someRuns(mixed(0, 3)) })
const fine = aCaseReport()
const errored = aCaseReport({
  id: 'order',
  runs: someRuns([...passes(2), erroredOutcome('TIMEOUT', 'no answer within 5m')]),
})
const lenient = { ...aGate, minPassRate: 50 }
const fallen = loadedBaseline([aCaseReport({ id: 'refund' }), fine])

const sentences: readonly (readonly [situation: string, report: Report, code: number, sentence: string])[] = [
  ['everything passed', aReport({ cases: [fine] }), 0, 'the gate exits 0 because 1 of 1 case passed every run'],
  [
    'everything passed and was compared',
    aReport({ cases: [fine], loaded: loadedBaseline([fine]) }),
    0,
    'the gate exits 0 because 1 of 1 case passed every run; nothing regressed',
  ],
  [
    'a case is flaky but good enough',
    aReport({ cases: [fine, flaky], gate: lenient }),
    0,
    'the gate exits 0 because 1 of 2 cases passed every run, 1 more is within the gate',
  ],
  [
    'a regression that is not gated',
    aReport({ cases: [fine, broken], loaded: fallen, gate: { ...aGate, failOn: [] } }),
    0,
    'the gate exits 0 because 1 of 2 cases passed every run, 1 more is within the gate; 1 regression shown, which this gate does not fail on',
  ],
  [
    'nothing was run and that is allowed',
    aReport({ cases: [aCaseReport({ skip: 'later' })], gate: { ...aGate, allowEmpty: true } }),
    0,
    'the gate exits 0 because no case was run, which is allowed here',
  ],
  [
    'a regression, named once',
    aReport({ cases: [fine, broken], loaded: fallen }),
    2,
    'the gate exits 2 because tests/support.jsonl/refund regressed: 21/21 runs passed on the base branch, 0/3 here; had nothing changed, one of the 2 cases in question would drop this far in less than 0.1% of pull requests (limit 4%); the base commit was not run again, so what changed around the agent is not ruled out',
  ],
  [
    'two reasons',
    aReport({ cases: [broken, errored] }),
    1,
    'the gate exits 1 because tests/support.jsonl/refund passed 0/3 (0%), below the required 100% (and 1 more reason)',
  ],
]

test.each(sentences)('the gate says why: %s', (_situation, report, code, wanted) => {
  expect(gateSentence(report, code)).toBe(wanted)
})

describe('the alert', () => {
  const none: BaselineState = { kind: 'none', detail: 'no run of main has saved one' }
  test.each([
    ['clean', aReport({ cases: [fine], loaded: loadedBaseline([fine]) }), 'TIP'],
    ['clean, not compared on purpose', aReport({ cases: [fine] }), 'TIP'],
    ['clean without a baseline yet', aReport({ cases: [fine], baseline: none }), 'NOTE'],
    ['flaky but good enough', aReport({ cases: [flaky], gate: lenient }), 'NOTE'],
    ['below the threshold', aReport({ cases: [broken] }), 'WARNING'],
    ['errors', aReport({ cases: [errored] }), 'WARNING'],
    ['interrupted', aReport({ cases: [fine], interrupted: true, plannedRuns: 6 }), 'WARNING'],
    ['a regression', aReport({ cases: [fine, broken], loaded: fallen }), 'CAUTION'],
  ])('is right for a run that is %s', (_situation, report, alert) => {
    expect(renderSummary(report, { heading: 'h' })).toContain(`> [!${alert}]\n> **`)
  })
})

test.each<readonly [string, Partial<Spending>, string | undefined, string | undefined]>([
  ['nothing was used', {}, undefined, undefined],
  ['no run tells', { unmeteredRuns: 4 }, undefined, 'cost unknown'],
  [
    'some runs tell',
    { tokens: 1_500, costUsd: 0.4213, unmeteredRuns: 3 },
    'at least 1,500',
    'at least $0.42, 3 runs without a price',
  ],
  ['no price is known', { tokens: 181_620, unpricedRuns: 4 }, '182k', 'cost unknown'],
  [
    'a price is not known',
    { tokens: 900, costUsd: 0.0123, unpricedRuns: 1 },
    '900',
    'at least $0.012, 1 run without a price',
  ],
  ['all is known', { tokens: 2_400_000, costUsd: 1_204.5 }, '2.4M', '$1,204.50'],
  ['it is free', { tokens: 900 }, '900', '$0'],
])('what was used is never shown as nothing where it is not known: %s', (_situation, used, tokens, cost) => {
  const report = aReport({ spending: { ...noSpending, ...used } })
  expect([tokensUsed(report), costOf(report)]).toEqual([tokens, cost])
  const text = renderSummary(report, { heading: 'h' })
  if (tokens === undefined) expect(text).not.toContain('tokens')
  else expect(text).toContain(` · ${tokens} tokens · `)
  if (cost !== undefined) expect(text).toContain(cost.replace('$', '<span>$</span>'))
})

test('the cost is compared with as many runs on the base branch, first runs with first runs', () => {
  const priced = (count: number, costUsd: number) =>
    someRuns(passes(count), { usage: { inputTokens: 1, outputTokens: 1, costUsd } })
  const report = aReport({
    cases: [aCaseReport({ runs: priced(5, 0.03) }), aCaseReport({ id: 'new', runs: priced(3, 9) })],
    loaded: loadedBaseline([aCaseReport({ runs: priced(3, 0.02) })]),
    plannedRuns: 6,
  })
  expect(costAgainstBase(report)).toBeCloseTo(0.03, 10)
  expect(costAgainstBase(aReport())).toBeUndefined()
})

test('a case whose id is in two suites is named with its suite', () => {
  const twin = (suite: string) => aCaseReport({ id: 'same', suite, runs: someRuns(mixed(0, 3)) })
  const text = renderSummary(aReport({ cases: [twin('a.jsonl'), twin('b.jsonl'), fine] }), { heading: 'h' })
  expect(text).toContain('| `a.jsonl/same` |')
  expect(text).toContain('| `b.jsonl/same` |')
  expect(text).toContain('| `greet-01` |')
})

test('of thousands of reasons one line keeps what fits and counts the rest', () => {
  const cases = Array.from({ length: 5_000 }, (_, index) =>
    aCaseReport({ id: `case-${index}`, runs: someRuns(mixed(0, 1)) }),
  )
  const line = reasonsLine(aReport({ cases }).verdict, 4_000)
  expect(line).toMatch(/^tests\/support\.jsonl\/case-0 passed 0\/1 .*; and 4,9\d\d more reasons$/)
  expect(line.length).toBeGreaterThan(3_800)
  expect(line.length).toBeLessThanOrEqual(4_000)
})

test('one line is one line: a cause of several lines is joined, and a case is named once', () => {
  const errored = aReport({ cases: [aCaseReport({ runs: someRuns([erroredOutcome('PROVIDER_ERROR', 'a\nb')]) })] })
  expect(reasonsLine(errored.verdict, 4_000)).toBe('1 of 1 runs errored: a b')
  const worse = [aCaseReport({ runs: someRuns(mixed(0, 3)) })]
  const loaded = loadedBaseline([aCaseReport()])
  expect(reasonsLine(aReport({ cases: worse, loaded }).verdict, 4_000).match(/greet-01/g)).toHaveLength(1)
})
