import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Evaluation, EvaluationPlan, Severity, ViolationExpectation } from '../../src/core/evaluation.ts'
import { judgeEvaluations } from '../../src/core/evaluation-verdict.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { readTimeline } from '../../src/core/timeline.ts'
import { evaluateTrace } from '../../src/evaluators/index.ts'

const PLAN: EvaluationPlan = {
  evaluators: [],
  passThreshold: 75,
  passPolicy: 'conjunction',
  expectedViolations: [],
  weights: {},
}

/** `approval-gate 50 missing-approval/error`: name, score, then what it found. */
function evaluation(text: string): Evaluation {
  const [evaluator = '', score, ...found] = text.split(' ')
  if (score === 'n/a') return { status: 'not_applicable', evaluator, reason: 'nothing to judge' }
  if (score === 'broken') return { status: 'errored', evaluator, message: 'it broke' }
  const violations = found.map((one) => {
    const [type = '', severity = 'error'] = one.split('/')
    return { type, severity: severity as Severity, message: `${type} happened` }
  })
  const passed = violations.every(({ severity }) => severity !== 'error')
  return { status: 'scored', evaluator, passed, score: Number(score), checks: [], violations }
}

/** `must a`, `may a/type`. */
function expectation(text: string): ViolationExpectation {
  const [state = '', name = ''] = text.split(' ')
  const [evaluator = '', type] = name.split('/')
  return { state: state as ViolationExpectation['state'], evaluator, ...(type === undefined ? {} : { type }) }
}

function judge(evaluations: readonly string[], expected: readonly string[] = [], plan: Partial<EvaluationPlan> = {}) {
  const expectedViolations = expected.map(expectation)
  return judgeEvaluations(evaluations.map(evaluation), { ...PLAN, expectedViolations, ...plan })
}

describe('score', () => {
  test.each<[string, string[], string[], Partial<EvaluationPlan>, number | null]>([
    ['plain mean', ['a 100', 'b 67', 'c 0 x/warning'], [], {}, 167 / 3],
    ['what does not apply is left out', ['a 80', 'b n/a'], [], {}, 80],
    ['but counts under compat', ['a 80', 'b n/a'], [], { compat: 'openagents' }, 90],
    ['weights', ['a 100', 'b 0 x/warning'], [], { weights: { a: 40, b: 10 } }, 80],
    ['a weight of nothing', ['a 100', 'b 0 x/warning'], [], { weights: { b: 0 } }, 100],
    ['only weights of nothing', ['a 100'], [], { weights: { a: 0 } }, null],
    ['an evaluator whose violation is wanted', ['a 100', 'b 0 x'], ['must b'], {}, 100],
    ['or let be', ['a 100', 'b 0 x'], ['may b/x'], {}, 100],
    ['one that must not be violated counts', ['a 100', 'b 50'], ['must_not b'], {}, 75],
    ['nothing left', ['b 0 x'], ['may b'], {}, null],
    ['none', [], [], {}, null],
    ['a broken one', ['a 60', 'b broken'], [], {}, 60],
    ['a name like a property of every object', ['constructor 50'], [], {}, 50],
  ])('%s', (_, evaluations, expected, plan, score) => {
    expect(judge(evaluations, expected, plan).score).toBe(score)
  })

  test('what is only measured is left out', () => {
    const measured = { ...evaluation('m 100'), informational: true } as Evaluation
    expect(judgeEvaluations([evaluation('a 0 x'), measured], PLAN).score).toBe(0)
    expect(judgeEvaluations([measured], PLAN)).toMatchObject({
      score: null,
      status: 'errored',
      cause: 'nothing_judged',
    })
  })
})

