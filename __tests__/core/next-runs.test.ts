import { describe, expect, test } from 'vitest'
import type { CaseReport } from '../../src/core/case-report.ts'
import type { Gate } from '../../src/core/gate.ts'
import type { GateState } from '../../src/core/gate-evidence.ts'
import { makeJudgement } from '../../src/core/make-judgement.ts'
import { nextRuns } from '../../src/core/next-runs.ts'
import type { RunOutcome } from '../../src/core/result.ts'
import { NO_CONTROLS } from '../../src/core/run-blob.ts'
import type { Batches } from '../../src/core/statistics/gate.ts'
import { GATE_DEFAULTS } from '../../src/core/statistics/gate-settings.ts'
import { aBaseline, aCaseReport, aGate, aPool, mixed, passes, someControls, someRuns } from '../support/builders.ts'
import { judgeByRuns } from '../support/verdict-by-runs.ts'
import { type Cell, seededRandom, simulate } from '../support/verdict-simulation.ts'
import { errors } from '../support/verdict-testbed.ts'

const OPEN: Batches = { suiteControl: 'open', reruns: 'open', control: 'open' }
const key = (place: number) => `tests/support.jsonl/c${place}`
const shown: Gate = { ...aGate, minPassRate: 80, thresholdMode: 'shown' }
const onRegression: Gate = { ...aGate, failOn: ['regression'] }

interface Situation {
  readonly here: readonly RunOutcome[]
  readonly before?: readonly RunOutcome[]
  readonly case?: Partial<CaseReport>
}

function stateOf(situations: readonly Situation[], overrides: Partial<GateState> = {}): GateState {
  return {
    cases: situations.map(({ here, case: more }, place) =>
      aCaseReport({ id: `c${place}`, runs: someRuns(here), ...more }),
    ),
    pools: new Map(
      situations.flatMap(({ before }, place) =>
        before ? [[key(place), aPool({ key: key(place), outcomes: before })] as const] : [],
      ),
    ),
    controls: NO_CONTROLS,
    batches: OPEN,
    gate: onRegression,
    settings: GATE_DEFAULTS,
    ...overrides,
  }
}

/** Failed on main now and then and not here, so that one broken case is no alarm of the suite. */
const calm = Array.from({ length: 20 }, (): Situation => ({ before: mixed(18, 2), here: passes(3) }))

describe('suspicious cases', () => {
  test('nothing is suspicious: done', () => {
    expect(nextRuns(stateOf(calm))).toEqual({ kind: 'done' })
  })

  test.each<[string, Situation, number | undefined]>([
    ['always passed, failed once', { before: passes(20), here: mixed(2, 1) }, 12],
    ['a flaky one that failed once', { before: mixed(12, 8), here: mixed(2, 1) }, undefined],
    ['a flaky one that failed always', { before: mixed(12, 8), here: mixed(0, 3) }, 12],
    ['a run that errored is no failure', { before: passes(20), here: [...passes(2), ...errors(1)] }, undefined],
    ['and is made up for', { before: passes(20), here: [...mixed(1, 1), ...errors(1)] }, 13],
    ['too few runs before', { before: passes(2), here: mixed(0, 3) }, undefined],
    ['no run before', { here: mixed(0, 3) }, undefined],
    ['runs of an earlier attempt count', { before: passes(20), here: [...mixed(2, 1), ...passes(7)] }, 5],
    ['all were made by an earlier attempt', { before: passes(20), here: [...mixed(2, 1), ...passes(12)] }, undefined],
  ])('%s', (_, situation, count) => {
    const asked =
      count === undefined ? { kind: 'done' } : { kind: 'ask', batch: 'reruns', runs: [{ place: 20, count }] }
    expect(nextRuns(stateOf([...calm, situation]))).toEqual(asked)
  })

  test('another definition is not compared', () => {
    const state = stateOf([{ before: passes(20), here: mixed(0, 3) }])
    const pools = new Map([[key(0), aPool({ key: key(0), state: 'redefined' })]])
    expect(nextRuns({ ...state, pools })).toEqual({ kind: 'done' })
  })

  test('as many runs as the first stage has: nothing is run again', () => {
    const settings = { ...GATE_DEFAULTS, maxRuns: 3 }
    const batches: Batches = { ...OPEN, control: 'unavailable', suiteControl: 'unavailable' }
    const state = stateOf([...calm, { before: passes(20), here: mixed(0, 3) }], { settings, batches, gate: shown })
    expect(nextRuns(state)).toEqual({ kind: 'done' })
  })
})

