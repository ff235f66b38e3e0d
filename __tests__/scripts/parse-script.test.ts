import { describe, expect, test } from 'vitest'
import { parseScript } from '../../src/scripts/parse-script.ts'

const names = (text: string, path = 'a.ts') => {
  const parsed = parseScript(text, path)
  return 'problem' in parsed ? parsed.problem : parsed.functions.map(({ name, line }) => `${name}:${line}`)
}

describe('functions at the top level', () => {
  test.each<[string, string, string[]]>([
    ['a declaration', 'function A() {}', ['A:1']],
    ['exported', '\nexport function A() {}', ['A:2']],
    ['the default', 'export default function A() {}', ['A:1']],
    [
      'async, generator, both',
      'async function A() {}\nfunction* B() {}\nexport async function* C() {}',
      ['A:1', 'B:2', 'C:3'],
    ],
    ['generic, the parenthesis on the next line', 'function A<T extends object>\n  (t: T) {}', ['A:1']],
    ['an arrow constant', 'export const A = () => {}\nconst B = async (t: T): Promise<void> => {}', ['A:1', 'B:2']],
    ['an arrow with a bare parameter', 'const A = t => 1, B = async t => 2, C = async => 3', ['A:1', 'B:1', 'C:1']],
    ['a function expression', 'const A = function () {}\nlet B = async function named() {}', ['A:1', 'B:2']],
    ['one with a type of its own', 'const A: (t: number) => void = (t) => {}', ['A:1']],
    ['an arrow with type parameters', 'const A = <T,>(t: T): T => t', ['A:1']],
    ['an arrow whose parameters hold parentheses', 'const A = (t = (1 + (2))) => t', ['A:1']],
    [
      'in parentheses, as something',
      'const A = ((t) => {}); const B = ((t) => {}) as any\nconst C = (function () {}), D = ((async () => 1))',
      ['A:1', 'B:1', 'C:2', 'D:2'],
    ],
    ['overloads count once, where the body is', 'function A(t: string): void\nfunction A(t: any) {}', ['A:2']],
    ['another name for it', 'function A() {}\nexport { A as B, A }', ['A:1', 'B:1']],
    [
      'no function: values, classes, enums, calls',
      'const A = 1; class B { C() {} }\nenum D { X }\nconst E = (1 + 2); const F = f(() => 1)\nconst G = (() => 1)(), H = (f)(() => 1), I = (() => 1).name, J = ([() => 1])',
      [],
    ],
    [
      'no function: types',
      'declare function A(): void\ninterface B { C(): void }\ntype D = () => void\nabstract class E { abstract F(): void }',
      [],
    ],
    [
      'none in comments, texts, templates',
      '// function A() {}\n/* function B() {} */\nconst s = "function C() {}" + `function D() {}`',
      [],
    ],
    [
      'none inside of others',
      'function A() { function B() {} }\n{ function C() {} }\nif (1) { function D() {} }',
      ['A:1'],
    ],
    ['none in a pattern', 'const r = /function A() {}/; const x = 1 / 2; function B() {}', ['B:1']],
  ])('%s', (_, text, expected) => {
    expect(names(text)).toEqual(expected)
  })

  test('JavaScript has them too', () => {
    expect(names('function A() {}\nexports.B = () => 1', 'a.js')).toEqual(['A:1'])
  })

  test.each<[string, boolean]>([
    ['export function A() {}', true],
    ['export { a } from "./b"', false],
    ['export * from "./b"', false],
    ['module.exports = { a() {} }', false],
    ['exports.a = () => 1', false],
    ['const a = 1; export { a }', true],
  ])('%s says all: %s', (text, isComplete) => {
    expect(parseScript(text, 'a.ts')).toMatchObject({ isComplete })
  })
})

describe('the code', () => {
  test('keeps every line where it is', () => {
    const text = [
      'import type { T } from "./t"',
      'interface A {',
      '  b: number',
      '}',
      '',
      'export function f<T>(',
      '  a: T,',
      '): void {',
      '  throw new Error("line 9")',
      '}',
    ].join('\n')
    const parsed = parseScript(text, 'a.ts')
    if ('problem' in parsed) throw new Error(parsed.problem.message)
    const lines = parsed.code.split('\n')
    expect(lines.findIndex((line) => line.includes('line 9'))).toBe(8)
    expect(lines.at(-1)).toBe('module.locals = { get f() { return f } }')
  })

  test('an ending comment hides nothing', () => {
    const parsed = parseScript('function f() {} // end', 'a.ts')
    expect(parsed).toMatchObject({ code: expect.stringContaining('\nmodule.locals = { get f() { return f } }') })
  })
})

describe('what is no script', () => {
  test.each<[string, string, string, { line?: number; message: string }]>([
    [
      'a syntax error',
      'function a() {}\nlet = ;\n',
      'a.ts',
      { line: 2, message: expect.stringContaining('not a valid script: unexpected token') },
    ],
    [
      'a text that does not end',
      'const a = "x',
      'a.ts',
      { line: 1, message: expect.stringContaining('not a valid script') },
    ],
    [
      'a dynamic import',
      '\nconst a = () => import("./b")',
      'a.ts',
      { line: 2, message: 'import() is not available in scripts' },
    ],
    ['broken JSON', '{', 'a.json', { message: expect.stringContaining('not JSON') }],
  ])('%s', (_, text, path, problem) => {
    expect(parseScript(text, path)).toEqual({ problem: expect.objectContaining({ file: path, ...problem }) })
  })
})
