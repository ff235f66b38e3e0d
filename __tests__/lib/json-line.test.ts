import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { jsonLine } from '../../src/lib/json-line.ts'

test('is one line of plain JSON that ends with a newline', () => {
  expect(jsonLine({ a: [1, 'b\nc', '€'] })).toBe('{"a":[1,"b\\nc","€"]}\n')
})

test.each(['\n', '\r', '\r\n', '\v', '\f', '\u0085', '\u2028', '\u2029', '\u001c'])(
  'is one line for a reader that splits at %j',
  async (end) => {
    const value = { [`key${end}`]: `before${end}after` }
    const lines: string[] = []
    const reader = createInterface({ input: Readable.from([jsonLine(value)]) }).on('line', (line) => lines.push(line))
    await once(reader, 'close')
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([value])
    expect(jsonLine(value).trimEnd().split(end)).toHaveLength(1)
  },
)