describe('the batches in their order', () => {
  const broken: Situation = { before: passes(20), here: mixed(0, 3) }

  test('re-runs, then the base commit, then done', () => {
    const first = stateOf([...calm, broken])
    expect(nextRuns(first)).toEqual({ kind: 'ask', batch: 'reruns', runs: [{ place: 20, count: 12 }] })
    const rerun = stateOf([...calm, { ...broken, here: mixed(0, 15) }], { batches: { ...OPEN, reruns: 'done' } })
    expect(nextRuns(rerun)).toEqual({ kind: 'ask', batch: 'control', runs: [{ place: 20, count: 5 }] })
    const controls = someControls({ cases: { [key(20)]: { passed: 5, failed: 0 } } })
    expect(nextRuns({ ...rerun, controls, batches: { ...rerun.batches, control: 'done' } })).toEqual({ kind: 'done' })
    expect(nextRuns({ ...rerun, batches: { ...rerun.batches, control: 'unavailable' } })).toEqual({ kind: 'done' })
  })

  test('an alarm of the suite asks the base commit first, for every case that can be compared', () => {
    const state = stateOf([broken, broken, { here: mixed(0, 3) }], { gate: shown })
    expect(nextRuns(state)).toEqual({
      kind: 'ask',
      batch: 'suiteControl',
      runs: [
        { place: 0, count: 2 },
        { place: 1, count: 2 },
      ],
    })
  })

  test('a stale baseline asks for as many fresh runs of flagged cases as were made here', () => {
    const here = mixed(0, 15)
    const controls = someControls({
      suite: { [key(0)]: { passed: 0, failed: 2 }, [key(1)]: { passed: 0, failed: 2 } },
    })
    const batches: Batches = { suiteControl: 'done', reruns: 'done', control: 'open' }
    const state = stateOf(
      [
        { ...broken, here },
        { ...broken, here },
      ],
      { controls, batches },
    )
    expect(nextRuns(state)).toEqual({
      kind: 'ask',
      batch: 'control',
      runs: [
        { place: 0, count: 15 },
        { place: 1, count: 15 },
      ],
    })
  })
})

describe('cases below their limit', () => {
  const rerun = (...places: number[]) => ({
    kind: 'ask',
    batch: 'reruns',
    runs: places.map((place) => ({ place, count: 12 })),
  })
  const done = { kind: 'done' }
  const short = mixed(2, 1)

  test.each<[string, Situation, Partial<Gate>, unknown]>([
    ['below, without a baseline', { here: short }, {}, rerun(0)],
    ['at the limit', { here: short }, { minPassRate: 66 }, done],
    ['all passed', { here: passes(3) }, {}, done],
    ['below its own limit', { here: short, case: { gate: { minPassRate: 95 } } }, { minPassRate: 50 }, rerun(0)],
    ['above its own limit', { here: short, case: { gate: { minPassRate: 50 } } }, {}, done],
    ['where no limit counts', { here: short }, { failOn: ['regression', 'error'] }, done],
    ['below on the base branch as well', { before: mixed(10, 10), here: short }, {}, done],
    [
      'the same, where all cases are asked',
      { before: mixed(10, 10), here: short },
      { thresholdScope: 'all' },
      rerun(0),
    ],
    [
      'the same, of a critical case',
      { before: mixed(10, 10), here: short, case: { gate: { critical: true } } },
      {},
      rerun(0),
    ],
    ['above on the base branch, flaky', { before: mixed(17, 3), here: short }, {}, rerun(0)],
    ['nothing judged', { here: errors(3) }, {}, done],
    ['skipped', { here: [], case: { skip: 'later' } }, {}, done],
    ['the first stage decides, not what an earlier attempt added', { here: [...passes(3), ...mixed(0, 2)] }, {}, done],
  ])('%s', (_, situation, gate, step) => {
    expect(nextRuns(stateOf([situation], { gate: { ...shown, ...gate } }))).toEqual(step)
  })

  test('join the suspicious ones in one batch', () => {
    const flaky = { before: mixed(17, 3), here: mixed(2, 1) }
    const broken = { before: passes(20), here: mixed(2, 1) }
    const state = stateOf([...calm, flaky, broken, flaky], { gate: shown })
    expect(nextRuns(state)).toEqual(rerun(20, 21, 22))
    const asked = { ...state, batches: { ...OPEN, reruns: 'done' } as Batches }
    expect(nextRuns(asked)).toEqual(done)
  })

  test('are run again though nothing is suspicious and a case is flagged already: the base commit comes after', () => {
    const settled = { before: passes(20), here: mixed(0, 15) }
    const state = stateOf([...calm, settled, { here: mixed(2, 1) }], { gate: shown })
    expect(nextRuns(state)).toEqual(rerun(21))
    expect(nextRuns({ ...state, batches: { ...OPEN, reruns: 'done' } })).toMatchObject({ batch: 'control' })
  })

  test('are not run again where the many of them are surely red: an agent that is down costs one stage', () => {
    const down = (count: number) => Array.from({ length: count }, (): Situation => ({ here: mixed(0, 3) }))
    const shaky = (count: number) => Array.from({ length: count }, (): Situation => ({ here: mixed(2, 1) }))
    const ask = (situations: readonly Situation[]) => nextRuns(stateOf(situations, { gate: shown })).kind
    expect([ask(down(10)), ask(down(11)), ask(shaky(11))]).toEqual(['ask', 'done', 'ask'])
    // A fifth of a large suite is not many.
    const rest = Array.from({ length: 45 }, (): Situation => ({ here: passes(3) }))
    expect([ask([...rest, ...down(11)]), ask([...rest, ...down(12)])]).toEqual(['ask', 'done'])
  })
})

