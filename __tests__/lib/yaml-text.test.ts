import { describe, expect, test } from 'vitest'
import { readYamlText, type YamlMistake } from '../../src/lib/yaml-text.ts'

function read(text: string) {
  const mistakes: YamlMistake[] = []
  const document = readYamlText(text, (mistake) => mistakes.push(mistake))
  return { document, mistakes }
}

const flow = (levels: number) => `a: ${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}`
const block = (levels: number) => Array.from({ length: levels }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')
const dashes = (levels: number) => '- '.repeat(levels)

describe('nesting', () => {
  test.each<[string, (levels: number) => string]>([
    ['brackets', flow],
    ['indented maps', block],
    ['lists on one line', dashes],
  ])('%s: 128 levels are read, one more is not', (_, nested) => {
    expect(read(nested(128)).mistakes).toEqual([])
    const { document, mistakes } = read(nested(129))
    expect(document).toBeUndefined()
    expect(mistakes).toEqual([
      expect.objectContaining({ message: expect.stringContaining('nested deeper than 128 levels') }),
    ])
  })

  // The parser's own way out of these is an overflow of the stack, which may end the process.
  test.each<[string, string]>([
    ['brackets', '['.repeat(200_000)],
    ['closed brackets', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['maps in lists', '[{a: '.repeat(50_000)],
    ['lists on one line', '- '.repeat(100_000)],
    ['complex names', '? '.repeat(100_000)],
    ['names that are lists', `${'? ['.repeat(5_000)}`],
    ['in a second document', `a: 1\n---\n${'['.repeat(100_000)}`],
  ])('%s without end', (_, text) => {
    const { document, mistakes } = read(text)
    expect(document).toBeUndefined()
    expect(mistakes.length).toBeGreaterThan(0)
    expect(mistakes[0]?.message).toContain('nested deeper than 128 levels')
  })
})

test.each<[string, string, YamlMistake[]]>([
  ['a second document', 'a: 1\n---\nb: 2\n---\nc: 3', [SECOND(2)]],
  ['a second document that is broken', 'a: 1\n--- [\n', [SECOND(2)]],
  [
    'a repeated name',
    'a: 1\nb: 2\na: 3',
    [{ line: 3, message: 'this field was given before', hint: 'only one of them could count' }],
  ],
  [
    'everything that is no plain data',
    'a: !x 1\nb: .nan\n[c]: 1',
    [
      { line: 1, message: 'the tag "!x" has no meaning here' },
      { line: 2, message: 'the number NaN has no meaning here' },
      { line: 3, message: 'a field name must be a plain text' },
    ],
  ],
])('%s', (_, text, mistakes) => {
  expect(read(text)).toEqual({ document: undefined, mistakes })
})

function SECOND(line: number): YamlMistake {
  const hint = 'a file holds one: write what belongs together as a list'
  return { line, message: 'YAML error at column 1: a second document starts here', hint }
}

test.each(['', '# a comment\n', '---\n', '~', '--- # nothing\n...\n'])('%j holds nothing', (text) => {
  expect(read(text)).toMatchObject({ document: { value: null }, mistakes: [] })
})

test('fields have their lines', () => {
  const { document } = read('a:\n  - b: 1\n    c.d: 2\n  - e\n')
  expect(document?.value).toEqual({ a: [{ b: 1, 'c.d': 2 }, 'e'] })
  const lines = ['', 'a', 'a[0]', 'a[0].b', 'a[0].c.d', 'a[1]', 'a[0].missing', 'missing'].map((field) =>
    document?.lineOf(field),
  )
  expect(lines).toEqual([1, 1, 2, 2, 3, 4, 2, 1])
})
