import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { loadPolicies } from '../../src/policies/index.ts'
import { loadSuites } from '../../src/suites/index.ts'
import { fakeHost } from '../support/fake-host.ts'

const cwd = resolve(import.meta.dirname, '../../examples/policies')

test('the example files are read without a word, and do what they say', async () => {
  const host = fakeHost({ cwd, now: () => Date.parse('2026-12-01T00:00:00Z') })
  const { suites, problems } = await loadSuites({ inputs: ['evals'], host })
  const cases = suites.flatMap((suite) => suite.cases)
  const policies = await loadPolicies({
    acceptFile: 'agent-test.accept.yml',
    quarantineFile: 'agent-test.quarantine.yml',
    gatesFile: 'agent-test.gates.yml',
    given: new Set(['accept-file', 'quarantine-file', 'gates-file']),
    host,
  })
  expect({ suites: problems, policies: policies.problems }).toEqual({ suites: [], policies: [] })
  expect(policies.check(cases)).toEqual({ problems: [], warnings: [] })
  expect(policies.waivers.map(({ kind, case: name }) => [kind, name])).toEqual([
    ['accepted', 'evals/support.jsonl/long-answer'],
    ['quarantined', 'evals/support.jsonl/opening-hours'],
  ])
  expect(Object.fromEntries(cases.map((item) => [item.id, policies.gateOf(item)]))).toEqual({
    refund: { minPassRate: 80, thresholdMode: 'shown', critical: true },
    'opening-hours': { minPassRate: 80, thresholdMode: 'shown' },
    'long-answer': { minPassRate: 60, thresholdMode: 'observed' },
    'no-legal-advice': { minPassRate: 80, thresholdMode: 'shown', critical: true },
  })
})