test.each(['__proto__', 'constructor'])('a case called %s', (name) => {
  const state = stateOf([...calm, { here: mixed(0, 3) }])
  const cases = state.cases.map((item, place) => (place === 20 ? { ...item, key: name } : item))
  const pools = new Map([...state.pools, [name, aPool({ key: name })]])
  expect(nextRuns({ ...state, cases, pools })).toMatchObject({ batch: 'reruns', runs: [{ place: 20 }] })
})

describe('agrees with the gate that is simulated', () => {
  const cells: Cell[] = (['A', 'B', 'D', 'G', 'H'] as const).flatMap((scenario) =>
    [true, false].map((control) => ({ profile: 'typical', cases: 30, mainRuns: 20, scenario, control })),
  )
  test.each(cells)('$scenario, base side: $control', (cell) => {
    const prs = 12
    const byCounts = simulate(cell, prs, seededRandom(7))
    expect(simulate(cell, prs, seededRandom(7), judgeByRuns)).toEqual(byCounts)
  })
})

test('500 cases are judged in no more time than they may take', () => {
  const suite = Array.from({ length: 500 }, (_, place): Situation => {
    return { before: place % 3 === 0 ? mixed(44, 6) : passes(50), here: place % 17 === 0 ? mixed(2, 1) : passes(3) }
  })
  const state = { ...stateOf(suite), baseline: aBaseline([]), batches: { ...OPEN, reruns: 'done' } as Batches }
  const times = Array.from({ length: 9 }, () => {
    const startedAt = performance.now()
    nextRuns(state)
    makeJudgement(state, { control: { kind: 'off' } })
    return performance.now() - startedAt
  })
  // The best of several: other tests use the same cores.
  expect(Math.min(...times)).toBeLessThan(50)
})

test('ten times as many cases take about ten times as long, however many of them broke', () => {
  const judgeSuite = (count: number) => {
    const suite = Array.from({ length: count }, (_, place): Situation => {
      const before = place % 3 === 0 ? mixed(9, 1) : passes(10)
      return { before, here: place % 20 === 0 ? mixed(0, 3) : passes(3) }
    })
    const settings = { ...GATE_DEFAULTS, maxRuns: 3 }
    const batches: Batches = { suiteControl: 'unavailable', reruns: 'done', control: 'unavailable' }
    const state = { ...stateOf(suite), settings, batches, baseline: aBaseline([]) }
    const startedAt = performance.now()
    expect(nextRuns(state)).toEqual({ kind: 'done' })
    expect(makeJudgement(state, { control: { kind: 'off' } }).judgement?.cases).toHaveLength(count)
    return performance.now() - startedAt
  }
  const small = Math.min(...Array.from({ length: 5 }, () => judgeSuite(1_000)))
  // Quadratic work would be a hundred times as much.
  expect(judgeSuite(10_000)).toBeLessThan(40 * small)
})
