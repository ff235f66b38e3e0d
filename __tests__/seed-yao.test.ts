// biome-ignore-all lint/style/noExcessiveLinesPerFile: one list, in the order of the seed, that a reader can tick off
import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { suiteOf } from './support/command-line.ts'
import { hasJq, jq } from './support/jq.ts'
import { SUITE, seedApps } from './support/seed-app.ts'

/**
 * What seed 000 promises, section by section, each promise in our words, shown on the command line against a model that
 * repeats what it is told.
 */
const { open, judge, asked } = seedApps()

type Promises = Readonly<Record<string, () => void | Promise<void>>>

function section(name: string, promises: Promises): void {
  describe(name, () => {
    test.each(Object.entries(promises))('%s', (_, isKept) => isKept())
  })
}

const hello = { id: 'T001', input: 'Hello' }
const passing = { ...hello, assert: { type: 'contains', value: 'Hello' } }
const failing = { ...hello, id: 'T002', assert: { type: 'contains', value: 'Bye' } }
const promptOf = (body: ReturnType<typeof asked>[number] | undefined) =>
  (body?.messages ?? []).flatMap(({ role, content }) => (role === 'system' ? [String(content)] : [])).join('\n')
const lastOf = (body: ReturnType<typeof asked>[number] | undefined) => body?.messages?.at(-1)?.content
const statusOf = (rows: Record<string, { status: string }>) =>
  Object.fromEntries(Object.entries(rows).map(([id, { status }]) => [id, status]))

const EXPENSE = {
  'assistants/expense/src/setup.ts': `
export function SystemReady(ctx: agent.Context) {
  return { success: true, status: "ready", data: { user: ctx.authorized.user_id }, error: null };
}
`,
  'assistants/expense/src/setup_test.ts': `
import { SystemReady } from "./setup";

export function TestSystemReady(t: testing.T, ctx: agent.Context) {
  const result = SystemReady(ctx);
  t.assert.True(result.success, "SystemReady should succeed");
  t.assert.Equal(result.status, "ready", "Status should be ready");
  t.assert.NotNil(result.data, "Data should not be nil");
}

export function TestSystemReadyError(t: testing.T, ctx: agent.Context) {
  console.log("Testing with user:", ctx.authorized.user_id);
  t.assert.False(SystemReady(ctx).error, "Should not have error");
}

export function TestOther(t: testing.T, ctx: agent.Context) {
  t.assert.NotEqual(ctx.authorized.user_id, "admin");
}

function helper() { throw new Error("no test") }
`,
  'assistants/expense/src/tools.ts': 'export function Add(a: number, b: number) { return a + b }\n',
  'assistants/expense/src/tools_test.js': `
import { Add } from "./tools";
export function TestAdd(t, ctx) { t.assert.Equal(Add(1, 2), 3) }
`,
  'tests/context.json': '{ "authorized": { "user_id": "admin" }, "metadata": { "scenario": "quiet" } }',
}

/** Runs a script test of the assistant `expense` with these functions, and gives what became of each. */
async function scripted(functions: string, args: readonly string[] = []) {
  const app = open({ 'assistants/expense/src/more_test.ts': functions })
  const result = await app.run(['-i', 'scripts.expense.more', '-o', 'out.json', ...args])
  const report = app.has('out.json') ? app.json('out.json') : undefined
  const rows = Object.fromEntries((report?.results ?? []).map((row) => [row.id, row]))
  return { ...result, rows, report }
}

section('Quick Start: agent tests', {
  'a message without an agent goes to the agent of the current folder': async () => {
    const { code, stdout } = await open().run(['-i', 'Extract keywords from: AI'], { cwd: 'assistants/keyword' })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Extract keywords from: AI\n' })
    expect(promptOf(asked()[0])).toContain('I am keyword ')
  },
  'a message goes to the agent that is named': async () => {
    expect((await open().run(['-i', 'Hello world', '-n', 'workers.system.keyword'])).code).toBe(0)
    expect(promptOf(asked()[0])).toContain('I am workers.system.keyword ')
  },
  'a suite is run by the agent whose folder it lies in': async () => {
    expect((await judge([passing])).code).toBe(0)
    expect(promptOf(asked()[0])).toContain('I am keyword ')
  },
  'an HTML report is written': async () => {
    const app = open({ [SUITE]: suiteOf(passing) })
    await app.run(['-i', SUITE, '-o', 'report.html'])
    expect(app.read('report.html')).toMatch(/<!doctype html>[\s\S]*T001/i)
  },
  'each test is run five times': async () => {
    const { report } = await judge([passing], ['--runs', '5'])
    expect(asked()).toHaveLength(5)
    expect(report?.summary).toMatchObject({ runs_per_case: 5, total_runs: 5 })
  },
})

