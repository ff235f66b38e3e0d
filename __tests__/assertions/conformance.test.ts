import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { judgeAssertions, normaliseAssertions } from '../../src/assertions/index.ts'
import type { Json } from '../../src/core/json.ts'
import { subjectOf } from './subject.ts'

interface Row {
  readonly id: string
  readonly note: string
  readonly output: Json
  readonly assert: Json
  readonly expected?: Json
  readonly pass: boolean
  readonly config_error?: boolean
  readonly vacuous?: boolean
}

const table = new URL('../fixtures/conformance/yao-assert-cases.jsonl', import.meta.url)
const rows = readFileSync(table, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row)

const refused = rows.filter((row) => row.config_error)
const evaluated = rows.filter((row) => !row.config_error)

test('the table is whole', () => {
  expect([refused.length, evaluated.length]).toEqual([14, 130])
})

test.each(refused)('$id is refused at load: $note', ({ assert, expected }) => {
  const { problems } = normaliseAssertions(assert, expected)
  expect(problems).toHaveLength(1)
  expect(problems[0]?.field).toMatch(/^assert/)
})

test.each(evaluated)('$id passes: $pass ($note)', async ({ output, assert, expected, pass }) => {
  const { assertions, problems } = normaliseAssertions(assert, expected)
  expect(problems).toEqual([])
  const checks = await judgeAssertions(subjectOf(output), assertions)
  expect(checks.every((check) => check.passed)).toBe(pass)
})
