import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type RunRecord, ratePercent } from '../../src/core/result.ts'
import {
  classify,
  describeClass,
  durationStats,
  judgedRate,
  measure,
  type StabilityClass,
  yaoStability,
} from '../../src/core/stability.ts'

const ORDER: readonly StabilityClass[] = ['highly_unstable', 'unstable', 'mostly_stable', 'stable']
const percent = fc.double({ min: 0, max: 100, noNaN: true })
const duration = fc.double({ min: 0, max: 1e9, noNaN: true })
const run = fc.record({
  status: fc.constantFrom<RunRecord['status']>('passed', 'failed', 'errored'),
  durationMs: duration,
  code: fc.constantFrom('TIMEOUT', 'PROVIDER_ERROR'),
})

describe('classes', () => {
  test.each<[number, StabilityClass, string]>([
    [100, 'stable', 'Stable'],
    [99.99, 'mostly_stable', 'Mostly Stable'],
    [80, 'mostly_stable', 'Mostly Stable'],
    [79.99, 'unstable', 'Unstable'],
    [50, 'unstable', 'Unstable'],
    [49.99, 'highly_unstable', 'Highly Unstable'],
    [0, 'highly_unstable', 'Highly Unstable'],
  ])('%d is %s', (rate, expected, words) => {
    expect(classify(rate)).toBe(expected)
    expect(describeClass(expected)).toBe(words)
  })

  test('a higher rate is never in a worse class', () => {
    fc.assert(
      fc.property(percent, percent, (left, right) => {
        const [low, high] = [Math.min(left, right), Math.max(left, right)]
        expect(ORDER.indexOf(classify(high))).toBeGreaterThanOrEqual(ORDER.indexOf(classify(low)))
      }),
    )
  })

  test('the bounds are met by every fraction that equals them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), (count) => {
        const runs = (passed: number, judged: number) =>
          measure([
            ...Array.from({ length: passed }, () => ({ status: 'passed' as const, durationMs: 1 })),
            ...Array.from({ length: judged - passed }, () => ({ status: 'failed' as const, durationMs: 1 })),
          ])
        const scale = (count % 40) + 1
        expect(runs(4 * scale, 5 * scale).class).toBe('mostly_stable')
        expect(runs(scale, 2 * scale).class).toBe('unstable')
        expect(classify(ratePercent({ passed: 4 * count, judged: 5 * count }))).toBe('mostly_stable')
      }),
    )
  })
})

describe('laws of the measurement', () => {
  test('counts add up and the rate stays in its bounds', () => {
    fc.assert(
      fc.property(fc.array(run, { maxLength: 40 }), (runs) => {
        const measured = measure(runs)
        expect(measured.passed + measured.failed + measured.errored).toBe(measured.runs)
        expect(measured.runs).toBe(runs.length)
        expect(measured.passRate).toBeGreaterThanOrEqual(0)
        expect(measured.passRate).toBeLessThanOrEqual(100)
        expect(measured.class === 'stable').toBe(runs.length > 0 && runs.every((item) => item.status === 'passed'))
      }),
    )
  })

  test('the order of the runs does not matter', () => {
    fc.assert(
      fc.property(fc.array(run, { maxLength: 20 }), (runs) => {
        const { durationMs: one, ...measured } = measure(runs)
        const { durationMs: other, ...reversed } = measure([...runs].reverse())
        expect(reversed).toEqual(measured)
        expect(other.mean).toBeCloseTo(one.mean, 3)
      }),
    )
  })

  test('one more pass never lowers the rate, one more failure never raises it', () => {
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 40 }), (runs) => {
        const { passRate } = measure(runs)
        expect(measure([...runs, { status: 'passed', durationMs: 1 }]).passRate).toBeGreaterThanOrEqual(passRate)
        expect(measure([...runs, { status: 'failed', durationMs: 1 }]).passRate).toBeLessThanOrEqual(passRate)
      }),
    )
  })

  test('durations: min <= mean <= max, and a spread that is never negative nor wider than the range', () => {
    fc.assert(
      fc.property(fc.array(duration, { minLength: 1, maxLength: 50 }), (durations) => {
        const { min, mean, max, stddev } = durationStats(durations)
        expect(min).toBeLessThanOrEqual(mean)
        expect(mean).toBeLessThanOrEqual(max)
        expect(stddev).toBeGreaterThanOrEqual(0)
        expect(stddev).toBeLessThanOrEqual((max - min) / 2 + 1e-6 * max + 1e-9)
      }),
    )
  })

  test('equal durations have no spread, whatever rounding does to their sum', () => {
    expect(durationStats([0.1, 0.1, 0.1])).toEqual({ mean: 0.1, min: 0.1, max: 0.1, stddev: 0 })
  })
})

test('errored runs are no pass, but no evidence either', () => {
  const measured = measure([
    { status: 'passed', durationMs: 10 },
    { status: 'errored', durationMs: 20, code: 'TIMEOUT' },
    { status: 'errored', durationMs: 30, code: 'CONNECTION' },
    { status: 'failed', durationMs: 40 },
  ])
  expect(measured).toMatchObject({ runs: 4, passed: 1, failed: 1, errored: 2, timeouts: 1, passRate: 25 })
  expect(judgedRate(measured)).toEqual({ passed: 1, judged: 2 })
  expect(yaoStability(measured)).toMatchObject({ runs: 4, passed: 1, failed: 3, pass_rate: 25, consistency: 0.25 })
})

test('without a judged run there is no rate', () => {
  expect(judgedRate(measure([{ status: 'errored', durationMs: 1 }]))).toBeUndefined()
})

test('without a run everything is zero', () => {
  expect(yaoStability(measure([]))).toEqual({
    runs: 0,
    passed: 0,
    failed: 0,
    pass_rate: 0,
    consistency: 0,
    stable: false,
    stability_class: 'highly_unstable',
    avg_duration_ms: 0,
    min_duration_ms: 0,
    max_duration_ms: 0,
    std_deviation_ms: 0,
  })
})
