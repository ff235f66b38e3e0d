import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fisherTail, shuffled } from '../../../src/core/statistics/fisher.ts'
import { type AttainableTest, levelBeside, stepDownMinP } from '../../../src/core/statistics/step-down.ts'

/**
 * A case with `failed` failures on both sides, as the plain test sees it, and the chance of each number of them here.
 */
function drawn(nb: number, np: number, failed: number) {
  const pair = { baseline: { passed: nb - failed, failed }, current: { passed: np, failed: 0 } }
  const { min, max, probability } = shuffled(pair)
  const outcomes = Array.from({ length: max - min + 1 }, (_, index) => min + index)
  return {
    outcomes: outcomes.map((here) => ({ here, chance: probability(here) })),
    testAt: (here: number): AttainableTest => ({ tail: fisherTail(pair), failed, observed: here }),
  }
}

const cases = fc.record({ nb: fc.integer({ min: 3, max: 20 }), np: fc.integer({ min: 2, max: 8 }), some: fc.nat(9) })
const suites = fc
  .array(cases, { minLength: 1, maxLength: 3 })
  .map((items) => items.map(({ nb, np, some }) => drawn(nb, np, Math.min(nb, some))))
const weights = fc.constantFrom(1, 5)
const observedTests = fc.array(
  fc.tuple(cases, fc.nat(8)).map(([{ nb, np, some }, here]) => {
    const { outcomes, testAt } = drawn(nb, np, Math.min(nb, some))
    return testAt(outcomes[here % outcomes.length]?.here ?? 0)
  }),
  { minLength: 1, maxLength: 8 },
)

describe('step-down min-p', () => {
  test('alarms without a change at most as often as it may: exact, over all outcomes', () => {
    fc.assert(
      fc.property(suites, weights, fc.constantFrom(0.04, 0.1, 0.3), (suite, weight, alpha) => {
        const alarms = (chosen: readonly AttainableTest[], chance: number): number => {
          const next = suite[chosen.length]
          if (!next) return stepDownMinP(chosen, weight).some(({ adjusted }) => adjusted <= alpha) ? chance : 0
          return next.outcomes.reduce(
            (sum, outcome) => sum + alarms([...chosen, next.testAt(outcome.here)], chance * outcome.chance),
            0,
          )
        }
        expect(alarms([], 1)).toBeLessThanOrEqual(alpha * (1 + 1e-9))
      }),
    )
  })

  test('never makes a p-value smaller, and turns with the order of the cases', () => {
    fc.assert(
      fc.property(observedTests, weights, (tests, weight) => {
        const results = stepDownMinP(tests, weight)
        for (const { p, adjusted } of results) {
          expect(p).toBeGreaterThanOrEqual(0)
          expect(adjusted).toBeGreaterThanOrEqual(p * (1 - 1e-12))
          expect(adjusted).toBeLessThanOrEqual(1)
        }
        const turned = stepDownMinP(tests.toReversed(), weight).toReversed()
        expect(turned.map(({ p }) => p)).toEqual(results.map(({ p }) => p))
        turned.forEach(({ adjusted }, index) => {
          expect(adjusted).toBeCloseTo(results[index]?.adjusted ?? -1, 12)
        })
      }),
    )
  })

  test('a case that could not have alarmed costs nothing', () => {
    fc.assert(
      fc.property(observedTests, weights, (tests, weight) => {
        const quiet = { tail: [1], failed: 0, observed: 0 }
        const [result, ...rest] = stepDownMinP([quiet, ...tests], weight)
        expect(result).toEqual({ p: 1, adjusted: 1 })
        stepDownMinP(tests, weight).forEach(({ adjusted }, index) => {
          // Weighted statistics above 1 are beyond every limit anyway.
          if (adjusted < 0.2) expect(rest[index]?.adjusted).toBeCloseTo(adjusted, 12)
        })
      }),
    )
  })

  test('beside others, a case that fails on the base branch needs stronger evidence than a spotless one', () => {
    const spotless = (observed: number) => ({ tail: [1, 0.03], failed: 1, observed })
    const flaky = (observed: number) => ({ tail: [1, 0.03], failed: 4, observed })
    const adjusted = (tests: readonly AttainableTest[], weight: number) => stepDownMinP(tests, weight)[0]?.adjusted
    const both = expect.closeTo(1 - 0.97 ** 2, 12)
    expect([1, 5].map((weight) => adjusted([spotless(1), flaky(0)], weight))).toEqual([both, expect.closeTo(0.03, 12)])
    expect([1, 5].map((weight) => adjusted([flaky(1), spotless(0)], weight))).toEqual([both, both])
    const likely = { tail: [1, 0.1], failed: 1, observed: 0 }
    expect([1, 5].map((weight) => adjusted([flaky(1), likely], weight))).toEqual([
      expect.closeTo(0.03, 12),
      expect.closeTo(1 - 0.97 * 0.9, 12),
    ])
    // Alone it has nothing to be compared with.
    expect(adjusted([flaky(1)], 5)).toBeCloseTo(0.03, 12)
    expect(stepDownMinP([], 5)).toEqual([])
  })
})

describe('the level beside other cases', () => {
  test('is where one more case is flagged, and just above it is not', () => {
    fc.assert(
      fc.property(observedTests, weights, fc.boolean(), (tests, flakyWeight, isSpotless) => {
        const alpha = 0.04
        const level = levelBeside(tests, { alpha, flakyWeight, isSpotless })
        expect(level).toBeLessThanOrEqual(alpha)
        // The others as they are when nothing is seen in them.
        const others = tests.map((item) => ({ ...item, observed: 0 }))
        const adjustedAt = (p: number) => {
          const added = { tail: [1, p], failed: isSpotless ? 1 : 2, observed: 1 }
          return stepDownMinP([added, ...others], flakyWeight)[0]?.adjusted ?? 1
        }
        if (level > 1e-12) expect(adjustedAt(level * (1 - 1e-6))).toBeLessThanOrEqual(alpha * (1 + 1e-9))
        if (level < alpha) expect(adjustedAt(level * (1 + 1e-6) + 1e-12)).toBeGreaterThan(alpha)
      }),
    )
    expect(levelBeside([], { alpha: 0.04, flakyWeight: 5, isSpotless: false })).toBe(0.04)
  })
})
