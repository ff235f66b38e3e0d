import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { TargetError } from '../../src/core/errors.ts'
import type { Answer, AskAgent } from '../../src/core/means.ts'
import { fakeHost } from '../support/fake-host.ts'
import { play, point, type Scene, talker } from './conversation-scene.ts'
import { failWith, rateLimited, say, scriptedTarget } from './fake-targets.ts'

describe('when something breaks in the midst of it', () => {
  const checkpoints = [point('hm', 'hm'), point('ok', 'ok')]

  test('an error of the agent is an errored run, with everything until then', async () => {
    const broken = new TargetError('500', { code: 'PROVIDER_ERROR' })
    const target = scriptedTarget(({ turn }) => (turn?.number === 2 ? failWith(broken) : say('hm')))
    const { result } = await play({ target, checkpoints })
    expect(result).toMatchObject({ status: 'errored', code: 'PROVIDER_ERROR', message: '500' })
    expect(result.conversation).toMatchObject({
      ending: 'broken_off',
      turns: [
        { turn: 1, output: 'hm', reached: ['hm'] },
        { turn: 2, input: 'go on', output: null, error: '500' },
      ],
      checkpoints: [
        { id: 'hm', reachedInTurn: 1 },
        { id: 'ok', message: 'in turn 1 expected output to contain "ok", got "hm"' },
      ],
    })
  })

  test('a check that the agent itself failed ends it, as a failure', async () => {
    const target = scriptedTarget(async function* ({ turn }) {
      yield { type: 'assistant_message', text: 'hm' }
      if (turn?.number === 2) yield { type: 'check', name: 'hook', passed: false, message: 'Next threw' }
      if (turn?.number === 2) yield { type: 'assistant_message', text: 'ok' }
    })
    const { result } = await play({ target, checkpoints })
    expect(result).toMatchObject({
      status: 'failed',
      checks: [
        { name: 'hook', message: 'Next threw' },
        { name: 'checkpoint', passed: true },
        { name: 'checkpoint', passed: false },
      ],
      conversation: { ending: 'agent_failed', turns: [{}, { reached: [] }] },
    })
  })

  test('only the turn that failed is tried again', async () => {
    const host = fakeHost({ sleep: () => Promise.resolve() })
    const turns: (number | undefined)[] = []
    const target = scriptedTarget(({ turn }, call) => {
      turns.push(turn?.number)
      return call === 2 ? failWith(rateLimited(1)) : say(turn?.number === 2 ? 'ok' : 'hm')
    })
    const { result } = await play({ target, checkpoints, host })
    expect(result).toMatchObject({ status: 'passed', attempts: 2 })
    expect(turns).toEqual([1, 2, 2])
  })

  test('a judge that cannot be run is not the fault of the agent', async () => {
    const ask: AskAgent = ({ agent }) => {
      return agent === 'sim'
        ? Promise.resolve({ output: 'go on' })
        : Promise.reject(new TargetError('no such key', { code: 'AUTHENTICATION' }))
    }
    const judged = point('fine', '', { assertions: [{ type: 'agent', use: 'agents:judge', value: 'be kind' }] })
    const { result } = await play({ target: talker('hm'), checkpoints: [judged], ask })
    expect(result).toMatchObject({ status: 'errored', code: 'AUTHENTICATION', output: 'hm' })
    expect(result.conversation?.turns[0]?.error).toContain('no such key')
  })

  const never = new Promise<Answer>(() => undefined)
  test.each<[string, Scene]>([
    [
      'the agent',
      {
        checkpoints,
        target: scriptedTarget(async function* ({ turn, signal }) {
          yield { type: 'assistant_message', text: 'hm' }
          if (turn?.number === 2)
            await new Promise((resolve) => {
              signal.addEventListener('abort', resolve)
            })
        }),
      },
    ],
    ['the simulator', { checkpoints, target: talker('hm'), ask: () => never }],
    [
      'a judge',
      {
        target: talker('hm'),
        checkpoints: [point('fine', '', { assertions: [{ type: 'agent', use: 'agents:judge', value: 'be kind' }] })],
        ask: () => never,
      },
    ],
  ])('the time limit is of the whole: it ends %s', async (_, scene) => {
    const { result } = await play({ ...scene, settings: { timeoutMs: 80 } })
    expect(result).toMatchObject({
      status: 'errored',
      code: 'TIMEOUT',
      output: 'hm',
      conversation: { ending: 'broken_off' },
    })
    expect(result.durationMs).toBeLessThan(2_000)
  })

  test('many quick turns come to the time limit as well', async () => {
    const slow = scriptedTarget(async function* () {
      await delay(30)
      yield { type: 'assistant_message', text: 'hm' }
    })
    const { result } = await play({
      target: slow,
      checkpoints: [point('ok', 'ok')],
      plan: { maxTurns: 100 },
      settings: { timeoutMs: 150 },
    })
    expect(result).toMatchObject({ status: 'errored', code: 'TIMEOUT' })
  })

  test('an interruption gives no result', async () => {
    const controller = new AbortController()
    const host = fakeHost({ signal: controller.signal })
    const ask: AskAgent = () => {
      controller.abort()
      return never
    }
    await expect(play({ target: talker('hm'), checkpoints, ask, host })).rejects.toThrow('no run has ended')
  })
})
