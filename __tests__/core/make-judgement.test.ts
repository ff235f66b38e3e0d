import { describe, expect, test } from 'vitest'
import type { CasePool } from '../../src/core/history.ts'
import { type JudgedState, makeJudgement } from '../../src/core/make-judgement.ts'
import type { RunOutcome } from '../../src/core/result.ts'
import { NO_CONTROLS } from '../../src/core/run-blob.ts'
import { attainableTests } from '../../src/core/statistics/case-test.ts'
import type { Counts } from '../../src/core/statistics/counts.ts'
import { mdc } from '../../src/core/statistics/detectable-change.ts'
import { suiteMdc } from '../../src/core/statistics/detectable-suite-change.ts'
import type { Batches } from '../../src/core/statistics/gate.ts'
import { GATE_DEFAULTS } from '../../src/core/statistics/gate-settings.ts'
import { levelBeside } from '../../src/core/statistics/step-down.ts'
import { aBaseline, aCaseReport, aGate, aPool, mixed, passes, someControls, someRuns } from '../support/builders.ts'
import { errors } from '../support/verdict-testbed.ts'

const DONE: Batches = { suiteControl: 'done', reruns: 'done', control: 'done' }
const key = (id: string) => `tests/support.jsonl/${id}`

interface Situation {
  readonly id: string
  readonly before?: readonly RunOutcome[]
  readonly here: readonly RunOutcome[]
  readonly pool?: Partial<CasePool>
}

/** A suite in which main failed now and then, so that one broken case is no alarm of the suite, and then these. */
function stateOf(situations: readonly Situation[], overrides: Partial<JudgedState> = {}): JudgedState {
  const calm = Array.from({ length: 20 }, (_, place) => ({
    id: `calm-${place}`,
    before: mixed(18, 2),
    here: passes(3),
  }))
  const all: readonly Situation[] = [...calm, ...situations]
  return {
    cases: all.map(({ id, here }) => aCaseReport({ id, runs: someRuns(here) })),
    pools: new Map(
      all.flatMap(({ id, before, pool }) =>
        before ? [[key(id), aPool({ key: key(id), outcomes: before, ...pool })] as const] : [],
      ),
    ),
    controls: NO_CONTROLS,
    batches: DONE,
    gate: aGate,
    settings: GATE_DEFAULTS,
    baseline: aBaseline([]),
    ...overrides,
  }
}

function judged(state: JudgedState) {
  return makeJudgement(state, { control: state.controls.state })
}

const broken: Situation = { id: 'refund', before: passes(20), here: mixed(0, 15) }

