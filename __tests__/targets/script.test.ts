import { describe, expect, test } from 'vitest'
import type { RunResult } from '../../src/core/result.ts'
import { scriptTestbed } from '../support/script-testbed.ts'

const runTests = scriptTestbed()

/** The result of one test with this body. */
async function run(body: string, world: Parameters<typeof runTests>[1] = {}): Promise<RunResult> {
  const [result] = await runTests(`export function TestIt(t: any, ctx: any) {\n${body}\n}\n`, world)
  if (!result) throw new Error('nothing ran')
  return result
}

function failuresOf(result: RunResult): string[] {
  return result.status === 'failed'
    ? result.checks.flatMap(({ name, passed, message }) => (passed ? [] : [`${name}: ${message}`]))
    : [result.status]
}

describe('assertions that hold', () => {
  test.each([
    't.assert.True(1)',
    't.assert.False("")',
    't.assert.Equal({ a: [1, { b: 2, c: undefined }] }, { a: [1.0, { b: 2 }] })',
    't.assert.Equal({ a: 1, b: 2 }, { b: 2, a: 1 })',
    't.assert.Equal(undefined, null)',
    't.assert.NotEqual("5", 5)',
    't.assert.Nil(undefined)',
    't.assert.NotNil(0)',
    't.assert.Contains("hello", "ell")',
    't.assert.Contains([1, 2], 2)',
    't.assert.NotContains("hello", "x")',
    't.assert.Len("äb", 2)',
    't.assert.Len([1], 1)',
    't.assert.Len({ a: 1, b: 2 }, 2)',
    't.assert.Len(null, 0)',
    't.assert.Greater(2, 1)',
    't.assert.GreaterOrEqual("2", 2)',
    't.assert.Less(1, 2)',
    't.assert.LessOrEqual(2, 2)',
    't.assert.Error(new Error("x"))',
    't.assert.NoError(null)',
    't.assert.Panic(() => { throw new Error("x") })',
    't.assert.NoPanic(() => 1)',
    't.assert.Match("Hello", "(?i)^hello$")',
    't.assert.NotMatch("Hello", "^hello$")',
    't.assert.Type([], "array")',
    't.assert.Type(null, "null")',
    't.assert.Type(() => 1, "function")',
    't.assert.JSONPath({ a: { b: [1, { c: 2 }] } }, "a.b[1].c", 2)',
    't.assert.JSONPath({ a: 1 }, "$.a", 1)',
    't.assert.JSONPath({ a: 1 }, "gone.deep", null)',
    't.Assert.True(true)',
  ])('%s', async (line) => {
    expect(await run(line)).toMatchObject({ status: 'passed', checks: [{ passed: true }] })
  })
})

describe('assertions that fail', () => {
  test.each([
    ['t.assert.True(0)', 'True: expected something true, got 0'],
    ['t.assert.False("x")', 'False: expected something false, got "x"'],
    ['t.assert.Equal({ a: 1 }, { a: 2 })', 'Equal: expected {"a":2}, got {"a":1}'],
    ['t.assert.NotEqual(1, 1)', 'NotEqual: expected anything but 1'],
    ['t.assert.Nil(0)', 'Nil: expected null, got 0'],
    ['t.assert.NotNil(undefined)', 'NotNil: expected anything but null'],
    ['t.assert.Contains("hello", "x")', 'Contains: expected "hello" to contain "x"'],
    ['t.assert.NotContains("hello", "h")', 'NotContains: expected "hello" not to contain "h"'],
    ['t.assert.Len([1], 2)', 'Len: expected a length of 2, got 1'],
    ['t.assert.Len(5, 1)', 'Len: expected a length of 1, number has no length'],
    ['t.assert.Greater(1, 1)', 'Greater: expected a number > 1, got 1'],
    ['t.assert.Less("x", 1)', 'Less: expected a number < 1, got "x"'],
    ['t.assert.Error(null)', 'Error: expected an error, got null'],
    ['t.assert.NoError(new Error("bad"))', 'NoError: expected no error, got Error: bad'],
    ['t.assert.Panic(() => 1)', 'Panic: expected the function to throw, it did not'],
    [
      't.assert.NoPanic(() => { throw new Error("x") })',
      'NoPanic: expected the function not to throw, it threw Error: x',
    ],
    ['t.assert.Panic(7)', 'Panic: expected a function, got number'],
    ['t.assert.Match("a", "^b")', 'Match: expected "a" to match ^b'],
    ['t.assert.NotMatch("b", "^b")', 'NotMatch: expected "b" not to match ^b'],
    ['t.assert.NotMatch("b", "(")', 'NotMatch: not an RE2 pattern: error parsing regexp: missing closing ): `(`'],
    [
      't.assert.Match("aa", "(a)\\\\1")',
      'Match: not an RE2 pattern: error parsing regexp: invalid escape sequence: `\\1`',
    ],
    ['t.assert.Type([], "object")', 'Type: expected the type object, got array'],
    ['t.assert.JSONPath({ a: 1 }, "b", 1)', 'JSONPath: expected 1 at b, got null'],
    ['t.assert.Equal(1)', 'Equal: expected 2 arguments, got 1'],
    ['t.assert.True()', 'True: expected 1 arguments, got 0'],
    ['t.assert.Equal(1, 2, "sums differ")', 'Equal: sums differ: expected 2, got 1'],
    ['t.error("went", { a: 1 })', 'error: went {"a":1}'],
    ['t.Error("bad")', 'error: bad'],
    ['t.fail()', 'fail: failed'],
    ['t.Fail("no")', 'fail: no'],
    ['t.fatal("stop")', 'fatal: stop'],
  ])('%s', async (line, message) => {
    const result = await run(line)
    expect(failuresOf(result)).toEqual([`${message} (assistants/lab/src/unit_test.ts:2)`])
  })

  test('expected, actual and stack are kept', async () => {
    expect(await run('t.assert.Equal([1], [2])')).toMatchObject({
      status: 'failed',
      checks: [
        {
          name: 'Equal',
          expected: [2],
          actual: [1],
          details: { stack: 'at TestIt (assistants/lab/src/unit_test.ts:2)' },
        },
      ],
    })
  })

  test('are soft: the test goes on, and every failure is told', async () => {
    const result = await run('t.assert.Equal(1, 2)\nt.assert.True(true)\nt.assert.True(false)\nt.log(t.failed, t.name)')
    expect(failuresOf(result)).toHaveLength(2)
    expect(result.logs).toEqual([{ level: 'info', text: 'true TestIt' }])
  })
})

