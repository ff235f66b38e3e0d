import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CaseReport } from '../../src/core/case-report.ts'
import { FAIL_ON, type FailOn, type Gate } from '../../src/core/gate.ts'
import { makeJudgement } from '../../src/core/make-judgement.ts'
import { poolsOf } from '../../src/core/pools.ts'
import type { RunOutcome } from '../../src/core/result.ts'
import { NO_CONTROLS } from '../../src/core/run-blob.ts'
import { GATE_DEFAULTS } from '../../src/core/statistics/gate-settings.ts'
import { describeNote, describeReason, type Evidence, judge, type Reason } from '../../src/core/verdict.ts'
import type { Waiver } from '../../src/core/waiver.ts'
import {
  aBaseline,
  aCaseReport,
  aGate,
  anEvidence,
  erroredOutcome,
  failedOutcome,
  passedOutcome,
  passes,
  someRuns,
} from '../support/builders.ts'

const outcome = fc.constantFrom<RunOutcome>(passedOutcome, passedOutcome, failedOutcome(), erroredOutcome())
const runs = fc.array(outcome, { minLength: 1, maxLength: 6 })
const suite = fc.array(runs, { minLength: 1, maxLength: 6 })
const gates: fc.Arbitrary<Gate> = fc.record({
  failOn: fc.subarray<FailOn>([...FAIL_ON]),
  minPassRate: fc.constantFrom(0, 50, 80, 100),
  thresholdMode: fc.constantFrom('auto', 'observed', 'shown', 'proven'),
  thresholdScope: fc.constantFrom('new', 'all'),
  maxErrorRate: fc.constantFrom(0, 20, 100),
  allowEmpty: fc.boolean(),
  requireBaseline: fc.boolean(),
  onBaselineError: fc.constantFrom('fail', 'warn'),
  maxLatencyIncrease: fc.constant(1.25),
  maxCostIncrease: fc.constant(1.25),
})
const names = ['c0', 'c1', 'c2', '*', 'tests/support.jsonl/c0']
const waivers: fc.Arbitrary<Waiver[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('accepted', 'quarantined'),
    case: fc.constantFrom(...names),
    reason: fc.constant('meant'),
    until: fc.constantFrom('2026-02-01', '2026-12-31'),
    source: fc.constant('agent-test.accept.yml:1'),
  }),
  { maxLength: 4 },
)
const RESULTS: readonly Reason['kind'][] = [
  'regressed',
  'suite_regressed',
  'below_min_pass_rate',
  'critical_failed',
  'removed',
  'cost_increased',
]

const casesOf = (outcomes: readonly (readonly RunOutcome[])[]) =>
  outcomes.map((list, place) => aCaseReport({ id: `c${place}`, runs: someRuns(list) }))

/** Against a base branch that always passed, twenty times and one; `gone` is a case that it had besides. */
function evidenceOf(cases: readonly CaseReport[], gate: Gate): Evidence {
  const before = [...cases.map(({ id }) => id), 'gone'].map((id) => aCaseReport({ id, runs: someRuns(passes(3)) }))
  const baseline = aBaseline(before)
  const pools = poolsOf(baseline, cases, Date.parse('2026-03-01T10:00:00Z'))
  const batches = { suiteControl: 'unavailable', reruns: 'done', control: 'unavailable' } as const
  const state = { cases, pools, controls: NO_CONTROLS, batches, gate, settings: GATE_DEFAULTS, baseline }
  const judged = makeJudgement(state, { control: { kind: 'off' } })
  return anEvidence(cases, { ...judged, pools, baseline: { kind: 'ok', baseline, source: 'run 812' } })
}

