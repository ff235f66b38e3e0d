import { describe, expect, test } from 'vitest'
import type { SandboxOutcome } from '../../src/sandbox/sandbox.ts'
import { sandboxScene } from './scene.ts'

const run = sandboxScene()

describe('outside calls', () => {
  test('are answered by asynchronous code while the script waits', async () => {
    const outcome = await run('exports.f = () => [Sum(1, 2), Sum(3), typeof Nothing()]', {
      preludes: [
        'const sum = (...n) => __call("sum", n)',
        'globalThis.Sum = sum; globalThis.Nothing = () => __call("nothing")',
      ],
      call: async (name, [numbers]) => {
        await new Promise((resolve) => setImmediate(resolve))
        return name === 'nothing' ? undefined : (numbers as number[]).reduce((a, b) => a + b, 0)
      },
    })
    expect(outcome).toEqual({ kind: 'returned', value: [3, 3, 'undefined'] })
  })

  test('a ScriptCallError is thrown inside, at the line of the script', async () => {
    const outcome = await run('exports.f = () => {\n  try { outside("x") } catch (e) { return e.message }\n}')
    expect(outcome).toEqual({ kind: 'returned', value: 'no call x' })
    expect(await run('exports.f = function f() {\n  outside("x")\n}')).toMatchObject({
      kind: 'threw',
      error: { name: 'Error', message: 'no call x', stack: 'at f (main.ts:2)' },
    })
  })

  test.each([
    ['try and catch', 'try { outside("x") } catch { caught() } finally { caught() }'],
    ['a loop around', 'for (;;) { try { outside("x") } catch { caught() } }'],
  ])('any other error ends the script, whatever it catches: %s', async (_, body) => {
    const bug = new Error('bug')
    const caught: string[] = []
    const call = async (name: string) => {
      if (name === 'caught') caught.push(name)
      throw bug
    }
    const preludes = ['globalThis.outside = __call; globalThis.caught = () => __call("caught")']
    for (const kind of ['() =>', 'async () =>']) {
      const outcome = await run(`exports.f = ${kind} { ${body} }`, { call, preludes })
      expect(outcome).toEqual({ kind: 'ended', error: bug })
    }
    const chained = await run('exports.f = () => Promise.resolve().then(() => outside("x")).catch(() => caught())', {
      call,
      preludes,
    })
    expect(chained).toEqual({ kind: 'ended', error: bug })
    expect(caught).toEqual([])
  })

  test('a call that settles after the script was stopped leaves no timer behind: the process can end', async () => {
    const controller = new AbortController()
    let settle: () => void = () => undefined
    const call = () => {
      controller.abort()
      return new Promise<undefined>((resolve) => {
        settle = () => resolve(undefined)
      })
    }
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const outcome = await run('exports.f = () => outside("x")', { call, signal: controller.signal })
    expect(outcome).toEqual({ kind: 'stopped', by: 'signal' })
    const before = timers()
    settle()
    await new Promise((resolve) => setImmediate(resolve))
    expect(timers()).toBe(before)
  })

  test('a call may run another script, over and over', async () => {
    const nested = (depth: number): Promise<SandboxOutcome> =>
      run('exports.f = (n) => n === 0 ? [] : [n, ...outside("down", n - 1)]', {
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
