import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Price, priceOf } from '../../src/core/budget.ts'
import { type TraceEvent, usageOf } from '../../src/core/trace.ts'

const [cheap, dear]: [Price, Price] = [
  { input: 1, output: 2 },
  { input: 10, output: 20 },
]

describe('the price of a model', () => {
  test.each<[string, string, Record<string, Price>, Price | undefined]>([
    ['by its name', 'gpt-5', { 'gpt-5': cheap }, cheap],
    ['not by a part of it', 'gpt-5-mini', { 'gpt-5': cheap, mini: cheap }, undefined],
    ['not by the end of a word', 'my-gpt-5', { 'gpt-5': cheap }, undefined],
    ['with a provider that the price does not name', 'openai/gpt-5', { 'gpt-5': cheap }, cheap],
    ['with two before it', 'router/openai/gpt-5', { 'openai/gpt-5': cheap, 'gpt-5': dear }, cheap],
    ['without the provider that the price names', 'gpt-5', { 'openai/gpt-5': cheap }, cheap],
    ['with the provider only, as it is meant', 'azure/gpt-5', { 'azure/gpt-5': dear, 'gpt-5': cheap }, dear],
    ['of another provider: none', 'azure/gpt-5', { 'openai/gpt-5': cheap }, undefined],
    ['of two providers that ask the same', 'gpt-5', { 'openai/gpt-5': cheap, 'azure/gpt-5': { ...cheap } }, cheap],
    ['of two providers that do not: none', 'gpt-5', { 'openai/gpt-5': cheap, 'azure/gpt-5': dear }, undefined],
    ['no name', '', { 'gpt-5': cheap, 'openai/': cheap }, undefined],
    ['a name that objects have', 'constructor', {}, undefined],
  ])('%s', (_, model, prices, expected) => {
    expect(priceOf(model, new Map(Object.entries(prices)))).toEqual(expected)
  })
})

describe('the cost of a run', () => {
  const prices = new Map([['known', { input: 2, output: 10 }]])
  const used = (more: { model?: string; costUsd?: number; tokens?: number } = {}): TraceEvent => {
    const { tokens = 1_000_000, ...rest } = more
    return { timestamp: 1, type: 'usage', inputTokens: tokens, outputTokens: tokens / 10, ...rest }
  }

  test.each<[string, TraceEvent[], number | undefined]>([
    ['as the agent says', [used({ costUsd: 0.5 }), used({ costUsd: 0.25 })], 0.75],
    ['by the price of its model', [used({ model: 'known' })], 3],
    ['by both', [used({ model: 'known' }), used({ costUsd: 0.5 })], 3.5],
    ['not known without either', [used()], undefined],
    ['not known where a part is not', [used({ costUsd: 0.5 }), used({ model: 'other' })], undefined],
    ['nothing for tokens is not known', [used({ costUsd: 0 })], undefined],
    ['nothing for tokens that have a price', [used({ costUsd: 0, model: 'known' })], 3],
    ['nothing for nothing', [used({ costUsd: 0, tokens: 0 })], 0],
    ['what the agent says outranks the price', [used({ costUsd: 0.5, model: 'known' })], 0.5],
  ])('%s', (_, events, costUsd) => {
    const usage = usageOf({ events }, prices)
    expect(usage?.costUsd).toBe(costUsd)
    expect(Object.hasOwn(usage ?? {}, 'costUsd')).toBe(costUsd !== undefined)
  })

  test('a free model is free where that is said', () => {
    const free = new Map([['local', { input: 0, output: 0 }]])
    expect(usageOf({ events: [used({ model: 'local', costUsd: 0 })] }, free)?.costUsd).toBe(0)
  })

  test('one unknown part makes the whole unknown, wherever it stands', () => {
    const part = fc.oneof(fc.constant(undefined), fc.double({ min: 0.001, max: 10, noNaN: true }))
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (costs) => {
        const events = costs.map((costUsd) => used(costUsd === undefined ? {} : { costUsd }))
        expect(usageOf({ events })?.costUsd === undefined).toBe(costs.includes(undefined))
      }),
    )
  })
})
