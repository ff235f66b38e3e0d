import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lineDiff } from '../../src/lib/line-diff.ts'

const MARKS = { same: ' ', before: '-', after: '+' } as const
const shown = (before: string, after: string) =>
  lineDiff(before, after)?.map(({ kind, text }) => `${MARKS[kind]}${text}`)

describe('the lines of two texts', () => {
  test.each([
    ['of the same', 'a\nb', 'a\nb', [' a', ' b']],
    ['one line replaced', 'a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
    ['lines added in the middle', 'a\nc', 'a\nb\nc', [' a', '+b', ' c']],
    ['a line gone at the end', 'a\nb', 'a', [' a', '-b']],
    ['nothing in common', 'a', 'b', ['-a', '+b']],
    ['moved lines', 'a\nb\nc', 'c\na\nb', ['+c', ' a', ' b', '-c']],
    ['two line ends', 'a\r\nb', 'a\nb', [' a', ' b']],
    ['an empty text', '', 'a', ['-', '+a']],
  ])('%s', (_name, before, after, expected) => {
    expect(shown(before, after)).toEqual(expected)
  })

  test('both texts can be read from it, and the common part is as long as it can be', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = lineDiff(before, after) ?? []
        const side = (other: 'before' | 'after') =>
          lines.flatMap((line) => (line.kind === other ? [] : [line.text])).join('\n')
        expect(side('after')).toBe(before)
        expect(side('before')).toBe(after)
        const common = lines.filter(({ kind }) => kind === 'same').length
        expect(common).toBe(longestCommon(before.split('\n'), after.split('\n')))
      }),
    )
  })

  test('are not compared where that would take long', () => {
    const lines = (mark: string) => Array.from({ length: 600 }, (_, index) => `${mark}${index}`).join('\n')
    expect(lineDiff(lines('a'), lines('b'))).toBeUndefined()
    // What both have at their ends costs nothing.
    expect(lineDiff(`${lines('a')}\nb`, `${lines('a')}\nc`)).toHaveLength(602)
  })
})

/** The textbook's recursion, too slow for anything but this. */
function longestCommon(left: readonly string[], right: readonly string[]): number {
  const known = new Map<string, number>()
  const from = (row: number, column: number): number => {
    if (row === left.length || column === right.length) return 0
    const key = `${row} ${column}`
    const cached = known.get(key)
    if (cached !== undefined) return cached
    const longest =
      left[row] === right[column]
        ? 1 + from(row + 1, column + 1)
        : Math.max(from(row + 1, column), from(row, column + 1))
    known.set(key, longest)
    return longest
  }
  return from(0, 0)
}
