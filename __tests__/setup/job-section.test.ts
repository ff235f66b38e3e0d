import { describe, expect, test } from 'vitest'
import { configFromInputs } from '../../src/config/config.ts'
import { jobSectionOf, labelOf } from '../../src/setup/job-section.ts'

type Inputs = Readonly<Record<string, string>>

function sectionOf(inputs: Inputs = {}, env: Inputs = {}, workflowPath = '.github/workflows/agent.yml') {
  const { config } = configFromInputs((name) => inputs[name] ?? '')
  return jobSectionOf(config, { workflowPath }, { env: { GITHUB_JOB: 'evals', GITHUB_ACTION: '__self', ...env } })
}

describe('the values of a matrix are the name of its leg', () => {
  test.each([
    ['{"model":"gpt-4o","os":"linux"}', 'gpt-4o, linux'],
    ['{\n  "node": 20,\n  "fast": true,\n  "more": {"a": 1}\n}', '20, true, {"a":1}'],
    ['null', undefined],
    ['{}', undefined],
    ['', undefined],
    ['  ', undefined],
    ['small model', 'small model'],
    ['[1, 2]', '[1, 2]'],
    ['"quoted"', '"quoted"'],
    ['{broken', '{broken'],
  ])('%j: %j', (section, label) => {
    expect(labelOf(section)).toBe(label)
  })
})

test('a job without a matrix is called by job and suites, and its heading has no label', () => {
  expect(sectionOf({ input: 'tests/a.jsonl\ntests/b.jsonl', target: 'http:https://x.test/v1' })).toMatchObject({
    title: 'evals · tests/a.jsonl, tests/b.jsonl · http:https://x.test/v1',
  })
  expect(sectionOf()).not.toHaveProperty('label')
})

test('what tells two jobs apart: workflow, job, step, matrix, section, suites, target, agent, connector', () => {
  const base = { input: 'a.jsonl' }
  const legs = [
    sectionOf(base),
    sectionOf(base, {}, '.github/workflows/nightly.yml'),
    sectionOf(base, { GITHUB_JOB: 'other' }),
    sectionOf(base, { GITHUB_ACTION: '__self_2' }),
    sectionOf({ ...base, section: '{"model":"a"}' }),
    sectionOf({ ...base, section: '{"model":"b"}' }),
    sectionOf({ ...base, section: 'mine' }),
    sectionOf({ input: 'b.jsonl' }),
    sectionOf({ ...base, target: 'http:https://x.test/v1' }),
    sectionOf({ ...base, name: 'support' }),
    sectionOf({ ...base, connector: 'gpt' }),
  ].map(({ leg }) => leg)
  expect(new Set(legs).size).toBe(legs.length)
})

test('and what does not: run, attempt and runner', () => {
  const env = { GITHUB_RUN_ID: '7', GITHUB_RUN_ATTEMPT: '2', RUNNER_NAME: 'GitHub Actions 12' }
  expect(sectionOf({}, env)).toEqual(sectionOf())
})

test('a name of any length is cut', () => {
  expect(sectionOf({ section: 'x'.repeat(5_000) }).title.length).toBeLessThanOrEqual(120)
})
