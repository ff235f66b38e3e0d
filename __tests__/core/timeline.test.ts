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

describe('the permission gate', () => {
  const asked = (data: object, row: object = {}) =>
    eventsOf({ timestamp: 1, type: 'approval_request', data, ...row })[0]
  const answered = (data: object) => eventsOf({ timestamp: 1, type: 'approval_response', data })[0]

  test.each<[string, object, object]>([
    ['the seed', { tool: 'bash', parameters: { a: 1 } }, { id: '1', tool: 'bash', parameters: { a: 1 } }],
    ['with the id of the call', { id: 'p', tool: 'bash', callID: 'c' }, { id: 'p', tool: 'bash', callId: 'c' }],
    ['as callId', { id: 'p', tool: 'bash', callId: 'c' }, { callId: 'c' }],
    ['of version 1', { id: 'p', type: 'bash', callID: 'c' }, { id: 'p', tool: 'bash', callId: 'c' }],
    [
      'of version 2',
      { id: 'p', permission: 'edit', tool: { messageID: 'm', callID: 'c' } },
      { id: 'p', tool: 'edit', callId: 'c' },
    ],
  ])('a request: %s', (_name, data, expected) => {
    expect(asked(data)).toMatchObject({ type: 'approval_request', ...expected })
  })

  test('the call of the row itself comes first', () => {
    expect(asked({ tool: 'bash', callID: 'inner' }, { callId: 'outer' })).toMatchObject({ callId: 'outer' })
  })

  test.each<[object, object]>([
    [
      { id: 'p', approved: true },
      { id: 'p', approved: true },
    ],
    [
      { approved: false, requestTimestamp: 5 },
      { id: '5', approved: false },
    ],
    [
      { permissionID: 'p', response: 'once' },
      { id: 'p', approved: true },
    ],
    [
      { permissionID: 'p', response: 'reject' },
      { id: 'p', approved: false },
    ],
    [
      { requestID: 'p', reply: 'always' },
      { id: 'p', approved: true },
    ],
    [
      { requestID: 'p', reply: 'reject' },
      { id: 'p', approved: false },
    ],
    [{ id: 'p', approved: false, reply: 'once' }, { approved: false }],
  ])('an answer: %j', (data, expected) => {
    expect(answered(data)).toMatchObject({ type: 'approval_response', ...expected })
  })

  test.each([{ id: 'p' }, { id: 'p', reply: 'perhaps' }, { id: 'p', approved: 'yes' }])('no answer: %j', (data) => {
    expect(readTimeline([{ timestamp: 1, type: 'approval_response', data }]).skipped).toHaveLength(1)
  })
})

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
      'the seed, with the flag of an MCP server',
      { tool: 'bash', parameters, result: { isError: true, content: [] } },
      { tool: 'bash', parameters, error: 'the call failed' },
    ],
    [
      'with the flag of an MCP server',
      { tool: 'bash', input: {}, is_error: true },
      { status: 'failed', parameters: {} },
    ],
    [
      'the seed, with the id of the call and an exit code in the result',
      { tool: 'bash', parameters, callID: 'c1', result: { exitCode: 2 } },
      { tool: 'bash', parameters, callId: 'c1', exitCode: 2 },
    ],
    [
      'the seed, stopped by the gate',
      { tool: 'bash', parameters, error: 'The user rejected permission to use this specific tool call.' },
      { tool: 'bash', parameters, status: 'denied' },
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
