import { describe, expect, test } from 'vitest'
import { normaliseAssertions } from '../../src/assertions/index.ts'
import type { Json } from '../../src/core/json.ts'
import type { TraceEvent } from '../../src/core/trace.ts'
import { check, failures } from './subject.ts'

type CallParts = Omit<Partial<Extract<TraceEvent, { type: 'tool_call' }>>, 'type'>

function call(tool: string, parts: CallParts = {}): TraceEvent {
  return { type: 'tool_call', timestamp: 0, tool, parameters: {}, ...parts }
}

async function holds(events: readonly TraceEvent[], assert: Json): Promise<boolean> {
  const [only] = await check(null, assert, { events })
  return only?.passed === true
}

describe('the name of a tool', () => {
  const plain = call('ping')
  const prefixed = call('acct_kit__open')
  const dotted = call('kit.open')
  const served = call('ping', { server: 'agents.echo' })
  test.each<[string, TraceEvent, string, boolean]>([
    ['the whole name', plain, 'ping', true],
    ['other letters', plain, 'Ping', false],
    ['a part at the start', plain, 'pin', false],
    ['a part at the end', plain, 'ing', false],
    ['what follows two underscores', prefixed, 'open', true],
    ['a part of what follows them', prefixed, 'pen', false],
    ['what stands before them', prefixed, 'acct_kit', false],
    ['what follows one underscore', prefixed, 'kit__open', false],
    ['what follows a dot', dotted, 'open', true],
    ['what stands before a dot', dotted, 'kit', false],
    ['the bare name of a tool with a server', served, 'ping', true],
    ['server, two underscores, tool', served, 'agents.echo__ping', true],
    ['the server with underscores for dots', served, 'agents_echo__ping', true],
    ['server, dot, tool', served, 'agents.echo.ping', true],
    ['the server with underscores, dot, tool', served, 'agents_echo.ping', true],
    ['the last part of the server', served, 'echo.ping', true],
    ['the last part of the server, two underscores', served, 'echo__ping', true],
    ['another server', served, 'other__ping', false],
    ['a server that nobody named', plain, 'echo__ping', false],
    ['the server alone', served, 'agents.echo', false],
    ['a name that patterns would take for another', call('a+b'), 'aab', false],
    ['the same signs', call('a+b'), 'a+b', true],
  ])('%s', async (_, event, name, expected) => {
    expect(await holds([event], { type: 'tool_called', value: name })).toBe(expected)
    expect(await holds([event], { type: 'tool_called', value: { name } })).toBe(expected)
    expect(await holds([event], { type: 'tool_called', value: name, negate: true })).toBe(!expected)
    expect(await holds([event], { type: 'tool_result', value: { tool: name } })).toBe(expected)
  })
})

describe('arguments', () => {
  const parameters: Json = { city: 'Oslo', days: 3, place: { lat: 1, lon: 2 }, tags: ['a', 'b'], none: null }
  test.each<[string, Json, Json, boolean]>([
    ['one of them', parameters, { city: 'Oslo' }, true],
    ['numbers by value', parameters, { days: 3.0 }, true],
    ['a number as text', parameters, { days: '3' }, false],
    ['a whole object in another order', parameters, { place: { lon: 2, lat: 1 } }, true],
    ['a part of an inner object', parameters, { place: { lat: 1 } }, false],
    ['a list in order', parameters, { tags: ['a', 'b'] }, true],
    ['a list out of order', parameters, { tags: ['b', 'a'] }, false],
    ['null that is there', parameters, { none: null }, true],
    ['null that is missing', parameters, { nope: null }, false],
    ['what every object inherits', parameters, { constructor: null }, false],
    ['JSON text', '{"city": "Oslo"}', { city: 'Oslo' }, true],
    ['JSON text of a list', '["Oslo"]', { 0: 'Oslo' }, false],
    ['text that is no JSON', 'city=Oslo', { city: 'Oslo' }, false],
    ['none wanted of a text', 'city=Oslo', {}, true],
    ['no arguments at all', null, { city: 'Oslo' }, false],
  ])('%s', async (_, given, wanted, expected) => {
    const assert = { type: 'tool_called', value: { name: 'look', arguments: wanted } }
    expect(await holds([call('look', { parameters: given })], assert)).toBe(expected)
  })

  test('any call of the name may have them, and only of the name', async () => {
    const events = [call('other', { parameters: { n: 2 } }), call('look', { parameters: { n: 1 } }), call('look')]
    const wants = (n: number): Json => ({ type: 'tool_called', value: { name: 'look', arguments: { n } } })
    expect([await holds(events, wants(1)), await holds(events, wants(2))]).toEqual([true, false])
  })

  test('each item of a list may have its own', async () => {
    const value = [{ name: 'a', arguments: { n: 1 } }, 'b']
    expect(await holds([call('a')], { type: 'tool_called', value })).toBe(false)
    expect(await holds([call('a', { parameters: { n: 1 } })], { type: 'tool_called', value })).toBe(true)
    expect(await holds([call('b')], { type: 'tool_called', value })).toBe(true)
  })
})

