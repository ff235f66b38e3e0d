import { expect, test } from 'vitest'
import { TargetError } from '../../src/core/errors.ts'
import { commandAgent } from '../support/agents.ts'
import { collect } from '../support/run-request.ts'

const lines = (args: readonly string[], env: Record<string, string> = {}) =>
  commandAgent('lines', { args, format: 'events', env })

test('every kind of event, blank lines apart, the last line without a newline', async () => {
  const target = await lines([
    '{"timestamp":5,"type":"tool_call","agent":"main","data":{"tool":"read","parameters":{"path":"a"},"result":"text"}}',
    '',
    '  \r',
    '{"type":"approval_request","data":{"id":"p1","tool":"bash","parameters":{}}}\r',
    '{"type":"approval_response","data":{"id":"p1","approved":true}}',
    '{"type":"usage","data":{"inputTokens":3,"outputTokens":4}}',
    '{"type":"assistant_message","data":{"text":"dönè"}}',
    '{"type":"output","data":{"value":{"ok":true}}}…',
  ])
  expect(await collect(target)).toEqual({
    events: [
      { timestamp: 5, type: 'tool_call', agent: 'main', tool: 'read', parameters: { path: 'a' }, result: 'text' },
      { type: 'approval_request', id: 'p1', tool: 'bash', parameters: {} },
      { type: 'approval_response', id: 'p1', approved: true },
      { type: 'usage', inputTokens: 3, outputTokens: 4 },
      { type: 'assistant_message', text: 'dönè' },
      { type: 'output', value: { ok: true } },
    ],
  })
})

test('letters that arrive byte by byte are whole', async () => {
  const line = '{"type":"assistant_message","data":{"text":"ä€😀"}}'
  expect(await collect(await commandAgent('split-utf8', { args: [line], format: 'events' }))).toEqual({
    events: [{ type: 'assistant_message', text: 'ä€😀' }],
  })
})

test('no event at all is a run without an output', async () => {
  expect(await collect(await lines([]))).toEqual({ events: [] })
})

const said = '{"type":"assistant_message","data":{"text":"so far"}}'
const soFar = [{ type: 'assistant_message', text: 'so far' }]

test.each([
  ['no JSON', 'Loading model...', 'line 2 of the output is no event (not JSON): Loading model...'],
  ['a list', '[1]', 'line 2 of the output is no event (expected {"type", "data"}): [1]'],
  [
    'an unknown event',
    '{"type":"thought"}',
    'line 2 of the output is no event (unknown event type "thought"): {"type":"thought"}',
  ],
  [
    'a verdict about itself',
    '{"type":"check","data":{"name":"x","passed":true}}',
    'line 2 of the output is no event (check is for script tests alone): {"type":"check","data":{"name":"x","passed":true}}',
  ],
  [
    'that it need not be judged',
    '{"type":"skip","data":{"reason":"no"}}',
    'line 2 of the output is no event (skip is for script tests alone): {"type":"skip","data":{"reason":"no"}}',
  ],
  [
    'an error without a message',
    '{"type":"error","data":{}}',
    'line 2 of the output is no event (an error needs data.message and may have data.retryable): {"type":"error","data":{}}',
  ],
  ['a long line', 'y'.repeat(300), `line 2 of the output is no event (not JSON): ${'y'.repeat(200)}…`],
  ['a last line without a newline', '{"type":…', 'line 2 of the output is no event (not JSON): {"type":'],
])('%s makes the run errored and is quoted', async (_, line, message) => {
  expect(await collect(await lines([said, line]))).toEqual({
    events: soFar,
    error: new TargetError(message, { code: 'BAD_RESPONSE' }),
  })
})

test('a value that would overflow the stack is no event', async () => {
  const value = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  const { error } = await collect(await lines([`{"type":"output","data":{"value":${value}}}`]))
  expect(error).toMatchObject({
    code: 'BAD_RESPONSE',
    message: expect.stringContaining('nested deeper than 500 levels'),
  })
})

test('a field of the wrong type is named', async () => {
  const { error } = await collect(await lines(['{"type":"usage","data":{"inputTokens":"3"}}']))
  expect(error).toMatchObject({ code: 'BAD_RESPONSE', message: expect.stringContaining('data.inputTokens') })
})

test.each([
  ['not retryable unless it says so', '{"type":"error","data":{"message":"no quota"}}', false],
  ['retryable when it says so', '{"type":"error","data":{"message":"no quota","retryable":true}}', true],
  ['read in a last line without a newline', '{"type":"error","data":{"message":"no quota"}}…', false],
])('an error of the program ends the run: %s', async (_, line, retryable) => {
  const { events, error } = await collect(await lines([said, line], { EXIT_CODE: '1', STDERR: 'see the log' }))
  expect(events).toEqual(soFar)
  expect(error).toMatchObject({ code: 'PROVIDER_ERROR', retryable, message: 'no quota\nstandard error: see the log' })
})

test('events before an exit code stay, and a line it cut off is not blamed', async () => {
  expect(await collect(await lines([said, '{"type":"assist…'], { EXIT_CODE: '9' }))).toEqual({
    events: soFar,
    error: new TargetError('the program exited with code 9', { code: 'PROCESS_FAILED' }),
  })
})

test('events before the limit of 16 MiB stay', async () => {
  const { events, error } = await collect(await commandAgent('flood', { format: 'events' }))
  // The sixteenth line crosses the limit; whether its end was still read depends on how the pipe was filled.
  expect([15, 16]).toContain(events.length)
  expect(error).toMatchObject({ code: 'PROCESS_FAILED', message: expect.stringContaining('16 MiB') })
})
