import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agentTest, suiteOf } from '../support/command-line.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()
const node = process.execPath
/** Leaves a mark when it is started: nothing may be called before everything is checked. */
const AGENT = "import { appendFileSync } from 'node:fs'\nappendFileSync('called', 'x')\nprocess.stdout.write('hello')\n"
const SUITE = suiteOf({ id: 'a', input: 'hi', assert: { type: 'contains', value: 'hello' } })
const TARGET = ['--target', `command:"${node}" agent.mjs`]

/** Mistakes in what makes a case a conversation; the rules are in suites/conversation.test.ts. */
function conversationMistakes(): [string, string[], RegExp, Record<string, string>][] {
  const assert = { type: 'contains', value: 'x' }
  const talk = { id: 'a', input: 'x', simulator: { use: 'user' }, checkpoints: [{ id: 'one', assert }] }
  const rows: [string, object, RegExp][] = [
    ['a simulator alone', { checkpoints: undefined }, /bad\.jsonl:1: checkpoints: required beside "simulator"/],
    ['checkpoints alone', { simulator: undefined }, /bad\.jsonl:1: simulator: required beside "checkpoints"/],
    ['a simulator that is not there', {}, /bad\.jsonl:1: simulator\.use: /],
    ['a simulator that is no object', { simulator: 'user' }, /bad\.jsonl:1: simulator: expected an object, got "user"/],
    ['a simulator without a name', { simulator: {} }, /bad\.jsonl:1: simulator\.use: required/],
    ['no checkpoint', { checkpoints: [] }, /bad\.jsonl:1: checkpoints: expected at least one checkpoint/],
    [
      'a checkpoint twice',
      { checkpoints: [talk.checkpoints[0], talk.checkpoints[0]] },
      /bad\.jsonl:1: checkpoints\[1\]\.id: "one" is already the id of checkpoints\[0\]/,
    ],
    [
      'a bad assertion of a checkpoint',
      { checkpoints: [{ id: 'one', assert: { type: 'contain', value: 'x' } }] },
      /bad\.jsonl:1: checkpoints\[0\]\.assert\.type: unknown assertion type "contain" \(did you mean "contains"\?\)/,
    ],
    [
      'a checkpoint after one that is not there',
      {
        checkpoints: [
          { id: 'first', assert },
          { id: 'two', assert, after: ['frist'] },
        ],
      },
      /bad\.jsonl:1: checkpoints\[1\]\.after\[0\]: there is no checkpoint "frist" \(did you mean "first"\?\)/,
    ],
    [
      'checkpoints in a ring',
      { checkpoints: [{ id: 'one', assert, after: ['one'] }] },
      /bad\.jsonl:1: checkpoints\[0\]\.after: can never be reached/,
    ],
    ['no turn', { max_turns: 0 }, /bad\.jsonl:1: max_turns: expected a whole number from 1 to 100, got 0/],
    ['turns in words', { max_turns: 'ten' }, /bad\.jsonl:1: max_turns: expected a number, got "ten"/],
  ]
  return rows.map(([name, rest, message]) => {
    return [name, ['-i', 'bad.jsonl', ...TARGET], message, { 'bad.jsonl': suiteOf({ ...talk, ...rest }) }]
  })
}

function workspace(files: Record<string, string> = {}) {
  return folder({ 'agent.mjs': AGENT, 'suite.jsonl': SUITE, ...files })
}

