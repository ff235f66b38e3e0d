import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderWith } from '../folder.ts'
import { loadIn, settingsOf } from './load.ts'

const TEST = 'id: a\nprompt: x\n'

/** Loads `tests/a.yaml` below `files`, in a folder that is the root of a repository. */
function loadWith(files: Readonly<Record<string, string>>, options: { readonly strict?: boolean } = {}) {
  const cwd = folderWith({ '.git/HEAD': '', 'tests/a.yaml': TEST, ...files })
  return loadIn(cwd, ['tests/a.yaml'], options)
}

const EVERYTHING = `
name: Ours
description: words
version: 1.0.0
agent: core/openagent
model: anthropic/claude-sonnet-4-5
timeout: 90s
tags: [nightly]
approvalStrategy: auto-deny
approvalMode: permission
workspace: fixtures/app
inherit: false
pass_threshold: 80
passPolicy: threshold
compat: openagents
evaluators: [approval-gate, context-loading, delegation, tool-usage]
scoring: {approval_gate: 40, context_loading: 40, delegation: 10, tool_usage: 10}
rules:
  context_loading:
    enabled: true
    severity: warning
    required_contexts: {code: standards/code.md, docs: [standards/docs.md, docs.md]}
  delegation: {file_threshold: 6}
  tool_usage: {enabled: false}
agents:
  core/openagent:
    behavior: {mustNotUseTools: [webfetch]}
    evaluators: {execution-balance: true}
    weights: {execution-balance: 2}
  plan:
    behavior: {mustNotUseTools: [write]}
`

test('a config file gives what tests do not say', async () => {
  const { cases, problems, warnings, cwd } = await loadWith({
    'config/config.yaml': EVERYTHING,
    'fixtures/app/a.txt': 'A',
  })
  expect({ problems, warnings }).toEqual({ problems: [], warnings: [] })
  const [item] = cases
  expect(item?.session).toEqual({
    agent: 'core/openagent',
    // The command line outranks it.
    defaultModel: 'anthropic/claude-sonnet-4-5',
    turns: [{ text: 'x' }],
    workspace: `${cwd}/fixtures/app`,
    inherit: false,
    setup: [],
    approval: { kind: 'deny' },
    turnTimeoutMs: 90_000,
    files: [],
  })
  expect(item?.tags).toEqual(['nightly'])
  expect(item?.evaluations).toEqual({
    evaluators: [
      { type: 'behavior', mustNotUseTools: ['webfetch'], approvalMode: 'permission' },
      { type: 'approval-gate', approvalMode: 'permission' },
      {
        type: 'context-loading',
        requiredContexts: { code: 'standards/code.md', docs: ['standards/docs.md', 'docs.md'] },
        severities: {
          'no-context-loaded': 'warning',
          'wrong-context-file': 'warning',
          'context-loaded-after-execution': 'warning',
        },
      },
      { type: 'delegation', fileThreshold: 6 },
      { type: 'execution-balance' },
    ],
    passThreshold: 80,
    passPolicy: 'threshold',
    compat: 'openagents',
    expectedViolations: [],
    weights: { 'approval-gate': 40, 'context-loading': 40, delegation: 10, 'tool-usage': 10, 'execution-balance': 2 },
  })
})

test('what a test says goes before the config file', async () => {
  const own = [
    'id: a',
    'prompt: x',
    'agent: plan',
    'model: a/b',
    'timeout: 5000',
    'approvalStrategy: auto-approve',
    'approvalMode: text',
    'workspace: ../other',
    'inherit: true',
    'passThreshold: 50',
    'passPolicy: conjunction',
    'evaluators: [tool_usage]',
    'weights: {tool-usage: 7}',
    'tags: [mine]',
    'behavior: {mustNotUseTools: [bash]}',
  ].join('\n')
  const { cases, problems, cwd } = await loadWith({
    'config/config.yaml': EVERYTHING,
    'fixtures/app/a.txt': 'A',
    'other/b.txt': 'B',
    'tests/a.yaml': own,
  })
  expect(problems).toEqual([])
  const [item] = cases
  expect(item?.session).toMatchObject({
    agent: 'plan',
    model: 'a/b',
    workspace: `${cwd}/other`,
    inherit: true,
    approval: { kind: 'approve' },
    turnTimeoutMs: 5_000,
  })
  expect(item?.session?.defaultModel).toBeUndefined()
  expect(item?.tags).toEqual(['mine', 'nightly'])
  expect(item?.evaluations).toMatchObject({ passThreshold: 50, passPolicy: 'conjunction' })
  expect(item?.evaluations?.evaluators.map(({ type }) => type)).toEqual(['behavior', 'tool-usage'])
  expect(item?.evaluations?.weights['tool-usage']).toBe(7)
  // What is asked of every test of an agent is asked besides.
  expect(settingsOf(item, 'behavior')).toEqual({ approvalMode: 'text', mustNotUseTools: ['write', 'bash'] })
})

