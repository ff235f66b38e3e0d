import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderWith } from '../folder.ts'
import { loadIn } from './load.ts'

const TEST = 'id: a\nprompt: x\n'
const WORKFLOW = 'name: CI\non: [push]\njobs: {test: {runs-on: ubuntu-latest, steps: [{run: "echo prompt: x"}]}}\n'

const tree = {
  '.git/HEAD': '',
  'tests/a.yaml': TEST,
  'tests/deep/b.yml': TEST,
  'tests/c.jsonl': '{"id":"a","input":"x"}',
  'tests/_archive/old.yaml': TEST,
  'tests/config/config.yaml': 'agent: build\nmodel: x/y\n',
  'tests/config/more.jsonl': '{"id":"a","input":"x"}',
  'tests/node_modules/p/n.yaml': TEST,
  'tests/agent-test.yaml': 'agent: build\n',
}

async function namesOf(inputs: readonly string[], files: Readonly<Record<string, string>> = tree) {
  const { loaded, problems, warnings } = await loadIn(folderWith(files), inputs)
  return { names: loaded.suites.map(({ name }) => name), problems, warnings }
}

describe('which files are suites', () => {
  test.each<[string, string[], string[]]>([
    ['a file', ['tests/a.yaml'], ['tests/a.yaml']],
    ['a file of the archive, by its name', ['tests/_archive/old.yaml'], ['tests/_archive/old.yaml']],
    [
      'a folder: no archive, no config, nothing of packages',
      ['tests'],
      ['tests/a.yaml', 'tests/c.jsonl', 'tests/config/more.jsonl', 'tests/deep/b.yml'],
    ],
    ['the archive itself', ['tests/_archive'], ['tests/_archive/old.yaml']],
    ['a glob', ['tests/**/*.yaml'], ['tests/a.yaml']],
    ['a glob that names the archive', ['tests/**/_archive/*.yaml'], ['tests/_archive/old.yaml']],
    ['a folder without a file', ['tests', '!tests/deep/**', '!**/*.jsonl'], ['tests/a.yaml']],
  ])('%s', async (_, inputs, names) => {
    const found = await namesOf(inputs)
    expect(found.problems).toEqual([])
    expect(found.names).toEqual(names)
  })

  test('the same id in two files is two cases', async () => {
    const { cases } = await loadIn(folderWith(tree), ['tests/a.yaml', 'tests/deep/b.yml'])
    expect(cases.map(({ key }) => key)).toEqual(['tests/a.yaml/a', 'tests/deep/b.yml/a'])
  })

  test('one invalid file hides nothing of the others', async () => {
    const { problems, cases } = await loadIn(
      folderWith({
        'a.yaml': 'id: a\nprompt: x\ncategory: content',
        'b.yaml': 'id: [\n',
        'c.yaml': TEST,
        'd.yaml': 'id: d\npromt: x\nbehavior: {}',
      }),
      ['a.yaml', 'b.yaml', 'c.yaml', 'd.yaml'],
    )
    expect(problems.map((problem) => problem.slice(0, 6))).toEqual(['a.yaml', 'b.yaml', 'd.yaml', 'd.yaml'])
    expect(cases.map(({ suite }) => suite)).toEqual(['c.yaml'])
  })
})

describe('files that are no suites', () => {
  const others: [string, string, string][] = [
    ['a GitHub workflow', WORKFLOW, 'a GitHub workflow'],
    ['a GitHub action', 'name: A\ndescription: B\ninputs: {prompt: {}}\nruns: {using: node20}', 'a GitHub action'],
    ['a Compose file', 'services: {web: {image: x}}', 'a Compose file'],
    ['a Kubernetes resource', 'apiVersion: v1\nkind: Pod', 'a Kubernetes resource'],
    ['an OpenAPI description', 'openapi: 3.1.0', 'an OpenAPI description'],
    ['a promptfoo config', 'prompts: [x]\nproviders: [y]\ntests: []', 'a promptfoo config'],
    ['a config file', 'agent: a\nmodel: x/y\nsuites: [smoke]', 'a config file'],
    ['a list', '- prompt: x', 'a list'],
    ['a text', 'just words', '"just words"'],
    ['nothing', '# only a comment\n', 'an empty file'],
    ['something else', 'a: 1', 'something else'],
  ]

  test.each(others)('%s that is named: a problem that says what it is', async (_, text, is) => {
    const { problems } = await namesOf(['other.yaml'], { 'other.yaml': text })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(`other.yaml: is no suite but ${is}`)
  })

  test.each(others)('%s that lies in a folder: left out with a word', async (_, text) => {
    const { names, problems, warnings } = await namesOf(['tests'], { 'tests/a.yaml': TEST, 'tests/other.yaml': text })
    expect({ names, problems }).toEqual({ names: ['tests/a.yaml'], problems: [] })
    expect(warnings).toEqual([expect.stringMatching(/^left out: tests\/other\.yaml is /)])
  })

  test('a folder of nothing else', async () => {
    const { problems } = await namesOf(['.github/workflows'], { '.github/workflows/ci.yml': WORKFLOW })
    expect(problems).toEqual([
      'nothing to run: .github/workflows/ci.yml is no test'.replace('no test', 'a GitHub workflow'),
    ])
  })

  test('many of them are told of in one line', async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`w${index}.yml`, WORKFLOW]))
    const { warnings } = await namesOf(['.'], { ...files, 'a.yaml': TEST })
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('and 25 more')
  })

  test('a test with a mistake is no such file', async () => {
    const { problems } = await namesOf(['tests'], { 'tests/a.yaml': 'id: a\npromt: x\nbehavior: {}' })
    expect(problems).toHaveLength(2)
  })

  test('what YAML cannot be read at all is told of where it may be a test', async () => {
    const { problems } = await namesOf(['tests'], { 'tests/a.yaml': TEST, 'tests/b.yaml': 'id: a\nprompt: "x' })
    expect(problems).toEqual([expect.stringMatching(/^tests\/b\.yaml:2: YAML error/)])
    const other = await namesOf(['tests'], { 'tests/a.yaml': TEST, 'tests/b.yaml': 'a: "x' })
    expect(other.problems).toEqual([])
  })

  test('a name that is not there', async () => {
    expect((await namesOf(['nowhere.yaml'], {})).problems).toEqual([
      expect.stringContaining('file "nowhere.yaml" not found'),
    ])
  })
})

