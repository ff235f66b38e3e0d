import { describe, expect, test } from 'vitest'
import {
  asText,
  isJsonObject,
  isTooDeep,
  type Json,
  jsonEquals,
  jsonType,
  MAX_DEPTH,
  sortedJson,
} from '../../src/core/json.ts'

const own = (text: string): Json => JSON.parse(text) as Json

describe('jsonEquals', () => {
  test.each<[string, Json, Json, boolean]>([
    ['numbers by value', 5, 5.0, true],
    ['zero and minus zero', 0, -0, true],
    ['a number and its text', 5, '5', false],
    ['true and one', true, 1, false],
    ['null and an empty text', null, '', false],
    ['null and an empty object', null, {}, false],
    ['key order', { a: 1, b: [2, { c: 3 }] }, { b: [2, { c: 3 }], a: 1 }, true],
    ['an additional key on the left', { a: 1, b: 2 }, { a: 1 }, false],
    ['an additional key on the right', { a: 1 }, { a: 1, b: 2 }, false],
    ['another key', { a: null }, { b: null }, false],
    ['list order', [1, 2], [2, 1], false],
    ['list length', [1], [1, 1], false],
    ['an empty list and an empty object', [], {}, false],
    ['a list and an object with its indexes', ['a'], { '0': 'a' }, false],
    ['a key that every object inherits', { toString: 1 }, {}, false],
    ['own keys called __proto__', own('{"__proto__":1}'), own('{"__proto__":1}'), true],
    ['an own key called __proto__ and none', own('{"__proto__":{}}'), { a: 1 }, false],
    ['composed and decomposed letters', 'é', 'e\u0301', false],
  ])('%s', (_, left, right, equal) => {
    expect(jsonEquals(left, right)).toBe(equal)
    expect(jsonEquals(right, left)).toBe(equal)
  })
})

describe('text forms', () => {
  test.each<[string, Json, string]>([
    ['null is empty', null, ''],
    ['a text is itself', ' a\n"b" ', ' a\n"b" '],
    ['a number', 0.1, '0.1'],
    ['a large number', 1e21, '1e+21'],
    ['a boolean', false, 'false'],
    ['a list', [1, 'a', null], '[1,"a",null]'],
    ['an object, keys sorted at every level', { b: [{ d: 1, c: 2 }], a: '<é>' }, '{"a":"<é>","b":[{"c":2,"d":1}]}'],
  ])('%s', (_, value, text) => {
    expect(asText(value)).toBe(text)
  })

  test('sortedJson quotes texts and keys', () => {
    expect(sortedJson({ 'a"b': 'c\n' })).toBe('{"a\\"b":"c\\n"}')
  })
})

test.each<[Json, string]>([
  [null, 'null'],
  [[], 'array'],
  [{}, 'object'],
  ['', 'string'],
  [0, 'number'],
  [false, 'boolean'],
])('the type of %j is %s', (value, type) => {
  expect(jsonType(value)).toBe(type)
  expect(isJsonObject(value)).toBe(type === 'object')
})

describe('isTooDeep', () => {
  const nested = (levels: number): Json => own(`${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`)

  test.each([
    [0, false],
    [MAX_DEPTH, false],
    [MAX_DEPTH + 2, true],
    [200_000, true],
  ])('%d levels: %s', (levels, expected) => {
    expect(isTooDeep(nested(levels))).toBe(expected)
  })

  test('a wide value is not deep', () => {
    expect(isTooDeep(Array.from({ length: 100_000 }, () => ({ a: 1 })))).toBe(false)
  })
})
