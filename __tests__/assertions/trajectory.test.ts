import { describe, expect, test } from 'vitest'
import { judgeAssertions, normaliseAssertions } from '../../src/assertions/index.ts'
import type { Json, JsonObject } from '../../src/core/json.ts'
import type { TraceEvent } from '../../src/core/trace.ts'
import { subjectOf } from './subject.ts'

/** `read a`, `write a b`: a tool and its parameters x, y. */
function callsOf(text: string): TraceEvent[] {
  if (text === '') return []
  return text.split(', ').map((one) => {
    const [tool = '', x, y] = one.split(' ')
    const parameters = { ...(x === undefined ? {} : { x }), ...(y === undefined ? {} : { y }) }
    return { type: 'tool_call', timestamp: 0, tool, parameters }
  })
}

function stepsOf(text: string): Json[] {
  return callsOf(text).map((event) =>
    event.type === 'tool_call' ? { tool: event.tool, parameters: event.parameters } : {},
  )
}

async function judge(settings: JsonObject, made: string) {
  const { assertions, problems } = normaliseAssertions({ type: 'trajectory', ...settings }, undefined)
  expect(problems).toEqual([])
  const [check] = await judgeAssertions(subjectOf('', callsOf(made)), assertions)
  return check
}

describe('modes', () => {
  test.each([
    // mode, expected, made, holds
    ['strict', 'read a, write b', 'read a, write b', true],
    ['strict', 'read a, write b', 'write b, read a', false],
    ['strict', 'read a, write b', 'read a, write b, bash c', false],
    ['strict', 'read a, write b', 'read a', false],
    ['strict', '', '', true],
    ['strict', '', 'read a', false],
    ['unordered', 'read a, write b', 'write b, read a', true],
    ['unordered', 'read a, read b', 'read b, read a', true],
    ['unordered', 'read a, write b', 'read a', false],
    ['unordered', 'read a, write b', 'read a, write b, write b', false],
    ['unordered', 'read a, read a', 'read a', false],
    ['subset', 'read a, write b', 'write b', true],
    ['subset', 'read a, write b', '', true],
    ['subset', 'read a, write b', 'read a, read a', false],
    ['subset', 'read a, write b', 'bash c', false],
    ['superset', 'read a, write b', 'bash c, write b, read a', true],
    ['superset', 'read a, read a', 'read a, bash c', false],
    ['superset', '', 'read a', true],
    ['superset', 'read a', '', false],
    ['in_order', 'read a, write b', 'bash c, read a, bash c, write b', true],
    ['in_order', 'read a, write b', 'write b, read a', false],
    ['in_order', 'read a, read a', 'read a', false],
    ['in_order', 'read a, write b, read a', 'read a, write b, read a', true],
  ] as const)('%s: %s by %s: %s', async (mode, expected, made, holds) => {
    expect((await judge({ mode, calls: stepsOf(expected) }, made))?.passed).toBe(holds)
  })

  test('a call that fits two steps leaves the one that another needs', async () => {
    const calls = [{ tool: 'read' }, { tool: 'read', parameters: { x: 'a' } }]
    for (const mode of ['unordered', 'superset', 'subset']) {
      expect(await judge({ mode, calls }, 'read a, read b')).toMatchObject({ passed: true })
    }
    expect(await judge({ mode: 'unordered', calls }, 'read c, read b')).toMatchObject({ passed: false })
  })
})

describe('parameters', () => {
  const step = [{ tool: 'edit', parameters: { x: 'a', y: 'b' } }]
  test.each([
    ['exact', 'edit a b', true],
    ['exact', 'edit a', false],
    ['exact', 'edit a c', false],
    ['ignore', 'edit', true],
    ['subset', 'edit a', true],
    ['subset', 'edit', true],
    ['subset', 'edit c', false],
    ['superset', 'edit a b', true],
    ['superset', 'edit a', false],
  ] as const)('%s: x a, y b by %s: %s', async (parameters, made, holds) => {
    expect((await judge({ parameters, calls: step }, made))?.passed).toBe(holds)
  })

  test('superset lets more be there, exact does not, and none are looked at where none are written', async () => {
    const one = [{ tool: 'edit', parameters: { x: 'a' } }]
    expect(await judge({ parameters: 'superset', calls: one }, 'edit a b')).toMatchObject({ passed: true })
    expect(await judge({ parameters: 'exact', calls: one }, 'edit a b')).toMatchObject({ passed: false })
    expect(await judge({ calls: [{ tool: 'edit' }] }, 'edit a b')).toMatchObject({ passed: true })
    expect(await judge({ calls: [{ tool: 'edit', parameters: {} }] }, 'edit a b')).toMatchObject({ passed: false })
  })

  test('a single tool may have a mode of its own', async () => {
    const calls = stepsOf('read a, write b')
    expect(await judge({ calls, tools: { write: 'ignore' } }, 'read a, write z')).toMatchObject({ passed: true })
    expect(await judge({ calls, tools: { write: 'ignore' } }, 'read z, write b')).toMatchObject({ passed: false })
    expect(await judge({ calls, parameters: 'ignore', tools: { write: 'exact' } }, 'read z, write z')).toMatchObject({
      passed: false,
    })
  })

  test('JSON text counts as its object, and names may have a server before them', async () => {
    const { assertions } = normaliseAssertions(
      { type: 'trajectory', calls: [{ tool: 'find', parameters: { q: 1 } }] },
      undefined,
    )
    const event: TraceEvent = { type: 'tool_call', timestamp: 0, tool: 'shop__find', parameters: '{"q": 1}' }
    expect(await judgeAssertions(subjectOf('', [event]), assertions)).toMatchObject([{ passed: true }])
  })
})