section('Quick Start: script tests', {
  'the tests of a handler script are run': async () => {
    const { code, stdout } = await open(EXPENSE).run(['-i', 'scripts.expense.setup', '-v'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/TestSystemReady[\s\S]*TestSystemReadyError[\s\S]*TestOther/)
  },
  'a pattern chooses among them': async () => {
    const { code, stdout } = await open(EXPENSE).run(['-i', 'scripts.expense.setup', '--run', 'TestSystemReady', '-v'])
    expect(code).toBe(0)
    expect(stdout).not.toContain('TestOther')
  },
  'a context file is what they see': async () => {
    const args = ['-i', 'scripts.expense.setup', '--ctx', 'tests/context.json', '-v']
    const { code, stdout } = await open(EXPENSE).run(args)
    expect(code).toBe(1)
    expect(stdout).toMatch(/FAILED\s+TestOther/)
  },
})

section('Input Modes: JSONL file', {
  'cases come from the file, and the agent from the first package.yao above it': async () => {
    const { rows } = await judge([passing, { ...passing, id: 'T003' }])
    expect(statusOf(rows)).toEqual({ T001: 'passed', T003: 'passed' })
    expect(promptOf(asked()[0])).toContain('I am keyword ')
  },
})

section('Input Modes: direct message', {
  'one message is asked, and its answer printed': async () => {
    const { stdout } = await open().run(['-i', 'Extract keywords from this text'], { cwd: 'assistants/keyword' })
    expect(stdout).toBe('Extract keywords from this text\n')
    expect(asked()).toHaveLength(1)
  },
  'with -o the answer is saved': async () => {
    const app = open()
    expect((await app.run(['-i', 'Hello', '-n', 'workers.system.keyword', '-o', 'answer.json'])).code).toBe(0)
    expect(app.json('answer.json').results).toMatchObject([{ id: 'T001', output: 'Hello', status: 'passed' }])
  },
})

section('Input Modes: script test', {
  'scripts.ASSISTANT.MODULE is the file src/MODULE_test.ts of the assistant': async () => {
    const app = open(EXPENSE)
    expect((await app.run(['-i', 'scripts.expense.setup', '-o', 'out.json'])).code).toBe(0)
    expect(app.json('out.json').results.map(({ id }) => id)).toEqual([
      'TestSystemReady',
      'TestSystemReadyError',
      'TestOther',
    ])
  },
  'or src/MODULE_test.js': async () => {
    const app = open(EXPENSE)
    expect((await app.run(['-i', 'scripts.expense.tools', '-o', 'out.json'])).code).toBe(0)
    expect(app.json('out.json').results).toMatchObject([{ id: 'TestAdd', status: 'passed' }])
  },
  'functions named Test… are tests, with t and the context; others are not': async () => {
    const { rows } = await scripted(`
      export function TestBoth(t: testing.T, ctx: agent.Context) {
        t.assert.Equal(typeof t.assert.True, "function")
        t.assert.Equal(ctx.authorized.user_id + "@" + ctx.authorized.team_id, "test-user@test-team")
      }
      export function NoTest(t) { t.Fatal("never") }
    `)
    expect(statusOf(rows)).toEqual({ TestBoth: 'passed' })
  },
  'they import what stands beside them, and what they print is kept': async () => {
    const app = open(EXPENSE)
    await app.run(['-i', 'scripts.expense.setup', '-o', 'out.json'])
    expect(JSON.stringify(app.json('out.json'))).toContain('Testing with user: test-user')
  },
  ...Object.fromEntries(
    [
      ['True', 't.assert.True(1 < 2)', 't.assert.True(1 > 2, "M")'],
      ['False', 't.assert.False(1 > 2)', 't.assert.False(1 < 2, "M")'],
      ['Equal', 't.assert.Equal({ a: [1] }, { a: [1] })', 't.assert.Equal(1, "1", "M")'],
      ['NotEqual', 't.assert.NotEqual(1, 2)', 't.assert.NotEqual([1], [1], "M")'],
      ['Nil', 't.assert.Nil(null); t.assert.Nil(undefined)', 't.assert.Nil(0, "M")'],
      ['NotNil', 't.assert.NotNil(0)', 't.assert.NotNil(undefined, "M")'],
      ['Contains', 't.assert.Contains("abc", "b")', 't.assert.Contains("abc", "x", "M")'],
      ['Len', 't.assert.Len([1, 2], 2); t.assert.Len("abc", 3)', 't.assert.Len([1], 2, "M")'],
    ].map(([name, good, bad]) => [
      `t.assert.${name} holds or fails, with a message of one's own`,
      async () => {
        const { rows } = await scripted(`
          export function TestGood(t) { ${good} }
          export function TestBad(t) { ${bad} }
        `)
        expect(rows).toMatchObject({
          TestGood: { status: 'passed' },
          TestBad: { status: 'failed', error: expect.stringContaining('M') },
        })
      },
    ]),
  ),
  't.Log keeps a message, t.Error fails with it and goes on, t.Fatal fails and stops, t.Skip skips': async () => {
    const { rows, report, code } = await scripted(`
      export function TestLog(t) { t.Log("noted"); }
      export function TestError(t) { t.Error("wrong"); t.Log("went on"); }
      export function TestFatal(t) { t.Fatal("fatal"); t.Log("never reached"); }
      export function TestSkip(t) { t.Skip("not here"); t.Error("never reached"); }
    `)
    expect(code).toBe(1)
    expect(rows).toMatchObject({
      TestLog: { status: 'passed' },
      TestError: { status: 'failed', error: expect.stringContaining('wrong') },
      TestFatal: { status: 'failed', error: expect.stringContaining('fatal') },
    })
    expect(report?.['skipped']).toMatchObject([{ id: 'TestSkip', reason: expect.stringContaining('not here') }])
    expect(JSON.stringify(report)).toMatch(/noted[\s\S]*went on/)
    expect(JSON.stringify(report)).not.toContain('never reached')
  },
})

section('Command Line Options', {
  '-i is required': async () => {
    const { code, stderr } = await open().run(['-n', 'keyword'])
    expect(code).toBe(1)
    expect(stderr).toContain('--input: nothing to run')
  },
  '-i takes a file, a message or a script': async () => {
    const app = open({ ...EXPENSE, [SUITE]: suiteOf(passing) })
    for (const input of [SUITE, 'a message', 'scripts.expense.tools']) {
      const named = input === 'a message' ? ['-n', 'keyword'] : []
      expect((await app.run(['-i', input, ...named])).code).toBe(0)
    }
  },
  '-o names the output file, output-TIME.jsonl otherwise': async () => {
    const app = open({ [SUITE]: suiteOf(passing) })
    await app.run(['-i', SUITE, '-o', 'mine.jsonl'])
    expect(app.list('assistants/keyword/tests')).toEqual(['inputs.jsonl'])
    expect(app.lines('mine.jsonl').at(-1)).toMatchObject({ type: 'summary' })
    await app.run(['-i', SUITE])
    expect(app.list('assistants/keyword/tests')).toEqual([
      'inputs.jsonl',
      expect.stringMatching(/^output-\d{14}\.jsonl$/),
    ])
  },
  '-n names the agent': async () => {
    await judge([passing], ['-n', 'workers.system.keyword'])
    expect(promptOf(asked()[0])).toContain('I am workers.system.keyword ')
  },
  "-c stands in for the agent's connector": async () => {
    await judge([passing])
    await judge([passing], ['-c', 'openai.gpt4'])
    expect(asked().map(({ model }) => model)).toEqual(['plain-model', 'gpt4-model'])
  },
  '-u and -t name user and team, test-user and test-team otherwise': async () => {
    await judge([passing])
    await judge([passing], ['-u', 'admin', '-t', 'prod-team'])
    expect(asked().map(promptOf)).toEqual([
      expect.stringContaining('for test-user of test-team'),
      expect.stringContaining('for admin of prod-team'),
    ])
  },
  '--ctx names a file with an authorization of its own': async () => {
    const ctx = '{ "authorized": { "user_id": "u7", "team_id": "t7" }, "locale": "de-de" }'
    await judge([passing], ['--ctx', 'ctx.json'], { 'ctx.json': ctx })
    expect(promptOf(asked()[0])).toContain('for u7 of t7, locale de-de')
  },
  '-r names an agent that writes the report, which is built in otherwise': async () => {
    const app = open({ [SUITE]: suiteOf(passing) })
    await app.run(['-i', SUITE, '-o', 'out.html'])
    const builtIn = app.read('out.html')
    await app.run(['-i', SUITE, '-o', 'out.html', '-r', 'report.html'])
    expect(builtIn).toContain('T001')
    expect(app.read('out.html')).toBe('<h1>All about it</h1>\n')
  },
  '--runs repeats each test, once otherwise': async () => {
    await judge([passing])
    expect(asked()).toHaveLength(1)
    await judge([passing], ['--runs', '4'])
    expect(asked()).toHaveLength(5)
  },
  '--run chooses tests by a pattern': async () => {
    const { rows } = await judge([passing, { ...passing, id: 'X9' }], ['--run', '^T\\d+$'])
    expect(Object.keys(rows)).toEqual(['T001'])
  },
  '--timeout limits each test, to five minutes otherwise': async () => {
    expect((await judge([passing])).stdout).toContain('each within 5m')
    const { rows, code } = await judge(
      [
        { ...hello, input: 'hang' },
        { ...passing, id: 'T002' },
      ],
      ['--timeout', '150ms'],
    )
    expect({ code, ...statusOf(rows) }).toEqual({ code: 1, T001: 'timeout', T002: 'passed' })
  },
  '--parallel runs that many at a time, one otherwise': async () => {
    const slow = ['a', 'b', 'c', 'd'].map((id) => ({ id, input: 'slow' }))
    const one = await judge(slow)
    const four = await judge(slow, ['--parallel', '4'])
    expect(one.stdout).toContain('one at a time')
    expect(four.stdout).toContain('4 at a time')
    expect(Number(four.report?.summary['duration_ms'])).toBeLessThan(Number(one.report?.summary['duration_ms']))
  },
  '-v shows what the agent said': async () => {
    const long = { id: 'T001', input: 'ask', expected: 'ask' }
    expect((await judge([long])).stdout).not.toMatch(/Output|output/)
    expect((await judge([long], ['-v'])).stdout).toMatch(/output:? *"?ask/i)
  },
  '--fail-fast stops at the first failure': async () => {
    const { rows, code } = await judge([failing, passing], ['--fail-fast'])
    expect({ code, ...statusOf(rows) }).toEqual({ code: 1, T002: 'failed' })
    expect(asked()).toHaveLength(1)
  },
})

section('Agent Resolution', {
  'the named agent goes before the one of the path': async () => {
    await judge([passing], ['-n', 'expense'])
    expect(promptOf(asked()[0])).toContain('I am expense ')
  },
  'the agent of the path goes before the one of the current folder': async () => {
    const app = open({ [SUITE]: suiteOf(passing) })
    await app.run(['-i', '../keyword/tests/inputs.jsonl', '-o', 'out.json'], { cwd: 'assistants/expense' })
    expect(promptOf(asked()[0])).toContain('I am keyword ')
  },
  'a message looks for package.yao in the current folder': async () => {
    await open().run(['-i', 'Hello'], { cwd: 'assistants/workers/system/keyword' })
    expect(promptOf(asked()[0])).toContain('I am workers.system.keyword ')
  },
})

section('Input Format (JSONL)', {
  'a case a line: text, message, conversation, assertion, skip': async () => {
    const { rows, report, code } = await judge([
      { id: 'T001', input: 'Simple text' },
      { id: 'T002', input: { role: 'user', content: 'Message with role' } },
      {
        id: 'T003',
        input: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Hello' },
          { role: 'user', content: 'Follow-up' },
        ],
      },
      { id: 'T004', input: '{"field": true}', assert: { type: 'json_path', path: 'field', value: true } },
      { id: 'T005', input: 'Skip this', skip: true },
    ])
    expect(code).toBe(0)
    expect(statusOf(rows)).toEqual({ T001: 'passed', T002: 'passed', T003: 'passed', T004: 'passed' })
    expect(report?.['skipped']).toMatchObject([{ id: 'T005' }])
  },
  'and over several lines, as the longer examples are printed': async () => {
    const records = `${JSON.stringify(passing, null, 2)}\n\n${JSON.stringify({ ...passing, id: 'T009' }, null, 2)}\n`
    const app = open({ [SUITE]: records })
    await app.run(['-i', SUITE, '-o', 'out.json'])
    expect(app.json('out.json').results.map(({ id }) => id)).toEqual(['T001', 'T009'])
  },
})

section('Fields', {
  'id and input are required': async () => {
    const { code, stderr } = await judge([{ input: 'x' }, { id: 'a' }])
    expect(code).toBe(1)
    expect(stderr).toMatch(/inputs\.jsonl:1: id: required[\s\S]*inputs\.jsonl:2: input: required/)
  },
  'assert is one rule or a list': async () => {
    const rule = { type: 'contains', value: 'Hello' }
    const { rows } = await judge([
      { ...hello, assert: rule },
      { ...hello, id: 'T002', assert: [rule, { ...rule, value: 'Bye' }] },
    ])
    expect(statusOf(rows)).toEqual({ T001: 'passed', T002: 'failed' })
  },
  'expected is the exact output': async () => {
    const { rows } = await judge([
      { ...hello, expected: 'Hello' },
      { ...hello, id: 'T002', expected: 'Hell' },
    ])
    expect(statusOf(rows)).toEqual({ T001: 'passed', T002: 'failed' })
  },
  'user and team are those of the case': async () => {
    await judge([{ ...hello, user: 'ann', team: 'ops' }])
    expect(promptOf(asked()[0])).toContain('for ann of ops')
  },
  'options are for the context': async () => {
    await judge([{ ...hello, options: { connector: 'deepseek.v3' } }])
    expect(asked()[0]?.model).toBe('v3-model')
  },
  'timeout is the limit of the case': async () => {
    const { rows } = await judge([{ id: 'T001', input: 'hang', timeout: '150ms' }])
    expect(rows).toMatchObject({ T001: { status: 'timeout' } })
  },
  'skip leaves the case out': async () => {
    const { report } = await judge([{ ...failing, skip: true }, passing])
    expect(asked()).toHaveLength(1)
    expect(report?.summary).toMatchObject({ total: 2, passed: 1, failed: 0, skipped: 1 })
  },
  'metadata goes to the agent and into the report': async () => {
    const prompts = '- role: system\n  content: "Tier $CTX.tier"\n'
    const { rows } = await judge([{ ...hello, metadata: { tier: 'gold' } }], [], {
      'assistants/keyword/prompts.yml': prompts,
    })
    expect(promptOf(asked()[0])).toContain('Tier gold')
    expect(rows).toMatchObject({ T001: { metadata: { tier: 'gold' } } })
  },
})

/** Hands the hooks' third argument back as the answer. */
const SHOWS_OPTIONS = {
  'assistants/keyword/src/index.ts':
    'export function Create(ctx: any, messages: any, options: any) { return { metadata: { seen: JSON.stringify(options) } } }\n' +
    'export function Next(ctx: any, payload: any) { return { data: JSON.parse(ctx.metadata.seen) } }\n',
}
const optionsSeen = async (options: object) =>
  (await judge([{ ...hello, options }], [], SHOWS_OPTIONS)).rows['T001']?.output

section('Options', {
  'connector stands in for the connector of the agent': async () => {
    await judge([{ ...hello, options: { connector: 'deepseek.v3' } }])
    expect(asked()[0]?.model).toBe('v3-model')
  },
  'mode is passed on, chat otherwise': async () => {
    expect(await optionsSeen({ mode: 'task' })).toMatchObject({ mode: 'task' })
    expect(await optionsSeen({})).toMatchObject({ mode: 'chat' })
  },
  'search is passed on, true otherwise': async () => {
    expect(await optionsSeen({ search: false })).toMatchObject({ search: false })
    expect(await optionsSeen({})).toMatchObject({ search: true })
  },
  'what only hooks can heed is said once for each suite, by name': async () => {
    const options = { mode: 'task', search: true, skip: { trace: true } }
    const records = [hello, { ...hello, id: 'T002' }].map((record) => ({ ...record, options }))
    const told = (await judge(records)).host.warnings.filter((text) => text.includes('options.'))
    expect(told).toEqual([
      `warning: ${SUITE}: options.mode, options.search, options.skip.trace: no effect, for the agent has no hooks (yao:keyword)`,
    ])
    expect((await judge(records, [], SHOWS_OPTIONS)).stderr).toContain('options.skip.trace: passed to hooks only')
  },
  'disable_global_prompts leaves the prompts of everyone out': async () => {
    await judge([hello])
    await judge([{ ...hello, options: { disable_global_prompts: true } }])
    expect(asked().map((body) => promptOf(body).includes('Of everyone'))).toEqual([true, false])
  },
  'metadata reaches the hooks': async () => {
    expect(await optionsSeen({ metadata: { scenario: 'filter' } })).toMatchObject({ metadata: { scenario: 'filter' } })
  },
  'skip.history, .trace, .output, .keyword and .search reach the hooks': async () => {
    const skip = { history: true, trace: true, output: true, keyword: true, search: true }
    expect(await optionsSeen({ skip })).toMatchObject({ skip })
  },
  'a Create hook chooses among prompt presets by options.metadata.scenario': async () => {
    await judge(
      ['aggregation', 'join'].map((scenario) => ({ id: scenario, input: '...', options: { metadata: { scenario } } })),
      [],
      {
        'assistants/keyword/src/index.ts':
          'export function Create(ctx, messages, options) { return { prompt_preset: options.metadata.scenario } }\n',
        'assistants/keyword/prompts/aggregation.yml': '- role: system\n  content: Sum up\n',
        'assistants/keyword/prompts/join.yml': '- role: system\n  content: Put together\n',
      },
    )
    expect(asked().map(promptOf)).toEqual([expect.stringContaining('Sum up'), expect.stringContaining('Put together')])
  },
})

section('Input Types', {
  'a text is what the user says': async () => {
    await judge([{ id: 'a', input: 'Hello world' }])
    expect(asked()[0]?.messages?.at(-1)).toEqual({ role: 'user', content: 'Hello world' })
  },
  'a message is taken with its role': async () => {
    await judge([{ id: 'a', input: { role: 'developer', content: 'Be brief' } }])
    expect(asked()[0]?.messages?.at(-1)).toEqual({ role: 'developer', content: 'Be brief' })
  },
  'a list of messages is the conversation so far': async () => {
    const input = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'Bye' },
    ]
    await judge([{ id: 'a', input }])
    expect(asked()[0]?.messages?.slice(-3)).toEqual(input)
  },
})

