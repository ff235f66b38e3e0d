import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { casesOf, described, jsonLines, loadText } from './folder.ts'

const good = { id: 'a', input: 'Hello' }
const GOOD = JSON.stringify(good)

describe('what a file may look like', () => {
  test.each([
    ['a byte order mark', `\uFEFF${GOOD}`, [1]],
    ['Windows line ends', `${GOOD}\r\n{"id":"b","input":"x"}\r\n`, [1, 2]],
    ['blank lines and comments between records', `\n  \n// note\n  // note\n${GOOD}\n\n`, [5]],
    ['a record printed over several lines', `{\n  "id": "a",\n  "input": "x"\n}\n{"id":"b","input":"x"}`, [1, 5]],
    ['a comment line inside a printed record', '{\n  "id": "a",\n  // why\n  "input": "x"\n}', [1]],
    [
      'a printed record that starts indented',
      `  {\n    "id": "a", "input": ["\\n"].length\n  }`.replace('["\\n"].length', '"x"'),
      [1],
    ],
    ['text that looks like a comment inside a string', '{\n"id": "a",\n"input": "see\\n// this"\n}', [1]],
    ['line separators of Unicode inside a string', '{"id":"a","input":"x\u2028y"}\n{"id":"b","input":"z"}', [1, 2]],
  ])('%s is accepted', async (_, text, lines) => {
    const loaded = await loadText(text)
    expect(described(loaded)).toEqual([])
    expect(casesOf(loaded).map((item) => item.location)).toEqual(lines.map((line) => ({ file: 'cases.jsonl', line })))
  })

  test.each([
    ['no case at all', '// nothing\n', ['cases.jsonl: there is no case in this file']],
    ['an empty file', '', ['cases.jsonl: there is no case in this file']],
    [
      'a # comment',
      '# note',
      ['cases.jsonl:1: expected a record such as {"id": "T001", "input": "Hello"}, got "#" (a comment starts with //)'],
    ],
    [
      'a comment after a record',
      `${GOOD} // note`,
      ['cases.jsonl:1: JSON error at column 28: text after the end of the record (a comment needs a line of its own)'],
    ],
    [
      'records separated by commas',
      `${GOOD},\n{"id":"b","input":"x"}`,
      [
        'cases.jsonl:1: JSON error at column 27: text after the end of the record (records are not separated by commas)',
      ],
    ],
    [
      'two records on one line',
      `${GOOD}{"id":"b","input":"x"}`,
      [
        'cases.jsonl:1: JSON error at column 27: text after the end of the record (every record starts on a line of its own)',
      ],
    ],
    [
      'a JSON list of records, printed',
      `[\n${GOOD}\n]`,
      [
        'cases.jsonl:1: expected a record such as {"id": "T001", "input": "Hello"}, got a list (write one record after the other, without [ ] around them or commas between them)',
      ],
    ],
    [
      'a trailing comma',
      '{"id":"a","input":"x",}',
      ['cases.jsonl:1: JSON error at column 23: a comma must be followed by another field, got "}"'],
    ],
    [
      'single quotes',
      "{'id':'a'}",
      ['cases.jsonl:1: JSON error at column 2: expected a field name in double quotes, got "\'"'],
    ],
    [
      'a string over two lines',
      '{"id":"a","input":"x\ny"}',
      [
        'cases.jsonl:1: JSON error at column 19: the string is not closed on its line',
        'cases.jsonl:2: expected a record such as {"id": "T001", "input": "Hello"}, got "y"',
      ],
    ],
    [
      'an unknown escape',
      '{"id":"a","input":"\\d"}',
      ['cases.jsonl:1: JSON error at column 20: unknown escape in a string'],
    ],
    [
      'a tab in a string',
      '{"id":"a","input":"\t"}',
      ['cases.jsonl:1: JSON error at column 20: control characters must be escaped in a string'],
    ],
    [
      'a mistake inside a printed record',
      '{\n  "id": "a"\n  "input": "x"\n}',
      ['cases.jsonl:3: JSON error at column 3: expected "," or "}", got "\\"" (the record starts in line 1)'],
    ],
    [
      'a record that never ends',
      '{"id":"a","input":"x"',
      ['cases.jsonl:1: the record is not finished at the end of the file'],
    ],
  ])('%s is refused', async (_, text, problems) => {
    expect(described(await loadText(text))).toEqual(problems)
  })

  test('a file in another encoding is refused', async () => {
    const loaded = await loadText(Buffer.from(`\uFEFF${GOOD}`, 'utf16le'))
    expect(described(loaded)).toEqual(['cases.jsonl: not UTF-8 text (save the file in the encoding UTF-8)'])
  })
})