describe('verdict', () => {
  test.each<[string, string[], string[], Partial<EvaluationPlan>, string]>([
    ['all well', ['a 100'], [], {}, 'passed'],
    ['exactly the threshold', ['a 75 x/warning'], [], {}, 'passed'],
    ['below it', ['a 74 x/warning'], [], {}, 'failed'],
    ['a critical find fails whatever the mean', ['a 100', 'b 98 x'], [], {}, 'failed'],
    ['not under the threshold alone', ['a 100', 'b 98 x'], [], { passPolicy: 'threshold' }, 'passed'],
    [
      'where expectations count for nothing, so that nothing is judged',
      ['a 100'],
      ['must a'],
      { passPolicy: 'threshold' },
      'errored',
    ],
    ['the threshold alone, below', ['a 50'], [], { passPolicy: 'threshold' }, 'failed'],
    ['must, and is', ['a 0 x'], ['must a'], {}, 'passed'],
    ['must, and is not', ['a 100'], ['must a'], {}, 'failed'],
    ['must of another type', ['a 0 x'], ['must a/y'], {}, 'failed'],
    ['must of this type', ['a 0 x'], ['must a/x'], {}, 'passed'],
    ['must, and another critical one besides', ['a 0 x y'], ['must a/x'], {}, 'failed'],
    ['must, as a warning', ['a 0 x/warning'], ['must a'], {}, 'passed'],
    ['must, in another evaluator of the same type', ['b 0 x'], ['must a/x', 'may b'], {}, 'failed'],
    ['must, and does not apply', ['a n/a'], ['must a'], {}, 'failed'],
    ['must, and was not run', ['b 100'], ['must a'], {}, 'failed'],
    ['must not, and is not', ['a 100'], ['must_not a'], {}, 'passed'],
    ['must not, and does not apply', ['a n/a'], ['must_not a'], {}, 'passed'],
    ['must not, and is, even as a hint', ['a 90 x/info'], ['must_not a'], {}, 'failed'],
    ['must not of another type', ['a 90 x/info'], ['must_not a/y'], {}, 'passed'],
    ['may, and is', ['a 0 x', 'b 100'], ['may a'], {}, 'passed'],
    ['may, and is not', ['a 100', 'b 100'], ['may a'], {}, 'passed'],
    ['may of another type', ['a 0 x', 'b 100'], ['may a/y'], {}, 'failed'],
    ['the older name of an evaluator', ['cleanup-confirmation 0 x'], ['must confirm-cleanup'], {}, 'passed'],
    ['must and must not', ['a 0 x'], ['must a', 'must_not a'], {}, 'failed'],
    ['an agent that is to do wrong, and does', ['a 0 x'], [], { expectedPass: false }, 'passed'],
    ['by its score alone', ['a 20 x/warning'], [], { expectedPass: false }, 'passed'],
    ['and does not', ['a 100'], [], { expectedPass: false }, 'failed'],
    ['an agent that is to do well forgives nothing', ['a 0 x'], ['must a'], { expectedPass: true }, 'failed'],
    ['nothing ran', [], [], {}, 'errored'],
    ['nothing applied', ['a n/a'], [], {}, 'errored'],
    ['nothing applied, under compat', ['a n/a'], [], { compat: 'openagents' }, 'passed'],
    ['nothing but what may be', ['a n/a'], ['may a'], {}, 'errored'],
    ['a broken evaluator', ['a 100', 'b broken'], [], {}, 'errored'],
    ['a broken one beside a bad score', ['a 10 x/warning', 'b broken'], [], {}, 'errored'],
    ['a broken one beside proof', ['a 0 x', 'b broken'], [], {}, 'failed'],
    ['a broken one that must be violated', ['a 100', 'b broken'], ['must b'], {}, 'errored'],
    ['a broken one under the threshold alone', ['a 100', 'b broken'], [], { passPolicy: 'threshold' }, 'errored'],
  ])('%s: %j', (_, evaluations, expected, plan, status) => {
    expect(judge(evaluations, expected, plan).status).toBe(status)
  })

  test('a run that could not be done is errored whatever was found', () => {
    const verdict = judgeEvaluations([evaluation('a 100')], PLAN, { runError: 'timed out' })
    expect(verdict).toEqual({ status: 'errored', cause: 'not_run', message: 'timed out', score: null, checks: [] })
  })

  test('something judged elsewhere is enough', () => {
    expect(judgeEvaluations([evaluation('a n/a')], PLAN, { isJudgedElsewhere: true })).toMatchObject({
      status: 'passed',
      score: null,
    })
  })
})

test.each<[string, string[], string[], Partial<EvaluationPlan>, string[]]>([
  ['a critical find', ['a 0 x'], [], {}, ['x: x happened', 'the mean score is 0, below the threshold of 75']],
  ['a wanted violation', ['a 100'], ['must a'], {}, ['expected a violation, and none was found']],
  [
    'one of a type',
    ['a n/a', 'b 100'],
    ['must a/x'],
    {},
    ['expected the violation x, and the evaluator does not apply: nothing to judge'],
  ],
  ['of one that did not run', ['b 100'], ['must a'], {}, ['expected a violation, and the evaluator was not run']],
  [
    'a violation that must not be',
    ['a 90 x/info y/info'],
    ['must_not a'],
    {},
    ['must not be violated here: x: x happened (and 1 more)'],
  ],
  [
    'a good run of an agent that is to do wrong',
    ['a 100'],
    [],
    { expectedPass: false },
    ['the case says that the agent does wrong, and nothing critical was found'],
  ],
  ['a score just below', ['a 74.99'], [], {}, ['the mean score is 75, below the threshold of 75']],
])('the failure text of %s', (_, evaluations, expected, plan, messages) => {
  const { checks } = judge(evaluations, expected, plan)
  expect(checks.flatMap(({ passed, message }) => (passed ? [] : [message]))).toEqual(messages)
})

