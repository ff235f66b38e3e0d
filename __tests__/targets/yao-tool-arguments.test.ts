import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { processArguments, schemaProblem } from '../../src/targets/yao/mcp/arguments.ts'
import { parseServers } from '../../src/targets/yao/mcp/selection.ts'

describe('arguments', () => {
  const given = { a: 1, b: { c: [2] } }
  test.each<[string, string[], Json[]]>([
    ['whole without a list', [], [given]],
    ['whole', [':arguments'], [given]],
    ['members', ['$args.a', '$args.b.c', '$a', '$b.c'], [1, [2], 1, [2]]],
    ['null where there is none', ['$args.x', '$args.a.b', '$x', '$args.constructor'], [null, null, null, null]],
    ['constants', ['on', 'args.a'], ['on', 'args.a']],
  ])('%s', (_, mapped, expected) => {
    expect(processArguments(mapped, given)).toEqual(expected)
  })

  test.each<[string, Json, Json, string | undefined]>([
    ['anything without a schema', 5, true, undefined],
    ['one of several types', 5, { type: ['string', 'number'] }, undefined],
    [
      'none of several types',
      true,
      { type: ['string', 'null'] },
      'the arguments: expected string or null, got boolean',
    ],
    ['an allowed value', 'x', { enum: ['x', 'y'] }, undefined],
    ['another value', 'z', { enum: ['x', 'y'] }, 'the arguments: expected one of ["x","y"]'],
    ['a constant', { a: 1 }, { properties: { a: { const: 2 } } }, 'a: expected 2'],
    ['a number that is too big', 11, { maximum: 10 }, 'the arguments: expected at most 10'],
    ['a text that is too short', '', { minLength: 1 }, 'the arguments: expected at least 1 characters'],
    ['a list that is too long', [1, 2], { maxItems: 1 }, 'the arguments: expected at most 1 items'],
    [
      'an item of the wrong type',
      { l: [1, 'x'] },
      { properties: { l: { items: { type: 'number' } } } },
      'l[1]: expected number, got string',
    ],
    ['an argument too many', { a: 1 }, { additionalProperties: false }, 'a: unknown argument'],
    ['a required name of the prototype', {}, { required: ['toString'] }, 'toString is required'],
    [
      'a broken schema',
      { a: 1 },
      { type: 5, required: 'a', properties: [], items: 3 },
      'the arguments: expected 5, got object',
    ],
  ])('%s', (_, value, schemaOf, expected) => {
    expect(schemaProblem(value, schemaOf)).toBe(expected)
  })

  test.each<[unknown]>([
    [5],
    [null],
    [''],
    [{}],
    [{ server_id: 5 }],
    [{ a: ['x'], b: ['y'] }],
    [{ a: [5] }],
    [{ a: 5 }],
    [[]],
  ])('a server written as %j is refused by its place', (item) => {
    expect(parseServers(['ok', item], 'mcp.servers')).toEqual({
      problem: expect.stringMatching(/^mcp\.servers\[1\]: /),
    })
  })
})