describe('whatever was run', () => {
  test('the conclusion, the exit and the reasons agree, and every reason and note has words', () => {
    fc.assert(
      fc.property(suite, gates, waivers, (outcomes, gate, given) => {
        const evidence = { ...evidenceOf(casesOf(outcomes), gate), waivers: given }
        const { passed, conclusion, exitReason, reasons, notes } = judge(evidence, gate)
        expect(passed).toBe(reasons.length === 0)
        expect(exitReason === 'passed').toBe(passed)
        expect(conclusion === 'success' || conclusion === 'neutral').toBe(passed)
        for (const reason of reasons) expect(describeReason(reason)).not.toMatch(/undefined|NaN|\n/)
        for (const note of notes) expect(describeNote(note)).not.toMatch(/undefined|NaN|\n/)
        const named = reasons.flatMap((reason) => ('key' in reason ? [reason.key] : []))
        expect(new Set(named).size).toBe(named.length)
      }),
    )
  })

  test('one more passed run never makes a green run red where the rate itself counts', () => {
    fc.assert(
      fc.property(suite, gates, fc.nat(5), (outcomes, any, at) => {
        const gate: Gate = { ...any, thresholdMode: 'observed', failOn: ['threshold', 'error'] }
        const more = outcomes.map((list, place) => (place === at % outcomes.length ? [...list, passedOutcome] : list))
        const before = judge(anEvidence(casesOf(outcomes)), gate)
        if (before.passed) expect(judge(anEvidence(casesOf(more)), gate).passed).toBe(true)
      }),
    )
  })

  test('one more failed run never makes a red run green', () => {
    fc.assert(
      fc.property(suite, gates, fc.nat(5), (outcomes, any, at) => {
        // Errors are a share of all runs, of which there is one more then; and the third run of a case is where `auto`
        // begins to ask for more than the observed rate.
        const thresholdMode = any.thresholdMode === 'auto' ? 'shown' : any.thresholdMode
        const gate: Gate = { ...any, thresholdMode, maxErrorRate: 0, requireBaseline: false }
        const more = outcomes.map((list, place) => (place === at % outcomes.length ? [...list, failedOutcome()] : list))
        const before = judge(anEvidence(casesOf(outcomes)), gate)
        const isJudged = outcomes.flat().some(({ status }) => status !== 'errored')
        if (!before.passed && isJudged) expect(judge(anEvidence(casesOf(more)), gate).passed).toBe(false)
      }),
    )
  })

  test('better elsewhere never pays: a red case stays red when all others pass', () => {
    fc.assert(
      fc.property(suite, gates, (outcomes, gate) => {
        const cases = casesOf(outcomes)
        const evidence = evidenceOf(cases, gate)
        const red = judge(evidence, gate).reasons.find((reason) => 'key' in reason)
        if (!red || !('key' in red)) return
        const better = cases.map((item) =>
          item.key === red.key ? item : aCaseReport({ id: item.id, runs: someRuns(passes(6)) }),
        )
        expect(judge(evidenceOf(better, gate), gate).reasons).toContainEqual(expect.objectContaining({ key: red.key }))
      }),
    )
  })

  test('errored runs give no credit: without them the same cases are named', () => {
    const withResult = suite.filter((outcomes) =>
      outcomes.every((list) => list.some(({ status }) => status !== 'errored')),
    )
    fc.assert(
      fc.property(withResult, gates, (outcomes, any) => {
        const gate: Gate = { ...any, failOn: ['threshold'], requireBaseline: false }
        const judged = outcomes.map((list) => list.filter(({ status }) => status !== 'errored'))
        const reasons = (lists: typeof outcomes) => judge(anEvidence(casesOf(lists)), gate).reasons
        expect(reasons(outcomes)).toEqual(reasons(judged))
      }),
    )
  })
})

describe('whatever is let through', () => {
  test('is results alone: errors, emptiness and what was not run stay', () => {
    fc.assert(
      fc.property(suite, gates, waivers, fc.boolean(), (outcomes, gate, given, interrupted) => {
        const evidence: Evidence = { ...evidenceOf(casesOf(outcomes), gate), interrupted, plannedRuns: 99 }
        const strict = judge(evidence, gate)
        const lenient = judge({ ...evidence, waivers: given }, gate)
        const firm = (reasons: readonly Reason[]) =>
          reasons.filter(({ kind }) => !RESULTS.includes(kind) && kind !== 'stopped_early')
        expect(firm(lenient.reasons)).toEqual(firm(strict.reasons))
        // Part of the suite is missing.
        expect(lenient.passed).toBe(false)
      }),
    )
  })

  test('is told: every reason of a case stays or has its note', () => {
    fc.assert(
      fc.property(suite, gates, waivers, (outcomes, gate, given) => {
        const evidence = evidenceOf(casesOf(outcomes), gate)
        const strict = judge(evidence, gate).reasons.filter((reason) => 'key' in reason)
        const { reasons, notes } = judge({ ...evidence, waivers: given }, gate)
        const told = [...reasons, ...notes.flatMap((note) => (note.kind === 'waived' ? [note.reason] : []))]
        for (const reason of strict) expect(told).toContainEqual(reason)
        expect(told.filter((reason) => 'key' in reason)).toHaveLength(strict.length)
      }),
    )
  })

  test('a waiver that ended changes nothing but its note', () => {
    fc.assert(
      fc.property(suite, gates, waivers, (outcomes, gate, given) => {
        const evidence = evidenceOf(casesOf(outcomes), gate)
        const ended = given.map((waiver) => ({ ...waiver, until: '2026-02-28' }))
        const strict = judge(evidence, gate)
        const { notes, ...rest } = judge({ ...evidence, waivers: ended }, gate)
        expect({ ...rest, notes: notes.filter(({ kind }) => kind !== 'waiver_expired') }).toEqual(strict)
        expect(notes.filter(({ kind }) => kind === 'waiver_expired')).toHaveLength(given.length)
      }),
    )
  })

  test('nothing is let through by nothing', () => {
    expect(judge(anEvidence(casesOf([[failedOutcome()]])), aGate).passed).toBe(false)
  })
})