const EXTENSIONS = {
  image: ['jpg', 'jpeg', 'png', 'gif', 'webp', 'bmp'],
  audio: ['wav', 'mp3', 'flac', 'ogg', 'm4a'],
  document: ['pdf', 'doc', 'docx', 'xls', 'xlsx', 'txt', 'csv', 'json'],
  source: ['yao', 'ts', 'js', 'go', 'py', 'rs', 'java', 'sql', 'yaml'],
  more: 'xml html htm md tsx jsx c cpp h hpp rb php sh bash zsh yml toml ini conf css scss less vue svelte'.split(' '),
}
const MIME: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  pdf: 'application/pdf',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  txt: 'text/plain',
  csv: 'text/csv',
  json: 'application/json',
  yao: 'application/json',
  conf: 'text/plain',
}
const CONTENT = 'content of the file'
const BASE64 = Buffer.from(CONTENT).toString('base64')

/** Attaches a file of each extension, and gives the part that arrived for each. */
async function attached(extensions: readonly string[], type: string) {
  const files = Object.fromEntries(extensions.map((name) => [`assistants/keyword/tests/fixtures/a.${name}`, CONTENT]))
  const part = (name: string) => ({ type, source: `file://fixtures/a.${name}` })
  const records = extensions.map((name) => ({ id: name, input: { role: 'user', content: [part(name)] } }))
  const { code } = await judge(records, [], files)
  expect(code).toBe(0)
  return asked().map((body) => (lastOf(body) as object[])[0])
}

