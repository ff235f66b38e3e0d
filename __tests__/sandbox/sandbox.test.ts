import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import type { ScriptLog } from '../../src/sandbox/sandbox.ts'
import { sandboxScene } from './scene.ts'

const run = sandboxScene()

describe('what a function gives', () => {
  test.each<[string, string, Json]>([
    ['a value', 'exports.f = () => ({ a: [1, "x", null, true] })', { a: [1, 'x', null, true] }],
    ['undefined is null', 'exports.f = () => undefined', null],
    ['what JSON cannot say is left out', 'exports.f = () => ({ a: undefined, b: () => 1, c: NaN })', { c: null }],
    ['a promise is awaited', 'exports.f = async () => { await null; return 7 }', 7],
    ['a function that is not exported', 'function f() { return 1 }\nmodule.locals = { f }', 1],
    ['the arguments', 'exports.f = (a, b) => [b, a]', [{ deep: [2] }, 'one']],
    ['a replaced exports object', 'module.exports = { f: () => 3 }', 3],
    ['strict or not', '"use strict"; exports.f = function () { return this === undefined }', true],
  ])('%s', async (_, code, value) => {
    expect(await run(code, { args: ['one', { deep: [2] }] })).toEqual({ kind: 'returned', value })
  })

  test.each<[string, string]>([
    ['no such function', 'exports.g = () => 1'],
    ['not a function', 'exports.f = 1'],
    ['a name that every object has', 'exports.constructor = 1'],
  ])('missing: %s', async (_, code) => {
    const name = code.includes('constructor') ? 'toString' : 'f'
    const outcome = await run(code.replace('exports.constructor = 1', 'module.exports = Object.create(null)'), {
      function: name,
    })
    expect(outcome).toEqual({ kind: 'missing' })
  })

  test('a script that is not there', async () => {
    expect(await run('', { script: 'other.ts' })).toEqual({ kind: 'missing' })
  })
})

describe('errors', () => {
  test('the stack names path and line of the script and nothing of ours', async () => {
    const code = 'exports.f = function f() {\n  return inner()\n}\nfunction inner() {\n  throw new TypeError("boom")\n}'
    expect(await run(code)).toEqual({
      kind: 'threw',
      error: { name: 'TypeError', message: 'boom', stack: 'at inner (main.ts:5)\nat f (main.ts:2)' },
    })
  })

  test('a required file has its own path and lines', async () => {
    const outcome = await run('const b = require("./b.ts")\nexports.f = function f() { [1].map(b.g) }', {
      files: { 'b.ts': '\n\nexports.g = function g() { throw new Error("inside") }' },
    })
    expect(outcome).toMatchObject({ kind: 'threw', error: { stack: 'at g (b.ts:3)\nat f (main.ts:2)' } })
  })

  test.each<[string, string, { name: string; message: string }]>([
    [
      'a syntax error',
      'exports.f = () => {\n  let x = ;\n}',
      { name: 'SyntaxError', message: "unexpected token in expression: ';'" },
    ],
    ['a text', 'exports.f = () => { throw "plain" }', { name: 'Error', message: 'plain' }],
    ['null', 'exports.f = () => { throw null }', { name: 'Error', message: 'null' }],
    ['an object', 'exports.f = () => { throw { code: 1 } }', { name: 'Error', message: '{"code":1}' }],
    [
      'a rejection',
      'exports.f = async () => { throw new RangeError("later") }',
      { name: 'RangeError', message: 'later' },
    ],
    ['at the top level', 'throw new Error("on load")', { name: 'Error', message: 'on load' }],
    [
      'an error with getters that throw',
      'exports.f = () => { const e = new Error("x"); Object.defineProperty(e, "message", { get() { throw 1 } }); throw e }',
      { name: 'Error', message: '' },
    ],
    ['a module that is not there', 'require("./no.ts")', { name: 'Error', message: "Cannot find module './no.ts'" }],
    [
      'a promise that nothing settles',
      'exports.f = () => new Promise(() => {})',
      { name: 'Error', message: 'it waits for a promise that nothing settles' },
    ],
    [
      'a result that refers to itself',
      'exports.f = () => { const a = {}; a.a = a; return a }',
      { name: 'TypeError', message: 'circular reference' },
    ],
  ])('%s', async (_, code, error) => {
    expect(await run(code)).toMatchObject({ kind: 'threw', error })
  })
})

