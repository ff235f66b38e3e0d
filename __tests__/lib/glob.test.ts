import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileGlob, globProblem } from '../../src/lib/glob.ts'

describe('a glob', () => {
  test.each<[glob: string, path: string, fits: boolean]>([
    // Plain paths, and what lies below them.
    ['evals/a.jsonl', 'evals/a.jsonl', true],
    ['./evals/a.jsonl', 'evals/a.jsonl', true],
    ['evals/a.jsonl', 'evals/a.jsonl2', false],
    ['evals/a.jsonl', 'x/evals/a.jsonl', false],
    ['evals', 'evals/sub/a.jsonl', true],
    ['evals/', 'evals/sub/a.jsonl', true],
    ['evals/', 'evals', false],
    ['evals', 'evals2/a.jsonl', false],
    // Within a name.
    ['*', 'a.jsonl', true],
    ['*', 'evals/a.jsonl', false],
    ['evals/*', 'evals/a.jsonl', true],
    ['evals/*', 'evals/sub/a.jsonl', false],
    ['evals/*.jsonl', 'evals/.jsonl', true],
    ['a*b', 'a/b', false],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['a?c', 'ac', false],
    // Over folders.
    ['**', 'a', true],
    ['**', 'a/b/c', true],
    ['**/a.jsonl', 'a.jsonl', true],
    ['**/a.jsonl', 'x/y/a.jsonl', true],
    ['**/a.jsonl', 'x/ya.jsonl', false],
    ['evals/**', 'evals/a/b.jsonl', true],
    ['evals/**', 'evals', false],
    ['evals/**/b.jsonl', 'evals/b.jsonl', true],
    ['evals/**/b.jsonl', 'evals/x/y/b.jsonl', true],
    ['evals/a**', 'evals/ab', true],
    ['evals/a**', 'evals/a/b', false],
    ['***', 'a/b', true],
    // Choices.
    ['{a,b}/x', 'b/x', true],
    ['{a,b}/x', 'c/x', false],
    ['{a,{b,c}d}', 'cd', true],
    ['{a,{b,c}d}', 'bd', true],
    ['{a,{b,c}d}', 'ad', false],
    ['{**/a,b}', 'x/a', true],
    ['a{,b}', 'a', true],
    ['a,b', 'a,b', true],
    ['a}', 'a}', true],
    // Classes.
    ['[ab].x', 'b.x', true],
    ['[!ab].x', 'b.x', false],
    ['[^ab].x', 'c.x', true],
    ['[!a]', '/', false],
    ['[a-c]', 'b', true],
    ['[]]', ']', true],
    ['[!]]', 'x', true],
    ['[\\d]', '7', false],
    ['[\\d]', 'd', true],
    // Characters that mean something elsewhere.
    ['a.b', 'axb', false],
    ['a+(b)|c^$', 'a+(b)|c^$', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['\\[id\\].jsonl', '[id].jsonl', true],
    ['\\{a\\}', '{a}', true],
    ['a\\', 'a\\', true],
    ['ä/💥?.jsonl', 'ä/💥1.jsonl', true],
    ['a b', 'a b', true],
    ['*', 'a\nb', true],
    ['a', 'a\n', false],
  ])('%j on %j: %s', (glob, path, fits) => {
    expect(compileGlob(glob)(path)).toBe(fits)
  })

  test.each<[glob: string, problem: RegExp]>([
    ['', /empty/],
    ['./', /empty/],
    ['.', /empty/],
    ['!a', /what it matches/],
    ['[a', /"\[" is not closed/],
    ['{a,b', /"\{" is not closed/],
    ['[z-a]', /cannot be read/],
    ['a'.repeat(1_001), /1000 characters/],
  ])('%.20j is refused', (glob, problem) => {
    expect(globProblem(glob)).toMatch(problem)
    expect(() => compileGlob(glob)).toThrow(problem)
  })

  test('a pattern that is made to take for ever does not', () => {
    const startedAt = Date.now()
    expect(compileGlob(`${'*a'.repeat(100)}b`)('a'.repeat(10_000))).toBe(false)
    expect(compileGlob(`${'**/'.repeat(200)}b`)('a/'.repeat(5_000))).toBe(false)
    expect(compileGlob('{'.repeat(500) + '}'.repeat(500))('a')).toBe(false)
    expect(Date.now() - startedAt).toBeLessThan(5_000)
  })

  test('whatever is written, it matches or says why not', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (glob, path) => {
        if (globProblem(glob) === undefined) expect(typeof compileGlob(glob)(path)).toBe('boolean')
      }),
    )
  })

  test('a path that is escaped matches itself alone', () => {
    const name = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => !/^[./!]|\/$/.test(text))
    fc.assert(
      fc.property(name, name, (path, other) => {
        const matches = compileGlob(path.replace(/[\\*?[\]{},!]/g, '\\$&'))
        expect(matches(path)).toBe(true)
        expect(matches(other)).toBe(other === path || (!/[\\*?[{]/.test(path) && other.startsWith(`${path}/`)))
      }),
    )
  })
})