section('File Attachments', {
  'an image of each kind arrives as a data URL in image_url': async () => {
    const { image } = EXTENSIONS
    expect(await attached(image, 'image')).toEqual(
      image.map((name) => ({
        type: 'image_url',
        image_url: { url: `data:${MIME[name] ?? `image/${name}`};base64,${BASE64}`, detail: 'auto' },
      })),
    )
  },
  'audio of each kind arrives as base64 in input_audio': async () => {
    const { audio } = EXTENSIONS
    expect(await attached(audio, 'audio')).toEqual(
      audio.map((format) => ({ type: 'input_audio', input_audio: { data: BASE64, format } })),
    )
  },
  'a document of each kind arrives as a data URL in file': async () => {
    const { document } = EXTENSIONS
    expect(await attached(document, 'file')).toEqual(
      document.map((name) => ({
        type: 'file',
        file: { filename: `a.${name}`, file_data: `data:${MIME[name]};base64,${BASE64}` },
      })),
    )
  },
  'so does a source of each kind, as text': async () => {
    const sources = [...EXTENSIONS.source, ...EXTENSIONS.more]
    const parts = await attached(sources, 'file')
    expect(parts).toEqual(
      sources.map((name) => ({
        type: 'file',
        file: {
          filename: `a.${name}`,
          file_data: expect.stringMatching(
            new RegExp(`^data:(?:text/[a-z+.-]+|application/(?:json|xml));base64,${BASE64}$`),
          ),
        },
      })),
    )
  },
  'a relative path begins at the folder of the suite': async () => {
    await judge([{ id: 'a', input: { content: [{ type: 'file', source: 'file://x.txt' }] } }], [], {
      'assistants/keyword/tests/x.txt': 'beside',
      'x.txt': 'elsewhere',
    })
    expect(JSON.stringify(lastOf(asked()[0]))).toContain(Buffer.from('beside').toString('base64'))
  },
  'in a direct message it begins at the current folder': async () => {
    const app = open({ 'assistants/keyword/x.txt': 'here' })
    const message = JSON.stringify({ role: 'user', content: [{ type: 'file', source: 'file://x.txt' }] })
    expect((await app.run(['-i', message], { cwd: 'assistants/keyword' })).code).toBe(0)
    expect(JSON.stringify(lastOf(asked()[0]))).toContain(Buffer.from('here').toString('base64'))
  },
  'an absolute path is taken as it is': async () => {
    const app = open()
    writeFileSync(app.at('y.txt'), 'far away')
    const suite = suiteOf({ id: 'a', input: { content: [{ type: 'file', source: `file://${app.at('y.txt')}` }] } })
    writeFileSync(app.at('assistants/keyword/abs.jsonl'), suite)
    expect((await app.run(['-i', 'assistants/keyword/abs.jsonl', '-o', 'out.json'])).code).toBe(0)
    expect(JSON.stringify(lastOf(asked()[0]))).toContain(Buffer.from('far away').toString('base64'))
  },
  'several attachments and a text arrive in their order, a file under its own name': async () => {
    const content = [
      { type: 'text', text: 'Process these receipts' },
      { type: 'image', source: 'file://fixtures/receipt1.png' },
      { type: 'image', source: 'file://fixtures/receipt2.png' },
      { type: 'file', source: 'file://fixtures/policy.pdf', name: 'expense_policy.pdf' },
    ]
    const at = (name: string) => `assistants/keyword/tests/fixtures/${name}`
    const files = { [at('receipt1.png')]: '1', [at('receipt2.png')]: '2', [at('policy.pdf')]: '3' }
    await judge([{ id: 'T002', input: { role: 'user', content } }], [], files)
    expect(lastOf(asked()[0])).toMatchObject([
      { type: 'text', text: 'Process these receipts' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,MQ==' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,Mg==' } },
      { type: 'file', file: { filename: 'expense_policy.pdf', file_data: 'data:application/pdf;base64,Mw==' } },
    ])
  },
})

