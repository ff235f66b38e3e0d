import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agentTest, suiteOf } from '../support/command-line.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folderWith = tempFolders()

const ENV = `function Before(ctx, testCase) {
  console.log("before", testCase.id, ctx.authorized.user_id, ctx.locale)
  return { data: { token: testCase.input + "!" } }
}
export function After(ctx, testCase, result, data) {
  console.log("after", testCase.id, result.status, result.output, data)
}
function Boom() {
  throw new Error("no database")
}
function Outside() {
  try { Process("models.user.Create", {}) } catch {}
}
function BeforeAll(ctx, cases) {
  console.log("first", cases.map(({ id }) => id))
  return { run: 7 }
}
function AfterAll(ctx, results, data) {
  console.log("last", results.map(({ id, status }) => id + " " + status), data)
}
`

const AGENT = {
  'app.yao': '{}',
  'assistants/lab/package.yao': '{"name": "Lab"}',
  'assistants/lab/src/env_test.ts': ENV,
}

/** Says its input and leaves a file behind. */
const SAYS =
  "require('fs').writeFileSync('called', ''); process.stdin.on('data', (line) => process.stdout.write(JSON.parse(line).input))"
const echo = ['--target', JSON.stringify({ type: 'command', run: ['node', '-e', SAYS] })]

/** Runs a suite of the agent `lab` that answers with its input; gives the lines that its functions wrote, too. */
async function run(
  records: readonly object[],
  args: readonly string[] = [],
  files: Readonly<Record<string, string>> = {},
) {
  const { path } = folderWith({ ...AGENT, 'assistants/lab/tests/suite.jsonl': suiteOf(...records), ...files })
  const all = ['-i', 'assistants/lab/tests/suite.jsonl', '-o', 'out.json', ...echo, ...args]
  const ended = await agentTest(all, { cwd: path })
  const said = ended.host.infos
    .filter((line) => /^(?:before|after)/.test(line))
    .map((line) => line.replace(/^.*?": /, ''))
  const results = () => (JSON.parse(readFileSync(join(path, 'out.json'), 'utf8')) as { results: unknown[] }).results
  return { ...ended, said, results, wasCalled: existsSync(join(path, 'called')) }
}

describe('before and after', () => {
  test('run around each run, and data goes from one to the other', async () => {
    const records = [
      {
        id: 'a',
        input: 'hi',
        assert: { type: 'equals', value: 'hi' },
        before: 'Before',
        after: 'env_test.After',
        user: 'eve',
      },
      { id: 'b', input: 'yo', assert: { type: 'equals', value: 'no' }, after: 'After' },
    ]
    const { code, said } = await run(records)
    expect(code).toBe(1)
    expect(said).toEqual(['before a eve en-us', 'after a passed hi {"token":"hi!"}', 'after b failed yo null'])
  })

  test('several times, side by side', async () => {
    const { code, said } = await run(
      [{ id: 'a', input: 'hi', before: 'Before', after: 'After' }],
      ['--runs', '3', '--parallel', '3'],
    )
    expect(code).toBe(0)
    expect(said.filter((line) => line.startsWith('before'))).toHaveLength(3)
    expect(said.filter((line) => line.startsWith('after'))).toHaveLength(3)
  })

  test.each([
    ['Boom', 'SCRIPT_ERROR', 'before "Boom": Error: no database (at Boom (assistants/lab/src/env_test.ts:9))'],
    [
      'Outside',
      'UNSUPPORTED',
      'before "Outside": Process("models.user.Create") is not run here: it needs a running Yao server',
    ],
  ])('%s before: the case is errored, the agent not called, after not run', async (before, reason, message) => {
    const { code, results, said, wasCalled } = await run([{ id: 'a', input: 'hi', before, after: 'After' }])
    expect(wasCalled).toBe(false)
    expect(code).toBe(1)
    expect(results()).toMatchObject([{ id: 'a', status: 'error', code: reason, error: message }])
    expect(said).toEqual([])
  })

  test('a throw after is a warning', async () => {
    const { code, host } = await run([{ id: 'a', input: 'hi', after: 'Boom' }])
    expect(code).toBe(0)
    expect(host.warnings).toContainEqual(expect.stringContaining('suite.jsonl/a: after "Boom": Error: no database'))
  })

  test('with -n the functions are those of that agent', async () => {
    const { path } = folderWith({
      ...AGENT,
      'assistants/lab/src/index.ts': 'export function Next() { return { data: "done" } }',
      'elsewhere.jsonl': suiteOf({ id: 'a', input: 'hi', before: 'Before', expected: 'done' }),
    })
    const { code, host } = await agentTest(['-i', 'elsewhere.jsonl', '-n', 'lab'], { cwd: path })
    expect(code).toBe(0)
    expect(host.infos).toContainEqual('before "Before": before a test-user en-us')
  })
})

describe('before and after everything', () => {
  const records = [
    { id: 'a', input: 'hi' },
    { id: 'b', input: 'yo', expected: 'no' },
  ]
  const both = ['--before-all', 'BeforeAll', '--after-all', 'env_test.AfterAll']

  test('frame the whole', async () => {
    const { code, said } = await run(records, both)
    expect(code).toBe(1)
    expect(said).toEqual(['first ["a","b"]', 'last ["a passed","b failed"] {"run":7}'])
  })

  test('a throw before ends it without a run, and what is after is run all the same', async () => {
    const { code, stdout, stderr, said } = await run(records, ['--before-all', 'Boom', '--after-all', 'AfterAll'])
    expect(code).toBe(1)
    expect(stderr + stdout).toContain('before-all "Boom": Error: no database')
    expect(stdout).not.toContain('PASSED')
    expect(said).toEqual(['last [] null'])
  })

  test('a throw after is a warning', async () => {
    const { code, host } = await run([{ id: 'a', input: 'hi' }], ['--after-all', 'Boom'])
    expect(code).toBe(0)
    expect(host.warnings).toContainEqual(expect.stringContaining('after-all "Boom": Error: no database'))
  })
})

describe('references are checked before anything runs', () => {
  test('all of them at once, with file, line and what was meant', async () => {
    const records = [
      { id: 'a', input: 'x', before: 'Befor' },
      { id: 'b', input: 'x', after: 'evn_test.After' },
      { id: 'c', input: 'x', before: 'scripts:env.Before' },
      { id: 'd', input: 'x', before: 'Gone', skip: true },
    ]
    const { code, stderr } = await run(records, ['--before-all', 'BeforAll'])
    expect(code).toBe(1)
    expect(stderr).toContain('suite.jsonl:1: before: there is no function "Befor"')
    expect(stderr).toContain('did you mean "Before"?')
    expect(stderr).toContain('suite.jsonl:2: after: there is no evn_test.ts')
    expect(stderr).toContain('did you mean "env_test"?')
    expect(stderr).toContain('suite.jsonl:3: before: "scripts:env.Before" names no function of a script test')
    expect(stderr).toContain('--before-all: there is no function "BeforAll"')
    expect(stderr).not.toContain('Gone')
  })

  test('where there is no agent', async () => {
    const { path } = folderWith({ 'suite.jsonl': suiteOf({ id: 'a', input: 'x', before: 'Before' }) })
    const { code, stderr } = await agentTest(['-i', 'suite.jsonl', ...echo], { cwd: path })
    expect([code, stderr]).toEqual([1, expect.stringContaining("before: no agent's folder is known")])
  })
})
