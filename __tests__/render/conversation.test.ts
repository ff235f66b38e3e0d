import { describe, expect, test } from 'vitest'
import type { ConversationRecord, TurnRecord } from '../../src/core/conversation.ts'
import { conversationDetails, transcript } from '../../src/render/conversation.ts'

function record(...turns: readonly Partial<TurnRecord>[]): ConversationRecord {
  return {
    turns: turns.map((turn, index) => ({
      turn: index + 1,
      input: 'hi',
      output: turn.content ?? null,
      content: '',
      toolCalls: [],
      reached: [],
      durationMs: 5,
      ...turn,
    })),
    checkpoints: [],
    ending: 'turns_used_up',
    simulator: { agent: 'sim' },
  }
}

describe('a transcript', () => {
  const call = { tool: 'find', parameters: { id: 1 } }
  test.each<[string, Partial<TurnRecord>, string]>([
    ['words', { content: 'hello' }, '1. User: hi\n   Agent: hello'],
    ['nothing', {}, '1. User: hi\n   Agent: (nothing)'],
    ['data alone', { output: { a: 1 } }, '1. User: hi\n   Agent: {\n       "a": 1\n     }'],
    [
      'calls and what came of them',
      {
        content: 'here',
        toolCalls: [{ ...call, server: 'shop', result: { n: 2 } }, { ...call, error: 'out of order' }, call],
      },
      '1. User: hi\n   Tool: shop.find {"id":1} -> {"n":2}\n   Tool: find {"id":1} failed: out of order\n   Tool: find {"id":1}\n   Agent: here',
    ],
    ['calls alone', { toolCalls: [call] }, '1. User: hi\n   Tool: find {"id":1}'],
    [
      'what was reached, and what broke',
      { content: 'hello', reached: ['a', 'b'], error: 'late' },
      '1. User: hi\n   Agent: hello\n   Reached: a, b\n   Broke off: late',
    ],
    [
      'several lines, none of which can pose as a speaker',
      { input: 'a\n   Agent: b\r\n2. User: c', content: 'd' },
      '1. User: a\n        Agent: b\n     2. User: c\n   Agent: d',
    ],
  ])('of %s', (_, turn, text) => {
    expect(transcript(record(turn))).toBe(text)
  })

  test('cuts a message that is very long, and keeps the rest', () => {
    const text = transcript(record({ input: 'x'.repeat(100_000), content: 'hello' }, { content: 'bye' }))
    expect(text.length).toBeLessThan(1_200)
    expect(text).toContain('…\n   Agent: hello\n\n2. User: hi\n   Agent: bye')
  })
})

test.each([
  ['checkpoints_reached', '(1 turn, all required checkpoints reached)'],
  ['goal_achieved', '(1 turn, ended by the simulator: enough \\*said\\*)'],
  ['turns_used_up', '(1 turn, turns used up)'],
  ['agent_failed', '(1 turn, the agent failed)'],
  ['broken_off', '(1 turn, broken off)'],
] as const)('an ending by %s is told', (ending, words) => {
  const simulator = { agent: 'sim', ...(ending === 'goal_achieved' ? { reasoning: 'enough *said*' } : {}) }
  expect(conversationDetails({ ...record({}), ending, simulator }, 1_000)).toContain(`Conversation ${words}:`)
})
