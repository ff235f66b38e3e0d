import { describe, expect, test } from 'vitest'
import { compilePattern } from '../../src/lib/regex.ts'

describe('the RE2 dialect', () => {
  test.each<[string, string, string, boolean]>([
    ['a search, not a full match', '\\d+', 'order 48 ok', true],
    ['inline flags', '(?i)hello', 'HELLO', true],
    ['the dot stops at a line end', 'A.B', 'A\nB', false],
    ['unless told otherwise', '(?s)A.B', 'A\nB', true],
    ['anchors mean the whole text', '^two$', 'one\ntwo', false],
    ['unless told otherwise, too', '(?m)^two$', 'one\ntwo', true],
    ['a line end at the end is no end', '^two$', 'two\n', false],
    ['classes are ASCII', '^\\w+$', 'naïve', false],
    ['classes of Unicode', '\\p{Greek}', 'Ωmega', true],
    ['named groups', '(?P<n>\\d)', 'x4', true],
    ['quoted stretches', '\\Qa.b\\E', 'aXb', false],
    ['a dot takes a whole emoji', '^.$', '😀', true],
    ['an empty pattern matches', '', 'x', true],
  ])('%s', (_, pattern, text, matches) => {
    expect(compilePattern(pattern).test(text)).toBe(matches)
  })

  test.each([
    ['back-references', '(a)\\1', /invalid escape sequence/],
    ['look-ahead', 'a(?=b)', /invalid or unsupported Perl syntax|invalid.*group/],
    ['an unclosed class', '[a', /missing closing \]/],
    ['an unclosed group', '(a', /missing closing \)/],
    ['a repetition of nothing', '*a', /missing argument to repetition/],
    ['repetitions that would fill the memory', '(x{1000}){1000}', /invalid repeat count/],
    ['nesting that would overflow the stack', `${'('.repeat(50_000)}${')'.repeat(50_000)}`, /nests too deeply/],
  ])('%s are refused with a reason', (_, pattern, reason) => {
    expect(() => compilePattern(pattern)).toThrow(reason)
  })

  test('a compiled pattern keeps no state between texts', () => {
    const pattern = compilePattern('o')
    expect([pattern.test('foo'), pattern.test('foo'), pattern.test('bar')]).toEqual([true, true, false])
  })

  test('nested repetitions take linear time', () => {
    const started = performance.now()
    expect(compilePattern('(a*)*b').test('a'.repeat(20_000))).toBe(false)
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})
