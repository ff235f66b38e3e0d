import { describe, expect, test } from 'vitest'
import type { BudgetLimits } from '../../src/core/budget.ts'
import type { RunResult } from '../../src/core/result.ts'
import { openBudget } from '../../src/runner/budget.ts'
import { aRun, erroredOutcome, failedOutcome } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'

const NO_LIMITS: BudgetLimits = { costUsd: 0, tokens: 0, durationMs: 0 }
const used = (inputTokens: number, outputTokens: number, costUsd?: number) => ({
  inputTokens,
  outputTokens,
  ...(costUsd === undefined ? {} : { costUsd }),
})
const skipped = (): RunResult => {
  const { key, run, attempts, startedAt, durationMs, output, trace } = aRun()
  return { key, run, attempts, startedAt, durationMs, output, trace, status: 'skipped', reason: 'no network' }
}
const silent = { trace: { events: [] } }

function budgetOf(limits: Partial<BudgetLimits>) {
  let now = 1_000
  const host = fakeHost({ now: () => now })
  const budget = openBudget({ ...NO_LIMITS, ...limits }, host)
  const wait = (ms: number) => {
    now += ms
  }
  return { budget, host, wait }
}

describe('what is spent', () => {
  test.each<[string, RunResult, [tokens: number, costUsd: number, unpriced: number, unmetered: number]]>([
    ['a priced run', aRun({ usage: used(10, 5, 0.5) }), [15, 0.5, 0, 0]],
    ['a failed run', aRun({ usage: used(10, 5, 0.5) }, failedOutcome()), [15, 0.5, 0, 0]],
    ['a run without a price', aRun({ usage: used(10, 5) }), [15, 0, 1, 0]],
    ['a run that used nothing', aRun({ usage: used(0, 0) }), [0, 0, 0, 0]],
    ['a run that tells nothing', aRun(), [0, 0, 0, 1]],
    [
      'judges beside the agent',
      aRun({ usage: used(1, 1, 0.25), sideUsage: { ...used(4, 2, 0.5), unmetered: 0 } }),
      [8, 0.75, 0, 0],
    ],
    [
      'judges without a price',
      aRun({ usage: used(1, 1, 0.25), sideUsage: { ...used(4, 2), unmetered: 0 } }),
      [8, 0.25, 1, 0],
    ],
    [
      'a judge that tells nothing',
      aRun({ usage: used(1, 1, 0.25), sideUsage: { ...used(0, 0, 0), unmetered: 1 } }),
      [2, 0.25, 0, 1],
    ],
    ['nobody telling anything, once', aRun({ sideUsage: { ...used(0, 0, 0), unmetered: 3 } }), [0, 0, 0, 1]],
    ['a test that skipped itself', skipped(), [0, 0, 0, 0]],
    ['an agent that was never reached', aRun(silent, erroredOutcome('CONNECTION')), [0, 0, 0, 0]],
    ['an agent that took too long to say anything', aRun(silent, erroredOutcome('TIMEOUT')), [0, 0, 0, 1]],
    ['an agent that broke off', aRun({}, erroredOutcome('PROVIDER_ERROR')), [0, 0, 0, 1]],
  ])('%s', (_, result, [tokens, costUsd, unpricedRuns, unmeteredRuns]) => {
    const { budget } = budgetOf({})
    budget.spend(result)
    expect(budget.spending()).toEqual({ tokens, costUsd, unpricedRuns, unmeteredRuns })
  })

  test('adds up over all runs', () => {
    const { budget } = budgetOf({})
    for (const result of [aRun({ usage: used(10, 5, 0.5) }), aRun({ usage: used(1, 1) }), aRun()]) budget.spend(result)
    expect(budget.spending()).toEqual({ tokens: 17, costUsd: 0.5, unpricedRuns: 1, unmeteredRuns: 1 })
  })
})

describe('limits', () => {
  const spendTwice = { usage: used(600, 400, 0.5) }

  test.each<[string, Partial<BudgetLimits>, object | undefined]>([
    ['no limit', {}, undefined],
    ['a cost that is reached', { costUsd: 1 }, { limit: 'cost', allowed: 1, used: 1 }],
    ['a cost that is not', { costUsd: 1.01 }, undefined],
    ['tokens that are reached', { tokens: 1_500 }, { limit: 'tokens', allowed: 1_500, used: 2_000 }],
    ['tokens that are not', { tokens: 2_001 }, undefined],
    ['a time that is up', { durationMs: 5_000 }, { limit: 'duration', allowed: 5_000, used: 5_000 }],
    ['a time that is not', { durationMs: 5_001 }, undefined],
    ['all of them', { durationMs: 1, tokens: 1, costUsd: 1 }, { limit: 'cost', allowed: 1, used: 1 }],
  ])('%s', (_, limits, expected) => {
    const { budget, wait } = budgetOf(limits)
    expect(budget.stop()).toBeUndefined()
    budget.spend(aRun(spendTwice))
    budget.spend(aRun(spendTwice))
    wait(5_000)
    expect(budget.stop()).toEqual(expected)
  })

  test('the first that kept a run back is the one that is told', () => {
    const { budget, wait } = budgetOf({ tokens: 500, costUsd: 0.6, durationMs: 100 })
    budget.spend(aRun(spendTwice))
    expect(budget.stop()).toMatchObject({ limit: 'tokens', used: 1_000 })
    budget.spend(aRun(spendTwice))
    wait(1_000)
    expect(budget.stop()).toMatchObject({ limit: 'tokens', used: 1_000 })
    expect(budget.stoppedBy()).toMatchObject({ limit: 'tokens', used: 1_000 })
  })

  test('a limit that the last run went over has kept nothing back', () => {
    const { budget } = budgetOf({ tokens: 500 })
    expect(budget.stop()).toBeUndefined()
    budget.spend(aRun(spendTwice))
    expect(budget.stoppedBy()).toBeUndefined()
  })
})

describe('what a limit cannot count', () => {
  test.each<[string, Partial<BudgetLimits>, RunResult, RegExp[]]>([
    ['an unknown price under max-cost', { costUsd: 1 }, aRun({ usage: used(5, 5) }), [/price .* not known.*max-cost/]],
    ['an unknown price under max-tokens', { tokens: 1_000 }, aRun({ usage: used(5, 5) }), []],
    ['unknown tokens under max-tokens', { tokens: 1_000 }, aRun(), [/does not say how many tokens/]],
    ['unknown tokens under max-cost', { costUsd: 1 }, aRun(), [/does not say how many tokens/]],
    ['unknown tokens under max-duration', { durationMs: 1_000 }, aRun(), []],
    ['both without a limit', {}, aRun({ sideUsage: { ...used(5, 5), unmetered: 1 } }), []],
  ])('is said once: %s', (_, limits, result, warnings) => {
    const { budget, host } = budgetOf(limits)
    budget.spend(result)
    budget.spend(result)
    expect(host.warnings).toEqual(warnings.map((warning) => expect.stringMatching(warning) as unknown))
    expect(budget.stop()).toBeUndefined()
  })
})
