import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { ScriptCallError } from '../../src/sandbox/sandbox.ts'
import { createMemory } from '../../src/targets/yao/context/memory.ts'

type Step = readonly [string, ...Json[]]

describe('ctx.memory', () => {
  test.each<[string, readonly Step[], readonly Json[]]>([
    ['nothing is null', [['Get', 'x'], ['Has', 'x'], ['Len'], ['Keys']], [null, false, 0, []]],
    ['what was set', [['Set', 'x', { a: [1] }], ['Get', 'x'], ['Has', 'x'], ['Keys']], [null, { a: [1] }, true, ['x']]],
    [
      'names of the prototype are keys',
      [
        ['Set', '__proto__', 1],
        ['Get', '__proto__'],
        ['Get', 'constructor'],
      ],
      [null, 1, null],
    ],
    [
      'taken once',
      [
        ['Set', 'x', 1],
        ['GetDel', 'x'],
        ['GetDel', 'x'],
      ],
      [null, 1, null],
    ],
    ['removed', [['Set', 'x', 1], ['Set', 'y', 1], ['Del', 'x'], ['Keys']], [null, null, null, ['y']]],
    [
      'removed by prefix',
      [['Set', 'c:1', 1], ['Set', 'c:2', 1], ['Set', 'd', 1], ['Del', 'c:*'], ['Keys']],
      [null, null, null, null, ['d']],
    ],
    ['cleared', [['Set', 'x', 1], ['Clear'], ['Len']], [null, null, 0]],
    [
      'counters',
      [
        ['Incr', 'n'],
        ['Incr', 'n', 5],
        ['Decr', 'n'],
        ['Decr', 'n', 2],
      ],
      [1, 6, 5, 3],
    ],
    [
      'a list grows at its end',
      [
        ['Push', 'l', [1, 2]],
        ['Push', 'l', 3],
        ['ArrayAll', 'l'],
      ],
      [2, 3, [1, 2, 3]],
    ],
    [
      'and shrinks from there',
      [
        ['Push', 'l', [1, 2, 3, 4]],
        ['Pop', 'l'],
        ['Pull', 'l', 2],
        ['PullAll', 'l'],
        ['Has', 'l'],
      ],
      [4, 4, [2, 3], [1], false],
    ],
    [
      'an empty list gives nothing',
      [
        ['Pop', 'l'],
        ['Pull', 'l', 2],
        ['PullAll', 'l'],
      ],
      [null, [], []],
    ],
    [
      'a set takes each value once',
      [
        ['AddToSet', 's', [1, { a: 1 }]],
        ['AddToSet', 's', [{ a: 1 }, 2]],
      ],
      [2, 3],
    ],
    [
      'elements by place',
      [
        ['Push', 'l', [1, 2, 3]],
        ['ArraySet', 'l', -1, 9],
        ['ArrayLen', 'l'],
        ['ArrayGet', 'l', 0],
        ['ArrayGet', 'l', -1],
        ['ArrayGet', 'l', 7],
      ],
      [3, null, 3, 1, 9, null],
    ],
    [
      'slices and pages',
      [
        ['Push', 'l', [1, 2, 3, 4, 5]],
        ['ArraySlice', 'l', 1, 3],
        ['ArraySlice', 'l', -2, -1],
        ['ArrayPage', 'l', 2, 2],
      ],
      [5, [2, 3], [4, 5], [3, 4]],
    ],
  ])('%s', (_, steps, results) => {
    const memory = createMemory(() => 0)
    expect(steps.map(([method, ...args]) => memory.call('user', method, args))).toEqual(results)
  })

  test('a value lives as long as it was given', () => {
    let now = 0
    const memory = createMemory(() => now)
    memory.call('chat', 'Set', ['x', 1, 2])
    memory.call('chat', 'Incr', ['x'])
    now = 1_999
    expect(memory.call('chat', 'Get', ['x'])).toBe(2)
    now = 2_000
    expect([memory.call('chat', 'Get', ['x']), memory.call('chat', 'Len', [])]).toEqual([null, 0])
  })

  test('a value whose time is over takes no room', () => {
    let now = 0
    const memory = createMemory(() => now)
    const large = 'x'.repeat(20 * 1024 ** 2)
    for (const key of ['a', 'b', 'c']) {
      expect(memory.call('user', 'Set', [key, large, 1])).toBe(null)
      now += 1_000
    }
    expect(memory.call('user', 'Keys', [])).toEqual([])
  })

  test('only the context belongs to a single request', () => {
    const memory = createMemory(() => 0)
    const other = memory.forRequest()
    for (const space of ['user', 'team', 'chat', 'context']) memory.call(space, 'Set', ['x', 1])
    expect(['user', 'team', 'chat', 'context'].map((space) => other.call(space, 'Len', []))).toEqual([1, 1, 1, 0])
  })

  test.each<[string, [string, string, Json[]], string]>([
    ['an unknown namespace', ['all', 'Get', ['x']], 'ctx.memory has no all (it has user, team, chat, context)'],
    ['an unknown method', ['user', 'constructor', []], 'ctx.memory.user.constructor is not a function'],
    ['a key that is no text', ['user', 'Get', [5]], 'ctx.memory: expected a key, a text that is not empty'],
    ['an empty key', ['user', 'Set', ['', 1]], 'ctx.memory: expected a key, a text that is not empty'],
    ['a place outside of the list', ['user', 'ArraySet', ['l', 3, 1]], 'ctx.memory: no element 3 in a list of 0'],
    ['more than a run may store', ['user', 'Set', ['x', 'x'.repeat(33 * 1024 ** 2)]], 'ctx.memory is full'],
  ])('%s is an error that a script may catch', (_, [space, method, args], message) => {
    expect(() => createMemory(() => 0).call(space, method, args)).toThrow(new ScriptCallError(message))
  })
})
