import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CaseEvidence } from '../../../src/core/statistics/case-evidence.ts'
import { attainableTests, caseImprovements, caseTest, suspiciousCases } from '../../../src/core/statistics/case-test.ts'
import type { Counts } from '../../../src/core/statistics/counts.ts'
import { type Batches, type GateVerdict, nextStep } from '../../../src/core/statistics/gate.ts'
import { GATE_DEFAULTS, type GateSettings } from '../../../src/core/statistics/gate-settings.ts'
import { suiteImprovement } from '../../../src/core/statistics/suite-test.ts'

const OPEN: Batches = { suiteControl: 'open', reruns: 'open', control: 'open' }
const DONE: Batches = { suiteControl: 'done', reruns: 'done', control: 'done' }
const NO_BASE: Batches = { suiteControl: 'unavailable', reruns: 'done', control: 'unavailable' }

/** `runs` runs of which `failed` failed. */
function counted(runs: number, failed: number): Counts {
  return { passed: runs - failed, failed }
}

/** A case that passed 20 of 20 on main and 3 of 3 here, but for what is said. */
function aCase(changes: Partial<CaseEvidence> = {}): CaseEvidence {
  const stage1 = changes.stage1 ?? counted(3, 0)
  return { baseline: counted(20, 0), stage1, all: stage1, ...changes }
}

function suiteOf(count: number, item: CaseEvidence = aCase()): CaseEvidence[] {
  return Array.from({ length: count }, () => item)
}

function verdictOf(cases: readonly CaseEvidence[], batches = DONE, settings = GATE_DEFAULTS): GateVerdict {
  const step = nextStep(cases, batches, settings)
  if (step.kind !== 'verdict') throw new Error(`asks for ${step.batch}`)
  return step
}

/** Cases that fail on main now and then and did not here, so that one broken case is no alarm of the suite. */
const calm = suiteOf(99, aCase({ baseline: counted(20, 2) }))
const broken = aCase({ stage1: counted(3, 3), all: counted(15, 15) })

describe('what is run next', () => {
  test('an unchanged suite asks for nothing', () => {
    expect(nextStep(suiteOf(100), OPEN, GATE_DEFAULTS)).toMatchObject({ kind: 'verdict', blocked: false, cases: [] })
  })

  test('a broken case: more runs, then the base commit, then red', () => {
    const stage1 = aCase({ stage1: counted(3, 3) })
    expect(nextStep([...calm, stage1], OPEN, GATE_DEFAULTS)).toEqual({
      kind: 'ask',
      batch: 'reruns',
      runs: [{ place: 99, count: 12 }],
    })
    const rerun = { ...OPEN, reruns: 'done' } as const
    expect(nextStep([...calm, broken], rerun, GATE_DEFAULTS)).toEqual({
      kind: 'ask',
      batch: 'control',
      runs: [{ place: 99, count: 5 }],
    })
    const verdict = verdictOf([...calm, { ...broken, control: counted(5, 0) }])
    expect(verdict).toMatchObject({
      blocked: true,
      suite: { outcome: 'quiet', observed: 3, runs: 300, fires: false },
      cases: [{ place: 99, flagged: true, outcome: 'confirmed' }],
    })
  })

  test('a case that had more runs already gets the rest of them, one that has all gets none', () => {
    const cases = [
      aCase({ stage1: counted(3, 2), all: counted(13, 4) }),
      aCase({ stage1: counted(3, 2), all: counted(15, 3) }),
      ...calm,
    ]
    expect(nextStep(cases, OPEN, GATE_DEFAULTS)).toEqual({
      kind: 'ask',
      batch: 'reruns',
      runs: [{ place: 0, count: 2 }],
    })
  })

  test('an alarm of the suite: every case that can be compared on the base commit', () => {
    const cases = [...suiteOf(30, aCase({ stage1: counted(3, 1) })), aCase({ baseline: counted(0, 0) })]
    const step = nextStep(cases, OPEN, GATE_DEFAULTS)
    expect(step).toMatchObject({ kind: 'ask', batch: 'suiteControl' })
    expect(step.kind === 'ask' && step.runs).toEqual(suiteOf(30).map((_, place) => ({ place, count: 2 })))
  })

  test.each([
    ['the suite is red and the many would cost too much', 'confirmed', 11, []],
    ['the suite is red, but they are few', 'confirmed', 10, 10],
    ['the suite is red, but they are a small part of it', 'confirmed', 20, 20],
    ['the suite is excused, so that the cases matter', 'environment_moved', 11, 11],
  ] as const)('re-runs when %s', (_situation, outcome, suspicious, expected) => {
    const suiteControl = counted(2, outcome === 'confirmed' ? 0 : 2)
    const size = suspicious === 20 ? 100 : 40
    const cases = [
      ...suiteOf(suspicious, aCase({ stage1: counted(3, 3), suiteControl })),
      ...suiteOf(size - suspicious, aCase({ suiteControl: counted(2, 0) })),
    ]
    const step = nextStep(cases, { ...OPEN, suiteControl: 'done' }, GATE_DEFAULTS)
    // With the re-runs skipped, three failures of three still name a case.
    const asked = step.kind === 'ask' && step.batch === 'reruns' ? step.runs.length : []
    expect(asked).toEqual(expected)
  })

  test('nothing is asked for twice, and with no runs allowed not once', () => {
    const cases = [...suiteOf(20, aCase({ stage1: counted(3, 2) })), broken]
    expect(nextStep(cases, DONE, GATE_DEFAULTS).kind).toBe('verdict')
    const none = { ...GATE_DEFAULTS, suiteControlRuns: 0, controlRuns: 0, maxRuns: 3 }
    expect(nextStep(cases, OPEN, none)).toMatchObject({ kind: 'verdict', blocked: true })
  })
})

