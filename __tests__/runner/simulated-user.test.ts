import { describe, expect, test } from 'vitest'
import { TargetError } from '../../src/core/errors.ts'
import type { Json } from '../../src/core/json.ts'
import { fakeHost } from '../support/fake-host.ts'
import { play, point, talker } from './conversation-scene.ts'
import { rateLimited } from './fake-targets.ts'

describe('what the simulator is told', () => {
  test('the situation, under the names it knows', async () => {
    const metadata = { persona: 'a hasty man', goal: 'to pay', mood: 'bad', level: 3 }
    const { questions } = await play({
      target: talker('hello', 'hm', 'paid'),
      checkpoints: [point('greeted', 'hello'), point('paid', 'paid')],
      user: [{ message: 'I want to pay' }, 'now!'],
      plan: { simulator: { agent: 'sim', metadata, connector: 'fast' }, maxTurns: 7 },
      item: { input: 'hi', messages: [{ role: 'user', content: 'hi' }] },
    })
    expect(questions).toHaveLength(2)
    expect(questions[0]).toMatchObject({
      agent: 'sim',
      connector: 'fast',
      metadata: { ...metadata, test_mode: 'simulator' },
    })
    expect(questions[0]?.signal).toBeInstanceOf(AbortSignal)
    expect(questions[0]?.content).toEqual({
      persona: 'a hasty man',
      goal: 'to pay',
      conversation: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'hello' },
      ],
      turn_number: 2,
      max_turns: 7,
      checkpoints_reached: ['greeted'],
      checkpoints_pending: ['paid'],
      extra: { mood: 'bad', level: 3 },
    })
    expect(questions[1]?.content).toMatchObject({
      turn_number: 3,
      conversation: [{}, {}, { role: 'user', content: 'I want to pay' }, { role: 'assistant', content: 'hm' }],
    })
  })

  test('no bytes of attachments', async () => {
    const url = 'data:image/png;base64,AAAA'
    const content = [
      { type: 'text', text: 'see' },
      { type: 'image_url', image_url: { url } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'file', file: { url, filename: 'a.pdf' } },
    ] as const
    const { questions } = await play({
      target: talker('hm', 'ok'),
      checkpoints: [point('ok', 'ok')],
      item: { messages: [{ role: 'user', content }] },
    })
    expect(questions[0]?.content).toMatchObject({
      conversation: [{ role: 'user', content: 'see\n[image]\n[audio]\n[file a.pdf]' }, {}],
      extra: {},
    })
  })
})

describe('what the simulator says', () => {
  test.each<[string, Json, string]>([
    ['JSON text', '{"message": "pay now", "goal_achieved": false}', 'pay now'],
    ['JSON in a fence', '```json\n{"message": "pay now"}\n```', 'pay now'],
    ['JSON in prose', 'My reply is {"message": "pay now", "reasoning": "r"}.', 'pay now'],
    ['structured data', { message: 'pay now', goal_achieved: null }, 'pay now'],
    ['plain text', '  pay now\n', 'pay now'],
    ['a number in words', '42', '42'],
    ['text that quotes JSON', 'Is {"total": 3} right?', 'Is {"total": 3} right?'],
    ['text that looks like YAML', 'Note: pay now', 'Note: pay now'],
    ['text with a fence of something else', 'Fix this:\n```json\n{"a": 1}\n```', 'Fix this:\n```json\n{"a": 1}\n```'],
  ])('%s is what the agent hears', async (_, reply, heard) => {
    const { result } = await play({ target: talker('hm', 'ok'), checkpoints: [point('ok', 'ok')], user: [reply] })
    expect(result).toMatchObject({ status: 'passed' })
    expect(result.conversation?.turns[1]?.input).toBe(heard)
  })

  test.each<[string, Json | TargetError, string, string]>([
    ['nothing', '', 'BAD_RESPONSE', 'simulator "sim": its reply is empty'],
    ['blanks', ' \n', 'BAD_RESPONSE', 'simulator "sim": its reply is empty'],
    ['null', null, 'BAD_RESPONSE', 'simulator "sim": expected a text or {"message"}, got null'],
    ['a list', [1], 'BAD_RESPONSE', 'simulator "sim": expected a text or {"message"}, got array'],
    ['an empty message', { message: '' }, 'BAD_RESPONSE', 'simulator "sim": its message is empty'],
    [
      'an empty message with its goal achieved',
      '{"message": " ", "goal_achieved": true}',
      'BAD_RESPONSE',
      'simulator "sim": its message is empty',
    ],
    ['no message', '{"text": "x"}', 'BAD_RESPONSE', 'simulator "sim": expected "message" as a text, got nothing'],
    [
      'no message in a fence',
      '```json\n{"text": "x"}\n```',
      'BAD_RESPONSE',
      'simulator "sim": expected "message" as a text, got nothing',
    ],
    [
      'a message that is no text',
      { message: 5 },
      'BAD_RESPONSE',
      'simulator "sim": expected "message" as a text, got number',
    ],
    [
      'a goal that is no boolean',
      { message: 'x', goal_achieved: 'yes' },
      'BAD_RESPONSE',
      'simulator "sim": expected "goal_achieved" as true or false, got string',
    ],
    [
      'a failure',
      new TargetError('no such key', { code: 'AUTHENTICATION' }),
      'AUTHENTICATION',
      'simulator "sim": no such key',
    ],
  ])('%s is never the fault of the agent', async (_, reply, code, message) => {
    const { result } = await play({ target: talker('hm'), checkpoints: [point('ok', 'ok')], user: [reply] })
    expect(result).toMatchObject({
      status: 'errored',
      code,
      message,
      output: 'hm',
      conversation: { ending: 'broken_off' },
    })
    expect(result.conversation?.turns).toHaveLength(1)
    expect(result.conversation?.turns[0]).not.toHaveProperty('error')
  })

  test('a failure that may pass is tried again', async () => {
    const host = fakeHost({ sleep: () => Promise.resolve() })
    const user = [rateLimited(1), rateLimited(1), 'pay now']
    const { result } = await play({ target: talker('hm', 'ok'), checkpoints: [point('ok', 'ok')], user, host })
    expect(result).toMatchObject({ status: 'passed', attempts: 3 })
  })

  test('a bug of ours is not counted as anything', async () => {
    const ask = () => Promise.reject(new RangeError('a bug of ours'))
    await expect(play({ target: talker('hm'), checkpoints: [point('ok', 'ok')], ask })).rejects.toThrow('a bug of ours')
  })
})
