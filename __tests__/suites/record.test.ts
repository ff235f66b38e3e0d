import { describe, expect, test } from 'vitest'
import { plainCase } from '../support/plain-case.ts'
import { casesOf, described, jsonLines, loadText } from './folder.ts'

const good = { id: 'a', input: 'Hello' }

describe('ids', () => {
  test('a second use names both lines, also where the first record has another mistake', async () => {
    const loaded = await loadText(
      jsonLines({ id: 'a', input: 5 }, good, { id: 'b', input: 'x' }, { id: 'b', input: 'y' }),
    )
    expect(described(loaded)).toEqual([
      'cases.jsonl:1: input: expected a text, a message or a list of messages, got 5',
      'cases.jsonl:2: id: "a" is already the id of the case in line 1 (ids must be unique in a file)',
      'cases.jsonl:4: id: "b" is already the id of the case in line 3 (ids must be unique in a file)',
    ])
  })

  test('are taken exactly as written', async () => {
    const loaded = await loadText(
      jsonLines({ id: 'a', input: 'x' }, { id: ' a', input: 'x' }, { id: '__proto__', input: 'x' }),
    )
    expect(described(loaded)).toEqual([])
    expect(casesOf(loaded).map(({ key }) => key)).toEqual(['cases.jsonl/a', 'cases.jsonl/ a', 'cases.jsonl/__proto__'])
  })
})

describe('fields', () => {
  test('are all taken', async () => {
    const record = {
      id: 'a',
      input: 'Hello',
      assert: [{ type: 'contains', value: 'x' }],
      user: 'u',
      team: 't',
      options: {
        connector: 'c',
        mode: 'task',
        search: false,
        disable_global_prompts: true,
        metadata: { s: 1 },
        skip: { history: true, trace: true, output: true, keyword: true, search: false },
      },
      timeout: '1m30s',
      skip: true,
      metadata: { k: [1] },
    }
    const loaded = await loadText(jsonLines(record))
    expect(loaded.suites[0]?.warnings).toEqual([])
    expect(casesOf(loaded).map(plainCase)).toEqual([
      {
        key: 'cases.jsonl/a',
        id: 'a',
        suite: 'cases.jsonl',
        location: { file: 'cases.jsonl', line: 1 },
        input: 'Hello',
        messages: [{ role: 'user', content: 'Hello' }],
        assertions: record.assert,
        options: record.options,
        metadata: record.metadata,
        user: 'u',
        team: 't',
        timeoutMs: 90_000,
        skip: 'skipped in the suite',
        fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
      },
    ])
  })

  test('null is not set', async () => {
    const loaded = await loadText(
      '{"id":"a","input":"x","assert":null,"expected":null,"user":null,"team":null,"options":{"connector":null,"skip":null},"timeout":null,"skip":null,"metadata":null,"before":null}',
    )
    expect(described(loaded)).toEqual([])
    expect(casesOf(loaded)[0]).toMatchObject({ assertions: [], options: {}, metadata: {} })
    expect(casesOf(loaded)[0]).not.toHaveProperty('timeoutMs')
    expect(casesOf(loaded)[0]).not.toHaveProperty('user')
  })

  test.each([[false], [0], ['']])('expected %j is an expectation', async (expected) => {
    const loaded = await loadText(jsonLines({ id: 'a', input: 'x', expected }))
    expect(casesOf(loaded)[0]?.assertions).toEqual([{ type: 'equals', value: expected }])
  })

  test.each([['30'], ['soon'], [''], [' 30s'], ['0'], ['0s'], ['-5s'], [30], [true]])(
    'timeout %j is refused',
    async (timeout) => {
      expect(described(await loadText(jsonLines({ id: 'a', input: 'x', timeout })))).toEqual([
        `cases.jsonl:1: timeout: expected a duration above zero with a unit, such as "30s" or "1m30s", got ${JSON.stringify(timeout)}`,
      ])
    },
  )

  test('unknown ones are warnings with the near name, once however often they occur', async () => {
    const records = Array.from({ length: 50 }, (_, index) => ({
      id: `c${index}`,
      input: 'x',
      asert: {},
      options: { conector: 'c', skip: { hist: true } },
    }))
    const loaded = await loadText(
      jsonLines(...records, {
        id: 'z',
        input: [
          { content: 'x', nam: 'n' },
          { content: 'x', nam: 'n' },
        ],
      }),
    )
    expect(described(loaded)).toEqual([])
    expect(loaded.suites[0]?.warnings).toEqual([
      'cases.jsonl:1: asert: unknown field, ignored (did you mean "assert"?); 50 times',
      'cases.jsonl:1: options.conector: unknown field, ignored (did you mean "connector"?); 50 times',
      'cases.jsonl:1: options.skip.hist: unknown field, ignored (known fields: history, trace, output, keyword, search); 50 times',
      'cases.jsonl:51: input[0].nam: unknown field, ignored (did you mean "name"?); 2 times',
    ])
  })

  test('names in the wrong case are pointed out', async () => {
    expect(described(await loadText('{"ID":"a","Input":"x"}'))).toEqual([
      'cases.jsonl:1: id: required (found "ID": field names are lower case)',
      'cases.jsonl:1: input: required (found "Input": field names are lower case)',
    ])
  })

  test('warnings about assertions say where', async () => {
    const loaded = await loadText(jsonLines(good, { id: 'b', input: 'x', assert: [] }))
    expect(loaded.suites[0]?.warnings).toEqual([
      'cases.jsonl:2: assert: an empty list checks nothing, so every reply passes',
    ])
  })
})

describe('what runs around a case', () => {
  test('is kept, and an empty name is none', async () => {
    const loaded = await loadText(
      jsonLines(
        { id: 'hooked', input: 'x', before: 'env_test.Before', after: 'env_test.After' },
        { id: 'plain', input: 'x', before: '', name: 'a name' },
        { id: 'skipped', input: 'x', before: 'env_test.Before', skip: true },
      ),
    )
    expect(described(loaded)).toEqual([])
    expect(casesOf(loaded)).toHaveLength(3)
    const [hooked, plain] = casesOf(loaded)
    expect(hooked).toMatchObject({ before: 'env_test.Before', after: 'env_test.After' })
    expect([plain?.before, plain?.after]).toEqual([undefined, undefined])
  })

  test.each([
    ['checkpoints', 'c', 'a list, got "c"'],
    ['before', 1, 'a string, got 1'],
    ['after', {}, 'a string, got an object'],
    ['max_turns', '3', 'a number, got "3"'],
  ])('%s of a wrong type is a mistake', async (field, value, expected) => {
    expect(described(await loadText(jsonLines({ ...good, [field]: value })))).toEqual([
      `cases.jsonl:1: ${field}: expected ${expected}`,
    ])
  })
})
