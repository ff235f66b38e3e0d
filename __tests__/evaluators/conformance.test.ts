import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Severity } from '../../src/core/evaluation.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { checkKindConfig } from '../../src/core/kind.ts'
import { readTimeline } from '../../src/core/timeline.ts'
import { evaluateTrace, evaluators } from '../../src/evaluators/index.ts'

interface Row {
  readonly id: string
  readonly evaluator: string
  readonly config?: JsonObject
  readonly timeline: readonly unknown[]
  readonly expect: Expected
  /** What is wanted where it is not what the original gives; members it lacks are not compared. */
  readonly ours?: Partial<Expected>
}

interface Expected {
  readonly passed: boolean
  readonly score?: number
  readonly violations: readonly string[]
  readonly severities?: readonly Severity[]
}

const table = new URL('../fixtures/conformance/opencode-evaluator-cases.jsonl', import.meta.url)
const rows = readFileSync(table, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row)

test('the table is whole', () => {
  expect(rows).toHaveLength(172)
})

test.each(rows)('$id', async ({ evaluator, config = {}, timeline, expect: original, ours = original }) => {
  const settings = { ...config, type: evaluator }
  expect(checkKindConfig(evaluators, settings, { noun: 'evaluator', field: 'evaluators[0]' })).toEqual([])
  const [evaluation] = await evaluateTrace(readTimeline(timeline).trace, [settings])
  expect(resultOf(evaluation)).toMatchObject(comparable(ours))
})

/** What does not apply stands for a pass with 100. */
function resultOf(evaluation: Awaited<ReturnType<typeof evaluateTrace>>[number] | undefined): Expected {
  if (evaluation?.status === 'not_applicable') return { passed: true, score: 100, violations: [], severities: [] }
  if (evaluation?.status !== 'scored') throw new Error(JSON.stringify(evaluation))
  const { passed, score, violations } = evaluation
  return {
    passed,
    score: Math.round(score),
    violations: violations.map(({ type }) => type),
    severities: violations.map(({ severity }) => severity),
  }
}

function comparable({ passed, score, violations, severities }: Partial<Expected>): Partial<Expected> {
  return {
    ...(passed === undefined ? {} : { passed }),
    ...(score === undefined ? {} : { score }),
    ...(violations === undefined ? {} : { violations }),
    ...(severities === undefined ? {} : { severities }),
  }
}
