import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { checkKindConfig, didYouMean, issuesToProblems, registry } from '../../src/core/kind.ts'

const fruits = registry([
  {
    type: 'pear',
    schema: z.object({ weight: z.number(), tree: z.object({ age: z.number('expected years') }).optional() }),
  },
  { type: 'apple', schema: z.object({}) },
])
const place = { noun: 'fruit', field: 'basket[1]' }

describe('registry', () => {
  test('lists its types in order and finds each', () => {
    expect(fruits.types).toEqual(['apple', 'pear'])
    expect(fruits.get('pear')?.type).toBe('pear')
    expect(fruits.get('constructor')).toBeUndefined()
  })

  test('refuses two kinds of one name', () => {
    const apple = { type: 'apple', schema: z.object({}) }
    expect(() => registry([apple, apple])).toThrow('two kinds share one type name')
  })
})

describe('checkKindConfig', () => {
  test.each([
    ['what fits', { type: 'pear', weight: 2 }, []],
    [
      'an unknown type near a known one',
      { type: 'aple' },
      [{ field: 'basket[1].type', message: 'unknown fruit type "aple"', hint: 'did you mean "apple"?' }],
    ],
    [
      'an unknown type unlike any',
      { type: 'stone' },
      [{ field: 'basket[1].type', message: 'unknown fruit type "stone"', hint: 'known types: apple, pear' }],
    ],
    [
      'a misspelt setting beside a missing one',
      { type: 'pear', wieght: 2 },
      [
        { field: 'basket[1].weight', message: 'invalid input: expected number, received undefined' },
        { field: 'basket[1].wieght', message: 'unknown setting', hint: 'did you mean "weight"?' },
      ],
    ],
    [
      'a wrong value deep inside, in our words',
      { type: 'pear', weight: 1, tree: { age: 'old' } },
      [{ field: 'basket[1].tree.age', message: 'expected years' }],
    ],
    [
      'a setting of another kind',
      { type: 'apple', weight: 1 },
      [{ field: 'basket[1].weight', message: 'unknown setting' }],
    ],
  ])('%s', (_, config, problems) => {
    expect(checkKindConfig(fruits, config, place)).toEqual(problems)
  })

  test('common settings are known to every kind', () => {
    const common = z.object({ ripe: z.boolean('expected true or false').optional() })
    expect(checkKindConfig(fruits, { type: 'apple', ripe: true }, { ...place, common })).toEqual([])
    expect(checkKindConfig(fruits, { type: 'apple', ripe: 1 }, { ...place, common })).toEqual([
      { field: 'basket[1].ripe', message: 'expected true or false' },
    ])
    expect(checkKindConfig(fruits, { type: 'apple', rip: 1 }, { ...place, common })).toEqual([
      { field: 'basket[1].rip', message: 'unknown setting', hint: 'did you mean "ripe"?' },
    ])
  })
})

test('issues of a list are named by index, without a field at the top', () => {
  const parsed = z.array(z.object({ a: z.string() })).safeParse([{ a: 'x' }, { a: 1 }])
  expect(parsed.success ? [] : issuesToProblems(parsed.error)).toEqual([
    { field: '[1].a', message: 'invalid input: expected string, received number' },
  ])
})

describe('didYouMean', () => {
  const known = ['contains', 'equals', 'json_path', 'c']
  test.each([
    ['one letter missing', 'equal', 'did you mean "equals"?'],
    ['letters exchanged', 'contians', 'did you mean "contains"?'],
    ['capital letters', 'JSON_PATH', 'did you mean "json_path"?'],
    ['another sign between words', 'json-path', 'did you mean "json_path"?'],
    ['nothing alike', 'similarity', undefined],
    ['an empty word', '', 'did you mean "c"?'],
    ['a long word', 'equals'.repeat(1_000_000), undefined],
  ])('%s', (_, word, hint) => {
    expect(didYouMean(word, known)).toBe(hint)
  })

  test('nothing is known', () => {
    expect(didYouMean('a', [])).toBeUndefined()
  })
})
