import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { benjaminiHochberg, holm } from '../../../src/core/statistics/adjust.ts'
import { type Pair, swapSides } from '../../../src/core/statistics/counts.ts'
import { fisherTwoSided, fisherWorse, midPWorse } from '../../../src/core/statistics/fisher.ts'
import { hasLevelChanged } from '../../../src/core/statistics/level-change.ts'
import { selectiveTail } from '../../../src/core/statistics/selective-tail.ts'
import { shuffleTest } from '../../../src/core/statistics/shuffle-test.ts'
import { isSuspicious } from '../../../src/core/statistics/suspicion.ts'
import { bitsBetween, choose, placements, toBeNear } from './exact.ts'

/** At most `most` runs a side: small enough to write down every way to shuffle them. */
function pairs(most: number): fc.Arbitrary<Pair> {
  const counts = fc.tuple(fc.nat(most), fc.nat(most)).map(([runs, failed]) => {
    const failures = Math.min(runs, failed)
    return { passed: runs - failures, failed: failures }
  })
  return fc.record({ baseline: counts, current: counts })
}

/** Of all ways to shuffle the runs of both sides, the share in which the failures here are as asked. */
function shareOf({ baseline, current }: Pair, holds: (failedHere: number) => boolean): number {
  const here = current.passed + current.failed
  const slots = here + baseline.passed + baseline.failed
  const all = [...placements(slots, baseline.failed + current.failed)]
  return all.filter((mask) => holds(bitsBetween(mask, 0, here))).length / all.length
}

describe('Fisher', () => {
  test('is the share of all shuffles that are at least as bad', () => {
    fc.assert(
      fc.property(pairs(6), (pair) => {
        const { failed } = pair.current
        const [atLeast, more] = [shareOf(pair, (here) => here >= failed), shareOf(pair, (here) => here > failed)]
        expect(fisherWorse(pair)).toBeCloseTo(atLeast, 12)
        expect(midPWorse(pair)).toBeCloseTo((atLeast + more) / 2, 12)
      }),
      { numRuns: 60 },
    )
  })

  test('two-sided: as unlikely as this one, or more', () => {
    fc.assert(
      fc.property(pairs(6), (pair) => {
        const likelihood = (failed: number) => shareOf(pair, (here) => here === failed)
        const observed = likelihood(pair.current.failed)
        const expected = [0, 1, 2, 3, 4, 5, 6].map(likelihood).filter((share) => share <= observed * (1 + 1e-9))
        expect(fisherTwoSided(pair)).toBeCloseTo(
          Math.min(
            1,
            expected.reduce((sum, share) => sum + share, 0),
          ),
          11,
        )
        expect(fisherTwoSided(swapSides(pair))).toBeCloseTo(fisherTwoSided(pair), 11)
      }),
      { numRuns: 60 },
    )
  })

  test('a probability, smaller with every pass that fails instead, larger with every one on the other side', () => {
    fc.assert(
      fc.property(pairs(60), (pair) => {
        const { baseline, current } = pair
        for (const p of [fisherWorse(pair), midPWorse(pair), fisherTwoSided(pair)]) {
          expect(p).toBeGreaterThan(0)
          expect(p).toBeLessThanOrEqual(1)
        }
        if (current.passed > 0) {
          const worse = { baseline, current: { passed: current.passed - 1, failed: current.failed + 1 } }
          expect(fisherWorse(worse)).toBeLessThanOrEqual(fisherWorse(pair) * (1 + 1e-12))
        }
        if (baseline.passed > 0) {
          const excused = { baseline: { passed: baseline.passed - 1, failed: baseline.failed + 1 }, current }
          expect(fisherWorse(excused)).toBeGreaterThanOrEqual(fisherWorse(pair) * (1 - 1e-12))
        }
      }),
    )
  })

  test('both sides worse at once: the two tails overlap in what was seen', () => {
    fc.assert(
      fc.property(pairs(40), (pair) => {
        expect(midPWorse(pair) + midPWorse(swapSides(pair))).toBeCloseTo(1, 11)
      }),
    )
  })

  test('the tea that a lady tasted', () => {
    const pair = { baseline: { passed: 3, failed: 1 }, current: { passed: 1, failed: 3 } }
    expect([fisherWorse(pair), fisherTwoSided(pair)]).toEqual([
      expect.closeTo(17 / 70, 12),
      expect.closeTo(34 / 70, 12),
    ])
  })
})