/** The part that arrives for one that is written. */
async function arrived(part: object) {
  await judge([{ id: 'a', input: { role: 'user', content: [part] } }], [], { 'assistants/keyword/tests/a.txt': 'T' })
  return (lastOf(asked()[0]) as object[] | undefined)?.[0]
}

section('Content part types', {
  text: async () => expect(await arrived({ type: 'text', text: 'Hi' })).toEqual({ type: 'text', text: 'Hi' }),
  'image by url': async () =>
    expect(await arrived({ type: 'image', url: 'https://example.com/a.png' })).toMatchObject({
      type: 'image_url',
      image_url: { url: 'https://example.com/a.png' },
    }),
  'image_url with its detail': async () => {
    const part = { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } }
    expect(await arrived(part)).toEqual(part)
  },
  'audio by data and format': async () =>
    expect(await arrived({ type: 'audio', data: 'UklGRg==', format: 'wav' })).toEqual({
      type: 'input_audio',
      input_audio: { data: 'UklGRg==', format: 'wav' },
    }),
  'file with the filename it is to have': async () =>
    expect(await arrived({ type: 'file', source: 'file://a.txt', filename: 'b.txt' })).toEqual({
      type: 'file',
      file: { filename: 'b.txt', file_data: 'data:text/plain;base64,VA==' },
    }),
  'file by url, which a chat API does not take, is refused before the first call': async () => {
    const part = { type: 'file', url: 'https://example.com/a.pdf', filename: 'a.pdf' }
    const { code, stderr } = await judge([{ id: 'a', input: { role: 'user', content: [part] } }])
    expect(code).toBe(1)
    expect(stderr).toContain(`${SUITE}:1: input.content[0]: OpenAI takes no file by URL`)
    expect(asked()).toEqual([])
  },
  'data, whose sources live in Yao, is refused by name': async () => {
    const part = { type: 'data', data: { sources: [{ type: 'model', name: 'orders' }] } }
    const { code, stderr } = await judge([{ id: 'a', input: { role: 'user', content: [part] } }])
    expect(code).toBe(1)
    expect(stderr).toContain('no OpenAI form exists for a "data" part')
  },
})

