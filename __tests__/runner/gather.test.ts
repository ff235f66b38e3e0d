import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { caseStatus, executedCases, isCutShort, totalsOf } from '../../src/core/case-report.ts'
import { redactDeep } from '../../src/core/redact.ts'
import { type JudgedResult, type RunOutcome, type RunResult, toRecord } from '../../src/core/result.ts'
import { measure } from '../../src/core/stability.ts'
import type { Case } from '../../src/core/suite.ts'
import { gather } from '../../src/runner/gather.ts'
import type { Plan, PlannedCase } from '../../src/runner/plan.ts'
import { aCase, aRun, erroredOutcome, failedOutcome, passedOutcome } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { aPlan } from '../support/plans.ts'
import { say, scriptedTarget } from './fake-targets.ts'

const target = scriptedTarget(() => say('hi'))
const { secrets } = fakeHost()

function planOf(cases: number, runsPerCase: number): Plan {
  const items = Array.from({ length: cases }, (_, index) => aCase({ id: `case-${index}` }))
  return aPlan(
    items.map((item) => ({ item, target })),
    { runsPerCase },
  )
}

const outcome = fc.constantFrom<RunOutcome>(
  passedOutcome,
  { status: 'passed', checks: [{ name: 'x', passed: true, weight: 1, message: '' }] },
  failedOutcome('no fox'),
  erroredOutcome(),
  erroredOutcome('TIMEOUT', 'too slow'),
)
const usage = fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat() })
const someRun = fc.record(
  {
    outcome,
    usage,
    attempts: fc.integer({ min: 1, max: 4 }),
    startedAt: fc.nat(),
    durationMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
  },
  { requiredKeys: ['outcome', 'attempts', 'startedAt', 'durationMs'] },
)
/** A plan, and the runs that were executed of it in the order they ended. */
const session = fc
  .record({ cases: fc.integer({ min: 1, max: 5 }), runsPerCase: fc.integer({ min: 1, max: 4 }) })
  .chain(({ cases, runsPerCase }) => {
    const slots = Array.from({ length: cases * runsPerCase }, (_, slot) => slot)
    return fc.record({
      plan: fc.constant(planOf(cases, runsPerCase)),
      slots: fc.shuffledSubarray(slots),
      runs: fc.array(someRun, { minLength: slots.length, maxLength: slots.length }),
    })
  })

test('a report says what plain records of the same runs say', () => {
  fc.assert(
    fc.property(session, ({ plan, slots, runs }) => {
      const gathering = gather(plan, secrets)
      const expected = plan.cases.map((): JudgedResult[] => [])
      for (const [order, slot] of slots.entries()) {
        const index = Math.floor(slot / plan.runsPerCase)
        const planned = plan.cases[index]
        const { outcome: ended, ...parts } = runs[order] ?? { outcome: passedOutcome }
        if (!planned) throw new Error('no such case')
        const run = (slot % plan.runsPerCase) + 1
        const result = aRun({ ...parts, key: planned.item.key, run }, ended)
        expected[index]?.push(result)
        const complete = gathering.add({ index, planned: { ...planned, index, run }, result })
        expect(complete?.key).toBe(expected[index]?.length === plan.runsPerCase ? planned.item.key : undefined)
      }
      const reports = gathering.reports()
      expect(reports.map(({ id }) => id)).toEqual(plan.cases.map(({ item }) => item.id))
      for (const [index, report] of reports.entries()) {
        const records = (expected[index] ?? []).map(toRecord).sort((left, right) => left.run - right.run)
        expect(report.runs).toEqual(records)
        expect(report.stability).toEqual(measure(records))
      }
    }),
  )
})

test('a report takes the rest from its case and target, secrets replaced', () => {
  const host = fakeHost()
  host.secrets.add('hunter2')
  const item = aCase({ input: 'say hunter2', skip: 'later' })
  const [report] = gather({ ...planOf(0, 1), cases: [{ item, target }] }, host.secrets).reports()
  const { key, id, suite, location, fingerprint } = item
  expect(report).toMatchObject({ key, id, suite, location, fingerprint, target: 'scripted', skip: 'later' })
  expect(report).toMatchObject({ input: 'say ***', summary: 'say ***', runs: [], stability: measure([]) })
})

test('a secret that became known after the run is replaced in all a report says', () => {
  const host = fakeHost()
  const plan = planOf(1, 1)
  const [planned] = plan.cases
  if (!planned) throw new Error('no case')
  const gathering = gather(plan, host.secrets)
  const result = aRun({ key: planned.item.key }, failedOutcome('got hunter2'))
  gathering.add({ index: 0, planned: { ...planned, index: 0, run: 1 }, result })
  host.secrets.add('hunter2')
  const [report] = redactDeep(gathering.reports(), host.secrets)
  expect(JSON.stringify(report)).not.toContain('hunter2')
  expect(report?.runs).toMatchObject([{ status: 'failed', checks: [{ message: 'got ***' }] }])
  expect(report?.stability.failed).toBe(1)
})

