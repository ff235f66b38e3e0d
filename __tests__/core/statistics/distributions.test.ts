import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { betaCumulative, betaQuantile } from '../../../src/core/statistics/beta.ts'
import { binomial } from '../../../src/core/statistics/binomial.ts'
import { hypergeometric } from '../../../src/core/statistics/hypergeometric.ts'
import { logBinomial, logGamma } from '../../../src/core/statistics/logarithms.ts'
import { normalQuantile, normalSurvival } from '../../../src/core/statistics/normal.ts'
import { type Counting, lowerTail, midTail, upperTail } from '../../../src/core/statistics/tails.ts'
import { choose, toBeNear } from './exact.ts'

const share = fc.double({ min: 1e-6, max: 1 - 1e-6, noNaN: true })
const draw = fc
  .record({ total: fc.nat(80), failedShare: share, drawnShare: share })
  .map(({ total, failedShare, drawnShare }) => ({
    total,
    failed: Math.round(total * failedShare),
    drawn: Math.round(total * drawnShare),
  }))
const trials = fc.record({
  runs: fc.nat(80),
  rate: fc.oneof(share, fc.constantFrom(0, 1)),
})

function probabilitiesOf(counting: Counting): number[] {
  return Array.from({ length: counting.max - counting.min + 1 }, (_, index) =>
    counting.probability(counting.min + index),
  )
}

describe('logarithms', () => {
  test.each([
    [0.5, Math.log(Math.PI) / 2],
    [1, 0],
    [2, 0],
    [10, Math.log(362_880)],
    // Stirling's series takes over at 16.
    [15.5, 26.536914491115613],
    [16.5, 29.277754515040815],
    [1e6, 12815504.569147611],
  ])('ln of Gamma(%d)', (x, expected) => {
    expect(Math.abs(logGamma(x) - expected)).toBeLessThanOrEqual(1e-14 * Math.max(1, Math.abs(expected)))
  })

  test('binomials equal whole-number arithmetic', () => {
    fc.assert(
      fc.property(fc.nat(300), fc.nat(300), (count, chosen) => {
        const exact = choose(count, chosen)
        const ours = logBinomial(count, chosen)
        if (exact === 0n) expect(ours).toBe(Number.NEGATIVE_INFINITY)
        else expect(Math.exp(ours)).toSatisfy(toBeNear(Number(exact), 1e-11))
      }),
    )
    expect(logBinomial(5, -1)).toBe(Number.NEGATIVE_INFINITY)
  })
})

describe('the normal distribution', () => {
  test.each([
    [0, 0.5],
    [1, 0.15865525393145705],
    [1.959963984540054, 0.025],
    // Both sides of the change of method.
    [2.999999, 0.001349902463485155],
    [3, 0.001349898031630095],
    [5, 2.866515718791939e-7],
    [10, 7.61985302416052e-24],
    [37, 5.725571222524577e-300],
    [-1, 0.841344746068543],
  ])('P(Z >= %d)', (z, expected) => {
    expect(normalSurvival(z)).toSatisfy(toBeNear(expected, 1e-12))
  })

  test('a quantile has its probability', () => {
    const probability = fc.oneof(
      share,
      fc.integer({ min: 1, max: 300 }).map((digits) => 10 ** -digits),
    )
    fc.assert(
      fc.property(probability, (p) => {
        expect(normalSurvival(normalQuantile(p))).toSatisfy(toBeNear(p, 1e-11))
      }),
    )
    expect(Math.abs(normalQuantile(0.5))).toBe(0)
  })

  test('the two tails mirror each other', () => {
    fc.assert(
      fc.property(fc.double({ min: -8, max: 8, noNaN: true }), (z) => {
        expect(normalSurvival(z) + normalSurvival(-z)).toBeCloseTo(1, 14)
      }),
    )
  })
})

