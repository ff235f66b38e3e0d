import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { binomial } from '../../../src/core/statistics/binomial.ts'
import { clopperPearson, jeffreys, lowerBound, upperBound, wilson } from '../../../src/core/statistics/intervals.ts'
import { passAtK, passHatK } from '../../../src/core/statistics/pass-k.ts'
import { lowerTail, upperTail } from '../../../src/core/statistics/tails.ts'
import { choose, toBeNear } from './exact.ts'

const counts = fc.record({ passed: fc.nat(60), failed: fc.nat(60) }).filter(({ passed, failed }) => passed + failed > 0)
const confidence = fc.constantFrom(0.8, 0.9, 0.95, 0.99)

describe('laws of the intervals', () => {
  test.each([
    ['wilson', wilson],
    ['clopperPearson', clopperPearson],
    ['jeffreys', jeffreys],
  ] as const)('%s holds the observed rate, mirrors, and grows with the confidence', (_name, interval) => {
    fc.assert(
      fc.property(counts, confidence, ({ passed, failed }, level) => {
        const { lower, upper } = interval({ passed, failed }, level)
        const rate = passed / (passed + failed)
        expect(lower).toBeLessThanOrEqual(rate)
        expect(upper).toBeGreaterThanOrEqual(rate)
        const mirrored = interval({ passed: failed, failed: passed }, level)
        expect(mirrored.lower + upper).toBeCloseTo(1, 11)
        const wider = interval({ passed, failed }, level + 0.005)
        expect(wider.lower).toBeLessThanOrEqual(lower)
        expect(wider.upper).toBeGreaterThanOrEqual(upper)
      }),
    )
  })

  test('at an exact bound the observed count has the probability that was allowed', () => {
    fc.assert(
      fc.property(counts, confidence, ({ passed, failed }, level) => {
        const runs = passed + failed
        const [lower, upper] = [lowerBound({ passed, failed }, level), upperBound({ passed, failed }, level)]
        if (passed > 0) expect(upperTail(binomial(runs, lower), passed)).toSatisfy(toBeNear(1 - level, 1e-9))
        else expect(lower).toBe(0)
        if (failed > 0) expect(lowerTail(binomial(runs, upper), passed)).toSatisfy(toBeNear(1 - level, 1e-9))
        else expect(upper).toBe(1)
      }),
    )
  })

  test('nothing is known without a run', () => {
    const none = { passed: 0, failed: 0 }
    expect([wilson(none), clopperPearson(none), jeffreys(none)]).toEqual([
      { lower: 0, upper: 1 },
      { lower: 0, upper: 1 },
      { lower: 0, upper: 1 },
    ])
  })

  test('the interval that is shown for 5 of 5', () => {
    expect(wilson({ passed: 5, failed: 0 }).lower).toBeCloseTo(0.5655, 4)
  })
})

describe('pass@k and pass^k', () => {
  test('equal whole-number arithmetic, and mirror', () => {
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 120 }), ({ passed, failed }, k) => {
        const runs = passed + failed
        if (k > runs) {
          expect([passAtK({ passed, failed }, k), passHatK({ passed, failed }, k)]).toEqual([undefined, undefined])
          return
        }
        const all = Number(choose(passed, k)) / Number(choose(runs, k))
        expect(passHatK({ passed, failed }, k)).toSatisfy(toBeNear(all, 1e-11))
        expect(passAtK({ passed: failed, failed: passed }, k)).toBeCloseTo(1 - all, 12)
      }),
    )
  })

  test.each([0, -1, 1.5])('%d runs cannot be drawn', (k) => {
    expect(passAtK({ passed: 3, failed: 1 }, k)).toBeUndefined()
  })
})
