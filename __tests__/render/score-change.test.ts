import { expect, test } from 'vitest'
import type { BaselineRun } from '../../src/core/baseline.ts'
import type { CaseReport } from '../../src/core/case-report.ts'
import { scoreChangeOf } from '../../src/render/score-change.ts'
import { aCaseReport, aPool, passes, someRuns } from '../support/builders.ts'

function scored(scores: Readonly<Record<string, number>>, score: number): CaseReport {
  const evaluations = Object.entries(scores).map(([evaluator, value]) => ({
    status: 'scored' as const,
    evaluator,
    passed: true,
    score: value,
    checks: [],
    violations: [],
  }))
  return aCaseReport({ runs: someRuns(passes(2), { evaluations, score }) })
}

const before = (...scores: readonly Readonly<Record<string, number>>[]) =>
  aPool({
    runs: scores.map((own): BaselineRun => {
      return { session: 0, status: 'passed', durationMs: 1, fingerprint: 'f', scores: own }
    }),
  })

test('evaluators that fell come most fallen first; the case as a whole is their mean', () => {
  expect(scoreChangeOf(scored({ a: 60, b: 90, c: 100 }, 250 / 3), before({ a: 100, b: 100, c: 90 }))).toEqual({
    whole: { before: 290 / 3, after: 250 / 3 },
    fallen: [
      { evaluator: 'a', before: 100, after: 60 },
      { evaluator: 'b', before: 100, after: 90 },
    ],
  })
})

test('runs of the base branch are averaged', () => {
  expect(scoreChangeOf(scored({ a: 50 }, 50), before({ a: 100 }, { a: 80 }))?.fallen).toEqual([
    { evaluator: 'a', before: 90, after: 50 },
  ])
})

test.each([
  ['evaluators weigh differently', { a: 0, b: 100 }, 75, { a: 100, b: 100 }],
  ['an evaluator is new', { a: 0, b: 100 }, 50, { a: 100 }],
])('the whole is not compared where %s', (_name, here, score, was) => {
  expect(scoreChangeOf(scored(here, score), before(was))).toEqual({
    fallen: [{ evaluator: 'a', before: 100, after: 0 }],
  })
})

test('nothing is said where one side has no score', () => {
  expect(scoreChangeOf(scored({ a: 0 }, 0), undefined)).toBeUndefined()
  expect(scoreChangeOf(scored({ a: 0 }, 0), before({}))).toBeUndefined()
  expect(scoreChangeOf(aCaseReport(), before({ a: 100 }))).toBeUndefined()
})