test('a severity that a suite writes is no part of the match, and said where it differs', () => {
  const expectedViolations: ViolationExpectation[] = [{ evaluator: 'a', state: 'must', severity: 'error' }]
  const { checks } = judgeEvaluations([evaluation('a 0 x/warning')], { ...PLAN, expectedViolations })
  expect(checks.at(-1)).toMatchObject({ passed: true, details: { expectedSeverity: 'error', severity: 'warning' } })
})

interface VerdictRow {
  readonly id: string
  readonly kind: 'verdict' | 'aggregate'
  readonly test?: { readonly expected?: LegacyExpected; readonly expectedViolations?: readonly Rule[] }
  readonly errors?: readonly string[]
  readonly events?: readonly unknown[]
  readonly results: readonly Result[] | null
  readonly expect: Wanted
  readonly ours?: Partial<Wanted>
}

interface Rule {
  readonly rule: string
  readonly shouldViolate: boolean
}

interface LegacyExpected {
  readonly pass?: boolean
  readonly violations?: readonly Rule[]
  readonly toolCalls?: readonly string[]
  readonly minMessages?: number
}

interface Result {
  readonly evaluator: string
  readonly passed: boolean
  readonly score: number
  readonly violations: readonly { readonly type: string; readonly severity: Severity; readonly message: string }[]
}

interface Wanted {
  readonly passed?: boolean
  readonly overallPassed?: boolean
  readonly overallScore?: number | null
  readonly status?: string
}

const INFORMATIONAL = ['agent-model', 'performance-metrics']
const table = new URL('../fixtures/conformance/opencode-verdict-cases.jsonl', import.meta.url)
const rows = readFileSync(table, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as VerdictRow)

describe('conformance', () => {
  test('the table is whole', () => expect(rows).toHaveLength(23))

  test.each(rows)(
    '$id',
    async ({ kind, test: asked = {}, errors = [], events = [], results, expect: original, ours }) => {
      const wanted = ours ?? original
      const evaluations = [...(results ?? []).map(scored), ...(await legacyEvaluations(asked.expected, events))]
      const verdict = judgeEvaluations(
        evaluations,
        planOf(asked),
        errors[0] === undefined ? {} : { runError: errors[0] },
      )
      const passed = kind === 'aggregate' ? wanted.overallPassed : wanted.passed
      expect(verdict.status === 'passed').toBe(passed)
      if (wanted.status !== undefined) expect(verdict.status).toBe(wanted.status)
      // The original counts what must be violated, too; ours then has no score at all.
      const isCompared = wanted.overallScore !== undefined && !leavesOut(asked)
      if (isCompared) expect(verdict.score === null ? null : Math.round(verdict.score)).toBe(wanted.overallScore)
    },
  )
})

function leavesOut({ expectedViolations = [], expected = {} }: NonNullable<VerdictRow['test']>): boolean {
  const isLegacy = expected.toolCalls !== undefined || expected.minMessages !== undefined
  return isLegacy || [...expectedViolations, ...(expected.violations ?? [])].some(({ shouldViolate }) => shouldViolate)
}

function scored({ evaluator, passed, score, violations }: Result): Evaluation {
  const informational = INFORMATIONAL.includes(evaluator) ? { informational: true } : {}
  return { status: 'scored', evaluator, passed, score, violations, checks: [], ...informational }
}

function planOf({ expected = {}, expectedViolations = [] }: NonNullable<VerdictRow['test']>): EvaluationPlan {
  const rules = [...expectedViolations, ...(expected.violations ?? [])]
  return {
    ...PLAN,
    expectedViolations: rules.map(({ rule, shouldViolate }) => ({
      evaluator: rule,
      state: shouldViolate ? 'must' : 'must_not',
    })),
    ...(expected.pass === undefined ? {} : { expectedPass: expected.pass }),
  }
}

/** What the deprecated `expected` asks of the run, as the behavior evaluator judges it. */
async function legacyEvaluations(
  { toolCalls, minMessages }: LegacyExpected = {},
  events: readonly unknown[],
): Promise<readonly Evaluation[]> {
  if (toolCalls === undefined && minMessages === undefined) return []
  const timeline = events.map((_, index) => ({ type: 'assistant_message', timestamp: index, data: { text: 'x' } }))
  const config: JsonObject = {
    ...(toolCalls ? { mustUseTools: toolCalls } : {}),
    ...(minMessages === undefined ? {} : { minMessages }),
  }
  return evaluateTrace(readTimeline(timeline).trace, [{ ...config, type: 'behavior' }])
}
