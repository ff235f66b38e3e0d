import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { EvaluationPlan } from '../../src/core/evaluation.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { readTimeline } from '../../src/core/timeline.ts'
import { criticalViolations, evaluateTrace, evaluators } from '../../src/evaluators/index.ts'

const ROWS = resolve(import.meta.dirname, '../fixtures/conformance/opencode-evaluator-cases.jsonl')
interface Row {
  readonly id: string
  readonly evaluator: string
  readonly config?: JsonObject
  readonly timeline: readonly unknown[]
}

const rows = readFileSync(ROWS, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Row)

const plan: Pick<EvaluationPlan, 'expectedViolations'> = { expectedViolations: [] }

/** Its critical violations after each event, and at the end. */
async function whileItGrows({ evaluator, timeline, config = {} }: Row): Promise<string[][]> {
  const { trace } = readTimeline(timeline)
  const severities = Object.fromEntries(
    Object.keys(evaluators.get(evaluator)?.violations ?? {}).map((type) => [type, 'error']),
  )
  const settings = { ...config, severities, type: evaluator }
  const lengths = trace.events.map((_, index) => index + 1)
  return Promise.all(
    lengths.map(async (length) => {
      const found = await evaluateTrace({ events: trace.events.slice(0, length) }, [settings])
      return criticalViolations(found, plan).map(({ violation }) => `${violation.type} at ${violation.timestamp}`)
    }),
  )
}

describe('what is called final stays, whatever happens next', () => {
  test('in every recorded case', async () => {
    const broken: string[] = []
    let seen = 0
    for (const row of rows) {
      const steps = await whileItGrows(row)
      const last = new Set(steps.at(-1))
      for (const [index, step] of steps.entries()) {
        seen += step.length
        for (const violation of step)
          if (!last.has(violation)) broken.push(`${row.id}, event ${index + 1}: ${violation}`)
      }
    }
    expect(broken).toEqual([])
    expect(seen).toBeGreaterThan(50)
  })
})