describe('how a test ends', () => {
  test.each<[string, string]>([
    ['fatal', 't.fatal("over")'],
    ['Fatal', 't.Fatal("over")'],
  ])('%s ends the test, whatever it catches', async (_, line) => {
    const result = await run(`try { ${line} } catch { t.log("caught") } finally { t.log("finally") }\nt.log("went on")`)
    expect(failuresOf(result)).toEqual([expect.stringContaining('fatal: over')])
    expect(result.logs).toBeUndefined()
  })

  test.each(['t.skip("not now")', 't.Skip("not now")'])('%s ends it as skipped, even after a failure', async (line) => {
    const result = await run(`t.assert.True(false)\ntry { ${line} } catch {}\nt.log("went on")`)
    expect(result).toMatchObject({ status: 'skipped', reason: 'not now' })
    expect(result.logs).toBeUndefined()
  })

  test('an error fails it, with its place', async () => {
    const result = await run('const x: any = undefined\nreturn x.y')
    expect(failuresOf(result)).toEqual([
      expect.stringMatching(
        /^TypeError: TypeError: cannot read property 'y' of undefined \(assistants\/lab\/src\/unit_test\.ts:3\)$/,
      ),
    ])
  })

  test('an async test is awaited', async () => {
    const tests = [
      'export async function TestGood(t) { await null; t.assert.True(true) }',
      'export const TestBad = async (t) => {',
      '  await null',
      '  throw new RangeError("later")',
      '}',
    ].join('\n')
    const [good, bad] = await runTests(tests)
    expect(good).toMatchObject({ status: 'passed', checks: [{ passed: true }] })
    expect(bad && failuresOf(bad)).toEqual(['RangeError: RangeError: later (assistants/lab/src/unit_test.ts:4)'])
  })

  test('an endless loop is a timeout', async () => {
    const started = Date.now()
    expect(await run('for (;;) {}', { timeoutMs: 300 })).toMatchObject({ status: 'errored', code: 'TIMEOUT' })
    expect(Date.now() - started).toBeLessThan(5_000)
  })

  test.each([
    ['const a = []; for (;;) a.push(new Array(1000).fill(0))', 'limits: needed more than 128 MiB of memory'],
    ['const f = () => f() + 1; f()', 'limits: called itself too deep: its stack is full'],
  ])('%s fails', async (body, message) => {
    expect(failuresOf(await run(body))).toEqual([message])
  })

  test.each([
    ['Process("models.user.Find", 1)', 'Process("models.user.Find") is not run here: it needs a running Yao server'],
    ['http.Get("https://example.com")', 'http.Get is not run here: it needs a running Yao server'],
  ])('%s is not the fault of the code', async (line, message) => {
    expect(await run(`try { ${line} } catch {}`)).toMatchObject({ status: 'errored', code: 'UNSUPPORTED', message })
  })

  test('a loop of assertions fills no report', async () => {
    const result = await run('for (let i = 0; i < 3000; i++) t.assert.Equal(i, -1)')
    expect(failuresOf(result)).toHaveLength(1_000)
  })
})

