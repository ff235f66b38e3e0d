import { describe, expect, test } from 'vitest'
import { resolveConfig } from '../../src/config/config.ts'
import { describeProblem } from '../../src/core/errors.ts'
import { prepare, release } from '../../src/setup/prepare.ts'
import { fakeHost } from '../support/fake-host.ts'
import { problemsOf } from '../support/problems-of.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()
const SUITE = ['{"id":"a","input":"x"}', '{"id":"b","input":"y","critical":true}'].join('\n')
const NOW = Date.parse('2026-03-01T12:00:00Z')

async function prepared(files: Readonly<Record<string, string>>, raw: Parameters<typeof resolveConfig>[0] = {}) {
  const { path: cwd } = folder({ 'evals/s.jsonl': SUITE, ...files })
  const warnings: string[] = []
  const config = resolveConfig(
    { input: ['evals/s.jsonl'], target: 'command:true', output: ['out.json'], ...raw },
    'cli',
  )
  const host = fakeHost({ cwd, now: () => NOW })
  return {
    warnings,
    opened: prepare(config, host, { baselineMayBeMissing: false, warn: (text) => warnings.push(text) }),
  }
}

describe('the policy files of the working directory', () => {
  test('are read, and their gates are those of the plan', async () => {
    const { opened, warnings } = await prepared({
      'agent-test.gates.yml': 'suites: [{match: evals/**, min-pass-rate: 90}]\ncases: [{case: bb, critical: true}]',
      'agent-test.accept.yml': '- {case: a, reason: meant, until: 2026-03-31}',
    })
    const ready = await opened
    await release(ready)
    expect(ready.plan.cases.map(({ gate }) => gate)).toEqual([{ minPassRate: 90 }, { minPassRate: 90, critical: true }])
    expect(ready.policies.waivers).toMatchObject([{ case: 'a', source: 'agent-test.accept.yml:1' }])
    expect(warnings).toEqual(['agent-test.gates.yml:2: case: there is no case "bb" (did you mean "b"?)'])
    expect(ready.warnings).toEqual(warnings)
  })

  test('need not be there', async () => {
    const { opened, warnings } = await prepared({})
    const ready = await opened
    await release(ready)
    expect(ready.plan.cases.map(({ gate }) => gate)).toEqual([undefined, { critical: true }])
    expect({ waivers: ready.policies.waivers, warnings }).toEqual({ waivers: [], warnings: [] })
  })

  test('are told of together with the mistakes of everything else', async () => {
    const { opened } = await prepared(
      {
        'agent-test.quarantine.yml': '- {case: b, reason: flaky, until: 2026-03-31}\n- {case: a}',
        'evals/s.jsonl': `${SUITE}\n{"id":"c"}`,
      },
      { 'accept-file': 'meant.yml', strict: true },
    )
    expect((await problemsOf(opened)).map(describeProblem)).toEqual([
      'evals/s.jsonl:3: input: required',
      'meant.yml: not found (--accept-file names it)',
      'agent-test.quarantine.yml:2: [1].reason: required',
      'agent-test.quarantine.yml:2: [1].until: required',
      'agent-test.quarantine.yml:1: [0].case: "evals/s.jsonl/b" is critical, and what is critical is not let through as flaky (take it out of one of the two)',
    ])
  })

  test('a mistyped case is a mistake under --strict', async () => {
    const { opened } = await prepared(
      { 'agent-test.gates.yml': 'cases: [{case: bb, critical: true}]' },
      { strict: true },
    )
    expect((await problemsOf(opened)).map(describeProblem)).toEqual([
      'agent-test.gates.yml:1: case: there is no case "bb" (did you mean "b"?)',
    ])
  })

  test.each(['agent-test.accept.yml', 'agent-test.quarantine.yml', 'agent-test.gates.yml'])(
    'are not written over: %s',
    async (name) => {
      const { opened } = await prepared({ [name]: '' }, { 'save-baseline': name })
      const problems = await problemsOf(opened)
      expect(problems.map(describeProblem).join()).toMatch(/is read by this run and would be overwritten/)
    },
  )
})