/** Judges an output by an assertion and by one it must not meet. */
const tells =
  (output: string, good: object, bad: object, files: Record<string, string> = {}) =>
  async () => {
    const records = [
      { id: 'good', input: output, assert: good },
      { id: 'bad', input: output, assert: bad },
    ]
    expect(statusOf((await judge(records, [], files)).rows)).toEqual({ good: 'passed', bad: 'failed' })
  }
const GIVES_DATA = {
  'assistants/keyword/src/index.ts':
    'export function Next(ctx, payload) { return { data: JSON.parse(payload.completion.content) } }\n',
}
const CHECKS = {
  'scripts/test.ts': `
export function Validate(output, input, expected) {
  return { pass: output === input && expected === "v", message: "output " + output }
}
export function Plain(output: string) { return output.length > 3 }
`,
}

section('Assertions', {
  'assert goes before expected': async () => {
    const { rows } = await judge([{ ...hello, expected: 'Bye', assert: { type: 'contains', value: 'Hello' } }])
    expect(statusOf(rows)).toEqual({ T001: 'passed' })
  },
  equals: tells(
    '{"key":"val","n":[1]}',
    { type: 'equals', value: { n: [1], key: 'val' } },
    { type: 'equals', value: { key: 'other', n: [1] } },
    GIVES_DATA,
  ),
  contains: tells('a keyword', { type: 'contains', value: 'keyword' }, { type: 'contains', value: 'Keyword' }),
  not_contains: tells('fine', { type: 'not_contains', value: 'error' }, { type: 'not_contains', value: 'fin' }),
  json_path: tells(
    '{"field":true}',
    { type: 'json_path', path: '$.field', value: true },
    { type: 'json_path', path: '$.field', value: false },
  ),
  regex: tells('room 12', { type: 'regex', value: '\\d+' }, { type: 'regex', value: '^\\d+' }),
  type: tells('{"a":1}', { type: 'type', value: 'object' }, { type: 'type', value: 'string' }, GIVES_DATA),
  script: tells(
    'four',
    { type: 'script', script: 'scripts.test.Validate', value: 'v' },
    { type: 'script', script: 'scripts.test.Validate', value: 'w' },
    CHECKS,
  ),
  'a script may give true or false alone': tells(
    'four',
    { type: 'script', script: 'scripts.test.Plain' },
    { type: 'script', script: 'scripts.test.Plain', negate: true },
    CHECKS,
  ),
  "a script's message is the reason": async () => {
    const assert = { type: 'script', script: 'scripts.test.Validate', value: 'w' }
    expect((await judge([{ ...hello, assert }], [], CHECKS)).rows['T001']?.error).toContain('output Hello')
  },
})

section('Assertion Options', {
  'type is required and known': async () => {
    const { code, stderr } = await judge([{ ...hello, assert: { type: 'contain', value: 'x' } }])
    expect(code).toBe(1)
    expect(stderr).toContain('did you mean "contains"?')
  },
  "message is said in place of agent-test's own": async () => {
    const assert = { type: 'contains', value: 'x', message: 'It must say x' }
    expect((await judge([{ ...hello, assert }])).rows['T001']?.error).toBe('It must say x')
  },
  negate: tells(
    'Hello',
    { type: 'contains', value: 'error', negate: true },
    { type: 'contains', value: 'Hello', negate: true },
  ),
  'of several all must hold': tells(
    '{"need_search":false}',
    [
      { type: 'json_path', path: 'need_search', value: false },
      { type: 'not_contains', value: 'error' },
    ],
    [
      { type: 'json_path', path: 'need_search', value: false },
      { type: 'not_contains', value: 'need' },
    ],
  ),
})

const DOCUMENT =
  '{"wheres":[{"like":"%test%","in":["pending"]}],"joins":[{"from":"users"}],"groups":["category"],"a":{"b":[0,[7]]}}'
const at = (path: string, value: unknown) => ({ type: 'json_path', path, value })

section('JSON Path Notes', {
  'with and without $.': tells(DOCUMENT, [at('$.a.b[0]', 0), at('a.b[0]', 0)], at('a.b', 0)),
  'indexes: a field of an item': tells(DOCUMENT, at('wheres[0].like', '%test%'), at('wheres[1].like', '%test%')),
  'indexes: an item of a list in an item': tells(
    DOCUMENT,
    at('wheres[0].in[0]', 'pending'),
    at('wheres[0].in[1]', 'pending'),
  ),
  'indexes: another list': tells(DOCUMENT, at('joins[0].from', 'users'), at('joins[0].from', 'orders')),
  'indexes: an item itself': tells(DOCUMENT, at('groups[0]', 'category'), at('groups[0]', 'x')),
  'indexes after a nested field': tells(DOCUMENT, at('a.b[1]', [7]), at('a.b[1]', [8])),
  'a list of values is met by any of them': tells(
    '{"error":"missing_query"}',
    at('error', ['missing_schema', 'missing_query']),
    at('error', ['missing_schema', 'other']),
  ),
  'JSON is found in a Markdown block': tells('Sure:\n```json\n{"a":1}\n```\nDone.', at('a', 1), at('a', 2)),
  'structured outputs are looked into as they are': tells(
    '{"a":[{"b":1}]}',
    at('a[0].b', 1),
    at('a[0].b', 2),
    GIVES_DATA,
  ),
})