describe('single cases', () => {
  test('a broken case that no fresh run speaks for', () => {
    const { judgement, changes } = judged(stateOf([broken]))
    expect(judgement?.cases).toEqual([
      {
        key: key('refund'),
        before: { passed: 20, judged: 20 },
        after: { passed: 0, judged: 15 },
        p: expect.any(Number),
        flagged: true,
        outcome: 'uncontrolled',
      },
    ])
    expect(judgement?.cases[0]?.p).toBeLessThan(0.001)
    expect(changes.filter(({ kind }) => kind === 'regressed')).toMatchObject([
      { key: key('refund'), finding: judgement?.cases[0] },
    ])
  })

  test.each([
    [{ passed: 5, failed: 0 }, 'confirmed', 'regressed'],
    [{ passed: 0, failed: 5 }, 'environment_moved', 'environment_moved'],
    [{ passed: 0, failed: 0 }, 'uncontrolled', 'regressed'],
  ] as const)('the base commit again: %j is %s', (control, outcome, kind) => {
    const controls = someControls({ cases: { [key('refund')]: control } })
    const { judgement, changes } = judged(stateOf([broken], { controls }))
    expect(judgement?.cases).toMatchObject([{ outcome }])
    expect(changes.find((change) => change.key === key('refund'))?.kind).toBe(kind)
  })

  test('re-runs that were never made leave what the first stage shows', () => {
    const few = { ...broken, here: mixed(0, 3) }
    const { judgement } = judged(stateOf([few], { batches: { ...DONE, reruns: 'open', control: 'open' } }))
    expect(judgement?.cases).toMatchObject([
      { after: { passed: 0, judged: 3 }, flagged: true, outcome: 'uncontrolled' },
    ])
  })

  test('without re-runs every comparable case is tested', () => {
    const settings = { ...GATE_DEFAULTS, maxRuns: 3 }
    const { judgement } = judged(
      stateOf(
        [
          { ...broken, here: mixed(0, 3) },
          { id: 'new', here: mixed(0, 3) },
        ],
        { settings },
      ),
    )
    expect(judgement?.cases).toHaveLength(21)
    expect(judgement?.cases.filter(({ flagged }) => flagged).map((found) => found.key)).toEqual([key('refund')])
  })

  test('errored runs are neither passes nor failures, here and there', () => {
    const before = [...passes(20), ...errors(30)]
    const { judgement } = judged(
      stateOf([{ ...broken, before, here: [...mixed(0, 2), ...errors(1), ...mixed(0, 12)] }]),
    )
    expect(judgement?.cases).toMatchObject([
      { before: { passed: 20, judged: 20 }, after: { passed: 0, judged: 14 }, flagged: true },
    ])
    const void3 = judged(stateOf([{ ...broken, here: errors(3) }]))
    expect(void3.judgement?.cases).toEqual([])
    expect(void3.changes.find((change) => change.key === key('refund'))?.kind).toBe('not_judged')
  })

  test('better is said where it is shown, on the first stage', () => {
    const fixed: Situation = { id: 'fixed', before: mixed(0, 20), here: passes(3) }
    const luckier: Situation = { id: 'luckier', before: mixed(17, 3), here: passes(3) }
    const { judgement, changes } = judged(stateOf([fixed, luckier]))
    expect(judgement?.improved).toEqual([key('fixed')])
    const kinds = new Map(changes.map((change) => [change.key, change.kind]))
    expect([kinds.get(key('fixed')), kinds.get(key('luckier'))]).toEqual(['improved', 'risen'])
  })

  test.each(['__proto__', 'constructor'])('a case called %s', (name) => {
    const item = { ...aCaseReport({ runs: someRuns(mixed(0, 15)) }), key: name }
    const calm = stateOf([])
    const state = {
      ...calm,
      cases: [...calm.cases, item],
      pools: new Map([...calm.pools, [name, aPool({ key: name })]]),
    }
    expect(judged(state).judgement?.cases).toMatchObject([{ key: name, outcome: 'uncontrolled' }])
    const cases = JSON.parse(`{${JSON.stringify(name)}: {"passed": 0, "failed": 5}}`) as Record<string, Counts>
    const controls = someControls({ cases })
    expect(judged({ ...state, controls }).judgement?.cases).toMatchObject([{ key: name, outcome: 'environment_moved' }])
  })
})

describe('the suite', () => {
  const worse = Array.from({ length: 20 }, (_, place): Situation => {
    return { id: `c${place}`, before: passes(20), here: mixed(1, 2) }
  })
  const controls = (counts: Counts) =>
    someControls({ suite: Object.fromEntries(worse.map(({ id }) => [key(id), counts])) })

  test.each([
    ['nobody asked', NO_CONTROLS, 'uncontrolled', undefined],
    ['the base commit does well', controls({ passed: 2, failed: 0 }), 'confirmed', { passed: 40, judged: 40 }],
    ['it does as badly', controls({ passed: 0, failed: 2 }), 'environment_moved', { passed: 0, judged: 40 }],
  ] as const)('%s', (_, fresh, outcome, control) => {
    const { judgement } = judged(stateOf(worse, { controls: fresh }))
    expect(judgement?.suite).toMatchObject({ failed: 40, runs: 120, cases: 40, fires: true, outcome })
    expect(judgement?.suite.control).toEqual(control)
  })

  test('looks at the first stage alone', () => {
    const { judgement } = judged(stateOf([broken]))
    expect(judgement?.suite).toMatchObject({ failed: 3, runs: 63, cases: 21, fires: false, outcome: 'quiet' })
  })
})