describe('require', () => {
  test('a module runs once and may be asked for in a circle', async () => {
    const outcome = await run(
      'const b = require("./b.ts"); exports.name = "a"; exports.f = () => [b.seen(), require("./b.ts") === b, globalThis.runs]',
      {
        files: {
          'b.ts':
            'globalThis.runs = (globalThis.runs ?? 0) + 1; const a = require("./main.ts"); exports.seen = () => a.name',
        },
      },
    )
    expect(outcome).toEqual({ kind: 'returned', value: ['a', true, 1] })
  })

  test('knows who asks', async () => {
    const asked: unknown[] = []
    await run('', {
      load: async (specifier, from) => {
        asked.push([specifier, from])
        return { path: `/app/${specifier}`, code: specifier === 'main.ts' ? 'require("x")' : '' }
      },
    })
    expect(asked).toEqual([
      ['main.ts', undefined],
      ['x', '/app/main.ts'],
    ])
  })
})

describe('confinement', () => {
  test('nothing of Node is there', async () => {
    const names = ['process', 'Buffer', 'fetch', 'setTimeout', 'performance', 'WebAssembly', 'navigator', 'std', 'os']
    const code = `exports.f = () => [${names.map((name) => `typeof ${name}`).join()}, typeof this.process]`
    expect(await run(code)).toEqual({ kind: 'returned', value: [...names, ''].map(() => 'undefined') })
  })

  test.each([
    'this.constructor.constructor("return typeof process")()',
    '(() => {}).constructor("return typeof process")()',
    'outside.constructor("return typeof process")()',
    'console.log.constructor("return typeof process")()',
    'require.constructor("return typeof process")()',
    'new Error().constructor.constructor("return typeof process")()',
    '(0, eval)("typeof process")',
  ])('%s finds nothing', async (expression) => {
    expect(await run(`exports.f = function () { return ${expression} }`)).toEqual({
      kind: 'returned',
      value: 'undefined',
    })
  })

  test('a dynamic import finds no module', async () => {
    const outcome = await run('exports.f = () => import("node:fs")')
    expect(outcome).toMatchObject({ kind: 'threw' })
  })

  test('a script that changes the globals harms itself alone', async () => {
    const code =
      'JSON.stringify = JSON.parse = () => { throw 1 }; Promise.prototype.then = null; Object.prototype.kind = "x"; exports.f = () => outside("x")'
    expect(await run(code, { call: async () => ({ a: 1 }) })).toEqual({ kind: 'returned', value: { a: 1 } })
  })
})

describe('logs', () => {
  test('console and log are passed on, with their level', async () => {
    const lines: ScriptLog[] = []
    const code = `exports.f = () => {
      console.log('a', 1, { b: [2] }, undefined, null, new Error('e'), 5n, () => 1)
      console.warn('w'); console.error('x'); console.debug('d'); console.info()
      log.Info('yao'); log.Error('bad'); log.Trace('t')
    }`
    await run(code, { log: (line) => void lines.push(line) })
    expect(lines.map(({ level, text }) => `${level} ${text}`)).toEqual([
      'info a 1 {"b":[2]} undefined null Error: e 5n [Function anonymous]',
      'warn w',
      'error x',
      'debug d',
      'info ',
      'info yao',
      'error bad',
      'debug t',
    ])
  })

  test('a flood of them is cut', async () => {
    const lines: ScriptLog[] = []
    const outcome = await run('exports.f = () => { for (let i = 0; i < 3000; i++) console.log("x".repeat(1000)) }', {
      log: (line) => void lines.push(line),
    })
    expect(outcome.kind).toBe('returned')
    expect(lines.map(({ text }) => text.length).reduce((a, b) => a + b)).toBeLessThan(600_000)
    expect(lines.at(-1)).toEqual({ level: 'warn', text: '(what it logs from here on is left out)' })
  })
})
