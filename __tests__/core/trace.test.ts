import { describe, expect, test } from 'vitest'
import {
  type EmittedEvent,
  eventsOf,
  fromSeed,
  outputOf,
  type SeedEvent,
  type Trace,
  type TraceEvent,
  toSeed,
  usageOf,
} from '../../src/core/trace.ts'

const events: readonly TraceEvent[] = [
  { timestamp: 1, type: 'user_message', text: 'hello', agent: 'support', model: 'gpt-x' },
  { timestamp: 2, type: 'approval_request', id: 'a1', tool: 'bash', parameters: { command: 'ls' } },
  { timestamp: 3, type: 'approval_response', id: 'a1', approved: true },
  { timestamp: 4, type: 'tool_call', tool: 'bash', parameters: { command: 'ls' }, result: 'a\nb' },
  { timestamp: 5, type: 'tool_call', tool: 'read', parameters: {} },
  { timestamp: 6, type: 'patch', files: ['a.ts'] },
  { timestamp: 7, type: 'usage', inputTokens: 10, outputTokens: 2 },
  { timestamp: 8, type: 'assistant_message', text: 'done' },
  { timestamp: 9, type: 'usage', inputTokens: 5, outputTokens: 1 },
  { timestamp: 10, type: 'output', value: { ok: true } },
]
const trace: Trace = { events }

function accepted(value: unknown): EmittedEvent {
  const parsed = fromSeed(value)
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.event
}

describe('the documented shape', () => {
  test('what is written is read back unchanged, by way of JSON', () => {
    const written: unknown[] = JSON.parse(JSON.stringify(toSeed(trace)))
    expect(written.map(accepted)).toEqual(events)
  })

  test('an answer points at its request by time', () => {
    const answers = toSeed(trace).filter((event) => event.type === 'approval_response')
    expect(answers).toEqual([
      { timestamp: 3, type: 'approval_response', data: { id: 'a1', approved: true, requestTimestamp: 2 } },
    ])
  })

  test('an answer to no known request points nowhere', () => {
    const [answer] = toSeed({ events: [{ timestamp: 3, type: 'approval_response', id: 'zz', approved: false }] })
    expect(answer?.data).toEqual({ id: 'zz', approved: false, requestTimestamp: null })
  })

  test('agent and model stand beside the data', () => {
    const expected: SeedEvent = {
      timestamp: 1,
      type: 'user_message',
      agent: 'support',
      model: 'gpt-x',
      data: { text: 'hello' },
    }
    expect(toSeed(trace)[0]).toEqual(expected)
  })
})