describe('results', () => {
  const result: Json = { ok: true, n: 2, text: 'Opened!', none: null, sub: { a: 1, b: { c: 'x' } }, list: [1, '2'] }
  test.each<[string, Json | undefined, Json, boolean]>([
    ['a boolean', result, { ok: true }, true],
    ['the other boolean', result, { ok: false }, false],
    ['a boolean as printed', result, { ok: 'true' }, true],
    ['a number as printed', result, { n: '2' }, true],
    ['a number as boolean', result, { n: true }, false],
    ['a text', result, { text: 'Opened!' }, true],
    ['a part of a text', result, { text: 'Opened' }, false],
    ['a pattern', result, { text: 'regex:(?i)^opened' }, true],
    ['a pattern that is not found', result, { text: 'regex:^pened' }, false],
    ['a pattern on a number', result, { n: 'regex:^[0-9]$' }, true],
    ['a pattern on an object', result, { sub: 'regex:"c":"x"' }, true],
    ['null as printed', result, { none: 'null' }, true],
    ['null', result, { none: null }, true],
    ['null that is missing', result, { nope: null }, false],
    ['a text where there is nothing', result, { nope: 'regex:.*' }, false],
    ['a part of objects in objects', result, { sub: { b: { c: 'x' } } }, true],
    ['a part that is missing', result, { sub: { b: { d: 'x' } } }, false],
    ['an object where there is a text', result, { text: {} }, false],
    ['a list as a whole', result, { list: [1, '2'] }, true],
    ['a part of a list', result, { list: [1] }, false],
    ['printed values inside of a list', result, { list: ['1', '2'] }, false],
    ['nothing in particular', result, {}, true],
    ['a whole text', 'done', 'done', true],
    ['a text as a pattern', 'done', 'regex:^d', true],
    ['an object of a text', 'done', {}, false],
    ['a text for an object', { a: 1 }, '{"a":1}', true],
    ['a list', [1, 2], [1, 2], true],
    ['no result at all', undefined, {}, false],
    ['no result, and null wanted', undefined, null, true],
  ])('%s', async (_, given, wanted, expected) => {
    const event = call('open', given === undefined ? {} : { result: given })
    expect(await holds([event], { type: 'tool_result', value: { tool: 'open', result: wanted } })).toBe(expected)
  })

  test.each<[string, CallParts, boolean]>([
    ['a call without an error', { result: null }, true],
    ['an error', { error: 'no such account' }, false],
    ['an error beside a result', { error: 'late', result: { ok: true } }, false],
    ['an empty error is none', { error: '', result: { ok: true } }, true],
    ['a call that failed without words', { status: 'failed' }, false],
    ['a call that was denied', { status: 'denied' }, false],
  ])('%s', async (_, parts, expected) => {
    expect(await holds([call('open', parts)], { type: 'tool_result', value: { tool: 'open' } })).toBe(expected)
  })

  test('only the first call of the tool counts', async () => {
    const events = [call('close', { result: 3 }), call('k__open', { result: 1 }), call('open', { result: 2 })]
    const gives = (result: number): Json => ({ type: 'tool_result', value: { tool: 'open', result } })
    expect([await holds(events, gives(1)), await holds(events, gives(2))]).toEqual([true, false])
  })
})

describe('failure texts', () => {
  const open = call('open', { server: 'acct.kit', parameters: { mode: 'new' }, result: { sub: { a: 1 } } })
  test.each<[string, readonly TraceEvent[], Json, string]>([
    ['no call', [], { type: 'tool_called', value: 'open' }, 'expected a call of "open", got [] (no tool was called)'],
    [
      'other calls, each once',
      [open, open, call('ping')],
      { type: 'tool_called', value: ['close', 'lock'] },
      'expected a call of "close" or "lock", got ["acct.kit__open","ping"] (the tools that were called)',
    ],
    [
      'a part of a name, as Yao matched it',
      [open],
      { type: 'tool_called', value: 'ope' },
      'expected a call of "ope", got ["acct.kit__open"] ("ope" is only a part of the name "acct.kit__open")',
    ],
    [
      'an argument that differs',
      [open],
      { type: 'tool_called', value: { name: 'open', arguments: { mode: 'old', size: 3 } } },
      'expected a call of "open" with {"mode":"old","size":3}, got {"arguments":{"mode":"new"},"name":"acct.kit__open"} (argument mode differs, argument size is missing)',
    ],
    [
      'arguments of several calls',
      [open, call('open', { parameters: 'x' })],
      { type: 'tool_called', value: { name: 'open', arguments: { mode: 'old' } } },
      'expected a call of "open" with {"mode":"old"}, got [{"arguments":{"mode":"new"},"name":"acct.kit__open"},{"arguments":"x","name":"open"}] (none of 2 calls)',
    ],
    [
      'a call that must not be',
      [open],
      { type: 'tool_called', value: 'open', negate: true },
      'negated: did not expect a call of "open", got {"arguments":{"mode":"new"},"name":"acct.kit__open"}',
    ],
    ['a text of the suite', [], { type: 'tool_called', value: 'open', message: 'open it!' }, 'open it!'],
    [
      'a result of a tool that was not called',
      [call('ping')],
      { type: 'tool_result', value: { tool: 'open' } },
      'expected the first call of "open" to end without an error, got ["ping"] (the tools that were called)',
    ],
    [
      'a tool that failed',
      [call('open', { error: 'no such\naccount' })],
      { type: 'tool_result', value: { tool: 'open' } },
      'expected the first call of "open" to end without an error, got "no such\\naccount" (error of open)',
    ],
    [
      'a member that differs',
      [open, open],
      { type: 'tool_result', value: { tool: 'open', result: { sub: { a: 2 } } } },
      'expected the first call of "open" to end with the result {"sub":{"a":2}}, got {"sub":{"a":1}} (acct.kit__open, first of 2 calls: sub.a differs)',
    ],
    [
      'a result that must not be',
      [open],
      { type: 'tool_result', value: { tool: 'open', result: { sub: { a: 1 } } }, negate: true },
      'negated: did not expect the first call of "open" to end with the result {"sub":{"a":1}}, got {"sub":{"a":1}} (acct.kit__open)',
    ],
  ])('%s', async (_, events, assert, text) => {
    expect(await failures(null, assert, { events })).toEqual([text])
  })

  test('long names and arguments are cut', async () => {
    const events = [call('x'.repeat(5_000), { parameters: 'y'.repeat(5_000) })]
    const [text = ''] = await failures(null, { type: 'tool_called', value: 'z'.repeat(5_000) }, { events })
    expect(text.length).toBeLessThan(700)
  })
})

