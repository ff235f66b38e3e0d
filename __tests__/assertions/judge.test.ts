import { describe, expect, test } from 'vitest'
import { judgeAssertions, normaliseAssertions } from '../../src/assertions/index.ts'
import type { Json } from '../../src/core/json.ts'
import { check, failures, subjectOf } from './subject.ts'

describe('failure texts', () => {
  test.each<[string, Json, Json, string]>([
    ['equals', 'tea', { type: 'equals', value: 'teal' }, 'expected output to equal "teal", got "tea"'],
    [
      'equals with keys in any order',
      { b: 2, a: 1 },
      { value: { a: 2 } },
      'expected output to equal {"a":2}, got {"a":1,"b":2}',
    ],
    ['contains', 'red cat', { type: 'contains', value: 'fox' }, 'expected output to contain "fox", got "red cat"'],
    ['contains a number', 'red', { type: 'contains', value: 5 }, 'expected output to contain "5", got "red"'],
    [
      'not_contains',
      'red fox',
      { type: 'not_contains', value: 'fox' },
      'expected output not to contain "fox", got "red fox"',
    ],
    ['regex', 'red', { type: 'regex', value: '^\\d+$' }, 'expected output to match /^\\d+$/, got "red"'],
    ['regex on nothing', null, { type: 'regex', value: 'a' }, 'expected output to match /a/, got null'],
    ['type', [], { type: 'type', value: 'object' }, 'expected output to be of type "object", got "array"'],
    ['json_path', { a: 1 }, { type: 'json_path', path: 'a', value: 2 }, 'expected a to be 2, got 1'],
    [
      'json_path with several values',
      { a: 1 },
      { type: 'json_path', path: '$.a', value: [2, 3] },
      'expected $.a to be one of [2,3], got 1',
    ],
    ['a whole document', { a: 1 }, { type: 'json_path', value: 2 }, 'expected the document to be 2, got {"a":1}'],
    [
      'negate',
      'calm sea',
      { type: 'contains', value: 'calm', negate: true },
      'negated: did not expect output to contain "calm", got "calm sea"',
    ],
    ['a message of the suite', 'red', { type: 'contains', value: 'fox', message: 'no fox!' }, 'no fox!'],
    [
      'an empty message is none',
      'red',
      { type: 'contains', value: 'fox', message: '' },
      'expected output to contain "fox", got "red"',
    ],
    [
      'a message of the suite on what cannot be judged',
      'red',
      { type: 'json_path', path: 'a', value: 1, message: 'wrong a' },
      'wrong a (expected output to hold JSON, got "red")',
    ],
    ['line breaks stay on one line', 'a\nb', { value: 'c\td' }, 'expected output to equal "c\\td", got "a\\nb"'],
  ])('%s', async (_, output, assert, text) => {
    expect(await failures(output, assert)).toEqual([text])
  })

  test('a long output is cut at 200 characters, and not inside of one', async () => {
    const [text] = await failures(`${'x'.repeat(199)}😀${'y'.repeat(1000)}`, { type: 'contains', value: 'fox' })
    expect(text).toBe(`expected output to contain "fox", got "${'x'.repeat(199)}…"`)
  })

  test('a long expected value is cut as well', async () => {
    const [text] = await failures('red', { type: 'contains', value: 'z'.repeat(5000) })
    expect(text).toBe(`expected output to contain "${'z'.repeat(200)}…", got "red"`)
  })
})

describe('checks', () => {
  test('a failed assertion does not spare the rest', async () => {
    const checks = await check('calm sea', [
      { type: 'contains', value: 'storm' },
      { type: 'contains', value: 'sea' },
      { type: 'regex', value: '\\d', message: 'no digit' },
    ])
    expect(checks).toEqual([
      {
        name: 'contains',
        passed: false,
        weight: 1,
        message: 'expected output to contain "storm", got "calm sea"',
        expected: 'storm',
        actual: 'calm sea',
      },
      { name: 'contains', passed: true, weight: 1, message: '' },
      { name: 'regex', passed: false, weight: 1, message: 'no digit', expected: '\\d', actual: 'calm sea' },
    ])
  })

  test('json_path keeps what it compared', async () => {
    const [only] = await check('```json\n{"a":{"b":1}}\n```', { type: 'json_path', path: 'a.b', value: 2 })
    expect(only).toMatchObject({ expected: 2, actual: 1 })
  })

  test('the same configuration judges every run afresh', async () => {
    const { assertions } = normaliseAssertions({ type: 'regex', value: 'o+' }, undefined)
    const verdicts = []
    for (const output of ['foo', 'bar', 'oo']) {
      const [only] = await judgeAssertions(subjectOf(output), assertions)
      verdicts.push(only?.passed)
    }
    expect(verdicts).toEqual([true, false, true])
  })

  test('a case without assertions has no checks', async () => {
    expect(await check('anything', null)).toEqual([])
  })

  test('an assertion that loading never saw is a bug, not a pass', async () => {
    await expect(judgeAssertions(subjectOf('x'), [{ type: 'exists' }])).rejects.toThrow('assertion type exists')
  })
})

describe('hostile patterns and outputs', () => {
  test('a pattern that other engines choke on ends in linear time', async () => {
    const started = performance.now()
    const [only] = await check(`${'a'.repeat(50_000)}!`, { type: 'regex', value: '^(a+)+$' })
    expect(only?.passed).toBe(false)
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  test('a text of nothing but opening brackets is no JSON and costs little', async () => {
    const started = performance.now()
    const [text] = await failures('{'.repeat(1_000_000), { type: 'json_path', path: 'a', value: 1 })
    expect(text).toMatch(/^expected output to hold JSON, got "\{{200}…"$/)
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  test('valid JSON nested beyond reason is refused instead of overflowing the stack', async () => {
    const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const [text] = await failures(nested, { type: 'json_path', path: '', value: 1 })
    expect(text).toContain('expected output to hold JSON')
  })
})