describe('what the base commit says', () => {
  test.each([
    ['passes', counted(5, 0), 'confirmed', true],
    ['fails as well', counted(5, 5), 'environment_moved', false],
    ['could not be judged', counted(0, 0), 'uncontrolled', true],
    ['was not run', undefined, 'uncontrolled', true],
  ] as const)('the base commit %s', (_situation, control, outcome, blocked) => {
    const cases = [...calm, control ? { ...broken, control } : broken]
    const { cases: judged, ...verdict } = verdictOf(cases)
    expect(judged.map((item) => item.outcome)).toEqual([outcome])
    expect(verdict.blocked).toBe(blocked)
  })

  test('a gap too small for five runs is not proven, when the base commit is as good as ever', () => {
    const slight = aCase({
      baseline: counted(50, 0),
      stage1: counted(3, 1),
      all: counted(15, 4),
      control: counted(5, 0),
    })
    expect(verdictOf([slight])).toMatchObject({ blocked: false, cases: [{ flagged: true, outcome: 'not_proven' }] })
  })

  test.each([
    ['passes', counted(2, 0), 'confirmed', true],
    ['fails as often', counted(2, 1), 'environment_moved', false],
    ['could not be judged', counted(0, 0), 'uncontrolled', true],
  ] as const)('after an alarm of the suite the base commit %s', (_situation, suiteControl, outcome, blocked) => {
    const cases = suiteOf(40, aCase({ baseline: counted(20, 1), stage1: counted(3, 1), suiteControl }))
    const verdict = verdictOf(cases)
    expect([verdict.suite.outcome, verdict.blocked]).toEqual([outcome, blocked])
  })

  test('once the stored baseline is stale, only fresh runs count, as many as the case has', () => {
    const moved = suiteOf(40, aCase({ baseline: counted(20, 1), stage1: counted(3, 1), suiteControl: counted(2, 1) }))
    const stale = (control?: Counts) => [...moved, { ...broken, ...(control ? { control } : {}) }]
    expect(nextStep(stale(), { ...DONE, control: 'open' }, GATE_DEFAULTS)).toEqual({
      kind: 'ask',
      batch: 'control',
      runs: [{ place: 40, count: 15 }],
    })
    const outcomes = [counted(15, 3), counted(15, 13), undefined].map((control) => verdictOf(stale(control)))
    expect(outcomes.map(({ suite, blocked }) => [suite.outcome, blocked])).toEqual([
      ['environment_moved', true],
      ['environment_moved', false],
      ['environment_moved', false],
    ])
  })

  test('without a base side every alarm stands', () => {
    const cases = suiteOf(40, aCase({ stage1: counted(3, 2) }))
    expect(verdictOf(cases, NO_BASE)).toMatchObject({ blocked: true, suite: { outcome: 'uncontrolled' } })
  })
})

