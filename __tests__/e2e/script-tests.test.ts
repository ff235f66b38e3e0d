import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agentTest } from '../support/command-line.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folderWith = tempFolders()

const TESTS = `import { total } from "./expense"
import type { testing } from "@yao/runtime"

export function TestTotal(t: testing.T) {
  t.log("adding", [1, 2])
  t.assert.Equal(total([1, 2]), 3)
}

function TestWrong(t: testing.T) {
  t.log("about to fail")
  t.assert.Equal(total([1, 2]), 4, "sums differ")
}

function TestThrows(t: testing.T) {
  total(null)
}

async function TestLater(t: testing.T) {
  t.skip("needs a server")
}
`

const APP = {
  'app.yao': '{}',
  'assistants/expense/package.yao': '{"name": "Expense"}',
  'assistants/expense/src/expense.ts':
    'export function total(list: number[]): number {\n  return list.reduce((sum, n) => sum + n, 0)\n}\n',
  'assistants/expense/src/setup_test.ts': TESTS,
}

const FILE = 'assistants/expense/src/setup_test.ts'

async function run(args: readonly string[] = [], files: Readonly<Record<string, string>> = {}) {
  const { path } = folderWith({ ...APP, ...files })
  const ended = await agentTest(['-i', 'scripts.expense.setup', ...args], { cwd: path })
  return { ...ended, read: (name: string) => readFileSync(join(path, name), 'utf8') }
}