describe('the Beta distribution', () => {
  const parameter = fc.double({ min: 0.5, max: 300, noNaN: true })
  const beta = fc.record({ a: parameter, b: parameter })

  test('its sum is a tail of the binomial distribution', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(199), share, (runs, more, rate) => {
        const failed = 1 + (more % runs)
        const tail = upperTail(binomial(runs, rate), failed)
        expect(betaCumulative({ a: failed, b: runs - failed + 1 }, rate)).toSatisfy(toBeNear(tail, 1e-9))
      }),
    )
  })

  test('it mirrors when its parameters change places', () => {
    fc.assert(
      fc.property(beta, share, ({ a, b }, x) => {
        expect(betaCumulative({ a, b }, x) + betaCumulative({ a: b, b: a }, 1 - x)).toBeCloseTo(1, 11)
      }),
    )
  })

  test('a quantile has its probability', () => {
    fc.assert(
      fc.property(beta, fc.double({ min: 1e-4, max: 1 - 1e-4, noNaN: true }), (parameters, p) => {
        expect(betaCumulative(parameters, betaQuantile(parameters, p))).toSatisfy(toBeNear(p, 1e-8))
      }),
    )
  })

  test.each([
    [{ a: 1, b: 1 }, 0.25, 0.25],
    [{ a: 1, b: 20 }, 0.95, 1 - 0.05 ** (1 / 20)],
    [{ a: 20, b: 1 }, 0.05, 0.05 ** (1 / 20)],
    // Half a million runs, three of which failed.
    [{ a: 3, b: 500_000 }, 0.05, 1.635378286338758e-6],
  ])('the quantile of %o at %d', (parameters, p, expected) => {
    expect(betaQuantile(parameters, p)).toSatisfy(toBeNear(expected, 1e-9))
  })

  test('nothing is below 0 and everything up to 1', () => {
    expect([betaCumulative({ a: 2, b: 3 }, 0), betaCumulative({ a: 2, b: 3 }, 1)]).toEqual([0, 1])
  })
})

describe.each<[string, fc.Arbitrary<Counting>]>([
  ['binomial', trials.map(({ runs, rate }) => binomial(runs, rate))],
  ['hypergeometric', draw.map(hypergeometric)],
])('%s', (_name, countings) => {
  test('probabilities sum to 1 and have the mean', () => {
    fc.assert(
      fc.property(countings, (counting) => {
        const probabilities = probabilitiesOf(counting)
        expect(probabilities.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 10)
        const mean = probabilities.reduce((sum, value, index) => sum + value * (counting.min + index), 0)
        expect(mean).toBeCloseTo(counting.mean, 8)
      }),
    )
  })

  test('tails are the sums of probabilities', () => {
    fc.assert(
      fc.property(countings, fc.integer({ min: -1, max: 82 }), (counting, x) => {
        const probabilities = probabilitiesOf(counting)
        const upper = probabilities.slice(Math.max(0, x - counting.min)).reduceRight((sum, value) => sum + value, 0)
        expect(upperTail(counting, x)).toSatisfy(toBeNear(upper, 1e-9))
        expect(upperTail(counting, x) + lowerTail(counting, x - 1)).toBeCloseTo(1, 11)
      }),
    )
  })

  test('tails fall, and the mid tail lies half-way between two', () => {
    fc.assert(
      fc.property(countings, (counting) => {
        for (let x = counting.min; x <= counting.max; x += 1) {
          const [here, next] = [upperTail(counting, x), upperTail(counting, x + 1)]
          expect(here).toBeGreaterThanOrEqual(next)
          expect(midTail(counting, x)).toBeCloseTo((here + next) / 2, 11)
        }
      }),
    )
  })
})

test('hypergeometric probabilities equal whole-number arithmetic', () => {
  fc.assert(
    fc.property(draw, ({ total, failed, drawn }) => {
      const counting = hypergeometric({ total, failed, drawn })
      for (let x = counting.min; x <= counting.max; x += 1) {
        const ways = choose(failed, x) * choose(total - failed, drawn - x)
        expect(counting.probability(x)).toSatisfy(toBeNear(Number(ways) / Number(choose(total, drawn)), 1e-11))
      }
    }),
  )
})

test('a tail far below what its first term can lose is still there', () => {
  // All 200 failures of 400 runs fall on one side: 1 / C(400, 200).
  const counting = hypergeometric({ total: 400, failed: 200, drawn: 200 })
  expect(upperTail(counting, 200)).toSatisfy(toBeNear(1 / Number(choose(400, 200)), 1e-10))
  expect(upperTail(binomial(1000, 0.5), 1000)).toSatisfy(toBeNear(2 ** -1000, 1e-9))
})
