import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Counts } from '../../../src/core/statistics/counts.ts'
import { type DetectionPlan, mdc, pFlag } from '../../../src/core/statistics/detectable-change.ts'
import { suiteMdc } from '../../../src/core/statistics/detectable-suite-change.ts'
import { nextStep } from '../../../src/core/statistics/gate.ts'
import { GATE_DEFAULTS } from '../../../src/core/statistics/gate-settings.ts'
import { drawRuns, expectedCounts, type Profile, seededRandom } from '../../support/verdict-simulation.ts'

type Shape = readonly [runs: number, maxRuns: number, level: number]

const NEVER = [undefined, undefined] as const

function planOf(baseline: Counts, [runs, maxRuns, level]: Shape): DetectionPlan {
  return { baseline, runs, maxRuns, screen: 0.3, level }
}

function spotless(runs: number): Counts {
  return { passed: runs, failed: 0 }
}

/** Source: spec verdict 4.6, points at 80 % and 50 %, by runs on main. */
const TABLE: readonly (readonly [Shape, readonly (readonly (number | undefined)[])[]])[] = [
  [
    [3, 3, 0.04],
    [NEVER, NEVER, [93, 80], [72, 50], [72, 50], [72, 50]],
  ],
  [
    [5, 5, 0.04],
    [NEVER, [96, 88], [84, 69], [68, 50], [50, 32], [50, 32]],
  ],
  [
    [5, 5, 0.01],
    [NEVER, NEVER, [96, 88], [84, 69], [68, 50], [50, 32]],
  ],
  [
    [10, 10, 0.01],
    [NEVER, [98, 94], [85, 75], [68, 55], [49, 36], [39, 26]],
  ],
  [
    [3, 10, 0.01],
    [NEVER, NEVER, [92, 84], [77, 65], [60, 47], [53, 38]],
  ],
  [
    [3, 15, 0.04],
    [NEVER, [90, 83], [79, 70], [62, 51], [48, 34], [44, 29]],
  ],
  [
    [3, 15, 0.01],
    [NEVER, [99, 96], [90, 83], [68, 57], [52, 40], [44, 29]],
  ],
  [
    [5, 20, 0.01],
    [NEVER, [99, 97], [85, 78], [67, 58], [48, 39], [35, 25]],
  ],
]