describe('which config file goes', () => {
  const agentOf = async (files: Readonly<Record<string, string>>, input = 'tests/deep/a.yaml') => {
    const cwd = folderWith({ 'repo/.git/HEAD': '', [`repo/${input}`]: TEST, ...files })
    const { cases, problems } = await loadIn(cwd, [`repo/${input}`])
    return problems.length > 0 ? problems : cases[0]?.session?.agent
  }

  test.each<[string, Record<string, string>, string | undefined]>([
    ['none', {}, undefined],
    ['in a config folder beside the suite', { 'repo/tests/deep/config/config.yaml': 'agent: a\nmodel: x/y' }, 'a'],
    ['in a config folder above', { 'repo/config/config.yaml': 'agent: a\nmodel: x/y' }, 'a'],
    ['with the other extension', { 'repo/config/config.yml': 'agent: a\nmodel: x/y' }, 'a'],
    ['by its own name', { 'repo/tests/agent-test.yaml': 'agent: a' }, 'a'],
    [
      'the nearest',
      {
        'repo/config/config.yaml': 'agent: far\ntimeout: 1s',
        'repo/tests/config/config.yaml': 'agent: near\ntimeout: 1s',
      },
      'near',
    ],
    [
      'its own name first',
      { 'repo/agent-test.yml': 'agent: named', 'repo/config/config.yaml': 'agent: other\ntimeout: 1s' },
      'named',
    ],
    ['not from outside of the repository', { 'config/config.yaml': 'agent: outer\nmodel: x/y' }, undefined],
    [
      'not that of another program',
      {
        'repo/tests/config/config.yaml': 'database: {host: x}\nagent: 7',
        'repo/config/config.yaml': 'agent: a\nmodel: x/y',
      },
      'a',
    ],
    ['not what cannot be read and may be anything', { 'repo/config/config.yaml': 'key: [' }, undefined],
  ])('%s', async (_, files, agent) => {
    expect(await agentOf(files)).toBe(agent)
  })
})