describe('every mistake ends with 1 before anything is called', () => {
  test.each<[string, string[], RegExp, Record<string, string>?]>([
    ['no input', [...TARGET], /--input: nothing to run/],
    [
      'an unknown flag',
      ['-i', 'suite.jsonl', '--rusn', '3', ...TARGET],
      /--rusn: unknown flag \(did you mean "--runs"\?\)/,
    ],
    ['a suite that is not there', ['-i', 'nope.jsonl', ...TARGET], /nope\.jsonl/],
    ['a glob without a match', ['-i', 'none/**/*.jsonl', ...TARGET], /none\/\*\*\/\*\.jsonl/],
    [
      'a broken suite',
      ['-i', 'bad.jsonl', ...TARGET],
      /bad\.jsonl:2/,
      { 'bad.jsonl': `${SUITE}{"id":"b","input":}\n` },
    ],
    [
      'an assertion type that does not exist',
      ['-i', 'bad.jsonl', ...TARGET],
      /bad\.jsonl:1: assert\.type: unknown assertion type "contain" \(did you mean "contains"\?\)/,
      { 'bad.jsonl': suiteOf({ id: 'a', input: 'x', assert: { type: 'contain', value: 'x' } }) },
    ],
    ...conversationMistakes(),
    ['an unknown target type', ['-i', 'suite.jsonl', '--target', 'comand:node x'], /did you mean "command"\?/],
    ['a target without a type', ['-i', 'suite.jsonl', '--target', 'node agent.mjs'], /--target|target/],
    [
      'an unknown key of a target',
      ['-i', 'suite.jsonl', '--target', '{"type":"command","rum":"node x"}'],
      /did you mean "run"\?/,
    ],
    ['target JSON that does not parse', ['-i', 'suite.jsonl', '--target', '{"type":"command"'], /JSON/],
    [
      'a program that is not there',
      ['-i', 'suite.jsonl', '--target', 'command:no-such-program-anywhere'],
      /no-such-program-anywhere/,
    ],
    ['an agent folder that is not there', ['-i', 'suite.jsonl', '-n', 'no.such.agent'], /no\.such\.agent/],
    ['no agent to be found', ['-i', 'suite.jsonl'], /no agent found/],
    [
      'a filter that matches nothing',
      ['-i', 'suite.jsonl', '--run', 'zzz', ...TARGET],
      /--run: no case id matches "zzz" \(ids are a\)/,
    ],
    ['a filter that is no RE2', ['-i', 'suite.jsonl', '--run', '(?<=x)', ...TARGET], /--run: not an RE2 pattern/],
    ['a ctx file that is not there', ['-i', 'suite.jsonl', '--ctx', 'ctx.json', ...TARGET], /ctx\.json/],
    [
      'a broken ctx file',
      ['-i', 'suite.jsonl', '--ctx', 'ctx.json', ...TARGET],
      /ctx\.json:2/,
      { 'ctx.json': '{\n"chat_id": }\n' },
    ],
    [
      'a ctx file with an unknown key',
      ['-i', 'suite.jsonl', '--ctx', 'ctx.json', ...TARGET],
      /did you mean "chat_id"\?/,
      { 'ctx.json': '{"chatid":"c"}' },
    ],
    [
      'a baseline file that is not there',
      ['-i', 'suite.jsonl', '--baseline', 'b.json', ...TARGET],
      /--baseline: b\.json does not exist/,
    ],
    [
      'a broken baseline',
      ['-i', 'suite.jsonl', '--baseline', 'b.json', ...TARGET],
      /--baseline: b\.json: not JSON/,
      { 'b.json': '{' },
    ],
    [
      'a baseline of another shape',
      ['-i', 'suite.jsonl', '--baseline', 'b.json', ...TARGET],
      /--baseline: b\.json/,
      { 'b.json': '{"schemaVersion":1}' },
    ],
    [
      'a baseline of a newer version',
      ['-i', 'suite.jsonl', '--baseline', 'b.json', ...TARGET],
      /schemaVersion 99 is newer/,
      { 'b.json': '{"schemaVersion":99}' },
    ],
    ['an output in a folder that is not there', ['-i', 'suite.jsonl', '-o', 'no/out.json', ...TARGET], /no\/out\.json/],
    ['an output that is a folder', ['-i', 'suite.jsonl', '-o', 'sub.json', ...TARGET], /sub\.json/],
    [
      'a place to save in a folder that is not there',
      ['-i', 'suite.jsonl', '--save-baseline', 'no/b.json', ...TARGET],
      /--save-baseline: there is no folder no/,
    ],
    ['a place to save that is a folder', ['-i', 'suite.jsonl', '--save-baseline', 'sub.json', ...TARGET], /sub\.json/],
    [
      'an artifact as the baseline',
      ['-i', 'suite.jsonl', '--baseline', 'auto', ...TARGET],
      /--baseline: "auto" stands for an artifact/,
    ],
    [
      'an artifact as the place to save',
      ['-i', 'suite.jsonl', '--save-baseline', 'auto', ...TARGET],
      /--save-baseline: "auto" stands for an artifact/,
    ],
    [
      'a recording of a target without a model',
      ['-i', 'suite.jsonl', '--record', 'tape.jsonl', ...TARGET],
      /--record: a target of type "command" asks no model that could be recorded \(types that do: http, script, yao\)/,
    ],
    [
      'a recording in a folder that is not there',
      ['-i', 'suite.jsonl', '--record', 'no/tape.jsonl', '--target', 'http:http://127.0.0.1:9/v1'],
      /--record: the folder of no\/tape\.jsonl does not exist/,
    ],
    [
      'a cassette that is a folder',
      ['-i', 'suite.jsonl', '--target', '{"type":"http","cassette":"."}'],
      /error: \.: cannot be read/,
    ],
    [
      'a reporter that is not there',
      ['-i', 'suite.jsonl', '-r', 'no.such', '-o', 'out.md', ...TARGET],
      /--reporter: .*no\.such/,
    ],
    [
      'a reporter without a file',
      ['-i', 'suite.jsonl', '-r', 'report.html', ...TARGET],
      /--reporter: there is no file/,
    ],
    ['a recording to replay that is not there', ['-i', 'suite.jsonl', '--target', 'replay:old.jsonl'], /old\.jsonl/],
    [
      'a recording that would be overwritten',
      ['-i', 'suite.jsonl', '--target', 'replay:old.jsonl', '-o', 'old.jsonl'],
      /--output: .*old\.jsonl is read by this run and would be overwritten/,
      { 'old.jsonl': '{"type":"result","suite":"suite.jsonl","id":"a","status":"passed","output":"x"}\n' },
    ],
    [
      'a script test that is not there',
      ['-i', 'scripts.expense.setup', ...TARGET],
      /there is no script test assistants\/expense\/src\/setup_test\.ts/,
    ],
    [
      'more runs than there is room for',
      ['-i', 'suite.jsonl', '--runs', '999999999', ...TARGET],
      /--runs: 1 cases of 999999999 runs each are more than 10000000 runs/,
    ],
    [
      'a verb that does not exist',
      ['tset', '-i', 'suite.jsonl', ...TARGET],
      /unknown verb "tset" \(did you mean "test"\?\)/,
    ],
  ])('%s', async (_, args, message, files = {}) => {
    const { path } = workspace(files)
    mkdirSync(join(path, 'sub.json'))
    const { code, stderr } = await agentTest(args, { cwd: path })
    expect(stderr).toMatch(message)
    expect(code).toBe(1)
    expect(existsSync(join(path, 'called'))).toBe(false)
  })

  const CASSETTE = '{"schemaVersion":1,"model":"default","messages":[],"run":1,"answer":{"text":"x"}}\n'
  const FROM_CASSETTE = ['--target', '{"type":"http","cassette":"tape.jsonl"}']
  const FROM_MODEL = ['--target', 'http:http://127.0.0.1:9/v1']
  test.each<[string, string[], string, string]>([
    ['a suite by results', [...TARGET, '-o', 'suite.jsonl'], '--output', 'suite.jsonl'],
    ['a suite by results in another spelling', [...TARGET, '-o', './sub/../suite.jsonl'], '--output', 'suite.jsonl'],
    ['a suite by a baseline', [...TARGET, '--save-baseline', 'suite.jsonl'], '--save-baseline', 'suite.jsonl'],
    ['a suite by a cassette', [...FROM_MODEL, '--record', 'suite.jsonl'], '--record', 'suite.jsonl'],
    ['the ctx file by results', [...TARGET, '--ctx', 'ctx.json', '-o', 'ctx.json'], '--output', 'ctx.json'],
    ['the baseline by results', [...TARGET, '--baseline', 'b.json', '-o', 'b.json'], '--output', 'b.json'],
    [
      'the baseline that is saved again by results',
      [...TARGET, '--baseline', 'b.json', '--save-baseline', './b.json', '-o', 'b.json'],
      '--output',
      'b.json',
    ],
    ['a new baseline by results', [...TARGET, '--save-baseline', 'n.json', '-o', 'n.json'], '--output', 'n.json'],
    ['a new cassette by results', [...FROM_MODEL, '--record', 'n.jsonl', '-o', 'n.jsonl'], '--output', 'n.jsonl'],
    ['the cassette of the target by results', [...FROM_CASSETTE, '-o', 'tape.jsonl'], '--output', 'tape.jsonl'],
  ])('%s would be overwritten, and is not', async (_, args, field, file) => {
    const files = {
      'ctx.json': '{}',
      'b.json': '{"schemaVersion":1,"createdAt":"2026-01-01T00:00:00Z","cases":[]}',
      'tape.jsonl': CASSETTE,
    }
    const { path } = workspace(files)
    mkdirSync(join(path, 'sub'))
    const before = existsSync(join(path, file)) ? readFileSync(join(path, file), 'utf8') : undefined
    const { code, stderr } = await agentTest(['-i', 'suite.jsonl', ...args], { cwd: path })
    expect(code).toBe(1)
    expect(stderr).toMatch(new RegExp(`error: ${field}: .*${file} is .* and would be overwritten`))
    expect(existsSync(join(path, file)) ? readFileSync(join(path, file), 'utf8') : undefined).toBe(before)
    expect(existsSync(join(path, 'called'))).toBe(false)
  })

  test('all mistakes of all files and flags at once', async () => {
    const bad = suiteOf({ id: 1, input: 'x' }, { id: 'ok', input: 'x' }, { id: 'c', input: 'x', timeout: '5' })
    const { path } = workspace({ 'one.jsonl': bad, 'two.jsonl': bad })
    const args = [
      '-i',
      'one.jsonl',
      '-i',
      'two.jsonl',
      '--ctx',
      'none.json',
      '-o',
      'no/out.json',
      '--target',
      'command:nope-nope',
    ]
    const { code, host } = await agentTest(args, { cwd: path })
    expect(code).toBe(1)
    expect(
      host.warnings.map((line) =>
        line
          .replace(/^error: /, '')
          .split(':')
          .slice(0, 2)
          .join(':'),
      ),
    ).toEqual(expect.arrayContaining(['one.jsonl:1', 'one.jsonl:3', 'two.jsonl:1', 'two.jsonl:3']))
    expect(host.warnings.length).toBeGreaterThanOrEqual(7)
  })

  test('with the code for configuration when codes are detailed', async () => {
    const { path } = workspace()
    expect((await agentTest(['-i', 'nope.jsonl', '--exit-codes', 'detailed'], { cwd: path })).code).toBe(4)
    expect((await agentTest(['-i', 'x', '--runs', '0', '--exit-codes=detailed'], { cwd: path })).code).toBe(4)
  })
})

test('an extension nobody knows is JSON, with a warning', async () => {
  const { path } = workspace()
  const { code, stderr } = await agentTest(['-i', 'suite.jsonl', '-o', 'out.txt', ...TARGET], { cwd: path })
  expect(code).toBe(0)
  expect(stderr).toMatch(/warning: out\.txt: .*JSON/)
  expect(JSON.parse(readFileSync(join(path, 'out.txt'), 'utf8'))).toMatchObject({ summary: { total: 1, passed: 1 } })
})
