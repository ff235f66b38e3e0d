import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readByteLine } from '../../src/lib/byte-lines.ts'
import { jsonMembers } from '../../src/lib/json-members.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()

/** Every part with its text parsed; the breakdown last, where there is one. */
async function membersOf(text: string) {
  const path = join(folder().path, 'x.json')
  await writeFile(path, text)
  const handle = await open(path)
  const parts: object[] = []
  try {
    for await (const part of jsonMembers(handle)) {
      if (part.kind === 'broken') parts.push({ line: part.line, why: part.why })
      else {
        const { name, index, line } = part
        const value: unknown = JSON.parse(await readByteLine(handle, part))
        parts.push({ name, ...(index === undefined ? {} : { index }), line, value })
      }
    }
  } finally {
    await handle.close()
  }
  return parts
}

describe('the members of a JSON document', () => {
  test.each<[string, string, object[]]>([
    ['nothing in it', '{}', []],
    ['a byte order mark', '\uFEFF{"a": 1}', [{ name: 'a', line: 1, value: 1 }]],
    [
      'values of every kind',
      '{"n": -1.5e3, "t": true, "z": null, "s": "x", "o": {"l": [1, 2], "s": "}]"}}',
      [
        { name: 'n', line: 1, value: -1500 },
        { name: 't', line: 1, value: true },
        { name: 'z', line: 1, value: null },
        { name: 's', line: 1, value: 'x' },
        { name: 'o', line: 1, value: { l: [1, 2], s: '}]' } },
      ],
    ],
    [
      'lists, their elements one by one',
      '{\n "a": [],\n "b": [\n  {"x": [1, [2]]},\n  "y, ]",\n  3\n ],\n "c": 4\n}\n',
      [
        { name: 'b', index: 0, line: 4, value: { x: [1, [2]] } },
        { name: 'b', index: 1, line: 5, value: 'y, ]' },
        { name: 'b', index: 2, line: 6, value: 3 },
        { name: 'c', line: 8, value: 4 },
      ],
    ],
    [
      'escaped quotation marks, in names too',
      '{"a\\"b": "c\\\\", "d": "\\",{["}',
      [
        { name: 'a"b', line: 1, value: 'c\\' },
        { name: 'd', line: 1, value: '",{[' },
      ],
    ],
    ['no object', '[1]', [{ line: 1, why: 'not an object' }]],
    ['nothing', ' \n', [{ line: 2, why: 'not an object' }]],
    ['a text', '\n# Report', [{ line: 2, why: 'not an object' }]],
    [
      'an end that is missing',
      '{"a": [1,\n2',
      [
        { name: 'a', index: 0, line: 1, value: 1 },
        { line: 2, why: 'ends too early' },
      ],
    ],
    ['an end inside of a string', '{"a": "x', [{ line: 1, why: 'ends too early' }]],
    [
      'a second document',
      '{"a": 1}\n{"b": 2}',
      [
        { name: 'a', line: 1, value: 1 },
        { line: 2, why: 'text after the end' },
      ],
    ],
  ])('%s', async (_, text, expected) => {
    expect(await membersOf(text)).toEqual(expected)
  })

  test('are those of JSON.parse, however the document is indented', async () => {
    const members = fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue({ maxDepth: 3 }), {
      maxKeys: 5,
      noNullPrototype: true,
    })
    await fc.assert(
      fc.asyncProperty(members, fc.constantFrom(0, 2), async (value, indent) => {
        const parts = await membersOf(JSON.stringify(value, null, indent))
        const expected = Object.entries(JSON.parse(JSON.stringify(value)) as object).flatMap(
          ([name, member]: [string, unknown]) =>
            Array.isArray(member)
              ? member.map((item: unknown, index) => ({ name, index, value: item }))
              : [{ name, value: member }],
        )
        expect(parts.map(({ line: _line, ...part }: { line?: number }) => part)).toEqual(expected)
      }),
      { numRuns: 60 },
    )
  })

  test('are found across the pieces that a large file is read in', async () => {
    const rows = Array.from({ length: 3_000 }, (_, index) => ({ id: `ü${index}`, text: '語"\\'.repeat(200) }))
    const parts = await membersOf(JSON.stringify({ results: rows }, null, 2))
    expect(parts.map((part) => (part as { value: object }).value)).toEqual(rows)
  })
})