describe('a config file that is not right', () => {
  test.each<[string, string, string[]]>([
    [
      'an unknown field',
      'agent: a\nmodel: x/y\nevaluator: [behavior]',
      ['3: evaluator: unknown field (did you mean "evaluators"?)'],
    ],
    [
      'everything at once',
      'evaluators: [nope]\nmodel: gpt\ntimeout: soon\ndefaults: {timeout: -1}\napprovalStrategy: {type: smart, config: {denyPatterns: ["("]}}\nworkspace: nowhere\nweights: {a: 1}',
      [
        '1: evaluators[0]: there is no evaluator "nope" (known: "behavior", "approval-gate", "context-loading", "delegation", "tool-usage", "stop-on-failure", "report-first", "cleanup-confirmation", "performance-metrics", "agent-model", "execution-balance")',
        '2: model: expected a model as PROVIDER/MODEL, got "gpt" (such as anthropic/claude-sonnet-4-5)',
        '3: timeout: expected milliseconds above zero, up to a day, or a text such as "30s", got "soon"',
        '4: defaults.timeout: expected milliseconds above zero, up to a day, or a text such as "30s", got -1',
        '5: approvalStrategy.config.denyPatterns[0]: not an RE2 pattern: error parsing regexp: missing closing ): `(`',
        '7: weights.a: there is no evaluator "a" (known: "behavior", "approval-gate", "context-loading", "delegation", "tool-usage", "stop-on-failure", "report-first", "cleanup-confirmation", "performance-metrics", "agent-model", "execution-balance")',
        '6: workspace: folder "nowhere" not found (the path starts in the folder "REPO")',
      ],
    ],
    [
      'broken YAML',
      'agent: a\nmodel: [',
      ['2: YAML error at column 9: flow sequence in block collection must be sufficiently indented and end with a ]'],
    ],
    [
      'both names of the weights',
      'evaluators: [behavior]\nweights: {behavior: 1}\nscoring: {behavior: 2}',
      ['3: scoring: cannot be given beside "weights"'],
    ],
    [
      'rules of an agent',
      'agent: a\ntimeout: 1s\nagents:\n  a: {behavior: {mustUseTool: []}}\n  b: 7',
      [
        '4: agents.a.behavior.mustUseTool: unknown field (did you mean "mustUseTools"?)',
        '5: agents.b: expected an object such as {behavior: {mustNotUseTools: [bash]}}, got 7',
      ],
    ],
    [
      'suites',
      'agent: a\nsuites: {x: 7, y: {}, z: [../a]}',
      [
        '2: suites.x: expected a list of paths, or {paths, tags}, got 7',
        '2: suites.y: chooses nothing (give paths or tags)',
        '2: suites.z[0]: "../a" leads out of the workspace (paths start at the workspace of the run)',
      ],
    ],
  ])('%s', async (_, config, expected) => {
    // Two suites, and each problem once.
    const cwd = folderWith({
      '.git/HEAD': '',
      'tests/a.yaml': TEST,
      'tests/b.yaml': TEST,
      'config/config.yaml': config,
    })
    const { problems } = await loadIn(cwd, ['tests'])
    const found = problems.map((problem) => problem.replace(basename(cwd), 'REPO'))
    expect(found.sort()).toEqual(expected.map((problem) => `config/config.yaml:${problem}`).sort())
  })

  test('what means nothing here is told of once, and is a problem under --strict', async () => {
    const config = 'agent: a\nmodel: x/y\nreporting: {formats: [console]}\nagent_path: ../a.md'
    const { warnings, problems } = await loadWith({ 'config/config.yaml': config })
    expect(problems).toEqual([])
    expect(warnings).toEqual([
      'config/config.yaml:3: reporting: not used here (reports are chosen on the command line)',
      'config/config.yaml:4: agent_path: not used here (OpenCode finds an agent by its name)',
    ])
    expect((await loadWith({ 'config/config.yaml': config }, { strict: true })).problems).toHaveLength(2)
  })
})

describe('suites of the config file', () => {
  test.each<[string, string, string, string[]]>([
    ['by a folder', 'suites: {smoke: [tests/fast]}', 'tests/fast/a.yaml', ['smoke']],
    ['by a file', 'suites: {smoke: [./tests/fast/a.yaml]}', 'tests/fast/a.yaml', ['smoke']],
    ['not by the beginning of a name', 'suites: {smoke: [tests/fa]}', 'tests/fast/a.yaml', []],
    ['by a tag', 'suites: {core: {tags: [mine]}}', 'tests/a.yaml', ['mine', 'core']],
    ['by a tag of the config file', 'tags: [all]\nsuites: {core: {tags: [all]}}', 'tests/a.yaml', ['all', 'core']],
    [
      'a name alone: a folder of that name, with its number',
      'suites: [critical-rules, other]',
      'tests/01-critical-rules/a.yaml',
      ['critical-rules'],
    ],
    ['a name alone: a file of that name', 'suites: [smoke]', 'tests/smoke-test.yaml', ['smoke']],
    ['a name alone: a tag', 'suites: [mine]', 'tests/a.yaml', ['mine']],
  ])('%s', async (_, suites, path, tags) => {
    const own = tags.includes('mine') ? `${TEST}tags: [mine]` : TEST
    const cwd = folderWith({ '.git/HEAD': '', [path]: own, 'config/config.yaml': `agent: a\nmodel: x/y\n${suites}` })
    const { cases, problems } = await loadIn(cwd, [path])
    expect(problems).toEqual([])
    expect(cases[0]?.tags ?? []).toEqual(tags)
  })
})