describe('failure texts name the first step where it parts', () => {
  test.each([
    [
      'strict',
      'read a, write b',
      'read a, edit b',
      'step 2 of 2: expected write with exactly {"x":"b"}, got edit {"x":"b"} (the tool is "edit")',
    ],
    [
      'strict',
      'read a, write b',
      'read z, edit b',
      'step 1 of 2: expected read with exactly {"x":"a"}, got read {"x":"z"} (parameter x differs)',
    ],
    [
      'strict',
      'read a, write b',
      'read a',
      'step 2 of 2: expected write with exactly {"x":"b"}, but call 1 was the last',
    ],
    ['strict', 'read a', '', 'step 1 of 1: expected read with exactly {"x":"a"}, but no tool was called'],
    ['strict', 'read a', 'read a, bash c', 'call 2, bash {"x":"c"}, comes after the 1 expected'],
    [
      'in_order',
      'read a, write b',
      'write b, read a',
      'step 2 of 2: expected write with exactly {"x":"b"} after call 2, but no tool was called',
    ],
    [
      'superset',
      'read a, write b',
      'read a, write c',
      'step 2 of 2: expected write with exactly {"x":"b"}, got write {"x":"c"} (parameter x differs)',
    ],
    [
      'superset',
      'read a, read a',
      'read a',
      'step 2 of 2: expected read with exactly {"x":"a"}, and every such call stands for another step',
    ],
    ['subset', 'read a', 'read a, bash c', 'call 2 of 2, bash {"x":"c"}, is not expected'],
    ['subset', 'read a', 'read b', 'call 1 of 1, read {"x":"b"}, is not expected: parameter x differs'],
    ['subset', 'read a', 'read a, read a', 'call 2 of 2, read {"x":"a"}, is not expected so often'],
    [
      'unordered',
      'read a, write b',
      'write b',
      'step 1 of 2: expected read with exactly {"x":"a"}, but no such call was made',
    ],
  ] as const)('%s: %s by %s', async (mode, expected, made, message) => {
    expect(await judge({ mode, calls: stepsOf(expected) }, made)).toMatchObject({ passed: false, message })
  })

  test('negated, it says what was not to be', async () => {
    expect(await judge({ calls: stepsOf('read a'), negate: true }, 'read a')).toMatchObject({
      passed: false,
      message:
        'negated: did not expect the tool calls to be exactly read with exactly {"x":"a"}, got [{"parameters":{"x":"a"},"tool":"read"}]',
    })
  })
})

test.each([
  [
    { calls: [{ tool: 'a' }], mode: 'inorder' },
    'assert.mode',
    'expected strict, unordered, subset, superset, in_order, got "inorder"; did you mean "in_order"?',
  ],
  [
    { calls: [{ tool: 'a' }], parameters: 'exat' },
    'assert.parameters',
    'expected exact, ignore, subset, superset, got "exat"; did you mean "exact"?',
  ],
  [
    { calls: [{ tool: 'a' }], tools: { a: 'ignored' } },
    'assert.tools.a',
    'expected exact, ignore, subset, superset, got "ignored"; did you mean "ignore"?',
  ],
  [
    { calls: [{ tool: 'a', parameter: {} }] },
    'assert.calls[0].parameter',
    'unknown setting; did you mean "parameters"?',
  ],
  [{ calls: [{ tool: '' }] }, 'assert.calls[0].tool', 'expected the name of a tool, got ""'],
  [
    { calls: [{ tool: 'a', parameters: 3 }] },
    'assert.calls[0].parameters',
    'expected the parameters by their names (an object), got 3',
  ],
  [{ calls: ['a'] }, 'assert.calls[0]', 'expected {"tool", "parameters"}, got "a"'],
  [{}, 'assert.calls', 'expected a list of calls such as {"tool", "parameters"}, got nothing'],
  [{ calls: [{ tool: 'a' }], call: [] }, 'assert.call', 'unknown setting'],
] as const)('%j is refused', (settings, field, message) => {
  const { problems } = normaliseAssertions({ type: 'trajectory', ...settings }, undefined)
  expect(problems).toMatchObject([{ field, message }])
})

test.each([
  [{ calls: [], mode: 'superset' }, /an empty list of calls is in every trajectory/],
  [
    { calls: [{ tool: 'read' }], tools: { raed: 'ignore' } },
    /tools.raed is none of the expected calls; did you mean "read"\?/,
  ],
])('%j is hardly meant', (settings, warning) => {
  expect(normaliseAssertions({ type: 'trajectory', ...settings }, undefined).warnings).toEqual([
    expect.stringMatching(warning),
  ])
})

test('a hundred thousand calls are judged in no time', async () => {
  const made = Array.from({ length: 100_000 }, (_, index) => (index === 99_999 ? 'write b' : 'read a')).join(', ')
  const begun = performance.now()
  for (const mode of ['in_order', 'superset', 'subset']) await judge({ mode, calls: stepsOf('read a, write b') }, made)
  expect(performance.now() - begun).toBeLessThan(5_000)
})