describe('the level of a case on the base branch', () => {
  test.each([
    ['the same', { passed: 20, failed: 0 }, { passed: 10, failed: 0 }, false],
    // C(10, 4) of C(30, 4) ways: 0.0077.
    ['four new failures after none', { passed: 20, failed: 0 }, { passed: 6, failed: 4 }, true],
    ['three new failures after none', { passed: 20, failed: 0 }, { passed: 7, failed: 3 }, false],
    ['a fix from 60 %', { passed: 24, failed: 16 }, { passed: 10, failed: 0 }, false],
    ['a fix from 50 %', { passed: 20, failed: 20 }, { passed: 10, failed: 0 }, true],
  ])('%s', (_situation, baseline, current, expected) => {
    expect(hasLevelChanged({ baseline, current })).toBe(expected)
  })
})

describe('the tail given the selection', () => {
  const selections = fc
    .record({
      baselineRuns: fc.integer({ min: 1, max: 7 }),
      stage1Runs: fc.integer({ min: 1, max: 3 }),
      laterRuns: fc.nat(4),
      screen: fc.constantFrom(0.15, 0.3, 0.5),
      failed: fc.integer({ min: 1, max: 14 }),
    })
    .map(({ laterRuns, failed, ...selection }) => {
      const allRuns = selection.stage1Runs + laterRuns
      return { selection: { ...selection, allRuns }, failed: Math.min(failed, selection.baselineRuns + allRuns) }
    })

  test('is the share of all shuffles with a suspicious first stage', () => {
    fc.assert(
      fc.property(selections, ({ selection, failed }) => {
        const { baselineRuns, stage1Runs, allRuns, screen } = selection
        const slots = baselineRuns + allRuns
        const chosen = [...placements(slots, failed)].filter((mask) => {
          const first = bitsBetween(mask, 0, stage1Runs)
          const before = bitsBetween(mask, allRuns, slots)
          const baseline = { passed: baselineRuns - before, failed: before }
          return isSuspicious({ baseline, current: { passed: stage1Runs - first, failed: first } }, screen)
        })
        const tail = selectiveTail(selection, failed)
        expect(tail).toHaveLength(Math.min(failed, allRuns) + 1)
        for (const [here, p] of tail.entries()) {
          const worse = chosen.filter((mask) => bitsBetween(mask, 0, allRuns) >= here).length
          expect(p).toBeCloseTo(chosen.length === 0 ? 1 : worse / chosen.length, 11)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('begins with 1, never rises, and is above the plain p-value of the same failures', () => {
    const large = fc.record({
      baselineRuns: fc.integer({ min: 3, max: 50 }),
      stage1Runs: fc.integer({ min: 1, max: 5 }),
      allRuns: fc.integer({ min: 5, max: 20 }),
      screen: fc.constant(0.3),
    })
    fc.assert(
      fc.property(large, fc.integer({ min: 1, max: 70 }), (selection, some) => {
        const { baselineRuns, allRuns } = selection
        const failed = Math.min(some, baselineRuns + allRuns)
        const tail = selectiveTail(selection, failed)
        expect(tail[0]).toBeCloseTo(1, 12)
        for (const [here, p] of tail.entries()) {
          expect(p).toBeLessThanOrEqual((tail[here - 1] ?? 1) + 1e-15)
          const before = failed - here
          if (before > baselineRuns) continue
          const baseline = { passed: baselineRuns - before, failed: before }
          const plain = fisherWorse({ baseline, current: { passed: allRuns - here, failed: here } })
          expect(p).toBeGreaterThanOrEqual(plain * (1 - 1e-9))
        }
      }),
    )
  })
})

describe('the shuffle test', () => {
  test('is the share of all shuffles of all cases', () => {
    fc.assert(
      fc.property(fc.array(pairs(3), { minLength: 1, maxLength: 3 }), (cases) => {
        const observed = cases.reduce((sum, { current }) => sum + current.failed, 0)
        // Sums of failures here and their shares, case by case.
        let shares = new Map([[0, 1]])
        for (const pair of cases) {
          const next = new Map<number, number>()
          for (const [sum, share] of shares) {
            for (let here = 0; here <= 3; here += 1) {
              next.set(sum + here, (next.get(sum + here) ?? 0) + share * shareOf(pair, (failed) => failed === here))
            }
          }
          shares = next
        }
        const expected = [...shares].reduce((sum, [failed, share]) => sum + (failed >= observed ? share : 0), 0)
        const mean = [...shares].reduce((sum, [failed, share]) => sum + failed * share, 0)
        const test = shuffleTest(cases)
        expect(test.observed).toBe(observed)
        expect(test.p).toBeCloseTo(expected, 12)
        expect(test.expected).toBeCloseTo(mean, 11)
      }),
    )
  })

  test('does not depend on the order of the cases, and with one case it is Fisher', () => {
    fc.assert(
      fc.property(fc.array(pairs(20), { minLength: 1, maxLength: 20 }), fc.integer(), (cases, seed) => {
        const { p } = shuffleTest(cases)
        expect(p).toBeGreaterThan(0)
        expect(p).toBeLessThanOrEqual(1)
        const turned = cases.map((_, index) => cases[(index + (Math.abs(seed) % cases.length)) % cases.length])
        expect(shuffleTest(turned.filter((pair) => pair !== undefined)).p).toSatisfy(toBeNear(p, 1e-10))
        for (const pair of cases.slice(0, 1)) {
          expect(shuffleTest([pair]).p).toSatisfy(toBeNear(fisherWorse(pair), 1e-11))
        }
      }),
    )
  })

  test('one more failure here is never less evidence', () => {
    fc.assert(
      fc.property(fc.array(pairs(20), { minLength: 1, maxLength: 10 }), ([first, ...rest]) => {
        if (!first || first.current.passed === 0 || first.baseline.failed === 0) return
        const { baseline, current } = first
        // A failure moves from the base branch to here, so that the totals stay.
        const worse = {
          baseline: { passed: baseline.passed + 1, failed: baseline.failed - 1 },
          current: { passed: current.passed - 1, failed: current.failed + 1 },
        }
        expect(shuffleTest([worse, ...rest]).p).toBeLessThanOrEqual(shuffleTest([first, ...rest]).p * (1 + 1e-11))
      }),
    )
  })

  test('keeps chances that are tiny, and gives 0 for what no number can hold', () => {
    const broken = { baseline: { passed: 20, failed: 0 }, current: { passed: 0, failed: 3 } }
    const suite = (cases: number) => shuffleTest(Array.from({ length: cases }, () => broken))
    expect(suite(50).p).toSatisfy(toBeNear(Number(choose(23, 3)) ** -50, 1e-9))
    expect(suite(500)).toEqual({ observed: 1500, expected: expect.closeTo((1500 * 3) / 23, 6), p: 0 })
    expect(shuffleTest([])).toEqual({ observed: 0, expected: 0, p: 1 })
  })
})

describe('adjusting for many tests', () => {
  const ps = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 20 })

  test('Holm is at least the p-value and at most Bonferroni; the other way lies between', () => {
    fc.assert(
      fc.property(ps, (values) => {
        const [strict, loose] = [holm(values), benjaminiHochberg(values)]
        values.forEach((p, index) => {
          expect(strict[index]).toBeGreaterThanOrEqual(p)
          expect(strict[index]).toBeLessThanOrEqual(Math.min(1, p * values.length))
          expect(loose[index]).toBeGreaterThanOrEqual(p * (1 - 1e-12))
          expect(loose[index]).toBeLessThanOrEqual((strict[index] ?? 0) * (1 + 1e-12))
        })
      }),
    )
  })

  test('both turn with the order and leave nothing out', () => {
    fc.assert(
      fc.property(ps, (values) => {
        for (const adjust of [holm, benjaminiHochberg]) {
          expect(adjust(values.toReversed())).toEqual(adjust(values).toReversed())
        }
      }),
    )
    expect(holm([])).toEqual([])
  })
})
