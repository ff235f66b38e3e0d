import { describe, expect, test } from 'vitest'
import { OUTPUT_NAMES } from '../../src/config/outputs.ts'
import type { Report } from '../../src/core/report.ts'
import { outputsOf } from '../../src/render/index.ts'
import {
  aCaseReport,
  aGate,
  aReport,
  failedOutcome,
  loadedBaseline,
  mixed,
  noSpending,
  passes,
  someRuns,
} from '../support/builders.ts'
import { sampleReports } from '../support/sample-reports.ts'

const named = (id: string, outcomes = passes(3)) => aCaseReport({ id, runs: someRuns(outcomes) })

test('every output has a name that the action declares', () => {
  expect(OUTPUT_NAMES).toEqual(expect.arrayContaining(Object.keys(outputsOf(aReport()))))
})

test('of a run with a regression and other news', () => {
  const before = [named('broken'), named('better', mixed(0, 3)), named('gone')]
  const report = aReport({
    cases: [named('broken', mixed(0, 3)), named('better'), named('fresh'), aCaseReport({ id: 'draft', skip: 'later' })],
    loaded: loadedBaseline(before),
    spending: { tokens: 1_200, costUsd: 0.123456, unpricedRuns: 0, unmeteredRuns: 0 },
  })
  expect(outputsOf(report)).toMatchObject({
    status: 'failed',
    conclusion: 'failure',
    total: '4',
    passed: '2',
    failed: '1',
    errors: '0',
    skipped: '1',
    'pass-rate': '66.66',
    stable: '2',
    'mostly-stable': '0',
    unstable: '0',
    'highly-unstable': '1',
    regressions: '1',
    improvements: '1',
    new: '1',
    removed: '1',
    'gate-status': 'closed',
    'gate-title': 'Failed, 1 regression',
    'exit-reason': 'regression',
    'baseline-state': 'ok',
    'baseline-sha': 'abc1234def5678abc1234def5678abc1234def56',
    'cost-usd': '0.1235',
    tokens: '1200',
    'duration-ms': '192000',
  })
})

test('an accepted regression is not counted as one', () => {
  const { waived } = sampleReports
  expect(waived && outputsOf(waived)).toMatchObject({ regressions: '0', status: 'passed', 'gate-message': '' })
})

describe('what is not known is not nothing', () => {
  test.each<[string, Partial<Report['spending']>, string, string]>([
    ['all known', { tokens: 900, costUsd: 0.5 }, '0.5', '900'],
    ['nothing used', {}, '0', '0'],
    ['a price is missing', { tokens: 900, costUsd: 0.5, unpricedRuns: 1 }, 'unknown', '900'],
    ['an agent tells no tokens', { tokens: 900, costUsd: 0.5, unmeteredRuns: 1 }, 'unknown', 'unknown'],
  ])('%s', (_name, spending, cost, tokens) => {
    const outputs = outputsOf(aReport({ spending: { ...noSpending, ...spending } }))
    expect([outputs['cost-usd'], outputs.tokens]).toEqual([cost, tokens])
    const json = JSON.parse(outputs.json) as { readonly costUsd: unknown; readonly tokens: unknown }
    const orNull = (text: string) => (text === 'unknown' ? null : Number(text))
    expect([json.costUsd, json.tokens]).toEqual([orNull(cost), orNull(tokens)])
  })

  test('a pass rate without runs', () => {
    expect(outputsOf(aReport({ cases: [] }))['pass-rate']).toBe('n/a')
  })
})

test('a commit that is none is not passed on to other steps', () => {
  const loaded = loadedBaseline([named('a')])
  if (loaded.kind !== 'ok') throw new Error('expected a baseline')
  const hostile = { ...loaded, baseline: { ...loaded.baseline, commit: '$(rm -rf ~)' } }
  expect(outputsOf(aReport({ cases: [named('a')], loaded: hostile }))['baseline-sha']).toBe('')
})

describe('the json output', () => {
  test('is one line, begins with its version and has the counts', () => {
    const { regression } = sampleReports
    const { json } = outputsOf(regression ?? aReport())
    expect(json).toMatch(/^\{"schemaVersion":1,/)
    expect(json).not.toContain('\n')
    expect(JSON.parse(json)).toMatchObject({
      status: 'failed',
      exitReason: 'regression',
      cases: { total: 3, executed: 3, passed: 2, failed: 1 },
      runs: { total: 21, passed: 8, errored: 0 },
      changes: { regressions: 1, regressed: ['tests/support.jsonl/refund-03'] },
      baseline: { state: 'ok' },
      control: 'run',
    })
  })

  test('stays below ten kilobytes whatever the suite says', () => {
    const cases = Array.from({ length: 300 }, (_, index) =>
      aCaseReport({
        id: `${index}${'\u0001"\\漢😀'.repeat(400)}`,
        runs: someRuns(mixed(0, 3, failedOutcome('"漢\\'.repeat(5_000)))),
      }),
    )
    const loaded = loadedBaseline(cases.map((item) => aCaseReport({ ...item, runs: someRuns(passes(3)) })))
    const { json } = outputsOf(aReport({ cases, loaded, gate: aGate, version: 'v'.repeat(100_000) }))
    expect(new TextEncoder().encode(json).length).toBeLessThan(10_000)
    expect(JSON.parse(json)).toMatchObject({ cases: { total: 300 } })
  })
})
