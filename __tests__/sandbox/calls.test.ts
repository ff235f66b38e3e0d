import { describe, expect, test } from 'vitest'
import type { SandboxOutcome } from '../../src/sandbox/sandbox.ts'
import { sandboxScene } from './scene.ts'

const run = sandboxScene()

describe('outside calls', () => {
  test('are answered by asynchronous code while the script waits', async () => {
    const outcome = await run('exports.f = () => [Sum(1, 2), Sum(3), typeof Nothing()]', {
      preludes: ['globalThis.Sum = (...n) => __call("sum", n)', 'function Nothing() { return __call("nothing") }'],
      call: async (name, [numbers]) => {
        await new Promise((resolve) => setImmediate(resolve))
        return name === 'nothing' ? undefined : (numbers as number[]).reduce((a, b) => a + b, 0)
      },
    })
    expect(outcome).toEqual({ kind: 'returned', value: [3, 3, 'undefined'] })
  })

  test('a ScriptCallError is thrown inside, at the line of the script', async () => {
    const outcome = await run('exports.f = () => {\n  try { __call("x") } catch (e) { return e.message }\n}')
    expect(outcome).toEqual({ kind: 'returned', value: 'no call x' })
    expect(await run('exports.f = function f() {\n  __call("x")\n}')).toMatchObject({
      kind: 'threw',
      error: { name: 'Error', message: 'no call x', stack: 'at f (main.ts:2)' },
    })
  })

  test.each([
    ['try and catch', 'try { __call("x") } catch { caught() } finally { caught() }'],
    ['a loop around', 'for (;;) { try { __call("x") } catch { caught() } }'],
  ])('any other error ends the script, whatever it catches: %s', async (_, body) => {
    const bug = new Error('bug')
    const caught: string[] = []
    const call = async (name: string) => {
      if (name === 'caught') caught.push(name)
      throw bug
    }
    const preludes = ['globalThis.caught = () => __call("caught")']
    for (const kind of ['() =>', 'async () =>']) {
      const outcome = await run(`exports.f = ${kind} { ${body} }`, { call, preludes })
      expect(outcome).toEqual({ kind: 'ended', error: bug })
    }
    const chained = await run('exports.f = () => Promise.resolve().then(() => __call("x")).catch(() => caught())', {
      call,
      preludes,
    })
    expect(chained).toEqual({ kind: 'ended', error: bug })
    expect(caught).toEqual([])
  })

  test('a call may run another script, over and over', async () => {
    const nested = (depth: number): Promise<SandboxOutcome> =>
      run('exports.f = (n) => n === 0 ? [] : [n, ...__call("down", n - 1)]', {
        args: [depth],
        call: async (_, [n]) => {
          const outcome = await nested(n as number)
          return outcome.kind === 'returned' ? outcome.value : null
        },
      })
    expect(await nested(6)).toEqual({ kind: 'returned', value: [6, 5, 4, 3, 2, 1] })
  })

  test('invoke gets function and arguments, and what it gives is awaited', async () => {
    const outcome = await run('exports.f = (x) => x.plus(1)', {
      args: [41],
      invoke: 'async (fn, [n]) => ({ got: await fn({ plus: (m) => n + m }) })',
    })
    expect(outcome).toEqual({ kind: 'returned', value: { got: 42 } })
  })
})