describe('the minimum detectable change', () => {
  test.each(TABLE)('%j: as the specification prints it', (shape, expected) => {
    const ours = [1, 3, 5, 10, 20, 50].map((runs) =>
      [0.8, 0.5].map((power) => mdc(planOf(spotless(runs), shape), power)),
    )
    expect(ours).toEqual(expected)
  })

  test.each([
    [20, [0, 0.05, 0.24, 0.52, 0.77, 0.91, 0.97, 1]],
    [50, [0.04, 0.25, 0.53, 0.74, 0.87, 0.94, 0.97, 1]],
  ])('the chance to be found by size, %d runs on main', (runs, expected) => {
    const drops = [10, 20, 30, 40, 50, 60, 70, 100]
    const ours = drops.map((drop) => pFlag(planOf(spotless(runs), [3, 15, 0.01]), drop / 100))
    ours.forEach((chance, index) => {
      expect(Math.abs(chance - (expected[index] ?? -1))).toBeLessThanOrEqual(0.0051)
    })
  })

  test('is the first drop with that chance', () => {
    const baselines = fc.record({ passed: fc.integer({ min: 3, max: 50 }), failed: fc.nat(5) })
    const shapes = fc.constantFrom<Shape>([3, 15, 0.04], [3, 10, 0.01], [5, 5, 0.04], [1, 15, 0.04])
    fc.assert(
      fc.property(baselines, shapes, fc.constantFrom(0.5, 0.8, 0.95), (baseline, shape, power) => {
        const plan = planOf(baseline, shape)
        const failRate = baseline.failed / (baseline.passed + baseline.failed)
        const found = mdc(plan, power)
        const chance = (drop: number) => pFlag(plan, failRate + drop / 100)
        if (found === undefined) {
          // A drop in whole points need not reach 0 % passes.
          expect(chance(Math.floor((1 - failRate) * 100 + 1e-9))).toBeLessThan(power)
          return
        }
        expect(chance(found)).toBeGreaterThanOrEqual(power * (1 - 1e-6))
        expect(chance(found - 1)).toBeLessThan(power)
      }),
      { numRuns: 50 },
    )
  })

  test('a case that already fails on main must lose a larger share of what it still passes', () => {
    const lost = [spotless(20), { passed: 18, failed: 2 }, { passed: 14, failed: 6 }].map(
      (baseline) => (mdc(planOf(baseline, [3, 15, 0.04]), 0.5) ?? 100) / baseline.passed,
    )
    expect(lost).toEqual(lost.toSorted((left, right) => left - right))
    expect(mdc(planOf({ passed: 0, failed: 20 }, [3, 15, 0.04]), 0.5)).toBeUndefined()
  })

  test.each([
    [spotless(20), [3, 15, 0.04], 0.4],
    [spotless(50), [3, 15, 0.01], 0.3],
    [{ passed: 18, failed: 2 }, [3, 15, 0.04], 0.6],
    [spotless(10), [5, 5, 0.04], 0.6],
  ] as const)('is what the gate itself does: %j %j %d', (baseline, [runs, maxRuns, level], failRate) => {
    const random = seededRandom(11)
    const settings = { ...GATE_DEFAULTS, runs, maxRuns, alphaCase: level, suiteControlRuns: 0, controlRuns: 0 }
    const tries = 4_000
    let found = 0
    for (let attempt = 0; attempt < tries; attempt += 1) {
      const stage1 = drawRuns(runs, 1 - failRate, random)
      const later = drawRuns(maxRuns - runs, 1 - failRate, random)
      const all = { passed: stage1.passed + later.passed, failed: stage1.failed + later.failed }
      const batches = { suiteControl: 'unavailable', reruns: 'done', control: 'unavailable' } as const
      const step = nextStep([{ baseline, stage1, all }], batches, settings)
      if (step.kind === 'verdict' && step.cases.some(({ flagged }) => flagged)) found += 1
    }
    const expected = pFlag(planOf(baseline, [runs, maxRuns, level]), failRate)
    // Four standard errors of the simulation.
    const error = Math.sqrt((expected * (1 - expected)) / tries)
    expect(expected).toBeGreaterThan(0.1)
    expect(expected).toBeLessThan(0.95)
    expect(Math.abs(found / tries - expected)).toBeLessThanOrEqual(4 * error)
  })
})

/** Source: spec verdict 4.6, measured with 20 runs on main, by number of cases. */
const SUITE_TABLE: readonly (readonly [Profile, number, readonly number[]])[] = [
  ['typical', 3, [20, 10, 6, 2]],
  ['quiet', 3, [14, 6, 2, 1]],
  ['flaky', 3, [27, 15, 8, 4]],
  ['typical', 1, [36, 18, 8, 4]],
]

describe('the drop of the whole suite', () => {
  test.each(SUITE_TABLE)('%s, %d runs: as measured, within a point or a tenth', (profile, runs, expected) => {
    const ours = [10, 30, 100, 500].map((cases) =>
      suiteMdc(expectedCounts(profile, cases, 20), { runs, alphaSuite: 0.01 }, 0.8),
    )
    ours.forEach((drop, index) => {
      expect(Math.abs((drop ?? 0) - (expected[index] ?? 0))).toBeLessThanOrEqual(
        Math.max(1, (expected[index] ?? 0) / 10),
      )
    })
  })

  test('none is found in nothing', () => {
    const settings = { runs: 3, alphaSuite: 0.01 }
    expect(suiteMdc([], settings, 0.8)).toBeUndefined()
    expect(suiteMdc([{ passed: 0, failed: 0 }], settings, 0.8)).toBeUndefined()
    expect(suiteMdc([{ passed: 0, failed: 20 }], settings, 0.8)).toBeUndefined()
    expect(suiteMdc([{ passed: 1, failed: 0 }], { runs: 1, alphaSuite: 0.01 }, 0.8)).toBeUndefined()
  })
})