describe('what a test gets', () => {
  test('ctx from flags and ctx file', async () => {
    const context = { locale: 'de-de', metadata: { k: 1 }, client: { type: 'web' }, authorized: { scope: 's' } }
    const body =
      't.log(JSON.stringify({ ...ctx, memory: 0, trace: 0, mcp: 0, agent: 0, llm: 0 }))\nt.log(JSON.stringify(Authorized()))'
    const { logs } = await run(body, { context, flags: { user: 'alice' } })
    const [ctx, authorized] = (logs ?? []).map(({ text }): unknown => JSON.parse(text))
    const identity = { scope: 's', sub: 'alice', user_id: 'alice', team_id: 'test-team', tenant_id: 'test-team' }
    expect(ctx).toMatchObject({
      chat_id: 'script-test-TestIt',
      assistant_id: 'lab',
      locale: 'de-de',
      theme: '',
      route: '',
      referer: 'test',
      accept: 'standard',
      client: { type: 'web', user_agent: 'yao-agent-test/1.0', ip: '127.0.0.1' },
      metadata: { k: 1 },
      authorized: identity,
    })
    expect(authorized).toEqual(identity)
  })

  test('memory of its own in every run', async () => {
    const body =
      't.assert.Nil(ctx.memory.user.Get("n"))\nctx.memory.user.Set("n", 1)\nt.assert.Equal(ctx.memory.user.Get("n"), 1)'
    const results = await runTests(`function TestMemory(t, ctx) {\n${body}\n}`, { runs: 2 })
    expect(results.map(({ status }) => status)).toEqual(['passed', 'passed'])
  })

  test('scripts of the application, by import and by Process', async () => {
    const tests = [
      'import { twice } from "./math"',
      'import type { testing } from "@yao/runtime"',
      'export function TestImport(t: testing.T) { t.assert.Equal(twice(2), 4) }',
      'export function TestProcess(t: testing.T) {',
      '  t.assert.Equal(Process("agents.lab.math.twice", 3), 6)',
      '  t.assert.Equal(Process("scripts.tools.add", 1, 2), 3)',
      '  t.assert.Panic(() => Process("scripts.tools.gone"))',
      '}',
    ].join('\n')
    const files = {
      'assistants/lab/src/math.ts': 'export function twice(n: number): number { return n * 2 }',
      'scripts/tools.ts': 'export function add(a: number, b: number) { return a + b }',
    }
    expect((await runTests(tests, { files })).map(failuresOf)).toEqual([['passed'], ['passed']])
  })

  test('console, log and t.log, in order', async () => {
    const { logs } = await run('console.log("a", { b: 1 })\nlog.Error("c")\nt.Log("d")')
    expect(logs).toEqual([
      { level: 'info', text: 'a {"b":1}' },
      { level: 'error', text: 'c' },
      { level: 'info', text: 'd' },
    ])
  })

  test('a stack that points into an imported file', async () => {
    const files = {
      'assistants/lab/src/deep.ts': 'type A = string\n\nexport function deep(a: A) {\n  throw new Error(a)\n}',
    }
    const [result] = await runTests('import { deep } from "./deep"\nfunction TestDeep(t) {\n  deep("x")\n}', { files })
    expect(result).toMatchObject({
      status: 'failed',
      checks: [
        {
          message: 'Error: x (assistants/lab/src/deep.ts:4)',
          details: { stack: 'at deep (assistants/lab/src/deep.ts:4)\nat TestDeep (assistants/lab/src/unit_test.ts:3)' },
        },
      ],
    })
  })
})

describe('t.assert.Agent', () => {
  const body =
    't.assert.Agent({ text: "hi" }, "tests.judge", { criteria: "is polite", metadata: { style: "strict" } })\nt.log("on")'
  test.each([
    [{ passed: true, reason: 'nice' }, ['passed']],
    [{ passed: false, reason: 'rude' }, [expect.stringContaining('rude')]],
  ])('%j', async (output, expected) => {
    const asked: unknown[] = []
    const means = {
      ask: async (question: object) => {
        asked.push(question)
        return { output }
      },
    }
    const result = await run(body, { means })
    expect(failuresOf(result)).toEqual(expected)
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({ agent: 'tests.judge', metadata: { test_mode: 'validator' } })
  })

  test('without criteria it fails', async () => {
    const means = { ask: async () => ({ output: { passed: true } }) }
    const result = await run('t.assert.Agent("x", "tests.judge", {})', { means })
    expect(failuresOf(result)).toEqual([expect.stringContaining('Agent.value: expected the criteria')])
  })

  test('where nobody can be asked nothing is judged', async () => {
    expect(await run(body)).toMatchObject({ status: 'errored', code: 'UNSUPPORTED' })
  })
})

test('tests run side by side and several times', async () => {
  const tests =
    'function TestA(t) { t.assert.True(true) }\nfunction TestB(t) { t.fail("no") }\nfunction TestC(t) { t.skip("later") }'
  const results = await runTests(tests, { runs: 3, parallel: 4 })
  const byStatus = (status: string) => results.filter((result) => result.status === status).length
  expect([byStatus('passed'), byStatus('failed'), byStatus('skipped')]).toEqual([3, 3, 3])
})
