import { describe, expect, test } from 'vitest'
import { type Cell, drawStage1, SCENARIO_NAMES, seededRandom, simulate } from '../../support/verdict-simulation.ts'

const TYPICAL: Cell = { profile: 'typical', cases: 100, mainRuns: 20, scenario: 'A', control: false }

/**
 * The seed is fixed, so that a test gives the same figures every time; `npm run bench:verdict` makes the whole table.
 */
function characteristicsOf(cell: Partial<Cell>, prs: number) {
  return simulate({ ...TYPICAL, ...cell }, prs, seededRandom(20_240_501))
}

describe('an unchanged pull request is blocked in at most 5 % of cases', () => {
  test.each<[string, Partial<Cell>]>([
    ['typical', {}],
    ['typical, 50 runs on main', { mainRuns: 50 }],
    ['typical, young baseline', { mainRuns: 3 }],
    ['typical, 10 cases', { cases: 10 }],
    ['quiet', { profile: 'quiet' }],
    ['flaky', { profile: 'flaky' }],
    ['fixed 5 runs', { settings: { runs: 5, maxRuns: 5 } }],
    ['1 run and up to 15', { settings: { runs: 1 } }],
    ['half of the imperfect cases got better', { scenario: 'F' }],
  ])('%s', (_name, cell) => {
    expect(characteristicsOf(cell, 400).blocked).toBeLessThanOrEqual(0.05)
  })

  test('and with the base side in at most 2 %, for few runs', () => {
    const { blocked, runsPerCase, baseRunsPerPr } = characteristicsOf({ control: true }, 600)
    expect(blocked).toBeLessThanOrEqual(0.02)
    expect(runsPerCase).toBeLessThanOrEqual(4)
    expect(baseRunsPerPr).toBeLessThanOrEqual(5)
  })
})

describe('what is broken is found', () => {
  test.each<[string, Partial<Cell>, number]>([
    ['a totally broken case', { scenario: 'B' }, 0.99],
    ['a totally broken case, base side', { scenario: 'B', control: true }, 0.99],
    ['from always to 30 %', { scenario: 'C3' }, 0.95],
    ['from always to 30 %, base side', { scenario: 'C3', control: true }, 0.95],
    ['one of three halved', { scenario: 'H', control: true }, 0.95],
  ])('%s', (_name, cell, share) => {
    const { named, blocked } = characteristicsOf(cell, 400)
    expect(named).toBeGreaterThanOrEqual(share)
    expect(blocked).toBeGreaterThanOrEqual(named)
  })

  test('ten points everywhere', () => {
    expect(characteristicsOf({ scenario: 'D', control: true }, 200).blocked).toBeGreaterThanOrEqual(0.95)
  })
})

test('a provider that drifted is rarely blamed on an innocent pull request', () => {
  const blamed = (cell: Partial<Cell>) => characteristicsOf(cell, 300).blocked
  expect(blamed({ scenario: 'G', control: true })).toBeLessThanOrEqual(0.2)
  expect(blamed({ scenario: 'G1', control: true })).toBeLessThanOrEqual(0.2)
  // What the base side is for.
  expect(blamed({ scenario: 'G' })).toBeGreaterThanOrEqual(0.95)
})

describe('the simulation', () => {
  test.each(SCENARIO_NAMES)('%s: names no more than it blocks, within the runs that it may spend', (scenario) => {
    const { blocked, named, runsPerCase, baseRunsPerPr } = characteristicsOf({ scenario, cases: 30 }, 40)
    expect(named).toBeLessThanOrEqual(blocked)
    expect(runsPerCase).toBeGreaterThanOrEqual(3)
    expect(runsPerCase).toBeLessThanOrEqual(15)
    expect(baseRunsPerPr).toBe(0)
  })

  test('is the same for the same seed, and draws at the rates of the profile', () => {
    const [one, again, other] = [7, 7, 8].map((seed) => drawStage1({ ...TYPICAL, mainRuns: 400 }, seededRandom(seed)))
    expect(again).toEqual(one)
    expect(other).not.toEqual(one)
    const passed = (one ?? []).reduce((sum, { baseline }) => sum + baseline.passed, 0)
    const expected = 0.6 + 0.15 * 0.98 + 0.1 * 0.9 + 0.08 * 0.7 + 0.04 * 0.4
    expect(passed / 40_000).toBeCloseTo(expected, 2)
  })
})
