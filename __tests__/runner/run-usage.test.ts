import { describe, expect, test } from 'vitest'
import type { Host } from '../../src/core/host.ts'
import type { EmittedEvent, Usage } from '../../src/core/trace.ts'
import type { PlannedCase } from '../../src/runner/plan.ts'
import { aCase } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { aPlan, runPlan } from '../support/plans.ts'
import { rateLimited, say, scriptedTarget } from './fake-targets.ts'

describe('what a run used', () => {
  const prices = new Map([['m', { input: 1, output: 10 }]])
  const usage = (inputTokens: number, model = 'm'): EmittedEvent => ({
    type: 'usage',
    inputTokens,
    outputTokens: inputTokens / 10,
    model,
  })
  const run = async (planned: Partial<PlannedCase>, host: Host = fakeHost()) => {
    const target = scriptedTarget(() => say('hi'))
    const plan = aPlan([{ item: aCase({ assertions: [] }), target, ...planned }], { prices })
    for await (const { result } of runPlan(plan, host)) return result
    throw new Error('nothing was run')
  }

  test('is what its events say, priced, with model, rounds and tool calls', async () => {
    const target = scriptedTarget(async function* () {
      yield usage(1_000)
      yield { type: 'tool_call', tool: 'read', parameters: { path: 'a' } }
      yield usage(3_000)
    })
    expect(await run({ target })).toMatchObject({
      usage: { inputTokens: 4_000, outputTokens: 400, costUsd: 0.008 },
      answeredModel: 'm',
      turns: 2,
      steps: [{ tool: 'read', shown: '{"path":"a"}' }],
    })
  })

  test('is not known where nothing says it', async () => {
    const result = await run({})
    expect(result).not.toHaveProperty('usage')
    expect(result).not.toHaveProperty('sideUsage')
    expect(result.steps).toEqual([])
  })

  test('tries that are begun again are counted apart', async () => {
    const target = scriptedTarget(async function* (_, call) {
      yield usage(call * 1_000)
      if (call < 3) throw rateLimited(1)
    })
    const result = await run({ target }, fakeHost({ sleep: () => Promise.resolve() }))
    expect(result).toMatchObject({
      attempts: 3,
      usage: { inputTokens: 3_000 },
      sideUsage: { inputTokens: 3_000, outputTokens: 300, costUsd: 0.006, unmetered: 0 },
    })
  })

  test.each<[string, (Usage | undefined)[], object]>([
    [
      'what they used',
      [{ inputTokens: 50, outputTokens: 5, costUsd: 0.5 }],
      { inputTokens: 50, outputTokens: 5, costUsd: 0.5, unmetered: 0 },
    ],
    ['not its price', [{ inputTokens: 50, outputTokens: 5 }], { inputTokens: 50, outputTokens: 5, unmetered: 0 }],
    ['nothing', [undefined], { inputTokens: 0, outputTokens: 0, unmetered: 1 }],
  ])('judges are counted apart: they tell %s', async (_, usages, expected) => {
    const item = aCase({ assertions: [{ type: 'agent', use: 'agents:judge', value: 'be kind' }] })
    const ask = () => {
      const used = usages[0]
      return Promise.resolve({ output: { passed: true, reason: 'kind' }, ...(used ? { usage: used } : {}) })
    }
    const { status, sideUsage } = await run({ item, means: { ask } })
    expect({ status, sideUsage }).toEqual({ status: 'passed', sideUsage: expect.objectContaining(expected) as unknown })
    expect(sideUsage?.costUsd).toBe(usages[0]?.costUsd ?? (usages[0] ? undefined : 0))
  })

  test('a simulated user is counted apart as well', async () => {
    const checkpoint = { id: 'never', assertions: [{ type: 'contains', value: 'bye' }], after: [], required: true }
    const conversation = { simulator: { agent: 'user', metadata: {} }, checkpoints: [checkpoint], maxTurns: 3 }
    const target = scriptedTarget(() => say('hi'))
    const ask = () => Promise.resolve({ output: 'go on', usage: { inputTokens: 7, outputTokens: 1 } })
    const result = await run({ item: aCase({ assertions: [], conversation }), target, means: { ask } })
    // Three turns, the first of which is the case's own.
    expect(result.sideUsage).toEqual({ inputTokens: 14, outputTokens: 2, unmetered: 0 })
    expect(result).not.toHaveProperty('usage')
  })

  test('a secret is in no step, nor can its hash be told from another', async () => {
    const host = fakeHost()
    for (const secret of ['hunter2-hunter2', 'other-secret-99']) host.secrets.add(secret)
    const target = scriptedTarget(async function* () {
      yield { type: 'tool_call', tool: 'login', parameters: { key: 'hunter2-hunter2' } }
      yield { type: 'tool_call', tool: 'login', parameters: { key: 'other-secret-99' } }
    })
    const { steps = [] } = await run({ target }, host)
    expect(steps.map(({ shown }) => shown)).toEqual(['{"key":"***"}', '{"key":"***"}'])
    expect(steps[0]?.parameters).toBe(steps[1]?.parameters)
  })
})
