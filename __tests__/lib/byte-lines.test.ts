import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ByteLine, byteLines, readByteLine } from '../../src/lib/byte-lines.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()

async function linesOf(text: string, longest?: number): Promise<ByteLine[]> {
  const { path } = folder({ lines: text })
  const handle = await open(join(path, 'lines'))
  try {
    const found: ByteLine[] = []
    for await (const line of byteLines(handle, longest === undefined ? {} : { longest })) {
      found.push(line)
      if (!line.isTooLong) expect(await readByteLine(handle, line)).toBe(line.text)
    }
    return found
  } finally {
    await handle.close()
  }
}

test.each<[string, string, string[]]>([
  ['nothing', '', []],
  ['one line without an end', 'a', ['a']],
  ['lines with and without contents', 'a\n\nb\n', ['a', '', 'b']],
  ['more bytes than characters', 'é\n€', ['é', '€']],
  [
    'lines over chunks',
    `${'x'.repeat(1_500_000)}\n${'y'.repeat(1_500_000)}\nz`,
    ['x'.repeat(1_500_000), 'y'.repeat(1_500_000), 'z'],
  ],
])('%s', async (_, text, expected) => {
  expect((await linesOf(text)).map((line) => line.text)).toEqual(expected)
})

test('a line that is too long is told of, where it lies, and the next is whole', async () => {
  const long = 'x'.repeat(3_000_000)
  const found = await linesOf(`a\n${long}\nb\n${long}`, 1_000)
  expect(found).toEqual([
    { number: 1, offset: 0, length: 1, text: 'a' },
    { number: 2, offset: 2, length: 3_000_000, text: '', isTooLong: true },
    { number: 3, offset: 3_000_003, length: 1, text: 'b' },
    { number: 4, offset: 3_000_005, length: 3_000_000, text: '', isTooLong: true },
  ])
})
