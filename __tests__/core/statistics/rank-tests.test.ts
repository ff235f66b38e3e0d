import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { robustDurations } from '../../../src/core/statistics/durations.ts'
import { mannWhitneyGreater } from '../../../src/core/statistics/mann-whitney.ts'
import type { Samples } from '../../../src/core/statistics/ranks.ts'
import { isIncrease, resourceChange } from '../../../src/core/statistics/resource-change.ts'
import { vanElteren } from '../../../src/core/statistics/van-elteren.ts'
import { countBits, placements } from './exact.ts'

const few = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 6 })
const many = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 2, maxLength: 30 })
const samples = fc.record({ baseline: few, current: few })
const strata = fc.array(fc.record({ baseline: many, current: many }), { minLength: 1, maxLength: 6 })

/** Pairs in which the value here is larger; equal ones count half. The same order as the rank sum. */
function wins(baseline: readonly number[], current: readonly number[]): number {
  return current.reduce(
    (sum, here) => sum + baseline.reduce((won, before) => won + (here > before ? 1 : here === before ? 0.5 : 0), 0),
    0,
  )
}

describe('Mann and Whitney', () => {
  test('is the share of all ways to choose the values of this side', () => {
    fc.assert(
      fc.property(samples, ({ baseline, current }) => {
        const values = [...baseline, ...current]
        const sidesOf = (mask: number) => ({
          before: values.filter((_, index) => ((mask >>> index) & 1) === 0),
          here: values.filter((_, index) => ((mask >>> index) & 1) === 1),
        })
        const all = [...placements(values.length, current.length)].map(sidesOf)
        const observed = wins(baseline, current)
        const expected = all.filter(({ before, here }) => wins(before, here) >= observed).length / all.length
        expect(mannWhitneyGreater({ baseline, current })).toBeCloseTo(expected, 12)
      }),
      { numRuns: 60 },
    )
    expect(countBits(0b1011)).toBe(3)
  })

  test('is certain when the sides cannot differ', () => {
    expect(mannWhitneyGreater({ baseline: [], current: [1] })).toBe(1)
    expect(mannWhitneyGreater({ baseline: [1], current: [] })).toBe(1)
    expect(mannWhitneyGreater({ baseline: [5, 5, 5], current: [5, 5] })).toBe(1)
  })

  test('goes over to the normal distribution without a step', () => {
    const value = (index: number) => (index * 37) % 101
    const of = (count: number): Samples => ({
      baseline: Array.from({ length: count - 20 }, (_, index) => value(index)),
      current: Array.from({ length: 20 }, (_, index) => value(index + 500) + 12),
    })
    const [exact, normal] = [of(70), of(71)].map((item) => [mannWhitneyGreater(item), vanElteren([item]).p] as const)
    expect(exact?.[0]).not.toBe(exact?.[1])
    expect(exact?.[0]).toBeCloseTo(exact?.[1] ?? -1, 2)
    expect(normal?.[0]).toBe(normal?.[1])
  })
})

describe('van Elteren', () => {
  test('mirrors, and does not depend on the order of cases and values or on the unit', () => {
    fc.assert(
      fc.property(strata, (items) => {
        const { z } = vanElteren(items)
        const turned = items.toReversed().map(({ baseline, current }) => ({
          baseline: baseline.toReversed(),
          current: current.toReversed(),
        }))
        expect(vanElteren(turned).z).toBeCloseTo(z, 9)
        const swapped = items.map(({ baseline, current }) => ({ baseline: current, current: baseline }))
        expect(vanElteren(swapped).z).toBeCloseTo(-z, 9)
        const seconds = items.map(({ baseline, current }) => ({
          baseline: baseline.map((value) => value / 1_000),
          current: current.map((value) => value / 1_000),
        }))
        expect(vanElteren(seconds).z).toBeCloseTo(z, 9)
      }),
    )
  })

  test('a case that cannot tell the sides apart changes nothing', () => {
    fc.assert(
      fc.property(strata, (items) => {
        const idle = [
          { baseline: [], current: [3] },
          { baseline: [4], current: [] },
          { baseline: [7, 7], current: [7] },
        ]
        expect(vanElteren([...items, ...idle]).z).toBeCloseTo(vanElteren(items).z, 9)
      }),
    )
    expect(vanElteren([])).toEqual({ z: 0, p: 1 })
    expect(vanElteren([{ baseline: [2, 2], current: [2] }])).toEqual({ z: 0, p: 1 })
  })
})

describe('the change of a resource', () => {
  /** Ten cases of their own size, five values a side with a spread of their own. */
  const suite = (factor: number): Samples[] =>
    Array.from({ length: 10 }, (_, index) => {
      const size = 100 * (index + 1)
      const spread = [0.9, 0.97, 1, 1.02, 1.1]
      return {
        baseline: spread.map((part) => size * part),
        current: spread.toReversed().map((part) => size * part * factor),
      }
    })

  test.each([
    ['the same', 1, 1, false],
    ['a tenth more is no accident, but small', 1.1, 1.1, false],
    ['a third more', 1.34, 1.34, true],
    ['half', 0.5, 0.5, false],
  ] as const)('%s', (_situation, factor, ratio, isRed) => {
    const change = resourceChange(suite(factor))
    expect(change.ratio).toBeCloseTo(ratio, 9)
    expect(isIncrease(change, 1.25)).toBe(isRed)
  })

  test('one case of ten says nothing of the suite, and a single value nothing of a case', () => {
    const [first, ...rest] = suite(1)
    const slow = { baseline: first?.baseline ?? [], current: (first?.current ?? []).map((value) => value * 10) }
    expect(resourceChange([slow, ...rest]).ratio).toBeCloseTo(1, 9)
    expect(isIncrease(resourceChange([{ baseline: [10], current: [99] }]), 1.25)).toBe(false)
  })

  test('nothing used on one side has no ratio', () => {
    expect(resourceChange([{ baseline: [0, 0], current: [5, 6] }]).ratio).toBe(1)
    expect(resourceChange([])).toEqual({ z: 0, p: 1, ratio: 1 })
  })
})

describe('robust durations', () => {
  test.each([
    [[7], 7, 7],
    [[3, 1], 2, 2.8],
    [[1, 2, 3], 2, 2.8],
    [[10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0], 5, 9],
  ])('%j', (values, median, p90) => {
    expect(robustDurations(values)).toEqual({ median: expect.closeTo(median, 12), p90: expect.closeTo(p90, 12) })
  })

  test('one slow run does not move the median', () => {
    expect(robustDurations([1, 2, 1e9])?.median).toBe(2)
    expect(robustDurations([])).toBeUndefined()
  })

  test('lie among the values', () => {
    fc.assert(
      fc.property(many, (values) => {
        const { median = -1, p90 = -1 } = robustDurations(values) ?? {}
        expect(median).toBeGreaterThanOrEqual(Math.min(...values))
        expect(p90).toBeGreaterThanOrEqual(median)
        expect(p90).toBeLessThanOrEqual(Math.max(...values))
      }),
    )
  })
})