describe('events as a program writes them', () => {
  test.each<[string, unknown, EmittedEvent]>([
    ['without a time', { type: 'assistant_message', data: { text: 'hi' } }, { type: 'assistant_message', text: 'hi' }],
    [
      'a tool without parameters',
      { type: 'tool_call', data: { tool: 'ls' } },
      { type: 'tool_call', tool: 'ls', parameters: {} },
    ],
    [
      'a tool that gave null',
      { type: 'tool_call', data: { tool: 'ls', parameters: ['-l'], result: null } },
      { type: 'tool_call', tool: 'ls', parameters: ['-l'], result: null },
    ],
    ['an output of null', { type: 'output', data: { value: null } }, { type: 'output', value: null }],
    [
      'usage of one side only',
      { type: 'usage', data: { inputTokens: 3 } },
      { type: 'usage', inputTokens: 3, outputTokens: 0 },
    ],
    [
      'a request known by its time',
      { timestamp: 170, type: 'approval_request', data: { tool: 'bash' } },
      { timestamp: 170, type: 'approval_request', id: '170', tool: 'bash', parameters: {} },
    ],
    [
      'the answer to it',
      { timestamp: 180, type: 'approval_response', data: { approved: true, requestTimestamp: 170 } },
      { timestamp: 180, type: 'approval_response', id: '170', approved: true },
    ],
    [
      'fields that nobody knows are left out',
      { type: 'assistant_message', data: { text: 'hi', mood: 'good' }, extra: 1 },
      { type: 'assistant_message', text: 'hi' },
    ],
  ])('%s', (_, value, event) => {
    expect(accepted(value)).toEqual(event)
  })

  test.each<[string, unknown, string]>([
    ['a text', 'hello', 'expected {"type", "data"}'],
    ['null', null, 'expected {"type", "data"}'],
    ['a list', [], 'expected {"type", "data"}'],
    ['no type', { data: {} }, 'expected {"type", "data"} (type: Invalid input: expected string, received undefined)'],
    [
      'a time that is no number',
      { type: 'output', timestamp: '1', data: { value: 1 } },
      'expected {"type", "data"} (timestamp: Invalid input: expected number, received string)',
    ],
    [
      'data that is a text',
      { type: 'output', data: 'x' },
      'expected {"type", "data"} (data: Invalid input: expected object, received string)',
    ],
    ['an unknown type', { type: 'thought', data: {} }, 'unknown event type "thought"'],
    [
      'a type named like a property of every object',
      { type: 'constructor', data: {} },
      'unknown event type "constructor"',
    ],
    ['no data', { type: 'assistant_message' }, 'data.text: Invalid input: expected string, received undefined'],
    ['an output without a value', { type: 'output', data: {} }, 'data.value: expected a JSON value'],
    [
      'files that are no list',
      { type: 'patch', data: { files: 'a' } },
      'data.files: Invalid input: expected array, received string',
    ],
    [
      'a file that is no text',
      { type: 'patch', data: { files: [1] } },
      'data.files.0: Invalid input: expected string, received number',
    ],
    [
      'a negative count',
      { type: 'usage', data: { inputTokens: -1 } },
      'data.inputTokens: Too small: expected number to be >=0',
    ],
    [
      'an approval that is no boolean',
      { type: 'approval_response', data: { approved: 'yes' } },
      'data.approved: Invalid input: expected boolean, received string',
    ],
  ])('%s is refused with the reason', (_, value, problem) => {
    expect(fromSeed(value)).toEqual({ ok: false, problem })
  })

  test('data cannot pass itself off as another event', () => {
    const value = {
      type: 'user_message',
      timestamp: 5,
      data: { text: 'hi', type: 'approval_response', approved: true, timestamp: 'never', agent: 7 },
    }
    expect(accepted(value)).toEqual({ timestamp: 5, type: 'user_message', text: 'hi' })
  })

  test('a value nested beyond reason is refused', () => {
    const value: unknown = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)
    expect(fromSeed({ type: 'output', data: { value } })).toEqual({
      ok: false,
      problem: 'data.value: nested deeper than 500 levels',
    })
  })

  test('a very long type is cut in the reason', () => {
    const parsed = fromSeed({ type: 'x'.repeat(1_000_000), data: {} })
    expect(parsed.ok ? '' : parsed.problem).toHaveLength('unknown event type ""'.length + 80)
  })
})

describe('selectors', () => {
  test('eventsOf keeps order and type', () => {
    expect(eventsOf(trace, 'tool_call').map((event) => event.tool)).toEqual(['bash', 'read'])
  })

  test('usage is summed, and absent when nobody told', () => {
    expect(usageOf(trace)).toEqual({ inputTokens: 15, outputTokens: 3 })
    expect(usageOf({ events: [] })).toBeUndefined()
  })
})

describe('the output beyond the table', () => {
  const output = (...bodies: readonly EmittedEvent[]) =>
    outputOf({ events: bodies.map((body, index) => ({ timestamp: index, ...body })) })

  test.each<[string, EmittedEvent[], unknown]>([
    [
      'the last text',
      [
        { type: 'assistant_message', text: 'a' },
        { type: 'assistant_message', text: 'b' },
      ],
      'b',
    ],
    [
      'an empty last text says nothing',
      [
        { type: 'assistant_message', text: 'a' },
        { type: 'assistant_message', text: '' },
      ],
      'a',
    ],
    [
      'the last structured value',
      [
        { type: 'output', value: 1 },
        { type: 'output', value: 2 },
      ],
      2,
    ],
    [
      'an empty value does not undo an earlier one',
      [
        { type: 'output', value: [1] },
        { type: 'output', value: {} },
      ],
      [1],
    ],
    [
      'structured data before text, whatever came last',
      [
        { type: 'output', value: 0 },
        { type: 'assistant_message', text: 'a' },
      ],
      0,
    ],
    [
      'text before an empty list',
      [
        { type: 'assistant_message', text: 'a' },
        { type: 'output', value: [] },
      ],
      'a',
    ],
    ['an empty list when nothing else was said', [{ type: 'output', value: [] }], []],
    [
      'what a tool said before its bare name',
      [
        { type: 'tool_call', tool: 'a', parameters: {}, result: { message: '' } },
        { type: 'tool_call', tool: 'b', parameters: {}, result: { message: 'said' } },
      ],
      'said',
    ],
    [
      'the names of tools without results',
      [
        { type: 'tool_call', tool: 'a', parameters: {} },
        { type: 'tool_call', tool: 'b', parameters: {}, result: { success: false } },
      ],
      '[a] [b]',
    ],
    ['nothing', [], null],
  ])('%s', (_, bodies, expected) => {
    expect(output(...bodies)).toEqual(expected)
  })
})
