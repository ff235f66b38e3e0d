import { describe, expect, test } from 'vitest'
import { TargetError } from '../../src/core/errors.ts'
import type { EvaluationPlan } from '../../src/core/evaluation.ts'
import type { KindConfig } from '../../src/core/kind.ts'
import type { Case } from '../../src/core/suite.ts'
import type { EmittedEvent } from '../../src/core/trace.ts'
import { gather } from '../../src/runner/gather.ts'
import type { Plan } from '../../src/runner/plan.ts'
import { aCase } from '../support/builders.ts'
import { type FakeHost, fakeHost } from '../support/fake-host.ts'
import { aPlan, runPlan } from '../support/plans.ts'
import { scriptedTarget } from './fake-targets.ts'

const write: EmittedEvent = { type: 'tool_call', tool: 'write', parameters: { filePath: 'a.txt' } }
const asked: EmittedEvent[] = [
  { type: 'assistant_message', text: 'May I write a.txt?' },
  { type: 'user_message', text: 'Yes' },
  write,
]

interface Scene {
  readonly events: readonly EmittedEvent[]
  readonly evaluators?: readonly (string | KindConfig)[]
  readonly plan?: Partial<EvaluationPlan>
  readonly item?: Partial<Case>
  readonly error?: TargetError
}

function planOf({ events, evaluators = ['approval-gate'], plan = {}, item = {}, error }: Scene): Plan {
  async function* told() {
    yield* events
    if (error) throw error
  }
  const evaluations: EvaluationPlan = {
    evaluators: evaluators.map((one) => (typeof one === 'string' ? { type: one } : one)),
    passThreshold: 75,
    passPolicy: 'conjunction',
    expectedViolations: [],
    weights: {},
    ...plan,
  }
  const cases = [{ item: aCase({ assertions: [], evaluations, ...item }), target: scriptedTarget(told) }]
  return aPlan(cases)
}

async function resultOf(scene: Scene, host: FakeHost = fakeHost()) {
  for await (const { result } of runPlan(planOf(scene), host)) return result
  throw new Error('nothing was run')
}

describe('a run of a case with evaluations', () => {
  test('passes with its score', async () => {
    const result = await resultOf({ events: asked })
    expect(result).toMatchObject({
      status: 'passed',
      score: 100,
      evaluations: [{ evaluator: 'approval-gate', status: 'scored', score: 100 }],
    })
  })

  test('fails by a critical violation, with its words as a check', async () => {
    const result = await resultOf({ events: [write], plan: { passThreshold: 0 } })
    expect(result).toMatchObject({
      status: 'failed',
      score: 0,
      checks: [
        {
          name: 'approval-gate',
          passed: false,
          message: 'missing-approval: write a.txt ran without a request for approval before it',
        },
        { name: 'score', passed: true },
      ],
    })
  })

  test('fails by its score', async () => {
    const result = await resultOf({ events: [write], evaluators: ['context-loading'] })
    expect(result).toMatchObject({ status: 'failed', score: 0 })
    expect(JSON.stringify(result)).toContain('the mean score is 0, below the threshold of 75')
  })

  test('passes when what must be violated is', async () => {
    const plan: Partial<EvaluationPlan> = { expectedViolations: [{ evaluator: 'approval-gate', state: 'must' }] }
    expect(await resultOf({ events: [write], plan })).toMatchObject({ status: 'passed', score: null })
    expect(await resultOf({ events: asked, plan })).toMatchObject({ status: 'failed' })
  })

  test('needs its assertions, too', async () => {
    const item = { assertions: [{ type: 'contains', value: 'never said' }] }
    expect(await resultOf({ events: asked, item })).toMatchObject({ status: 'failed', score: 100 })
  })

  test('is errored where nothing was judged, and not where an assertion was', async () => {
    const events: EmittedEvent[] = [{ type: 'assistant_message', text: 'Hello' }]
    expect(await resultOf({ events })).toMatchObject({ status: 'errored', code: 'NOT_JUDGED', score: null })
    const item = { assertions: [{ type: 'contains', value: 'Hello' }] }
    expect(await resultOf({ events, item })).toMatchObject({ status: 'passed', score: null })
  })

  test('is errored where an evaluator fails itself; the others are heard all the same', async () => {
    const broken: KindConfig = { type: 'stop-on-failure', commands: 3 }
    const result = await resultOf({ events: asked, evaluators: [broken, 'approval-gate'] })
    expect(result).toMatchObject({
      status: 'errored',
      code: 'EVALUATOR_FAILED',
      evaluations: [
        { status: 'errored', evaluator: 'stop-on-failure' },
        { status: 'scored', score: 100 },
      ],
    })
    expect(await resultOf({ events: [write], evaluators: [broken, 'approval-gate'] })).toMatchObject({
      status: 'failed',
    })
  })

  test('that could not be done is errored, and what there was of it is evaluated', async () => {
    const error = new TargetError('gone', { code: 'CONNECTION' })
    expect(await resultOf({ events: [write], error })).toMatchObject({
      status: 'errored',
      code: 'CONNECTION',
      score: null,
      evaluations: [{ evaluator: 'approval-gate', score: 0 }],
    })
  })

  test('that skips itself is not evaluated', async () => {
    const result = await resultOf({ events: [{ type: 'skip', reason: 'no server' }] })
    expect(result).toMatchObject({ status: 'skipped' })
    expect(result).not.toHaveProperty('score')
  })

  test('tells no secret', async () => {
    const host = fakeHost()
    host.secrets.add('hunter2hunter2')
    const secret: EmittedEvent = { type: 'tool_call', tool: 'bash', parameters: { command: 'login hunter2hunter2' } }
    expect(JSON.stringify(await resultOf({ events: [secret] }, host))).not.toContain('hunter2')
  })
})

describe('what stays of it', () => {
  async function reportOf(scene: Scene) {
    const plan = planOf(scene)
    const host = fakeHost()
    const gathering = gather(plan, host.secrets)
    for await (const finished of runPlan(plan, host)) gathering.add(finished)
    return gathering.report(0)
  }

  test('of a pass: scores and what was found, without evidence', async () => {
    const { runs, stability } = await reportOf({
      events: [...asked, { type: 'tool_call', tool: 'bash', parameters: { command: 'cat a.txt' } }],
      evaluators: ['approval-gate', 'tool-usage'],
      plan: { passThreshold: 0 },
    })
    expect(stability).toMatchObject({ passed: 1, runs: 1 })
    expect(runs).toMatchObject([
      {
        status: 'passed',
        score: 50,
        checks: [],
        evaluations: [
          { evaluator: 'approval-gate', score: 100, checks: [], violations: [] },
          {
            evaluator: 'tool-usage',
            score: 0,
            checks: [],
            violations: [{ type: 'suboptimal-tool-usage', severity: 'warning' }],
          },
        ],
      },
    ])
    expect(JSON.stringify(runs)).not.toContain('evidence')
  })

  test('of a failure: all of it', async () => {
    const { runs } = await reportOf({ events: [write] })
    expect(runs).toMatchObject([
      { status: 'failed', evaluations: [{ violations: [{ evidence: { tool: 'write' } }], facts: { calls: 1 } }] },
    ])
  })
})