describe('which cases are tested', () => {
  test.each([
    ['a new case', counted(0, 0), counted(3, 3), []],
    ['a young baseline', counted(2, 0), counted(3, 3), []],
    ['a baseline just old enough', counted(3, 0), counted(3, 3), [0]],
    ['nothing could be judged here', counted(20, 0), counted(0, 0), []],
    ['no failure here', counted(20, 10), counted(3, 0), []],
    ['as many failures as ever', counted(20, 10), counted(3, 2), []],
    ['one failure after none', counted(20, 0), counted(3, 1), [0]],
  ])('%s', (_situation, baseline, stage1, expected) => {
    const cases = [aCase({ baseline, stage1 })]
    expect(suspiciousCases(cases, GATE_DEFAULTS)).toEqual(expected)
    expect(caseTest(cases, GATE_DEFAULTS).map(({ place }) => place)).toEqual(expected)
    expect(attainableTests(cases, GATE_DEFAULTS)).toHaveLength(expected.length)
  })

  test('a fixed number of runs tests every case, with the plain p-value', () => {
    const settings: GateSettings = { ...GATE_DEFAULTS, runs: 5, maxRuns: 5 }
    const cases = [aCase({ stage1: counted(5, 5) }), aCase({ stage1: counted(5, 0) })]
    expect(caseTest(cases, settings)).toEqual([
      { place: 0, p: expect.closeTo(1 / 53_130, 12), adjusted: expect.closeTo(1 / 53_130, 12), flagged: true },
      { place: 1, p: 1, adjusted: 1, flagged: false },
    ])
  })

  test('the sentence of the specification: 8 of 15 after 20 of 20, six cases run again', () => {
    const flaky = [
      [1, 1, 4],
      [2, 2, 5],
      [4, 2, 6],
      [1, 1, 3],
      [6, 3, 8],
    ].map(([before = 0, first = 0, all = 0]) =>
      aCase({ baseline: counted(20, before), stage1: counted(3, first), all: counted(15, all) }),
    )
    const tests = caseTest([aCase({ stage1: counted(3, 2), all: counted(15, 7) }), ...flaky], GATE_DEFAULTS)
    expect(tests).toHaveLength(6)
    expect(tests.map(({ flagged }) => flagged)).toEqual([true, false, false, false, false, false])
    const [{ p, adjusted } = { p: 0, adjusted: 0 }] = tests
    expect(p).toBeCloseTo(0.0033, 4)
    expect(adjusted).toBeGreaterThan(p)
    expect(adjusted).toBeLessThan(0.01)
  })

  test('what got better is found the same way round', () => {
    const fixed = aCase({ baseline: counted(20, 20), stage1: counted(3, 0) })
    const cases = [...suiteOf(20), fixed]
    expect(caseImprovements(cases, GATE_DEFAULTS).filter(({ flagged }) => flagged)).toMatchObject([{ place: 20 }])
    expect(suiteImprovement(suiteOf(20, fixed), GATE_DEFAULTS).fires).toBe(true)
    expect(suiteImprovement(suiteOf(20), GATE_DEFAULTS).fires).toBe(false)
    expect(verdictOf(cases)).toMatchObject({ blocked: false, cases: [] })
  })
})

describe('laws of the gate', () => {
  const evidence = fc
    .record({
      baselineRuns: fc.integer({ min: 0, max: 20 }),
      baselineFailed: fc.nat(20),
      first: fc.nat(3),
      later: fc.nat(12),
      control: fc.option(fc.nat(5), { nil: undefined }),
    })
    .map(({ baselineRuns, baselineFailed, first, later, control }): CaseEvidence => {
      const baseline = counted(baselineRuns, Math.min(baselineRuns, baselineFailed))
      const base = { baseline, stage1: counted(3, first), all: counted(15, first + later) }
      return control === undefined ? base : { ...base, control: counted(5, control) }
    })
  const suites = fc.array(evidence, { minLength: 1, maxLength: 8 })

  test('the order of the cases does not matter', () => {
    fc.assert(
      fc.property(suites, (cases) => {
        const [one, other] = [verdictOf(cases), verdictOf(cases.toReversed())]
        expect(other.blocked).toBe(one.blocked)
        expect(other.suite.outcome).toBe(one.suite.outcome)
        const turned = other.cases.toReversed().map((item) => ({ ...item, place: cases.length - 1 - item.place }))
        expect(turned.map(({ place, outcome }) => [place, outcome])).toEqual(
          one.cases.map(({ place, outcome }) => [place, outcome]),
        )
      }),
    )
  })

  test('red means an alarm that was not excused, and every p-value is one', () => {
    fc.assert(
      fc.property(suites, (cases) => {
        const { blocked, suite, cases: judged } = verdictOf(cases)
        const outcomes = [suite.outcome, ...judged.map(({ outcome }) => outcome)]
        expect(blocked).toBe(outcomes.some((outcome) => outcome === 'confirmed' || outcome === 'uncontrolled'))
        for (const { p, adjusted, flagged, outcome } of judged) {
          expect(p).toBeGreaterThanOrEqual(0)
          expect(p).toBeLessThanOrEqual(adjusted * (1 + 1e-12))
          expect(adjusted).toBeLessThanOrEqual(1)
          expect(outcome === 'quiet').toBe(!flagged)
        }
      }),
    )
  })

  test('cases that always passed, and new ones, change no verdict of the others', () => {
    fc.assert(
      fc.property(suites, (cases) => {
        const more = [...cases, aCase(), aCase({ baseline: counted(0, 0), stage1: counted(3, 3) })]
        const [one, other] = [verdictOf(cases, NO_BASE), verdictOf(more, NO_BASE)]
        expect(other.cases.map(({ flagged }) => flagged)).toEqual(one.cases.map(({ flagged }) => flagged))
        expect(other.suite.p).toBeCloseTo(one.suite.p, 10)
      }),
    )
  })
})
