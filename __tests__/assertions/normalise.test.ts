import { describe, expect, test } from 'vitest'
import { normaliseAssertions } from '../../src/assertions/index.ts'
import type { Json } from '../../src/core/json.ts'

describe('assert and expected', () => {
  test.each<[string, Json | undefined, Json | undefined, Json]>([
    ['neither: nothing to check', undefined, undefined, []],
    ['both null: nothing to check', null, null, []],
    ['expected alone', undefined, 'blue', [{ type: 'equals', value: 'blue' }]],
    ['expected false is an expectation', null, false, [{ type: 'equals', value: false }]],
    ['expected "" is an expectation', undefined, '', [{ type: 'equals', value: '' }]],
    ['assert wins', { type: 'type', value: 'string' }, 'blue', [{ type: 'type', value: 'string' }]],
    ['a missing type means equals', { value: 1 }, undefined, [{ value: 1, type: 'equals' }]],
    ['an empty type means equals', { type: '', value: 1 }, undefined, [{ type: 'equals', value: 1 }]],
    [
      'a list keeps its order and the common settings',
      [
        { type: 'contains', value: 'a', negate: true },
        { type: 'regex', value: 'b', message: 'no b' },
      ],
      undefined,
      [
        { type: 'contains', value: 'a', negate: true },
        { type: 'regex', value: 'b', message: 'no b' },
      ],
    ],
  ])('%s', (_, assert, expected, assertions) => {
    expect(normaliseAssertions(assert, expected)).toEqual({ assertions, problems: [], warnings: [] })
  })
})

describe('refused at load', () => {
  test.each<[string, Json, string, string, string?]>([
    [
      'a string',
      'contains',
      'assert',
      'expected an assertion (an object), got "contains"',
      'write {"type": "contains", "value": …}',
    ],
    ['a number', 7, 'assert', 'expected an assertion (an object), got 7', 'such as {"type": "contains", "value": "…"}'],
    [
      'a list of strings',
      ['regex'],
      'assert[0]',
      'expected an assertion (an object), got "regex"',
      'write {"type": "regex", "value": …}',
    ],
    ['a type that is no text', { type: 5 }, 'assert.type', 'expected a text, got 5'],
    ['a type that is null', { type: null }, 'assert.type', 'expected a text, got null'],
    [
      'a misspelt type',
      [
        { type: 'equals', value: 1 },
        { type: 'contain', value: 'x' },
      ],
      'assert[1].type',
      'unknown assertion type "contain"',
      'did you mean "contains"?',
    ],
    [
      'a type in other letters',
      { type: 'Equals', value: 1 },
      'assert.type',
      'unknown assertion type "Equals"',
      'did you mean "equals"?',
    ],
    [
      'an unknown type',
      { type: 'exists', value: true },
      'assert.type',
      'unknown assertion type "exists"',
      'known types: agent, contains, custom, equals, json_path, not_contains, regex, script, tool_called, tool_result, trajectory, type',
    ],
    [
      'a type named like a property of every object',
      { type: 'constructor' },
      'assert.type',
      'unknown assertion type "constructor"',
      'known types: agent, contains, custom, equals, json_path, not_contains, regex, script, tool_called, tool_result, trajectory, type',
    ],
    [
      'a misspelt setting',
      { type: 'contains', value: 'x', negated: true },
      'assert.negated',
      'unknown setting',
      'did you mean "negate"?',
    ],
    ['contains without a value', { type: 'contains' }, 'assert.value', 'expected the text to look for, got nothing'],
    [
      'not_contains null',
      { type: 'not_contains', value: null },
      'assert.value',
      'expected the text to look for, got nothing',
    ],
    ['regex without a pattern', { type: 'regex' }, 'assert.value', 'expected a pattern (text), got nothing'],
    ['a pattern that is no text', { type: 'regex', value: 5 }, 'assert.value', 'expected a pattern (text), got 5'],
    [
      'a pattern that is not RE2',
      [{ type: 'regex', value: '(a)\\1' }],
      'assert[0].value',
      'not an RE2 pattern: error parsing regexp: invalid escape sequence: `\\1`',
    ],
    [
      'a type check without a type',
      { type: 'type' },
      'assert.value',
      'expected one of string, number, boolean, object, array, null, got nothing',
    ],
    [
      'json_path without a value',
      { type: 'json_path', path: 'a' },
      'assert.value',
      'expected the value to compare with, got nothing',
    ],
    [
      'a path that is no text',
      { type: 'json_path', path: 0, value: 1 },
      'assert.path',
      'expected a path such as user.name or items[0] (text)',
    ],
    ['negate as text', { type: 'contains', value: 'x', negate: 'true' }, 'assert.negate', 'expected true or false'],
    ['a message that is no text', { type: 'contains', value: 'x', message: 3 }, 'assert.message', 'expected a text'],
  ])('%s', (_, assert, field, message, hint) => {
    const { problems, warnings } = normaliseAssertions(assert, undefined)
    expect(problems).toEqual([{ field, message, ...(hint === undefined ? {} : { hint }) }])
    expect(warnings).toEqual([])
  })

  test('everything wrong at once', () => {
    const assert: Json = [
      { type: 'contains' },
      'regex',
      { type: 'equals', value: 1 },
      { type: 'json_path', negate: 1, extra: 2 },
    ]
    const { assertions, problems } = normaliseAssertions(assert, undefined)
    expect(assertions).toEqual([{ type: 'equals', value: 1 }])
    expect(new Set(problems.map((problem) => problem.field))).toEqual(
      new Set(['assert[0].value', 'assert[1]', 'assert[3].extra', 'assert[3].negate', 'assert[3].value']),
    )
  })

  test('a key called __proto__ is an unknown setting and pollutes nothing', () => {
    const assert: Json = JSON.parse('{"type": "equals", "value": 1, "__proto__": {"negate": true}}')
    const { assertions, problems } = normaliseAssertions(assert, undefined)
    expect([assertions.length, problems.length]).toEqual([0, 1])
    expect(problems[0]).toMatchObject({ field: 'assert.__proto__', message: 'unknown setting' })
    expect(({} as Record<string, unknown>)['negate']).toBeUndefined()
  })
})

describe('legal, but hardly meant', () => {
  test.each<[string, Json, string]>([
    ['an empty list', [], 'assert: an empty list checks nothing, so every reply passes'],
    ['equals without a value', { type: 'equals' }, 'assert: without a value the output is compared with null'],
    [
      'an empty text to contain',
      [{ type: 'contains', value: '' }],
      'assert[0]: an empty text is contained in every output',
    ],
    [
      'an empty text not to contain',
      { type: 'not_contains', value: '' },
      'assert: an empty text is contained in every output',
    ],
    ['an empty pattern', { type: 'regex', value: '' }, 'assert: an empty pattern matches every output'],
    [
      'a type that does not exist',
      { type: 'type', value: 'String' },
      'assert: no output has the type "String"; did you mean "string"?',
    ],
    [
      'a type unlike any other',
      { type: 'type', value: 'date' },
      'assert: no output has the type "date"; types are string, number, boolean, object, array, null',
    ],
    [
      'a path that addresses nothing',
      { type: 'json_path', path: 'a[*]', value: 1 },
      'assert: the path "a[*]" can never be found: only keys, dots and [n] are understood',
    ],
    [
      'a setting of another type',
      { type: 'type', value: 'object', path: 'a' },
      'assert.path: ignored by assertion type "type"',
    ],
  ])('%s', (_, assert, warning) => {
    const { problems, warnings } = normaliseAssertions(assert, undefined)
    expect(problems).toEqual([])
    expect(warnings).toEqual([warning])
  })
})
