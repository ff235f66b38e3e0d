import { describe, expect, test } from 'vitest'
import type { Evaluation } from '../../src/core/evaluation.ts'
import {
  caseText,
  jsonReport,
  renderMarkdown,
  renderSummary,
  reportText,
  runLine,
  runText,
  stabilityLine,
  summaryLine,
  type TerminalStyle,
} from '../../src/render/index.ts'
import { aCaseReport, aReport, aRun, failedOutcome, passes, someRuns } from '../support/builders.ts'

const style: TerminalStyle = { paint: (_mood, text) => text, idWidth: 10, verbose: false }

function scored(evaluator: string, score: number, message?: string): Evaluation {
  const violations =
    message === undefined
      ? []
      : [{ type: 'missing-approval', severity: 'error' as const, message, evidence: { tool: 'bash' } }]
  return {
    status: 'scored',
    evaluator,
    passed: message === undefined,
    score,
    checks: [{ name: 'a', passed: score > 0, weight: 2, message: '' }],
    violations,
  }
}

const evaluations: Evaluation[] = [
  scored('approval-gate', 50, 'bash ran without a request'),
  scored('tool-usage', 100),
  { status: 'not_applicable', evaluator: 'delegation', reason: 'no file was changed' },
  { status: 'errored', evaluator: 'custom', message: 'it broke' },
  { ...scored('performance-metrics', 100), informational: true, facts: { tool_count: 3 } } as Evaluation,
]

const failing = failedOutcome({ name: 'approval-gate', message: 'missing-approval: bash ran without a request' })
const good = someRuns(passes(2), { score: 100, evaluations: [scored('approval-gate', 100)] })
const runs = [...good, ...someRuns([failing], { score: 75, evaluations }).map((run) => ({ ...run, run: 3 }))]
const item = aCaseReport({ runs })
const report = aReport({ cases: [item, aCaseReport({ id: 'plain' })] })

describe('a suite with scores', () => {
  test('says them on the line of a run and of a case', () => {
    const result = aRun({ score: 75, evaluations }, failing)
    expect(runText(result, { id: 'a', summary: 'Say hello' }, style)).toContain('(800ms) score 75')
    expect(caseText(item, style)).toContain('score 91.7')
  })

  test('says their mean in every summary', () => {
    expect(reportText(report, 1, style.paint)).toMatch(/Score +91\.7 in 3 runs/)
    expect(renderMarkdown(report)).toContain('| Mean Score | 91.7 in 3 runs |')
    expect(renderSummary(report, { heading: 'Tests' })).toContain('mean score 91.7 in 3 runs')
    expect(summaryLine(report, 1)).toMatchObject({ mean_score: 275 / 3 })
  })

  test('has a column for them, and a line for the evaluators that took some away', () => {
    const summary = renderSummary(report, { heading: 'Tests' })
    expect(summary).toMatch(/\| Case +\| Passed \| Rate \(95% interval\) \| Required \| Score \| Class/)
    expect(summary).toMatch(/\| Case +\| Result \| Passed \| Score \| Class/)
    expect(summary).toMatch(/\| 3\/3 +\| +– \|/)
    expect(renderMarkdown(report)).toContain('Score: 91.7 (`approval-gate` 83.3)')
  })

  test('shows violations as failed checks', () => {
    expect(renderSummary(report, { heading: 'Tests' })).toContain('missing-approval: bash ran without a request')
    expect(renderMarkdown(report)).toContain('missing-approval: bash ran without a request')
    expect(caseText(item, style)).toContain('missing-approval: bash ran without a request')
  })

  test('is whole in the results', () => {
    expect(runLine(aRun({ score: 75, evaluations }, failing), { suite: 's', id: 'a' }, 1)).toMatchObject({
      score: 75,
      evaluations: [
        {
          evaluator: 'approval-gate',
          status: 'scored',
          passed: false,
          score: 50,
          violations: [
            {
              type: 'missing-approval',
              severity: 'error',
              message: 'bash ran without a request',
              evidence: { tool: 'bash' },
            },
          ],
          checks: [{ name: 'a', passed: true, weight: 2 }],
        },
        { evaluator: 'tool-usage', score: 100, violations: [] },
        { evaluator: 'delegation', status: 'not_applicable', passed: true, score: null, reason: 'no file was changed' },
        { evaluator: 'custom', status: 'errored', score: null, reason: 'it broke' },
        { evaluator: 'performance-metrics', informational: true, facts: { tool_count: 3 } },
      ],
    })
    expect(stabilityLine(item)).toMatchObject({ mean_score: 275 / 3 })
    const { results, summary } = jsonReport(report, 1)
    expect(summary).toMatchObject({ mean_score: 275 / 3 })
    expect(results[0]).toMatchObject({
      mean_score: 275 / 3,
      run_details: [{ score: 100 }, { score: 100 }, { score: 75 }],
    })
  })
})

describe('a suite without scores', () => {
  const plain = aReport()
  test('says nothing of them', () => {
    const texts = [
      renderSummary(plain, { heading: 'Tests' }),
      renderMarkdown(plain),
      reportText(plain, 0, style.paint),
      JSON.stringify(jsonReport(plain, 0)),
      JSON.stringify(summaryLine(plain, 0)),
    ]
    for (const text of texts) expect(text.toLowerCase()).not.toContain('score')
  })

  test('nor of a run whose evaluations gave none', () => {
    const unscored = aCaseReport({ runs: someRuns(passes(1), { score: null, evaluations: [] }) })
    expect(caseText(unscored, style)).not.toContain('score')
    expect(summaryLine(aReport({ cases: [unscored] }), 0)).not.toHaveProperty('mean_score')
  })
})
