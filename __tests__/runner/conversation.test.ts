import { describe, expect, test } from 'vitest'
import type { AskAgent } from '../../src/core/means.ts'
import { fakeHost } from '../support/fake-host.ts'
import { play, point, type Scene, talker } from './conversation-scene.ts'
import { scriptedTarget } from './fake-targets.ts'

describe('how a conversation ends', () => {
  const greeted = point('greeted', 'hello')
  const paid = point('paid', 'paid', { after: ['greeted'] })
  const extra = point('extra', 'bonus', { required: false })
  const done = { message: 'thanks', goal_achieved: true, reasoning: 'I have my order' }

  test.each<[string, Omit<Scene, 'item'>, string, { ending: string; turns: number; messages?: string[] }]>([
    [
      'all reached by the first reply',
      { target: talker('hello, paid'), checkpoints: [greeted, paid] },
      'passed',
      { ending: 'checkpoints_reached', turns: 1 },
    ],
    [
      'reached one after the other',
      { target: talker('hello', 'hm', 'paid'), checkpoints: [greeted, paid] },
      'passed',
      { ending: 'checkpoints_reached', turns: 3 },
    ],
    [
      'an optional one is not waited for',
      { target: talker('hello'), checkpoints: [extra, greeted] },
      'passed',
      { ending: 'checkpoints_reached', turns: 1 },
    ],
    [
      'turns used up',
      { target: talker('hello', 'no'), checkpoints: [greeted, paid, extra], plan: { maxTurns: 3 } },
      'failed',
      {
        ending: 'turns_used_up',
        turns: 3,
        messages: [
          'checkpoint "paid" was not reached in 3 turns: in turn 3 expected output to contain "paid", got "no"',
        ],
      },
    ],
    [
      'one turn only, and the other checkpoints wait for what is missing',
      { target: talker('no'), checkpoints: [greeted, paid], plan: { maxTurns: 1 } },
      'failed',
      {
        ending: 'turns_used_up',
        turns: 1,
        messages: [
          'checkpoint "greeted" was not reached in 1 turn: in turn 1 expected output to contain "hello", got "no"',
          'checkpoint "paid" was not reached in 1 turn: it comes after "greeted", not reached either',
        ],
      },
    ],
    [
      'the user has what it wanted, but a required checkpoint is missing',
      { target: talker('hello'), checkpoints: [greeted, paid], user: ['go on', done] },
      'failed',
      {
        ending: 'goal_achieved',
        turns: 2,
        messages: [
          'checkpoint "paid" was not reached when the simulator held its goal for achieved, after 2 turns: in turn 2 expected output to contain "paid", got "hello"',
        ],
      },
    ],
    [
      'none is required, and the user has what it wanted',
      { target: talker('hello'), checkpoints: [extra], user: [done] },
      'passed',
      { ending: 'goal_achieved', turns: 1 },
    ],
    [
      'none is required, and the turns are used up',
      { target: talker('hello'), checkpoints: [extra], plan: { maxTurns: 2 } },
      'passed',
      { ending: 'turns_used_up', turns: 2 },
    ],
    [
      'none is required, and all are reached',
      { target: talker('hm', 'a bonus'), checkpoints: [extra] },
      'passed',
      { ending: 'checkpoints_reached', turns: 2 },
    ],
  ])('%s', async (_, scene, status, { ending, turns, messages = [] }) => {
    const { result } = await play(scene)
    expect(result.status).toBe(status)
    expect(result.conversation).toMatchObject({ ending })
    expect(result.conversation?.turns).toHaveLength(turns)
    const failed = result.status !== 'failed' ? [] : result.checks.filter(({ passed }) => !passed)
    expect(failed.map(({ name, message }) => [name, message])).toEqual(messages.map((text) => ['checkpoint', text]))
  })

  test('the reasoning of the simulator is kept', async () => {
    const { result } = await play({ target: talker('hello'), checkpoints: [paid], user: [done] })
    expect(result.conversation?.simulator).toEqual({ agent: 'sim', reasoning: 'I have my order' })
  })
})

describe('what is told of it', () => {
  test('the trace has every turn in order, and the usage of the agent alone', async () => {
    const ask: AskAgent = () => Promise.resolve({ output: 'pay now', usage: { inputTokens: 100, outputTokens: 10 } })
    const target = scriptedTarget(async function* ({ turn }) {
      yield { type: 'tool_call', tool: 'look', parameters: {}, result: 1 }
      yield { type: 'assistant_message', text: turn?.number === 3 ? 'ok' : 'hm' }
      yield { type: 'usage', inputTokens: 7, outputTokens: 3 }
    })
    const { result } = await play({ target, checkpoints: [point('ok', 'ok')], ask })
    const told = result.trace.events.map((event) =>
      event.type === 'user_message' ? `${event.turn} ${event.text}` : event.type,
    )
    const reply = ['tool_call', 'assistant_message', 'usage']
    expect(told).toEqual(['1 Say hello', ...reply, '2 pay now', ...reply, '3 pay now', ...reply])
    expect(result.usage).toEqual({ inputTokens: 21, outputTokens: 9 })
    expect(result.conversation?.simulator).toEqual({ agent: 'sim', usage: { inputTokens: 200, outputTokens: 20 } })
  })

  test('secrets are replaced everywhere', async () => {
    const host = fakeHost()
    host.secrets.add('very-secret-value')
    const { result } = await play({
      target: talker('it is very-secret-value'),
      checkpoints: [point('ok', 'ok')],
      user: ['is it very-secret-value?'],
      plan: { maxTurns: 2 },
      host,
    })
    expect(result.conversation?.turns[1]?.input).toBe('is it ***?')
    expect(JSON.stringify(result)).not.toContain('very-secret-value')
  })

  test("the case's own assertions are judged at the end, on the last reply", async () => {
    const target = talker('hm', 'ok')
    const assertions = [
      { type: 'equals', value: 'ok' },
      { type: 'contains', value: 'nice' },
    ]
    const { result } = await play({ target, checkpoints: [point('ok', 'ok')], item: { assertions } })
    expect(result).toMatchObject({
      status: 'failed',
      output: 'ok',
      checks: [
        { name: 'checkpoint', passed: true },
        { name: 'equals', passed: true },
        { name: 'contains', passed: false },
      ],
    })
  })
})