describe('broken records', () => {
  test('each is reported, and none hides the good ones after it', async () => {
    const loaded = await loadText(
      [
        '{"id":"a","input":',
        GOOD,
        'oops',
        '{"id":"b","input":[',
        '{"id":"c","input":"x"}',
        '{"id":"d","inp',
        '{"id":"e","input":"x"}',
      ].join('\n'),
    )
    expect(described(loaded)).toEqual([
      'cases.jsonl:1: the record is not finished before line 2',
      'cases.jsonl:3: expected a record such as {"id": "T001", "input": "Hello"}, got "o"',
      'cases.jsonl:4: the record is not finished before line 5',
      'cases.jsonl:6: JSON error at column 11: the string is not closed on its line',
    ])
    expect(casesOf(loaded).map(({ id }) => id)).toEqual(['a', 'c', 'e'])
  })

  test('every wrong field of every record is reported at once', async () => {
    const loaded = await loadText(
      jsonLines(
        { id: 7, input: null, timeout: 30 },
        { id: 'b', input: 'x', skip: 'yes', user: 1, options: { search: 'off', skip: { trace: 1 }, metadata: [] } },
        { input: { role: 'wizard' }, metadata: 'm', assert: { type: 'contians', value: 'x' } },
      ),
    )
    expect(loaded.problems.map(({ line, field }) => `${line} ${field}`)).toEqual([
      '1 id',
      '1 input',
      '1 timeout',
      '2 skip',
      '2 user',
      '2 options.search',
      '2 options.skip.trace',
      '2 options.metadata',
      '3 metadata',
      '3 id',
      '3 input.role',
      '3 input.content',
      '3 assert.type',
    ])
  })

  const goodLine = fc
    .integer()
    .map((n) => ({ isGood: true, text: (id: string) => JSON.stringify({ id, input: `text ${n} {[` }) }))
  const printed = fc.constant({
    isGood: true,
    text: (id: string) =>
      JSON.stringify({ id, input: [{ role: 'user', content: '{"' }], metadata: { list: [1, { a: [] }] } }, null, 2),
  })
  // No bare values: after an unfinished record they may be its continuation.
  const badLine = fc
    .oneof(
      fc.constantFrom(
        'oops',
        '#',
        'id: a',
        '-',
        '{"input":"x"}',
        '{"id":"","input":"x"}',
        '{"id":"z","input":5}',
        '{}',
        '{"id":"z",}',
      ),
      fc.integer({ min: 1, max: 28 }).map((length) => '{"id":"z","input":["x",{"a":'.slice(0, length)),
    )
    .map((text) => ({ isGood: false, text: () => text }))

  test('any mix of good and bad records reports exactly the bad ones', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(goodLine, printed, badLine), { minLength: 1, maxLength: 12 }),
        async (records) => {
          const texts = records.map(({ text }, index) => text(`case-${index}`))
          const starts = texts.map(
            (_, index) => texts.slice(0, index).join('\n').split('\n').length + (index === 0 ? 0 : 1),
          )
          const loaded = await loadText(texts.join('\n'))
          const bad = starts.filter((_, index) => !records[index]?.isGood)
          const lines = [...new Set(loaded.problems.map(({ line }) => line))].sort(
            (left, right) => Number(left) - Number(right),
          )
          expect(lines).toEqual(bad)
          expect(casesOf(loaded).map(({ id }) => id)).toEqual(
            records.flatMap(({ isGood }, index) => (isGood ? [`case-${index}`] : [])),
          )
        },
      ),
      { numRuns: 300 },
    )
  })
})
