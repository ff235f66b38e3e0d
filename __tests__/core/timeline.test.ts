import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readTimeline } from '../../src/core/timeline.ts'
import { toSeed } from '../../src/core/trace.ts'

function eventsOf(...rows: readonly unknown[]) {
  return readTimeline(rows).trace.events
}

function call(data: unknown, row: object = {}) {
  return eventsOf({ timestamp: 1, type: 'tool_call', data, ...row })[0]
}

describe('tool calls', () => {
  const parameters = { filePath: 'a.txt' }
  test.each<[string, unknown, object]>([
    ['the seed', { tool: 'read', parameters, result: 'x' }, { tool: 'read', parameters, result: 'x' }],
    [
      'with input and output',
      { tool: 'read', input: parameters, output: 'x' },
      { tool: 'read', parameters, result: 'x' },
    ],
    ['flat', { tool: 'read', filePath: 'a.txt' }, { tool: 'read', parameters }],
    ['completed', { tool: 'read', input: parameters, status: 'completed' }, { tool: 'read', parameters }],
    ['with an error', { tool: 'read', input: {}, error: 'gone' }, { status: 'failed', error: 'gone' }],
    ['with an error flag', { tool: 'bash', input: {}, error: true }, { status: 'failed', error: 'the call failed' }],
    [
      'with an error that is an object',
      { tool: 'bash', error: { message: 'gone' } },
      { error: 'gone', parameters: {} },
    ],
    [
      'a part of the SDK',
      {
        type: 'tool',
        tool: 'bash',
        callID: 'c1',
        state: {
          status: 'completed',
          input: { command: 'ls' },
          output: 'a',
          metadata: { exit: 3 },
          time: { start: 5, end: 9 },
        },
      },
      {
        tool: 'bash',
        parameters: { command: 'ls' },
        result: 'a',
        exitCode: 3,
        callId: 'c1',
        durationMs: 4,
        timestamp: 1,
      },
    ],
    [
      'a part that failed',
      { tool: 'bash', state: { status: 'error', input: {}, error: 'timed out' } },
      { status: 'failed', error: 'timed out' },
    ],
    ['a part that runs', { tool: 'bash', state: { status: 'running', input: {} } }, { status: 'running' }],
    [
      'a part that the user refused',
      {
        tool: 'bash',
        state: { status: 'error', input: {}, error: 'The user rejected permission to use this specific tool call.' },
      },
      { status: 'denied' },
    ],
    ['a tool in the state', { state: { tool: 'read' } }, { tool: 'read' }],
    ['nothing', null, { tool: 'unknown', parameters: {} }],
    ['an empty object', {}, { tool: 'unknown' }],
    ['no name', { tool: null }, { tool: 'unknown' }],
  ])('%s', (_, data, expected) => {
    expect(call(data)).toMatchObject({ type: 'tool_call', ...expected })
  })

  test('what ended well has no status', () => {
    expect(call({ tool: 'read', state: { status: 'completed' } })).not.toHaveProperty('status')
  })
})

