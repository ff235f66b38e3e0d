import { describe, expect, test } from 'vitest'
import {
  type CaseReport,
  type CaseStatus,
  casePassRate,
  caseStatus,
  executedCases,
  overallPassRate,
  totalsOf,
} from '../../src/core/case-report.ts'
import { failureText, type RunOutcome, toRecord } from '../../src/core/result.ts'
import { caseKey } from '../../src/core/suite.ts'
import {
  aCaseReport,
  aRun,
  erroredOutcome,
  failedOutcome,
  mixed,
  passedOutcome,
  passes,
  someRuns,
} from '../support/builders.ts'

const timeout = erroredOutcome('TIMEOUT', 'took longer than 5m')
const broken = erroredOutcome('PROVIDER_ERROR')

describe('a case as a whole', () => {
  test.each<[string, Partial<CaseReport>, CaseStatus]>([
    ['all runs passed', { runs: someRuns(passes(2)) }, 'passed'],
    ['a failed run outweighs passes', { runs: someRuns(mixed(5, 1)) }, 'failed'],
    ['a failed run outweighs errors', { runs: someRuns([broken, failedOutcome(), timeout]) }, 'failed'],
    ['an error outweighs passes', { runs: someRuns([...passes(4), broken]) }, 'error'],
    ['an error outweighs a timeout', { runs: someRuns([timeout, broken]) }, 'error'],
    ['timeouts alone', { runs: someRuns([...passes(1), timeout, timeout]) }, 'timeout'],
    ['skipped', { skip: 'later' }, 'skipped'],
    ['never started', { runs: [] }, 'not_run'],
  ])('%s', (_, overrides, status) => {
    expect(caseStatus(aCaseReport(overrides))).toBe(status)
  })
})

describe('totals', () => {
  const used = { usage: { inputTokens: 10, outputTokens: 3 } }
  const totals = totalsOf([
    aCaseReport({ id: 'a', runs: someRuns(passes(3), used) }),
    aCaseReport({ id: 'b', runs: someRuns(mixed(2, 1), used) }),
    aCaseReport({ id: 'c', runs: someRuns([...passes(2), broken]) }),
    aCaseReport({ id: 'd', runs: someRuns([timeout]) }),
    aCaseReport({ id: 'e', skip: 'later' }),
    aCaseReport({ id: 'f', runs: [] }),
  ])

  test('count cases by how they ended, and runs', () => {
    expect(totals).toEqual({
      cases: 6,
      skipped: 1,
      skippedRuns: 0,
      passed: 1,
      failed: 1,
      errors: 1,
      timeouts: 1,
      notRun: 1,
      runs: 10,
      passedRuns: 7,
      erroredRuns: 2,
      meteredRuns: 6,
      inputTokens: 60,
      outputTokens: 18,
      scoredRuns: 0,
      scoreSum: 0,
    })
  })

  test('every case is counted once', () => {
    const { cases, skipped, passed, failed, errors, timeouts, notRun } = totals
    expect(skipped + passed + failed + errors + timeouts + notRun).toBe(cases)
  })

  test('rates leave out what was not executed', () => {
    expect([executedCases(totals), casePassRate(totals), overallPassRate(totals)]).toEqual([4, 25, 70])
  })

  test('of nothing are zero', () => {
    const nothing = totalsOf([])
    expect(Object.values(nothing).every((value) => value === 0)).toBe(true)
    expect([casePassRate(nothing), overallPassRate(nothing)]).toEqual([0, 0])
  })
})

describe('what is kept of a run', () => {
  test('a pass keeps neither output nor trace nor checks', () => {
    const kept = toRecord(aRun({}, { status: 'passed', checks: [{ name: 'x', passed: true, weight: 1, message: '' }] }))
    expect(kept).toMatchObject({ status: 'passed', checks: [] })
    expect('output' in kept || 'trace' in kept).toBe(false)
  })

  test.each<[string, RunOutcome]>([
    ['a failure', failedOutcome('no fox')],
    ['an error', broken],
  ])('%s keeps its output as evidence', (_, outcome) => {
    const kept = toRecord(aRun({ output: { a: 1 } }, outcome))
    expect(kept).toMatchObject({ ...outcome, output: { a: 1 } })
    expect('trace' in kept).toBe(false)
  })
})

test.each<[string, RunOutcome, string]>([
  ['nothing of a pass', passedOutcome, ''],
  ['every failed check', failedOutcome('no fox', { passed: true, message: '' }, 'no owl'), 'no fox; no owl'],
  ['the message of an error', timeout, 'took longer than 5m'],
])('the failure text is %s', (_, outcome, text) => {
  expect(failureText(outcome)).toBe(text)
})

test('a case is known by its suite and id', () => {
  expect(caseKey('tests/a.jsonl', 'T001')).toBe('tests/a.jsonl/T001')
})
