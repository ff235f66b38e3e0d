import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatPercent, formatScore, wholeScore } from '../../src/core/percent.ts'

test.each([
  [0, '0%'],
  [100, '100%'],
  [80, '80%'],
  [66.66666666666666, '66.7%'],
  [33.333333333333336, '33.3%'],
  [99.94, '99.9%'],
  [99.96, '99.9%'],
  [99.9999999, '99.9%'],
  [0.04, '0.1%'],
  [0.0000001, '0.1%'],
])('%d is written %s', (value, text) => {
  expect(formatPercent(value)).toBe(text)
})

test('only a whole 100 is written as 100, and only nothing as 0', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 100, noNaN: true }), (value) => {
      expect(formatPercent(value) === '100%').toBe(value === 100)
      expect(formatPercent(value) === '0%').toBe(value === 0)
      expect(Math.abs(Number.parseFloat(formatPercent(value)) - value)).toBeLessThan(0.1 + 1e-9)
    }),
  )
})

test.each([
  [100, '100', 100],
  [99.99, '99.9', 99],
  [66.666, '66.7', 67],
  [57.14, '57.1', 57],
  [0, '0', 0],
])('a score of %d is %s, in whole %d', (value, text, whole) => {
  expect([formatScore(value), wholeScore(value)]).toEqual([text, whole])
})
