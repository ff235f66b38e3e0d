import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeCorpus } from '../../support/corpus.ts'
import { loadIn } from './load.ts'

interface Entry {
  readonly path: string
  readonly kind: 'test' | 'template' | 'foreign-dialect' | 'agent-config'
  readonly referenceSchemaValid: boolean
}

/** What is said of each file that is no valid test, by what it is. Source: spec opencode-evals A.9. */
const REFUSED: Readonly<Record<string, { readonly files: number; readonly messages: readonly string[] }>> = {
  'agent-config': { files: 23, messages: ['is no suite but a config file'] },
  template: {
    files: 8,
    messages: [
      'agent: expected a string',
      'category: expected one of',
      'approvalStrategy.type: expected one of',
      'rule: there is no evaluator',
    ],
  },
  'foreign-dialect': {
    files: 3,
    messages: ['is a sentence, which nothing can check', 'there is no evaluator', 'unknown setting'],
  },
  test: {
    files: 1,
    messages: ['category: expected one of "developer", "business", "creative", "edge-case", got "content"'],
  },
}

describeCorpus('the public tests of one project', 'openagents', (folder) => {
  const all = JSON.parse(readFileSync(join(folder, 'MANIFEST.json'), 'utf8')) as readonly Entry[]
  const yaml = all.filter(({ path }) => path.endsWith('.yaml'))
  const isValid = ({ kind, referenceSchemaValid }: Entry) => kind === 'test' && referenceSchemaValid
  const load = () =>
    loadIn(
      folder,
      yaml.map(({ path }) => path),
    )

  test('of 272 files the 237 valid tests load', async () => {
    const { cases } = await load()
    expect(yaml).toHaveLength(272)
    expect(cases.map(({ suite }) => suite)).toEqual(yaml.filter(isValid).map(({ path }) => path))
    expect(cases).toHaveLength(237)
  })

  test('every other file is refused with words for what it is', async () => {
    const { loaded } = await load()
    const problemsOf = (path: string) => loaded.problems.filter(({ file }) => file === path)
    const files = new Set(loaded.problems.map(({ file }) => file))
    const refused = yaml.filter((entry) => !isValid(entry))
    expect(files).toEqual(new Set(refused.map(({ path }) => path)))
    for (const [kind, { files: count }] of Object.entries(REFUSED)) {
      expect([kind, refused.filter((entry) => entry.kind === kind).length]).toEqual([kind, count])
    }
    for (const { path, kind } of refused) {
      const said = problemsOf(path).map(({ field = '', message }) => `${field}: ${message}`)
      expect(said.filter((text) => !REFUSED[kind]?.messages.some((part) => text.includes(part)))).toEqual([])
    }
    expect(loaded.problems.filter(({ field, line = 0 }) => field !== undefined && line < 1)).toEqual([])
  })

  test('three files expect what cannot be; the archive has them once more', async () => {
    const { loaded } = await load()
    const named = loaded.suites.filter(({ warnings }) => warnings.some((text) => text.includes('contradiction')))
    const live = named.filter(({ name }) => !name.includes('_archive'))
    expect(live.map(({ name }) => name.replace(/^.*\/tests\//, ''))).toEqual([
      '07-behavior/forbidden-tool-violation.yaml',
      '07-behavior/missing-required-tool-violation.yaml',
      '09-tool-usage/bash-antipattern-violation.yaml',
    ])
    expect(named).toHaveLength(6)
  })

  test('two fields of four files are told of as not used, nothing else is', async () => {
    const { warnings } = await load()
    const others = warnings.filter((text) => !text.includes('contradiction'))
    expect(others).toHaveLength(4)
    for (const warning of others) expect(warning).toContain('behavior.debug: not used here')
  })

  test('by its folder: without archives and configs, each with the config file of its agent', async () => {
    const { cases, problems, loaded } = await loadIn(folder, ['evals/agents'])
    expect(cases).toHaveLength(144)
    expect(problems.every((text) => text.includes('repo-manager/tests') || text.includes('"content"'))).toBe(true)
    expect(loaded.suites.some(({ name }) => name.includes('_archive') || name.includes('/config/'))).toBe(false)
    const scout = cases.filter(({ suite }) => suite.startsWith('evals/agents/subagents/core/contextscout/'))
    expect(scout.length).toBeGreaterThan(0)
    for (const { session } of scout) {
      expect(session?.agent).toBe('subagents/core/contextscout')
      expect(session?.turnTimeoutMs).toBeGreaterThan(0)
    }
  })

  test('the suite file of the project chooses its seven tests', async () => {
    const { cases, problems } = await loadIn(folder, ['evals/agents/core/openagent/config/core-suite.json'])
    expect(problems).toEqual([])
    expect(cases).toHaveLength(7)
  })

  test('the config files of its history, with weights and rules', async () => {
    const cwd = join(folder, 'history')
    const tests = 'evals/agents/openagent/tests/developer/simple-bash-test.yaml'
    const { cases, problems } = await loadIn(cwd, [tests])
    expect(problems).toEqual([])
    expect(cases[0]?.session).toMatchObject({ agent: 'openagent' })
    expect(cases[0]?.evaluations).toMatchObject({
      passThreshold: 75,
      weights: { 'approval-gate': 40, 'context-loading': 40, delegation: 10, 'tool-usage': 10 },
    })
  })
})