section('Output Formats', {
  '.jsonl: a line for each thing as it happens': async () => {
    const app = open({ [SUITE]: suiteOf(passing, failing) })
    await app.run(['-i', SUITE, '-o', 'out.jsonl'])
    expect(app.lines('out.jsonl').map(({ type, id }) => [type, id])).toEqual([
      ['start', undefined],
      ['result', 'T001'],
      ['result', 'T002'],
      ['summary', undefined],
    ])
  },
  '.json: one document': async () => {
    const { report } = await judge([passing])
    expect(report).toMatchObject({ summary: { total: 1, passed: 1 }, results: [{ id: 'T001', pass_rate: 100 }] })
  },
  '.md: for people': async () => {
    const app = open({ [SUITE]: suiteOf(passing, failing) })
    await app.run(['-i', SUITE, '-o', 'out.md'])
    expect(app.read('out.md')).toMatch(/^# Agent Test Report[\s\S]*### ✅ `T001`[\s\S]*### ❌ `T002`/)
  },
  '.html: a page to work with, complete in itself': async () => {
    const app = open({ [SUITE]: suiteOf(passing, failing) })
    await app.run(['-i', SUITE, '-o', 'out.html'])
    const page = app.read('out.html')
    expect(page).toMatch(/<script|<input/)
    expect(page).not.toMatch(/(?:src|href)="https?:/)
  },
})

section('Default Output Path', {
  'beside the suite, named by the time': async () => {
    const app = open({ [SUITE]: suiteOf(passing) })
    await app.run(['-i', SUITE], { now: () => new Date(2024, 11, 17, 10, 0, 0).getTime() })
    expect(app.list('assistants/keyword/tests')).toContain('output-20241217100000.jsonl')
  },
  'a direct message is printed and leaves no file': async () => {
    const app = open()
    const before = app.list('assistants/keyword')
    expect((await app.run(['-i', 'Hi there'], { cwd: 'assistants/keyword' })).stdout).toBe('Hi there\n')
    expect(app.list('assistants/keyword')).toEqual(before)
  },
})

/** Passes in `good` of ten runs. */
const inTen = (id: string, good: number) => ({
  id,
  input: `deal ${'y'.repeat(good)}${'n'.repeat(10 - good)}`,
  expected: 'y',
})

section('Stability Analysis', {
  'every test has its pass rate and the spread of its durations': async () => {
    const { report } = await judge([inTen('T001', 8)], ['--runs', '10'])
    const number = expect.any(Number) as number
    expect(report?.results).toMatchObject([
      {
        runs: 10,
        passed: 8,
        failed: 2,
        pass_rate: 80,
        avg_duration_ms: number,
        min_duration_ms: number,
        max_duration_ms: number,
        std_deviation_ms: number,
      },
    ])
  },
  '100 is stable, 80 to 99 mostly, 50 to 79 unstable, below highly unstable': async () => {
    const records = [10, 9, 8, 7, 5, 4, 0].map((good) => ({ ...inTen(`good-${good}`, good), metadata: { good } }))
    const { rows } = await judge(records, ['--runs', '10'])
    expect(Object.values(rows).map(({ pass_rate: rate, stability_class: name }) => [rate, name])).toEqual([
      [100, 'stable'],
      [90, 'mostly_stable'],
      [80, 'mostly_stable'],
      [70, 'unstable'],
      [50, 'unstable'],
      [40, 'highly_unstable'],
      [0, 'highly_unstable'],
    ])
  },
})

section('Test Environment', {
  'the defaults of user, team, locale, client type and address': async () => {
    const { report } = await judge([hello])
    expect(promptOf(asked()[0])).toContain('for test-user of test-team, locale en-us, client test')
    expect(report?.['environment']).toMatchObject({
      user_id: 'test-user',
      team_id: 'test-team',
      locale: 'en-us',
      client_type: 'test',
      client_ip: '127.0.0.1',
    })
  },
  'flags go before the case, the case before the defaults': async () => {
    const record = { ...hello, user: 'case-user', team: 'case-team' }
    await judge([record], ['-u', 'flag-user'])
    expect(promptOf(asked()[0])).toContain('for flag-user of case-team, locale en-us')
  },
  'the same for the connector and the time limit': async () => {
    const record = { ...hello, options: { connector: 'deepseek.v3' }, timeout: '10m' }
    await judge([record])
    await judge([record], ['-c', 'openai.gpt4'])
    expect(asked().map(({ model }) => model)).toEqual(['v3-model', 'gpt4-model'])
    const { rows } = await judge([{ ...record, input: 'hang' }], ['--timeout', '150ms'])
    expect(statusOf(rows)).toEqual({ T001: 'timeout' })
  },
  'who it is, and what has another limit, is told once, at the start': async () => {
    const records = [
      { ...hello, user: 'case-user', timeout: '1m' },
      { ...hello, id: 'T002' },
    ]
    const { stdout } = await judge(records, ['-t', 'ops', '--ctx', 'ctx.json'], { 'ctx.json': '{ "locale": "de-de" }' })
    const said = 'Identity  user test-user (1 case with another), team ops (given), locale de-de (ctx file)'
    expect(stdout.split(said)).toHaveLength(2)
    expect(stdout).toContain('each within 5m (1 case with another limit)')
  },
})

section('Custom Reporter Agent', {
  'it gets the report, the format and the options, and its answer is the file': async () => {
    const app = open({ [SUITE]: suiteOf(passing, failing) })
    const { code } = await app.run(['-i', SUITE, '-r', 'report.beautiful', '-o', 'report.html', '-v'])
    expect(code).toBe(1)
    const [, , question] = asked()
    expect(promptOf(question)).toContain('I am report.beautiful ')
    expect(JSON.parse(String(lastOf(question)))).toMatchObject({
      report: {
        summary: { total: 2, passed: 1, failed: 1 },
        results: [
          { id: 'T001', status: 'passed', output: 'Hello' },
          { id: 'T002', status: 'failed' },
        ],
      },
      format: 'html',
      options: { verbose: true, include_outputs: true, include_inputs: true },
    })
    expect(app.read('report.html')).toBe('<h1>All about it</h1>\n')
  },
  'the built-in report lies beside it': async () => {
    const app = open({ [SUITE]: suiteOf(passing) })
    await app.run(['-i', SUITE, '-r', 'report.beautiful', '-o', 'custom-report.md'])
    expect(app.read('custom-report.built-in.md')).toContain('# Agent Test Report')
  },
})

const ALL_GOOD = '.results | all(.pass_rate >= 80)'
/** Exit code of `jq -e`. */
function gate(file: string): number {
  try {
    jq('-e', ALL_GOOD, file)
    return 0
  } catch (error) {
    return (error as { status: number }).status
  }
}

section('CI Integration', {
  'exit code 0 when all passed and 1 when not, with --fail-fast': async () => {
    expect((await judge([passing], ['--fail-fast'])).code).toBe(0)
    expect((await judge([failing, passing], ['--fail-fast'])).code).toBe(1)
  },
  'the summary is found in the lines': async () => {
    const app = open({ [SUITE]: suiteOf(passing, failing) })
    await app.run(['-i', SUITE, '-o', 'results.jsonl'])
    const found = hasJq
      ? JSON.parse(jq('-c', 'select(.type == "summary")', app.at('results.jsonl')))
      : app.lines('results.jsonl').at(-1)
    expect(found).toMatchObject({ type: 'summary', total: 2, passed: 1, failed: 1 })
  },
  'script tests stop at the first failure': async () => {
    const { rows, code } = await scripted(
      'export function TestA(t) { t.Error("no") }\nexport function TestB(t) { t.Log("never") }\n',
      ['--fail-fast'],
    )
    expect({ code, ids: Object.keys(rows) }).toEqual({ code: 1, ids: ['TestA'] })
  },
})

section('GitHub Actions Example', {
  'user, team, runs and a JSON report together': async () => {
    const { code, report } = await judge([passing], ['-u', 'ci-user', '-t', 'ci-team', '--runs', '3'])
    expect(code).toBe(0)
    expect(asked().map(promptOf)).toEqual(Array(3).fill(expect.stringContaining('for ci-user of ci-team')))
    expect(report?.summary).toMatchObject({ total_runs: 3 })
  },
  'script tests with a context file, a pattern and -v': async () => {
    const args = ['-i', 'scripts.expense.setup', '--ctx', 'tests/context.json', '--run', 'TestSystem.*', '-v']
    expect((await open(EXPENSE).run(args)).code).toBe(0)
  },
  'the gate on stability: runs of one and of three, skipped, errored and timed out cases': async () => {
    const skipped = { ...hello, id: 'S', skip: true }
    const rows: [object[], string[], number][] = [
      [[passing, skipped], [], 0],
      [[passing, failing], [], 1],
      [[passing, skipped], ['--runs', '3'], 0],
      [[inTen('T', 8)], ['--runs', '10'], 0],
      [[{ ...inTen('T', 7), user: 'b' }], ['--runs', '10'], 1],
      [[passing, { id: 'E', input: 'refuse' }], [], 1],
      [[passing, { id: 'E', input: 'hang', timeout: '100ms' }], ['--runs', '2'], 1],
    ]
    for (const [records, args, exit] of rows) {
      const { at: path, report } = await judge(records, args)
      expect(report?.results.every(({ pass_rate: rate }) => typeof rate === 'number')).toBe(true)
      expect(report?.results.every(({ pass_rate: rate }) => rate >= 80) ? 0 : 1).toBe(exit)
      if (hasJq) expect(gate(path('out.json'))).toBe(exit)
    }
  },
})

section('Examples', {
  'parallel, with a limit': async () => {
    const { code, stdout } = await judge([passing, { ...passing, id: 'b' }], ['--parallel', '4', '--timeout', '2m'])
    expect(code).toBe(0)
    expect(stdout).toContain('4 at a time, each within 2m')
  },
  'all options at once': async () => {
    const app = open({ [SUITE]: suiteOf(passing, { ...passing, id: 'T002' }) })
    const flags = '-n keyword -c deepseek.v3 -u test-user -t test-team --runs 3 --timeout 10m --parallel 4'
    const { code } = await app.run(['-i', SUITE, ...flags.split(' '), '-r', 'report.html', '-o', 'report.html'])
    expect(code).toBe(0)
    expect(asked().filter(({ model }) => model === 'v3-model')).toHaveLength(6)
    expect(app.read('report.html')).toBe('<h1>All about it</h1>\n')
  },
  'the same by long names': async () => {
    const app = open({ [SUITE]: suiteOf(passing) })
    const flags = '--name keyword --connector deepseek.v3 --user ann --team ops --reporter report.html --verbose'
    const { code } = await app.run([`--input=${SUITE}`, ...flags.split(' '), '--output', 'report.html'])
    expect(code).toBe(0)
    expect(promptOf(asked()[0])).toContain('for ann of ops')
    expect(app.read('report.html')).toBe('<h1>All about it</h1>\n')
  },
  'script tests for a user and a team': async () => {
    const { rows } = await scripted(
      'export function TestWho(t, ctx) { t.assert.Equal(ctx.authorized.user_id + ctx.authorized.team_id, "adminops-team") }\n',
      ['-u', 'admin', '-t', 'ops-team', '-v'],
    )
    expect(statusOf(rows)).toEqual({ TestWho: 'passed' })
  },
  'script tests within a limit, which also ends one that never ends': async () => {
    const { rows, code } = await scripted(
      'export function TestLoop(t) { while (true) {} }\nexport function TestAfter(t) { t.Log("x") }\n',
      ['--timeout', '400ms'],
    )
    expect(code).toBe(1)
    expect(statusOf(rows)).toEqual({ TestLoop: 'timeout', TestAfter: 'passed' })
  },
})

section('Exit Codes', {
  '0 when all tests passed': async () => expect((await judge([passing])).code).toBe(0),
  '1 when a test failed': async () => expect((await judge([passing, failing])).code).toBe(1),
  '1 for a mistake in the configuration, before anything is called': async () => {
    expect((await judge([passing, { id: 'T001', input: 'the id again' }])).code).toBe(1)
    expect((await judge([passing], ['-c', 'no.such'])).code).toBe(1)
    expect(asked()).toEqual([])
  },
  '1 when the agent could not be run': async () => {
    const { code, rows } = await judge([{ id: 'T001', input: 'refuse' }])
    expect(code).toBe(1)
    expect(statusOf(rows)).toEqual({ T001: 'error' })
  },
})