describe('a JSON file that chooses tests', () => {
  const files = {
    '.git/HEAD': '',
    'core/tests/01/a.yaml': TEST,
    'core/tests/02/b.yaml': `${TEST}agent: plan`,
  }
  const suite = (tests: unknown, more: Record<string, unknown> = {}) =>
    JSON.stringify(
      { name: 'Core', description: 'd', version: '1.0.0', agent: 'core/openagent', tests, ...more },
      null,
      1,
    )

  test('the tests in its order, with its agent where they name none', async () => {
    for (const place of ['core/config/core.json', 'core/config/suites/core.json']) {
      const text = suite(
        [
          { id: 2, name: 'B', path: '02/b.yaml', category: 'behavior', priority: 'high' },
          {
            id: 1,
            name: 'A',
            path: '01/a.yaml',
            category: 'behavior',
            priority: 'high',
            required: true,
            estimatedTime: '30-60s',
          },
        ],
        { totalTests: 2, estimatedRuntime: '5-8 minutes', coverage: { toolUsage: true }, rationale: {} },
      )
      const { cases, problems, warnings } = await loadIn(folderWith({ ...files, [place]: text }), [place])
      expect({ problems, warnings }).toEqual({ problems: [], warnings: [] })
      expect(cases.map(({ key, session }) => [key, session?.agent])).toEqual([
        ['core/tests/02/b.yaml/a', 'plan'],
        ['core/tests/01/a.yaml/a', 'core/openagent'],
      ])
    }
  })

  test('what is wrong with it, each with its line', async () => {
    const text = suite(
      [
        { id: 1, path: '01/a.yaml' },
        { id: 1, path: '02/b.yaml', prio: 'high' },
        { id: 3, path: '03/c.yaml' },
        { id: 4, path: '04/d.yaml', required: false },
      ],
      { totalTests: 5 },
    )
    const { problems, warnings } = await loadIn(folderWith({ ...files, 'core/config/core.json': text }), [
      'core/config/core.json',
    ])
    expect(problems).toEqual([
      'core/config/core.json:14: tests[1].prio: unknown field (known fields: id, name, path, category, priority, required, estimatedTime, description)',
      'core/config/core.json:12: tests[1].id: 1 is already the id of tests[0]',
      'core/config/core.json:18: tests[2].path: test "03/c.yaml" not found (looked here, and in "tests" here and above)',
    ])
    expect(warnings).toEqual([
      'core/config/core.json:26: totalTests: is 5, and the list holds 4',
      'core/config/core.json:22: tests[3].path: test "04/d.yaml" not found (it is not required)',
    ])
  })

  test('a record of Yao is still a record', async () => {
    const { cases } = await loadIn(folderWith({ 'a.json': '{"id":"a","input":"x","metadata":{"tests":[]}}' }), [
      'a.json',
    ])
    expect(cases.map(({ key }) => key)).toEqual(['a.json/a'])
  })
})

describe('in CI', () => {
  test('a workspace outside of the repository is refused', async () => {
    const outer = folderWith({
      'secrets/key': 's',
      'repo/.git/HEAD': '',
      'repo/a.yaml': `${TEST}workspace: ../secrets`,
    })
    const cwd = join(outer, 'repo')
    const { problems } = await loadIn(cwd, ['a.yaml'], { env: { CI: 'true' } })
    expect(problems).toEqual([
      'a.yaml:3: workspace: the folder lies outside of the workspace, which is not allowed in CI (keep fixtures in the repository; the command line takes --allow-outside)',
    ])
    expect((await loadIn(cwd, ['a.yaml'])).problems).toEqual([])
  })

  test('a link that leads out is refused, too', async () => {
    const outer = folderWith({ 'secrets/key': 's', 'repo/a.yaml': `${TEST}workspace: app` })
    const cwd = join(outer, 'repo')
    symlinkSync(join(outer, 'secrets'), join(cwd, 'app'))
    const { problems } = await loadIn(cwd, ['a.yaml'], { env: { CI: 'true' } })
    expect(problems[0]).toContain('the folder lies outside of the workspace')
  })

  test('a workspace that is too large to copy for each run', async () => {
    const cwd = folderWith({ 'a.yaml': `${TEST}workspace: app` })
    mkdirSync(join(cwd, 'app'))
    for (let index = 0; index <= 20_000; index += 1) writeFileSync(join(cwd, 'app', String(index)), '')
    expect((await loadIn(cwd, ['a.yaml'])).problems).toEqual([
      'a.yaml:3: workspace: the folder holds more than 20000 files, and each run gets a copy of it (name a smaller folder)',
    ])
  })
})
