import { describe, expect, test } from 'vitest'
import type { RunResult } from '../../src/core/result.ts'
import { scriptTestbed } from '../support/script-testbed.ts'

const runTests = scriptTestbed()

/** A test that comes after this code has been loaded from the agent that it tests. */
async function runAfter(agent: string, body: string): Promise<RunResult> {
  const tests = `import "./index"\nimport { f } from "./index"\nexport async function TestIt(t: any) {\n${body}\n}\n`
  const [result] = await runTests(tests, {
    files: { 'assistants/lab/src/index.ts': `${agent}\nexport const f: any = () => null\n` },
  })
  if (!result) throw new Error('nothing ran')
  return result
}

/** Every one of these is false, or ends the test. */
const FAILURES = [
  't.assert.True(false)',
  't.assert.Equal({ a: 1, b: [{}] }, { a: 2, b: [{}] })',
  't.assert.Equal([1, 2], [1, 3])',
  't.assert.NotEqual({ a: 1 }, { a: 1 })',
  't.assert.Contains("hello", "x")',
  't.assert.NotContains("hello", "h")',
  't.assert.Match("a", "^b")',
  't.assert.Len([1], 2)',
  't.assert.Greater(1, 2)',
  't.assert.LessOrEqual(2, 1)',
  't.assert.NoPanic(() => { throw new Error("x") })',
  't.assert.Type([], "object")',
  't.assert.JSONPath({ x: 1, y: 2 }, "$.y", 1)',
  't.error("bad")',
  'try { t.fatal("bad") } catch {}',
  'await null; throw new Error("later")',
]

describe('what the tested code does to the globals does not make a failing test pass', () => {
  test.each([
    'Object.prototype.toJSON = function () { if ("passed" in this) this.passed = true; return this }',
    'Object.prototype.toJSON = () => null',
    'Object.prototype.toJSON = () => undefined',
    'Object.prototype.toJSON = () => ({ kind: "call", name: "end", args: [] })',
    'Array.prototype.toJSON = () => ["x", true]',
    'Array.prototype.toJSON = String.prototype.toJSON = Object.prototype.toJSON = () => { throw 1 }',
    'Object.defineProperty(Array.prototype, "0", { get: () => true, set: () => {} })',
    'Object.defineProperty(Array.prototype, "1", { get: () => true, set: () => {} })',
    'for (const name of ["passed", "expected", "actual", "a", "True", "kind", "value"]) Object.defineProperty(Object.prototype, name, { get: () => true, set: () => {}, configurable: true })',
    'Array.prototype.sort = Array.prototype.map = Array.prototype.join = () => []',
    'Array.prototype[Symbol.iterator] = function* () {}',
    'String.prototype.includes = String.prototype.startsWith = () => true; String.prototype.slice = String.prototype.replace = String.prototype.match = () => ""',
    'for (const key of [Symbol.match, Symbol.replace, "exec", "test"]) Object.defineProperty(RegExp.prototype, key, { value: () => [] })',
    'Object.hasOwn = Object.is = Array.isArray = () => true; Object.keys = Object.entries = () => []',
    'JSON.stringify = () => "null"; JSON.parse = () => ({ kind: "value", value: { matches: true } })',
    'globalThis.JSON = globalThis.Object = globalThis.Array = globalThis.Reflect = globalThis.Error = undefined',
    'globalThis.Number = () => 5; globalThis.String = () => "a"; globalThis.Boolean = () => true',
    'Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => () => true',
    'Object.defineProperty(Function.prototype, Symbol.hasInstance, { value: () => true })',
    'Promise.prototype.then = function (done) { done?.(1); return this }',
    'Promise.prototype.then = function (done) { done?.(1); return this }; Promise.prototype.constructor = Object',
    'Error.prepareStackTrace = (_, frames) => { for (const frame of frames) frame.getFunction?.()?.(); return "" }; Error.captureStackTrace = () => {}',
    'console.log = log.Info = () => {}',
  ])('%s', async (agent) => {
    const names = FAILURES.map((_, index) => `TestFailure${index}`)
    const tests = FAILURES.map((line, index) => `export async function ${names[index]}(t: any) { ${line} }`)
    const results = await runTests(`import "./index"\n${tests.join('\n')}\n`, {
      files: { 'assistants/lab/src/index.ts': `${agent}\nexport {}\n` },
    })
    expect(results.map(({ key, status }) => `${key.split('/').at(-1)} ${status}`)).toEqual(
      names.map((name) => `${name} failed`),
    )
  })
})

describe('the tested code reaches nothing of the test that calls it', () => {
  test.each([
    ['typeof __call + typeof __openTest + typeof __openContext + typeof __atEnd', 'undefined'.repeat(4)],
    ['Object.getOwnPropertyNames(globalThis).filter((name) => name.startsWith("__")).join()', ''],
    ['String((function g() { return g.caller })())', 'null|undefined|Error.*'],
  ])('%s', async (expression, found) => {
    const agent = `let said = ""\ntry { said = ${expression} } catch (error) { said = "Error" + error }`
    const result = await runAfter(`${agent}\nconsole.log(said)`, 't.assert.True(true)')
    expect(result).toMatchObject({ status: 'passed' })
    expect(result.logs?.[0]?.text).toMatch(new RegExp(`^(?:${found})$`))
  })
})

describe('an assertion that is begun is told or fails the test', () => {
  test.each([
    [
      'of what refers to itself',
      'const a: any = {}; a.a = a\nt.assert.Equal(a, 1)',
      'it cannot be judged: RangeError: nested deeper than 500 levels',
    ],
    [
      'of what throws',
      't.assert.Contains({ toString() { throw new Error("no") } }, "x")',
      'it cannot be judged: Error: no',
    ],
    ['of what has no number', 't.assert.Greater(Symbol("x"), 1)', 'it cannot be judged: TypeError'],
    ['of a giant', 't.assert.Equal("x".repeat(3_000_000), "y")', 'expected "y", got "xxx'],
    ['too large to be matched', 't.assert.Match("x".repeat(20_000_000), "x")', 'it cannot be judged: Error: a call of'],
  ])('%s, and the test goes on', async (_, body, message) => {
    const result = await runAfter('', `${body}\nt.log("went on")`)
    expect(result).toMatchObject({ status: 'failed', checks: [{ message: expect.stringContaining(message) }] })
    expect(result.logs).toEqual([{ level: 'info', text: 'went on' }])
  })

  test('when there is no memory left', async () => {
    const fill = 'const a: any[] = []\nfor (;;) { try { a.push(new Array(1000).fill(0)) } catch { break } }'
    const body = `${fill}\ntry { t.assert.Equal(a, 1) } catch {}\na.length = 0`
    expect(await runAfter('', body)).toMatchObject({ status: 'failed' })
  })

  test.each([
    't.assert.True({ get a() { throw 1 } })',
    'const a: any = {}; a.a = a; t.assert.True(a); t.assert.NotNil(a); t.assert.Type(a, "object")',
    't.assert.True(10n)',
    't.assert.Len([10n], 1)',
  ])('%s holds: what holds needs no words', async (body) => {
    expect(await runAfter('', body)).toMatchObject({ status: 'passed' })
  })
})
