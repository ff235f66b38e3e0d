import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { distinctFileNames, fileNameOf, sameFile } from '../../src/lib/file-name.ts'

describe('a text as the name of a file', () => {
  test.each<[string, string, string]>([
    ['a plain id', 'greet-01', 'greet-01'],
    ['letters of any script', '关键词_01 für Zoë', '关键词_01-für-Zoë'],
    ['a way out', '../../etc/passwd', 'etc-passwd'],
    ['an absolute path', '/etc/passwd', 'etc-passwd'],
    ['a path of Windows', 'C:\\Windows\\x', 'C-Windows-x'],
    ['the folder itself', '.', 'unnamed'],
    ['the folder above', '..', 'unnamed'],
    ['a hidden file', '.git', 'git'],
    ['an option', '--rf', 'rf'],
    ['nothing', '', 'unnamed'],
    ['nothing that can be kept', '\u0000\u202e<>|*?"', 'unnamed'],
    ['control characters', 'a\nb\u0000c\u001b[31m', 'a-b-c-31m'],
    ['a change of direction', 'a\u202egpj.exe', 'a-gpj.exe'],
    ['a device', 'CON', '_CON'],
    ['a device with an extension', 'nul.tar', '_nul.tar'],
    ['a device with a raised digit', 'com¹', '_com¹'],
    ['no device', 'console', 'console'],
    ['dots and dashes at the end', 'a.-.', 'a'],
    ['half a character', 'a\ud800b', 'a-b'],
  ])('%s', (_, text, expected) => {
    expect(fileNameOf(text)).toBe(expected)
  })

  test('a long text is cut by its bytes, between characters', () => {
    const name = fileNameOf('語'.repeat(1_000))
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(160)
    expect(name).toMatch(/^語+$/)
  })

  test('whatever the text, the name stays in its folder and is neither hidden nor an option', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const name = fileNameOf(text)
        expect(name).toMatch(/^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}._-]*$/u)
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(170)
      }),
      { numRuns: 500 },
    )
  })
})

describe('names for many', () => {
  const named = (...names: readonly (string | readonly [string, string])[]) =>
    distinctFileNames(
      names.map((name) => (typeof name === 'string' ? { name, longName: name } : { name: name[0], longName: name[1] })),
      '.md',
    )

  test.each<[string, (string | readonly [string, string])[], string[]]>([
    ['ids of their own', ['a', 'b'], ['a.md', 'b.md']],
    ['the same id', ['a', 'a', 'a'], ['a.md', 'a-2.md', 'a-3.md']],
    ['ids that become the same', ['a/b', 'a b', 'a-b'], ['a-b.md', 'a-b-2.md', 'a-b-3.md']],
    ['ids that differ in case alone', ['A', 'a'], ['A.md', 'a-2.md']],
    ['ids that differ in composition alone', ['é', 'e\u0301'], ['é.md', 'é-2.md']],
    ['a number that is taken', ['a-2', 'a', 'a'], ['a-2.md', 'a.md', 'a-3.md']],
    [
      'one id in two suites',
      [
        ['a', 'one.jsonl-a'],
        ['b', 'one.jsonl-b'],
        ['a', 'two.jsonl-a'],
      ],
      ['one.jsonl-a.md', 'b.md', 'two.jsonl-a.md'],
    ],
  ])('%s', (_, names, expected) => {
    expect(named(...names)).toEqual(expected)
  })

  test('no two are one file', () => {
    const text = fc.oneof(fc.constantFrom('a', 'A', 'a-2', 'a/2', 'con', '_con', ''), fc.string({ maxLength: 3 }))
    fc.assert(
      fc.property(fc.array(fc.record({ name: text, longName: text }), { maxLength: 40 }), (wanted) => {
        const names = distinctFileNames(wanted, '.json').map(sameFile)
        expect(new Set(names).size).toBe(wanted.length)
      }),
    )
  })

  test('a hundred thousand equal ids take no time to tell apart', () => {
    const startedAt = Date.now()
    expect(new Set(named(...Array.from({ length: 100_000 }, () => 'x'))).size).toBe(100_000)
    expect(Date.now() - startedAt).toBeLessThan(3_000)
  })
})
