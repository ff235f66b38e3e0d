import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { check, failures } from './subject.ts'

async function holds(output: Json, path: string, value: Json): Promise<boolean> {
  const [only] = await check(output, { type: 'json_path', path, value })
  return only?.passed === true
}

const document: Json = {
  user: { name: 'Ada', tags: ['admin', 'ops'] },
  rows: [[1, 2], [3]],
  text: 'ok',
  list: [{ id: 1 }, { id: 2 }],
  count: 0,
  empty: [],
}

describe('paths', () => {
  test.each<[string, string, Json]>([
    ['the root alone is the whole document', '$', document],
    ['an empty path is the whole document', '', document],
    ['a root with a dot is the whole document', '$.', document],
    ['keys', 'user.name', 'Ada'],
    ['keys behind the root', '$.user.name', 'Ada'],
    ['an index', 'user.tags[1]', 'ops'],
    ['an index of an index', 'rows[0][1]', 2],
    ['a key behind an index', 'list[1].id', 2],
    ['leading, doubled and trailing dots', '..user..tags.', ['admin', 'ops']],
    ['an index with leading zeros', 'rows[01][00]', 3],
    ['a value that is false as a condition', 'count', 0],
    ['a list as a whole', 'empty', []],
  ])('%s', async (_, path, value) => {
    expect(await holds(document, path, value)).toBe(true)
  })

  test.each<[string, Json, string]>([
    ['an index right behind the root', ['a', 'b'], '$[1]'],
    ['an index with nothing before it', ['a', 'b'], '[1]'],
    ['a key that starts with the sign of the root', { $ref: 'b' }, '$ref'],
    ['a key named like the root below it', { a: { $: 'b' } }, 'a.$'],
    ['a key with a blank', { 'first name': 'b' }, 'first name'],
    ['a key of digits in an object', { '0': 'b' }, '0'],
    ['a key in another script', { naïve: { 名前: 'b' } }, 'naïve.名前'],
    ['a key that the JSON text itself calls __proto__', JSON.parse('{"__proto__": "b"}'), '__proto__'],
    ['a key called constructor', { constructor: 'b' }, 'constructor'],
  ])('%s', async (_, output, path) => {
    expect(await holds(output, path, 'b')).toBe(true)
  })

  test.each([
    ['a dotted index', 'list.0.id'],
    ['an index of an object', 'user[0]'],
    ['an index past the end', 'list[9]'],
    ['an index no list can have', 'list[99999999999999999999]'],
    ['a letter of a text', 'text[0]'],
    ['the length of a text', 'text.length'],
    ['the length of a list', 'list.length'],
    ['a key below a number', 'count.toFixed'],
    ['what every object inherits', 'user.constructor'],
    ['what every object inherits, by another name', '__proto__'],
    ['a key in other letters', 'User'],
  ])('%s is missing', async (_, path) => {
    expect(await failures(document, { type: 'json_path', path, value: 'x' })).toEqual([
      `expected ${path} to be "x", got null (no such path)`,
    ])
    expect(await holds(document, path, null)).toBe(true)
  })

  test.each([
    ['a wildcard', 'list[*].id'],
    ['a negative index', 'list[-1]'],
    ['a quoted key', "user['name']"],
    ['a slice', 'list[0:1]'],
    ['a filter', 'list[?(@.id==1)]'],
    ['a script', 'list[(@.length-1)]'],
    ['an unclosed bracket', 'list[0'],
    ['a stray bracket', 'list]0['],
    ['text behind an index', 'list[0]id'],
  ])('%s cannot be followed, whatever it is compared with', async (_, path) => {
    for (const value of [null, 'x']) {
      for (const negate of [false, true]) {
        const texts = await failures(document, { type: 'json_path', path, value, negate })
        expect(texts).toEqual([
          `the path ${JSON.stringify(path)} cannot be followed: only keys, dots and [n] are understood`,
        ])
      }
    }
  })

  test.each([
    '*',
    '~',
    '^',
    '@',
    '@null()',
    '@other()',
    '`a',
    'a,b',
    "a'b",
    'a"b',
    'a;b',
    '0:1',
    '?(@',
    '(@',
    '#0',
    '%@%',
    '$',
    'a\nb',
  ])('the key %j means itself and nothing else', async (key) => {
    const neighbours = { a: 'other', b: 'other', '0': 'other' }
    expect(await holds({ top: { ...neighbours, [key]: 'own' } }, `top.${key}`, 'own')).toBe(true)
    const [text] = await failures({ top: neighbours }, { type: 'json_path', path: `top.${key}`, value: 'other' })
    expect(text).toContain('no such path')
  })
})

describe('comparison', () => {
  test.each<[string, string, Json, boolean]>([
    ['a list of values means any of them', 'text', ['no', 'ok'], true],
    ['none of the values', 'text', ['no', 'never'], false],
    ['a list is compared as a whole', 'user.tags', ['admin', 'ops'], true],
    ['a list is not searched', 'user.tags', 'admin', false],
    ['a list is not one of several lists', 'user.tags', [['admin', 'ops'], ['x']], false],
    ['an object, whatever the order of its keys', 'user', { tags: ['admin', 'ops'], name: 'Ada' }, true],
    ['an object is one of several', 'list[0]', [{ id: 7 }, { id: 1 }], true],
    ['zero is not false', 'count', false, false],
    ['zero is not missing', 'count', null, false],
    ['a missing path is one of several values when null is among them', 'nope', [1, null], true],
  ])('%s', async (_, path, value, expected) => {
    expect(await holds(document, path, value)).toBe(expected)
  })
})

describe('JSON in texts', () => {
  test.each<[string, string, string]>([
    ['the whole text', '{"color":"red"}', 'got "red"'],
    ['a fence', 'Sure:\n```json\n{"color":"red"}\n```\n', 'got "red" (JSON in the fence at line 3)'],
    [
      'the fence that has the path, not the first',
      '```json\n{"size":1}\n```\n\n```json\n{"color":"red"}\n```',
      'got "red" (JSON in the fence at line 6)',
    ],
    ['prose', 'I choose {"color":"red"} today', 'got "red" (JSON in the text at line 1)'],
    ['a broken text', '{"color":"red",', 'got "red" (the output read as repaired JSON)'],
    ['YAML', 'color: red\nsize: 3', 'got "red" (the output read as YAML)'],
    ['JSON without the path', '{"size":1}', 'got null (no such path)'],
    ['a fence without the path', '```json\n{"size":1}\n```', 'got null (no such path, JSON in the fence at line 2)'],
  ])('%s is named in the failure', async (_, output, ending) => {
    const texts = await failures(output, { type: 'json_path', path: 'color', value: 'blue' })
    expect(texts).toEqual([`expected color to be "blue", ${ending}`])
  })

  test.each<[string, Json, string]>([
    ['a text without JSON', 'no json here', 'expected output to hold JSON, got "no json here"'],
    ['an empty text', '', 'expected output to hold JSON, got ""'],
    ['a bare number as text', '42', 'expected output to hold JSON, got "42"'],
    ['a remark that only looks like YAML', 'Note: all good', 'expected output to hold JSON, got "Note: all good"'],
    ['a number', 42, 'expected output to be JSON with a value at color, got number'],
    ['a boolean', false, 'expected output to be JSON with a value at color, got boolean'],
    ['null', null, 'expected output to be JSON with a value at color, got null'],
  ])('%s cannot be judged: neither null nor a negation makes it pass', async (_, output, text) => {
    for (const negate of [false, true]) {
      expect(await failures(output, { type: 'json_path', path: 'color', value: null, negate })).toEqual([text])
    }
  })
})