describe('what could not have been seen', () => {
  test.each([
    ['3 to 15', GATE_DEFAULTS],
    ['3', { ...GATE_DEFAULTS, maxRuns: 3 }],
    ['5 to 20', { ...GATE_DEFAULTS, runs: 5, maxRuns: 20 }],
  ])('with %s runs here: exact for these settings and cases', (_, settings) => {
    const state = stateOf([{ id: 'shaky', before: mixed(17, 3), here: mixed(1, 2) }], { settings })
    const { judgement } = judged(state)
    const evidence = state.cases.map(({ stability }, place) => ({
      baseline: place < 20 ? { passed: 18, failed: 2 } : { passed: 17, failed: 3 },
      stage1: { passed: stability.passed, failed: stability.failed },
      all: { passed: stability.passed, failed: stability.failed },
    }))
    const level = levelBeside(attainableTests(evidence, settings), { alpha: 0.04, flakyWeight: 5, isSpotless: true })
    const plan = { ...settings, baseline: { passed: 20, failed: 0 }, level }
    const found = {
      caseDrop80: mdc(plan, 0.8),
      caseDrop50: mdc(plan, 0.5),
      suiteDrop80: suiteMdc(
        evidence.map(({ baseline }) => baseline),
        settings,
        0.8,
      ),
    }
    const known = Object.entries(found).filter(([, drop]) => drop !== undefined)
    expect(judgement?.sensitivity).toEqual({ baselineRuns: 20, comparedCases: 21, ...Object.fromEntries(known) })
  })

  test('of a quiet suite: the figures of the specification', () => {
    const cases = ['a', 'b'].map((id): Situation => ({ id, before: passes(20), here: passes(3) }))
    const state = stateOf(cases)
    const quiet = { ...state, cases: state.cases.slice(20) }
    expect(judged(quiet).judgement?.sensitivity).toMatchObject({ caseDrop80: 48, caseDrop50: 34 })
  })

  test('never, where the base branch has three runs and three are made here', () => {
    const cases = ['a', 'b'].map((id): Situation => ({ id, before: passes(3), here: passes(3) }))
    const state = stateOf(cases, { settings: { ...GATE_DEFAULTS, maxRuns: 3 } })
    const { sensitivity } = judged({ ...state, cases: state.cases.slice(20) }).judgement ?? {}
    expect(sensitivity).toMatchObject({ baselineRuns: 3, comparedCases: 2 })
    expect([sensitivity?.caseDrop80, sensitivity?.caseDrop50]).toEqual([undefined, undefined])
  })
})

describe('nothing to compare', () => {
  test.each<[string, Partial<JudgedState>]>([
    ['no baseline', { baseline: undefined }],
    ['no baseline, though there are pools', { baseline: undefined, pools: new Map() }],
  ])('%s: no changes either', (_, overrides) => {
    expect(judged(stateOf([broken], overrides))).toEqual({ changes: [] })
  })

  test.each<[string, Situation, string]>([
    ['young', { id: 'a', before: passes(2), here: mixed(0, 3) }, 'young'],
    ['new', { id: 'a', here: mixed(0, 3) }, 'new'],
    ['redefined', { id: 'a', before: passes(20), here: mixed(0, 3), pool: { state: 'redefined' } }, 'redefined'],
    ['errored', { id: 'a', before: passes(20), here: errors(3) }, 'not_judged'],
  ])('only %s cases', (_, situation, kind) => {
    const state = stateOf([situation])
    const { judgement, changes } = judged({ ...state, cases: state.cases.slice(20) })
    expect(judgement).toBeUndefined()
    expect(changes.map((change) => change.kind)).toEqual([kind])
  })
})
