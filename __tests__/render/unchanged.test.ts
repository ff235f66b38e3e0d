import { expect, test } from 'vitest'
import { renderSummary, reportTail, reportText } from '../../src/render/index.ts'
import { aCaseReport, aReport } from '../support/builders.ts'
import { sampleReports } from '../support/sample-reports.ts'

const reused = (id: string) => aCaseReport({ id, runs: [], unchanged: 'nothing it depends on was changed' })
const plain = (_mood: string, text: string) => text

test('a case that was not run again is unchanged, not missing', () => {
  const report = aReport({
    cases: [aCaseReport(), reused('a'), reused('b'), aCaseReport({ id: 'c', runs: [] })],
    plannedRuns: 6,
  })
  expect(renderSummary(report, { heading: 'h' })).toContain(' · 2 unchanged · 1 not run · ')
  expect(renderSummary(report, { heading: 'h' })).toContain('| `a` | unchanged | – |')
  expect(reportText(report, 1, plain)).toMatch(/Cases +1 of 1 passed every run, 2 unchanged, 1 not run\n/)
  expect(reportTail(report)).toMatchObject({
    not_run: [{ id: 'c' }],
    unchanged: [{ suite: 'tests/support.jsonl', id: 'a', reason: 'nothing it depends on was changed' }, { id: 'b' }],
  })
})

test('a green report fits on one screen', () => {
  for (const name of ['green', 'improved', 'young-baseline', 'unchanged']) {
    const report = sampleReports[name]
    if (!report) throw new Error(`there is no sample ${name}`)
    const [first = ''] = renderSummary(report, { heading: 'Agent tests' }).split('<details')
    expect(first.split('\n').length).toBeLessThanOrEqual(25)
    expect(first).toContain('[!')
    expect(first).toContain('runs passed**')
  }
})

test('a sentence says how a run that needed no case ended', () => {
  const report = aReport({ cases: [reused('a')], baseline: { kind: 'off' }, plannedRuns: 0 })
  expect(renderSummary(report, { heading: 'h' })).toContain(
    '> [!NOTE]\n> **Passed, nothing run:** no case depends on what was changed.',
  )
})