describe('runs that skip themselves', () => {
  const skipped = (run: number, reason: string): RunResult => {
    const { key, attempts, startedAt, durationMs, output, trace } = aRun()
    return { key, run, attempts, startedAt, durationMs, output, trace, status: 'skipped', reason }
  }
  const reportAfter = (results: readonly RunResult[]) => {
    const plan = planOf(1, results.length)
    const [planned] = plan.cases
    if (!planned) throw new Error('no case')
    const gathering = gather(plan, fakeHost().secrets)
    const complete = results.map((result) =>
      gathering.add({ index: 0, planned: { ...planned, index: 0, run: result.run }, result }),
    )
    return { report: gathering.report(0), isComplete: complete.map((report) => report !== undefined) }
  }

  test('are no runs: a case that only skips is skipped', () => {
    const { report, isComplete } = reportAfter([skipped(1, 'no network'), skipped(2, 'still none')])
    expect(report).toMatchObject({ skip: 'no network', skippedRuns: 2, runs: [], stability: { runs: 0 } })
    expect(isComplete).toEqual([false, true])
    const totals = totalsOf([report])
    expect(totals).toMatchObject({ cases: 1, skipped: 1, notRun: 0, runs: 0, skippedRuns: 2 })
    expect([caseStatus(report), executedCases(totals)]).toEqual(['skipped', 0])
  })

  test('weigh nothing beside runs that were judged', () => {
    const { report, isComplete } = reportAfter([
      aRun({ run: 1 }),
      skipped(2, 'flaky'),
      aRun({ run: 3 }, failedOutcome()),
    ])
    expect(isComplete).toEqual([false, false, true])
    expect(report).toMatchObject({ skippedRuns: 1, stability: { runs: 2, passed: 1, failed: 1, passRate: 50 } })
    expect(report.skip).toBeUndefined()
    expect(report.runs.map(({ run }) => run)).toEqual([1, 3])
    expect(isCutShort(report, 3)).toBe(false)
    expect(isCutShort(report, 4)).toBe(true)
  })
})

describe('runs beyond the first stage', () => {
  const gathered = (runs: readonly number[], earlier: readonly number[] = []) => {
    const plan = planOf(2, 3)
    const [planned] = plan.cases
    if (!planned) throw new Error('no case')
    const known = earlier.map((run) => toRecord(aRun({ key: planned.item.key, run })))
    const gathering = gather({ ...plan, earlier: new Map([[planned.item.key, known]]) }, secrets)
    const complete = runs.map((run) => {
      const result = aRun({ key: planned.item.key, run })
      return gathering.add({ index: 0, planned: { ...planned, index: 0, run }, result }) !== undefined
    })
    const numbers = gathering.report(0).runs.map(({ run }) => run)
    return { complete, numbers, next: gathering.nextRun(0), other: gathering.nextRun(1) }
  }

  test.each<[string, readonly number[], readonly number[], readonly boolean[], number]>([
    ['nothing yet', [], [], [], 4],
    ['a part of the first stage', [2], [], [false], 4],
    ['the first stage', [2, 3, 1], [], [false, false, true], 4],
    ['re-runs, which complete nothing', [1, 2, 3, 4, 6, 5], [], [false, false, true, false, false, false], 7],
    ['the rest of an earlier attempt', [3], [1, 2], [true], 4],
    ['what an earlier attempt left out beside its re-runs', [2], [1, 3, 4, 9], [true], 10],
    ['re-runs after those of an earlier attempt', [10, 11], [1, 2, 3, 4, 9], [false, false], 12],
  ])('%s', (_, runs, earlier, complete, next) => {
    const numbers = [...earlier, ...runs].toSorted((left, right) => left - right)
    expect(gathered(runs, earlier)).toEqual({ complete, numbers, next, other: 4 })
  })

  test('an earlier attempt gives no runs to a case that is skipped now', () => {
    const item = aCase({ skip: 'later' })
    const earlier = new Map([[item.key, [toRecord(aRun({ key: item.key }))]]])
    const [report] = gather({ ...planOf(0, 3), cases: [{ item, target }], earlier }, secrets).reports()
    expect(report).toMatchObject({ skip: 'later', runs: [] })
  })
})

describe('what is planned for a case', () => {
  test.each<[string, Partial<PlannedCase>, Partial<Case>, object]>([
    ['nothing more', {}, {}, { fingerprint: aCase().fingerprint, gate: undefined, requestedModel: undefined }],
    ['its judges', { fingerprint: 'with judges' }, {}, { fingerprint: 'with judges' }],
    ['its own gate', {}, { gate: { critical: true } }, { gate: { critical: true } }],
    ['the gates file', { gate: { minPassRate: 70 } }, { gate: { critical: true } }, { gate: { minPassRate: 70 } }],
    ['the model', { requestedModel: 'gpt-5' }, {}, { requestedModel: 'gpt-5' }],
  ])('is in its report: %s', (_, planned, item, expected) => {
    const plan = { ...planOf(0, 1), cases: [{ item: aCase(item), target, ...planned }] }
    const { fingerprint, gate, requestedModel } = gather(plan, secrets).report(0)
    expect({ fingerprint, gate, requestedModel }).toMatchObject(expected)
  })
})
