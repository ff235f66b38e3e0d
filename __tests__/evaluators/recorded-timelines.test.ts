import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { EvaluationPlan } from '../../src/core/evaluation.ts'
import { judgeEvaluations } from '../../src/core/evaluation-verdict.ts'
import { readTimeline } from '../../src/core/timeline.ts'
import { evaluateTrace } from '../../src/evaluators/index.ts'
import { describeCorpus } from '../support/corpus.ts'

interface Expected {
  readonly expected_results: Readonly<
    Record<string, { passed: boolean; score: number; violations: { type: string; severity: string }[] }>
  >
  readonly overall: { should_pass: boolean; expected_score_min: number; expected_score_max: number }
}

const NAMES: Readonly<Record<string, string>> = {
  ApprovalGateEvaluator: 'approval-gate',
  ContextLoadingEvaluator: 'context-loading',
  DelegationEvaluator: 'delegation',
  ToolUsageEvaluator: 'tool-usage',
}

const PLAN: EvaluationPlan = {
  evaluators: Object.values(NAMES).map((type) => ({ type })),
  passThreshold: 75,
  passPolicy: 'conjunction',
  expectedViolations: [],
  weights: {},
  compat: 'openagents',
}

describeCorpus('recorded timelines', 'openagents/history', (root) => {
  const folders = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('timeline.json'))
    .map((path) => join(root, path, '..'))

  test('are all there', () => expect(folders).toHaveLength(8))

  test.each(folders)('%s', async (folder) => {
    const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'))
    const { trace, skipped } = readTimeline(read('timeline.json') as unknown[])
    const expected = read('expected.json') as Expected
    expect(skipped).toEqual([])
    const evaluations = await evaluateTrace(trace, PLAN.evaluators)
    for (const [name, { passed, score, violations }] of Object.entries(expected.expected_results)) {
      const found = evaluations.find(({ evaluator }) => evaluator === NAMES[name])
      const told = found?.status === 'scored' ? found : { passed: true, score: 100, violations: [] }
      expect({ passed: told.passed, score: Math.round(told.score) }, name).toEqual({ passed, score })
      expect(told.violations.map(({ type, severity }) => `${type} ${severity}`)).toEqual(
        violations.map(({ type, severity }) => `${type} ${severity}`),
      )
    }
    const verdict = judgeEvaluations(evaluations, PLAN)
    const { should_pass: passes, expected_score_min: least, expected_score_max: most } = expected.overall
    expect(verdict.status).toBe(passes ? 'passed' : 'failed')
    expect(verdict.score).toBeGreaterThanOrEqual(least)
    expect(verdict.score).toBeLessThanOrEqual(most)
  })
})
