import { describe, expect, test } from 'vitest'
import { LIMITS, sandboxScene } from './scene.ts'

const run = sandboxScene()

describe('limits', () => {
  const short = { limits: { ...LIMITS, timeMs: 150 } }
  test.each<[string, string, 'time' | 'memory' | 'stack']>([
    ['an endless loop', 'exports.f = () => { for (;;); }', 'time'],
    ['one that catches', 'exports.f = () => { for (;;) try { for (;;); } catch {} }', 'time'],
    ['one in finally', 'exports.f = () => { try { for (;;); } finally { return 1 } }', 'time'],
    ['endless microtasks', 'exports.f = async () => { for (;;) await null }', 'time'],
    [
      'promises that breed',
      'exports.f = () => new Promise(() => { const g = () => Promise.resolve().then(g); g() })',
      'time',
    ],
    ['a loop at the top level', 'for (;;);', 'time'],
    ['a pattern that backtracks', 'exports.f = () => /(a+)+b/.test("a".repeat(40))', 'time'],
    ['a loop in a getter of the error', 'exports.f = () => { throw { get message() { for (;;); } } }', 'time'],
    ['a loop in toJSON', 'exports.f = () => ({ toJSON() { for (;;); } })', 'time'],
    ['allocation', 'exports.f = () => { const a = []; for (;;) a.push(new Array(1000).fill(0)) }', 'memory'],
    ['one giant text', 'exports.f = () => "x".repeat(1e9)', 'memory'],
    ['one giant buffer', 'exports.f = () => new ArrayBuffer(1e10 / 5)', 'memory'],
    ['recursion', 'exports.f = () => exports.f() + 1', 'stack'],
    ['recursion of two', 'const g = () => exports.f() + 1; exports.f = () => g() + 1', 'stack'],
    ['many small things', 'exports.f = () => { const a = []; for (;;) a.push({}) }', 'memory'],
    ['a text that doubles', 'exports.f = () => { let s = "x"; for (;;) s += s }', 'memory'],
    ['a buffer after the other', 'exports.f = () => { const a = []; for (;;) a.push(new Uint8Array(1e5)) }', 'memory'],
  ])('%s ends by %s', async (_, code, by) => {
    expect(await run(code, by === 'time' ? short : {})).toEqual({ kind: 'stopped', by })
  })

  test('the time an outside call takes does not count', async () => {
    const outcome = await run('exports.f = () => outside("slow")', {
      ...short,
      call: () => new Promise((resolve) => setTimeout(() => resolve('done'), 400)),
    })
    expect(outcome).toEqual({ kind: 'returned', value: 'done' })
  })

  test('a loop of outside calls ends all the same', async () => {
    const outcome = await run('exports.f = () => { for (;;) outside("quick") }', { ...short, call: async () => 1 })
    expect(outcome).toEqual({ kind: 'stopped', by: 'time' })
  })

  test.each<[string, string, string]>([
    [
      'a giant result',
      'exports.f = () => "x".repeat(17 * 1024 * 1024)',
      'characters was returned, the limit is 16777216',
    ],
    [
      'a deep result',
      'exports.f = () => { let a = []; for (let i = 0; i < 700; i++) a = [a]; return a }',
      'a value nested deeper than 500 levels was returned',
    ],
    [
      'a giant argument',
      'exports.f = () => outside("x", "x".repeat(17 * 1024 * 1024))',
      'characters is too large, the limit is 16777216',
    ],
    [
      'a deep argument',
      'exports.f = () => { let a = []; for (let i = 0; i < 700; i++) a = [a]; outside("x", a) }',
      "a call's arguments are nested deeper than 500 levels",
    ],
  ])('%s is an error', async (_, code, message) => {
    const outcome = await run(code, { limits: { ...LIMITS, memoryBytes: 128 * 1024 * 1024 } })
    expect(outcome).toMatchObject({ kind: 'threw', error: { message: expect.stringContaining(message) } })
  })

  test('a job is as good as new after one that was stopped', async () => {
    await run('globalThis.left = 1; exports.f = () => { for (;;); }', short)
    expect(await run('exports.f = () => typeof left')).toEqual({ kind: 'returned', value: 'undefined' })
  })

  test('an abort ends a loop at once', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 50)
    const outcome = await run('exports.f = () => { for (;;); }', { signal: controller.signal })
    expect(outcome).toEqual({ kind: 'stopped', by: 'signal' })
    expect(await run('exports.f = () => 1', { signal: controller.signal })).toEqual({ kind: 'stopped', by: 'signal' })
  })

  test.each([
    ['gives a value', async () => 1],
    ['fails', () => Promise.reject(new Error('bug'))],
  ])('an abort while a call waits that then %s leaves no timer behind', async (_, answer) => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const controller = new AbortController()
    let settle = () => {}
    const waited = new Promise<void>((resolve) => {
      settle = resolve
    })
    const outcome = await run('exports.f = () => outside("slow")', {
      signal: controller.signal,
      limits: { ...LIMITS, timeMs: 24 * 3_600_000 },
      call: async () => {
        controller.abort()
        await waited
        return await answer()
      },
    })
    expect(outcome).toEqual({ kind: 'stopped', by: 'signal' })
    const before = timers()
    settle()
    await new Promise((resolve) => setImmediate(resolve))
    expect(timers()).toBeLessThanOrEqual(before)
  })
})