describe('who speaks', () => {
  test('a text is the agent’s, unless it is a part of what the user said', () => {
    const events = eventsOf(
      { timestamp: 1, type: 'user_message', messageId: 'm1', data: { text: 'Do it?' } },
      { timestamp: 1, type: 'text', messageId: 'm1', data: { text: 'Do it?' } },
      { timestamp: 2, type: 'text', messageId: 'm2', data: { text: 'Done.' } },
    )
    expect(events.map(({ type }) => type)).toEqual(['user_message', 'assistant_message'])
  })

  test('a message whose text comes in parts is not said twice', () => {
    const events = eventsOf(
      { timestamp: 1, type: 'assistant_message', messageId: 'm2', data: { text: 'First.\nThen.' } },
      { timestamp: 1, type: 'text', messageId: 'm2', data: { text: 'First.' } },
      { timestamp: 3, type: 'text', messageId: 'm2', data: { text: 'Then.' } },
    )
    expect(events.map((event) => ('text' in event ? event.text : ''))).toEqual(['First.', 'Then.'])
  })

  test('what a program put in and what the model thought is not said', () => {
    const rows = [
      { timestamp: 1, type: 'text', data: { text: 'injected', synthetic: true } },
      { timestamp: 1, type: 'text', data: { text: 'hidden', ignored: true } },
      { timestamp: 1, type: 'reasoning', data: { text: 'hmm' } },
    ]
    expect(readTimeline(rows)).toEqual({ trace: { events: [] }, skipped: [] })
  })

  test('agent and model come from the message, with the provider', () => {
    const message = { mode: 'build', providerID: 'p', modelID: 'm/x' }
    expect(eventsOf({ timestamp: 1, type: 'assistant_message', data: { text: 'a', message } })[0]).toMatchObject({
      agent: 'build',
      model: 'p/m/x',
    })
  })
})

test('order is by time, and by place where times are equal or missing', () => {
  const text = (name: string, timestamp?: number) => ({
    type: 'text',
    data: { text: name },
    ...(timestamp === undefined ? {} : { timestamp }),
  })
  const events = eventsOf(text('c', 3), text('a', 1), text('b1', 2), text('b2', 2), text('b3'))
  expect(events.map((event) => ('text' in event ? event.text : ''))).toEqual(['a', 'b1', 'b2', 'b3', 'c'])
})

test('approvals of the seed are joined by time', () => {
  const [request, response] = eventsOf(
    { timestamp: 5, type: 'approval_request', data: { tool: 'bash', parameters: {} } },
    { timestamp: 6, type: 'approval_response', data: { approved: true, requestTimestamp: 5 } },
  )
  expect([request, response]).toMatchObject([{ id: '5' }, { id: '5', approved: true }])
})

test('what cannot be read is skipped and named', () => {
  const { trace, skipped } = readTimeline([
    null,
    3,
    'text',
    {},
    { type: 'bogus' },
    { type: 'patch', data: {} },
    { type: 'text', timestamp: 1, data: { text: 'a' } },
  ])
  expect(trace.events).toHaveLength(1)
  expect(skipped.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5])
})

test('a trace in the seed’s form is read as it was written', () => {
  const { trace } = readTimeline([
    { timestamp: 1, type: 'user_message', agent: 'a', session: { id: 's', depth: 0 }, data: { text: 'x' } },
    {
      timestamp: 2,
      type: 'tool_call',
      callId: 'c',
      data: { tool: 'bash', parameters: { command: 'ls' }, status: 'denied', server: 'm' },
    },
    { timestamp: 3, type: 'usage', data: { inputTokens: 1, outputTokens: 2, costUsd: 0.5 } },
  ])
  expect(readTimeline(toSeed(trace))).toEqual({ trace, skipped: [] })
})

test('anything at all can be read', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.json().map((text): unknown => JSON.parse(text)),
          eventLike(),
        ),
      ),
      (rows) => {
        const { trace, skipped } = readTimeline(rows)
        expect(trace.events.length + skipped.length).toBeLessThanOrEqual(rows.length)
        for (const { timestamp } of trace.events) expect(Number.isFinite(timestamp)).toBe(true)
      },
    ),
  )
})

function eventLike() {
  const value = fc.json({ maxDepth: 3 }).map((text): unknown => JSON.parse(text))
  return fc.record(
    {
      timestamp: fc.oneof(fc.integer(), value),
      type: fc.constantFrom(
        'user_message',
        'assistant_message',
        'text',
        'tool_call',
        'patch',
        'approval_request',
        'approval_response',
        'usage',
      ),
      messageId: fc.constantFrom('m1', 'm2', 3),
      data: fc.oneof(
        value,
        fc.record(
          { tool: value, state: value, input: value, text: value, error: value, parts: value },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: [] },
  )
}