describe('script tests', () => {
  test('on the console', async () => {
    const { code, stdout } = await run()
    expect(code).toBe(1)
    expect(stdout).toMatch(/PASSED +TestTotal/)
    expect(stdout).toMatch(/FAILED +TestWrong/)
    expect(stdout).toContain(`sums differ: expected 4, got 3 (${FILE}:11)`)
    expect(stdout).toContain('(assistants/expense/src/expense.ts:2)')
    expect(stdout).toMatch(/SKIPPED +TestLater +needs a server/)
    expect(stdout.match(/TestLater/g)).toHaveLength(1)
    expect(stdout).not.toContain('about to fail')
  })

  test('-v shows what they log', async () => {
    const { stdout } = await run(['-v'])
    expect(stdout).toContain('Log: adding [1,2]')
    expect(stdout).toContain('Log: about to fail')
  })

  test('without -o nothing is written', async () => {
    const { stderr } = await run()
    expect(stderr).not.toContain('output-')
  })

  test('in JSON lines', async () => {
    const { read } = await run(['-o', 'out.jsonl'])
    const lines = read('out.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.map(({ type, id, status }) => [type, id, status].join(' ').trim())).toEqual([
      'start',
      'result TestTotal passed',
      'result TestWrong failed',
      'result TestThrows failed',
      'result TestLater skipped',
      'summary',
    ])
    expect(lines[1]).toMatchObject({ logs: [{ level: 'info', text: 'adding [1,2]' }] })
    expect(lines[2]).toMatchObject({
      error: `sums differ: expected 4, got 3 (${FILE}:11)`,
      assertions: [{ type: 'Equal', expected: 4, actual: 3, details: { stack: `at TestWrong (${FILE}:11)` } }],
      logs: [{ level: 'info', text: 'about to fail' }],
    })
    expect(lines[4]).toMatchObject({ reason: 'needs a server' })
    expect(lines[5]).toMatchObject({ total: 4, passed: 1, failed: 2, skipped: 1, errors: 0, timeouts: 0 })
  })

  test('in JSON', async () => {
    const { read } = await run(['-o', 'out.json'])
    const report = JSON.parse(read('out.json')) as Record<string, unknown>
    expect(report).toMatchObject({
      summary: { total: 4, passed: 1, failed: 2, skipped: 1 },
      results: [
        { id: 'TestTotal', pass_rate: 100, logs: [{ text: 'adding [1,2]' }] },
        { id: 'TestWrong', pass_rate: 0, input: 'scripts.expense.setup.TestWrong' },
        {
          id: 'TestThrows',
          assertions: [
            {
              type: 'TypeError',
              details: { stack: `at total (assistants/expense/src/expense.ts:2)\nat TestThrows (${FILE}:15)` },
            },
          ],
        },
      ],
      skipped: [{ id: 'TestLater', reason: 'needs a server' }],
    })
  })

  test('in Markdown', async () => {
    const { read } = await run(['-o', 'out.md'])
    const text = read('out.md')
    expect(text).toContain('Skipped: needs a server')
    expect(text).toContain(`at TestThrows (${FILE}:15)`)
    expect(text).toContain('about to fail')
  })

  test('several times: those that skip themselves are not judged', async () => {
    const { code, read, stdout } = await run([
      '--runs',
      '3',
      '--parallel',
      '2',
      '--run',
      'Total|Later',
      '-o',
      'out.json',
    ])
    expect(code).toBe(0)
    expect(stdout.match(/TestLater +needs a server/g)).toHaveLength(1)
    expect(JSON.parse(read('out.json'))).toMatchObject({
      summary: { total: 2, passed: 1, skipped: 1, total_runs: 3, overall_pass_rate: 100 },
      results: [{ id: 'TestTotal', runs: 3, passed: 3, stability_class: 'stable' }],
    })
  })

  test('--fail-fast stops at what failed, not at what skips itself', async () => {
    const tests = 'function TestA(t) { t.skip("x") }\nfunction TestB(t) { t.fail("y") }\nfunction TestC(t) {}'
    const { code, stdout } = await run(['--fail-fast'], { [FILE]: tests })
    expect(code).toBe(1)
    expect(stdout).toMatch(/FAILED +TestB/)
    expect(stdout).not.toMatch(/PASSED +TestC/)
  })

  test('when every test skips itself nothing was tested', async () => {
    const { code, stdout } = await run(['--run', 'Later'])
    expect(code).toBe(1)
    expect(stdout).toContain('no case was run: the only one is skipped')
    expect((await run(['--run', 'Later', '--allow-empty'])).code).toBe(0)
  })

  test('--run is an RE2 search on the names, and must find one', async () => {
    expect((await run(['--run', '^TestTotal$'])).code).toBe(0)
    const { code, stderr } = await run(['--run', 'Nothing'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('no case id matches "Nothing"')])
  })

  test('--timeout stops an endless loop', async () => {
    const { code, stdout } = await run(['--timeout', '300ms'], { [FILE]: 'function TestLoop(t) { for (;;) {} }' })
    expect(code).toBe(1)
    expect(stdout).toMatch(/TIMEOUT +TestLoop/)
  })

  test('--ctx and flags reach them', async () => {
    const tests =
      'function TestWho(t, ctx) { t.assert.Equal([ctx.authorized.user_id, ctx.metadata.k, ctx.locale], ["bob", 7, "zh-cn"]) }'
    const files = { [FILE]: tests, 'ctx.json': '{"metadata": {"k": 7}, "locale": "zh-cn"}' }
    expect((await run(['--ctx', 'ctx.json', '-u', 'bob'], files)).code).toBe(0)
  })

  test('beside a JSONL suite', async () => {
    const suite = '{"id": "a", "input": "hi", "assert": {"type": "equals", "value": "hi"}}'
    const { code, stdout } = await run(['-i', 'more.jsonl', '--target', 'command:cat', '--run', 'Total|^a$'], {
      'more.jsonl': suite,
    })
    expect(stdout).toMatch(/PASSED +TestTotal/)
    expect(code).toBe(1)
  })
})

describe('mistakes', () => {
  test.each<[string, string, string]>([
    ['a syntax error', 'function TestA(t) {\n  let = ;\n}', `${FILE}:2: not a valid script`],
    ['no test', 'export function helper() {}', `${FILE}: there is no test in this file`],
    [
      'a dynamic import',
      'async function TestA(t) {\n  await import("./x")\n}',
      `${FILE}:2: import() is not available in scripts`,
    ],
  ])('%s', async (_, tests, message) => {
    const { code, stderr } = await run([], { [FILE]: tests })
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
  })

  test('an unknown module', async () => {
    const { path } = folderWith(APP)
    const { code, stderr } = await agentTest(['-i', 'scripts.expense.setpu'], { cwd: path })
    expect([code, stderr]).toEqual([1, expect.stringContaining('did you mean "setup_test"?')])
  })
})
