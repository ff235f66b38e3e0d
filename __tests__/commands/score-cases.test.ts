import { describe, expect, test } from 'vitest'
import { answered, asked, toolPart } from '../sessions/kept.ts'
import { agentTest, suiteOf } from '../support/command-line.ts'
import { tempFolders } from '../support/temp-folder.ts'
import { bad, call, good, says, scorer, user } from './scoring.ts'

const folder = tempFolders()
const scoring = scorer()
const event = (timestamp: number, type: string, data: object) => ({ timestamp, type, data })

describe('rows of cases', () => {
  test('one line for each, with the promised names', async () => {
    const rows = suiteOf(
      { id: 'good', evaluator: 'approval-gate', timeline: good, sessionInfo: { id: 's-1' } },
      { id: 'bad', evaluator: 'approval-gate', timeline: bad },
    )
    const { lines, code, stdout } = await scoring({ 'c.jsonl': rows }, 'c.jsonl')
    expect(lines).toMatchObject([
      {
        id: 'good',
        evaluations: [{ evaluator: 'approval-gate', status: 'scored', passed: true, score: 100, violations: [] }],
        overall: { score: 100, passed: true },
      },
      {
        id: 'bad',
        evaluations: [
          {
            evaluator: 'approval-gate',
            status: 'scored',
            passed: false,
            score: 0,
            violations: [{ type: 'missing-approval', severity: 'error' }],
          },
        ],
        overall: { score: 0, passed: false },
      },
    ])
    expect(code).toBe(1)
    expect(stdout).toContain('1 of 2 passed')
  })

  test('without an evaluator all that are on are asked', async () => {
    const { lines } = await scoring({ 'c.jsonl': suiteOf({ id: 'a', timeline: good }) }, 'c.jsonl')
    expect(lines[0]?.evaluations.map(({ evaluator }) => evaluator)).toEqual(
      expect.arrayContaining(['approval-gate', 'context-loading', 'delegation', 'tool-usage', 'stop-on-failure']),
    )
  })

  test('settings that say nothing need no evaluator', async () => {
    const rows = suiteOf({ id: 'a', timeline: good, config: {} }, { id: 'b', timeline: good, config: null })
    const { lines } = await scoring({ 'c.jsonl': rows }, 'c.jsonl')
    expect(lines.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  test('what does not apply has no score, and is no pass of the whole', async () => {
    const row = { id: 'a', evaluator: 'tool-usage', timeline: [user('Hi')] }
    const { lines, code, stdout } = await scoring({ 'c.jsonl': suiteOf(row) }, 'c.jsonl')
    expect(lines).toMatchObject([
      {
        evaluations: [{ status: 'not_applicable', score: null, violations: [] }],
        overall: { score: null, passed: false },
      },
    ])
    expect(stdout).toContain('1 could not be judged')
    expect(code).toBe(1)
  })

  test('everything well exits 0', async () => {
    const { code } = await scoring(
      { 'c.jsonl': suiteOf({ id: 'a', evaluator: 'approval-gate', timeline: good }) },
      'c.jsonl',
    )
    expect(code).toBe(0)
  })

  test('events of older forms, and messages of a server', async () => {
    const old = [
      event(1, 'user_message', { text: 'Add' }),
      event(2, 'tool_call', { tool: 'write', input: { filePath: 'a' } }),
    ]
    const messages = [asked('Add', 1_000), answered(2_000, toolPart('write', { filePath: 'a' }, { start: 2_010 }))]
    const rows = suiteOf(
      { id: 'old', evaluator: 'approval-gate', timeline: old },
      { id: 'listed', evaluator: 'approval-gate', messages },
    )
    const { lines } = await scoring({ 'c.jsonl': rows }, 'c.jsonl')
    expect(lines.map(({ evaluations }) => evaluations[0]?.violations[0]?.type)).toEqual([
      'missing-approval',
      'missing-approval',
    ])
  })

  test.each<[string, string, RegExp]>([
    ['no JSON', '{"id": ', /c\.jsonl:2: not JSON/],
    ['no object', '[]', /c\.jsonl:2: expected an object such as/],
    ['no id', '{"timeline": []}', /c\.jsonl:2: id: expected the id/],
    ['no timeline', '{"id": "x"}', /c\.jsonl:2: timeline: expected a list of events/],
    ['a timeline that is none', '{"id": "x", "timeline": {}}', /c\.jsonl:2: timeline: expected a list/],
    [
      'an unknown evaluator',
      '{"id": "x", "timeline": [], "evaluator": "aproval-gate"}',
      /c\.jsonl:2: evaluator: .*did you mean "approval-gate"/,
    ],
    [
      'an evaluator that is no name',
      '{"id": "x", "timeline": [], "evaluator": 7}',
      /c\.jsonl:2: evaluator: expected the name/,
    ],
    [
      'settings that are none',
      '{"id": "x", "timeline": [], "evaluator": "behavior", "config": 7}',
      /c\.jsonl:2: config: expected the settings/,
    ],
    [
      'an unknown setting',
      '{"id": "x", "timeline": [], "evaluator": "delegation", "config": {"minfiles": 7}}',
      /c\.jsonl:2: config\.minfiles/,
    ],
    [
      'settings of nobody',
      '{"id": "x", "timeline": [], "config": {"mustUseTools": ["a"]}}',
      /c\.jsonl:2: config: are the settings of an evaluator/,
    ],
    [
      'one that is too deep',
      `{"id": "x", "timeline": ${'['.repeat(600)}${']'.repeat(600)}}`,
      /c\.jsonl:2: nested deeper/,
    ],
  ])('%s: told with its line, and the others are scored', async (_, row, said) => {
    const rows = `${suiteOf({ id: 'a', evaluator: 'approval-gate', timeline: good })}${row}\n${suiteOf({ id: 'b', evaluator: 'approval-gate', timeline: good })}`
    const { lines, code, stderr } = await scoring({ 'c.jsonl': rows }, 'c.jsonl')
    expect(stderr).toMatch(said)
    expect(lines.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(code).toBe(1)
  })

  test('all mistakes of all inputs at once', async () => {
    const { stderr, lines } = await scoring(
      { 'c.jsonl': '{\n{}\n', 'd.jsonl': suiteOf({ id: 'a', evaluator: 'approval-gate', timeline: good }), e: '' },
      'c.jsonl',
      'gone.jsonl',
      'e',
      'd.jsonl',
    )
    expect(stderr.match(/^error: .*/gm)).toEqual([
      expect.stringContaining('c.jsonl:1: not JSON'),
      expect.stringContaining('c.jsonl:2: id:'),
      expect.stringContaining('c.jsonl:2: timeline:'),
      expect.stringContaining('gone.jsonl: there is no such file or folder'),
      expect.stringContaining('e: is empty'),
    ])
    expect(lines).toHaveLength(1)
  })

  test('rows of events that say nothing are told and left out', async () => {
    const row = { id: 'a', evaluator: 'approval-gate', timeline: [7, { type: 'nonsense' }, ...good] }
    const { lines, stderr } = await scoring({ 'c.jsonl': suiteOf(row) }, 'c.jsonl')
    expect(stderr).toMatch(/c\.jsonl:1: timeline\[0\] is skipped/)
    expect(lines).toMatchObject([{ metadata: { skipped: 2 }, overall: { passed: true } }])
  })
})

describe('rules of the command line and of a config file', () => {
  const half = { id: 'a', timeline: [...good, call('bash', { command: 'cat a.txt' }, 5_000)] }
  const only = '{"evaluators": ["approval-gate", "tool-usage"]}'

  test.each<[string, string[], Record<string, string>, number]>([
    ['a mean of 50 is below 75', ['--config', 'c.json'], { 'c.json': only }, 1],
    ['a lower threshold', ['--config', 'c.json', '--threshold', '50'], { 'c.json': only }, 0],
    ['one in percent', ['--config', 'c.json', '--threshold', '50%'], { 'c.json': only }, 0],
    [
      'a threshold in the file',
      ['--config', 'c.yaml'],
      { 'c.yaml': 'evaluators: [approval-gate, tool-usage]\npassThreshold: 50\n' },
      0,
    ],
    [
      'which the command line outranks',
      ['--config', 'c.yaml', '--threshold', '60'],
      { 'c.yaml': 'evaluators: [approval-gate, tool-usage]\npassThreshold: 50\n' },
      1,
    ],
    [
      'weights',
      ['--config', 'c.yaml'],
      { 'c.yaml': 'evaluators: [approval-gate, tool-usage]\nweights: {approval-gate: 9, tool-usage: 1}\n' },
      0,
    ],
  ])('%s', async (_, args, files, expected) => {
    const { code } = await scoring({ 'r.jsonl': suiteOf(half), ...files }, 'r.jsonl', ...args)
    expect(code).toBe(expected)
  })

  test('the pure rule of the seed lets an error pass that the mean can bear', async () => {
    const timeline = [...good, says('Done.', 5_000), user('Now b', 6_000), call('bash', { command: 'ls' }, 7_000)]
    const files = {
      'r.jsonl': suiteOf({
        id: 'a',
        timeline: bad.concat(timeline.map((one) => ({ ...one, timestamp: one.timestamp + 10_000 }))),
      }),
      'c.json': '{"evaluators": ["approval-gate"]}',
    }
    expect((await scoring(files, 'r.jsonl', '--config', 'c.json', '--threshold', '10')).code).toBe(1)
    expect(
      (await scoring(files, 'r.jsonl', '--config', 'c.json', '--threshold', '10', '--policy', 'threshold')).code,
    ).toBe(0)
  })

  test('under openagents what does not apply counts as 100', async () => {
    const files = { 'r.jsonl': suiteOf({ id: 'a', evaluator: 'tool-usage', timeline: [user('Hi')] }) }
    const { lines, code } = await scoring(files, 'r.jsonl', '--compat', 'openagents')
    expect(lines).toMatchObject([{ overall: { score: 100, passed: true } }])
    expect(code).toBe(0)
  })

  test.each<[string, string[], Record<string, string>, RegExp]>([
    ['a file that is not there', ['--config', 'no.yaml'], {}, /no\.yaml: there is no such file/],
    [
      'an unknown key',
      ['--config', 'c.yaml'],
      { 'c.yaml': 'evaluators: [behavior]\npassTreshold: 3\n' },
      /c\.yaml:2: passTreshold: .*passThreshold/,
    ],
    ['no settings', ['--config', 'c.yaml'], { 'c.yaml': '- 7\n' }, /c\.yaml:1: expected/],
    ['an unknown flag', ['--treshold', '3'], {}, /--treshold: unknown flag \(did you mean "--threshold"\?\)/],
    ['no percentage', ['--threshold', '101'], {}, /--threshold: expected a number from 0 to 100/],
    ['an unknown policy', ['--policy', 'treshold'], {}, /--policy: expected conjunction or threshold.*did you mean/],
    ['an unknown project', ['--compat', 'x'], {}, /--compat: expected openagents/],
    ['a flag without value', ['--config'], {}, /--config: needs a value/],
    ['a data folder of nobody', ['--data-dir', 'x'], {}, /--data-dir: goes with --session/],
    ['results over their own source', ['-o', 'r.jsonl'], {}, /--output: r\.jsonl is what is to be judged/],
  ])('%s is one error before anything is judged', async (_, args, files, said) => {
    const { path } = folder({ 'r.jsonl': suiteOf({ id: 'a', timeline: good }), ...files })
    const { code, stderr, stdout } = await agentTest(['score', 'r.jsonl', ...args], { cwd: path })
    expect(stderr).toMatch(said)
    expect(stdout).toBe('')
    expect(code).toBe(1)
  })

  test('nothing named is an error, and --help tells of this verb', async () => {
    const { path: cwd } = folder()
    expect((await agentTest(['score'], { cwd })).stderr).toMatch(/nothing to judge \(agent-test score PATH/)
    const help = await agentTest(['score', '--help'], { cwd })
    expect(help.stdout).toMatch(/^Usage: agent-test score PATH/)
    expect(help.code).toBe(0)
  })
})