describe('refused at load', () => {
  const forms = 'expected the name of a tool, a list of names, or {"name", "arguments"}'
  test.each<[string, Json, string, string]>([
    ['no value', { type: 'tool_called' }, 'assert.value', `${forms}, got nothing`],
    ['a number', { type: 'tool_called', value: 5 }, 'assert.value', `${forms}, got 5`],
    ['null', { type: 'tool_called', value: null }, 'assert.value', `${forms}, got null`],
    ['an empty name', { type: 'tool_called', value: '' }, 'assert.value', 'expected the name of a tool, got ""'],
    ['a blank name', { type: 'tool_called', value: ' ' }, 'assert.value', 'expected the name of a tool, got " "'],
    [
      'an empty name in a list',
      { type: 'tool_called', value: ['open', ''] },
      'assert.value[1]',
      'expected the name of a tool, got ""',
    ],
    ['a number in a list', { type: 'tool_called', value: [5] }, 'assert.value[0]', `${forms}, got 5`],
    [
      'an object without a name',
      { type: 'tool_called', value: { arguments: {} } },
      'assert.value.name',
      'expected the name of a tool, got nothing',
    ],
    [
      'arguments that are no object',
      { type: 'tool_called', value: { name: 'open', arguments: 'new' } },
      'assert.value.arguments',
      'expected the arguments by their names (an object), got "new"',
    ],
    [
      'an unknown member',
      { type: 'tool_called', value: [{ name: 'open', args: {} }] },
      'assert.value[0].args',
      'unknown setting; known are name, arguments',
    ],
    ['no value of a result', { type: 'tool_result' }, 'assert.value', 'expected {"tool", "result"}, got nothing'],
    ['a name alone', { type: 'tool_result', value: 'open' }, 'assert.value', 'expected {"tool", "result"}, got "open"'],
    [
      'a result without a tool',
      { type: 'tool_result', value: { result: 1 } },
      'assert.value.tool',
      'expected the name of a tool, got nothing',
    ],
    [
      'a pattern that is not RE2',
      { type: 'tool_result', value: { tool: 'open', result: { a: { b: 'regex:(x)\\1' } } } },
      'assert.value.result.a.b',
      'not an RE2 pattern: error parsing regexp: invalid escape sequence: `\\1`',
    ],
    [
      'an unknown member of a result',
      { type: 'tool_result', value: { tool: 'open', results: 1 } },
      'assert.value.results',
      'unknown setting; known are tool, result',
    ],
  ])('%s', (_, assert, field, message) => {
    expect(normaliseAssertions(assert, undefined).problems).toEqual([{ field, message }])
  })

  test('everything wrong at once', () => {
    const value = [{ name: '', arguments: 1 }, '', { nam: 'x' }]
    const { problems } = normaliseAssertions([{ type: 'tool_called', value }], undefined)
    expect(problems.map(({ field }) => field)).toEqual([
      'assert[0].value[0].name',
      'assert[0].value[0].arguments',
      'assert[0].value[1]',
      'assert[0].value[2].nam',
      'assert[0].value[2].name',
    ])
  })

  test('an empty list is legal, but no call is in it', async () => {
    const { problems, warnings } = normaliseAssertions({ type: 'tool_called', value: [] }, undefined)
    expect(problems).toEqual([])
    expect(warnings).toEqual(['assert: an empty list names no tool, so no call can be one of them'])
    expect(await holds([call('open')], { type: 'tool_called', value: [] })).toBe(false)
  })
})
