import { describe, expect, test } from 'vitest'
import { loadYaml } from './load.ts'

const HEAD = 'id: a\nprompt: x\n'

describe('what is no plain data', () => {
  test.each<[string, string, string]>([
    ['a field given twice', 'id: b', '3: this field was given before (only one of them could count)'],
    [
      'a field given twice, deep inside',
      'behavior:\n  minToolCalls: 1\n  minToolCalls: 2',
      '5: this field was given before (only one of them could count)',
    ],
    [
      'a second document',
      '---\nid: b',
      '3: YAML error at column 1: a second document starts here (a file holds one: write what belongs together as a list)',
    ],
    ['a tag of code', 'name: !!js/function "x"', '3: the tag "tag:yaml.org,2002:js/function" has no meaning here'],
    ['a tag of bytes', 'name: !!binary aGk=', '3: the tag "tag:yaml.org,2002:binary" has no meaning here'],
    ['a tag of its own', 'name: !mine x', '3: the tag "!mine" has no meaning here'],
    ['a field name that is a list', '? [a, b]\n: c', '3: a field name must be a plain text'],
    ['a number that is none', 'timeout: .nan', '3: the number NaN has no meaning here'],
    ['a number without end', 'timeout: .inf', '3: the number Infinity has no meaning here'],
    ['an alias of nothing', 'name: *who', '3: there is no anchor "&who" before this alias'],
    ['an alias before its anchor', 'name: *who\ndescription: &who x', '3: there is no anchor "&who" before this alias'],
    ['an alias of what it is in', 'metadata: &m {a: *m}', '3: the alias is inside of its own anchor "&m"'],
    ['a merge of no map', 'metadata: {<<: 7}', '3: expected a map, or a list of maps, to merge'],
  ])('%s', async (_, yaml, problem) => {
    const { problems, cases } = await loadYaml(HEAD + yaml)
    expect(problems).toEqual([`tests/test.yaml:${problem}`])
    expect(cases).toEqual([])
  })

  test('a text that is no YAML: where, and not every stumble after it', async () => {
    const { problems } = await loadYaml(`id: a\nprompt: "x\nbehavior: [\n${'  - ]\n'.repeat(100)}`)
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.length).toBeLessThanOrEqual(5)
    for (const problem of problems) expect(problem).toMatch(/^tests\/test\.yaml:\d+: YAML error at column \d+: /)
  })

  test('tabs as indentation', async () => {
    const { problems } = await loadYaml(`${HEAD}behavior:\n\tminToolCalls: 1`)
    expect(problems[0]).toBe('tests/test.yaml:4: YAML error at column 1: tabs are not allowed as indentation')
  })
})

describe('what is meant to take for ever', () => {
  test.each<[string, string]>([
    ['lists in lists', `${HEAD}metadata: ${'['.repeat(100_000)}`],
    ['objects in objects', `${HEAD}metadata: ${'{a: '.repeat(100_000)}`],
    [
      'lists over many lines',
      `${HEAD}metadata:\n${Array.from({ length: 1_500 }, (_, depth) => `${' '.repeat(depth + 1)}-`).join('\n')}`,
    ],
    ['closed lists', `${HEAD}metadata: ${'['.repeat(200)}${']'.repeat(200)}`],
  ])('%s', async (_, yaml) => {
    const { problems, cases } = await loadYaml(yaml)
    expect(problems[0]).toMatch(/nested deeper than 128 levels/)
    expect(cases).toEqual([])
  })

  test('ten aliases of ten aliases of ten', async () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) => `  a${level + 1}: &a${level + 1} [${Array(10).fill(`*a${level}`).join(', ')}]`,
    )
    const { problems } = await loadYaml(
      `${HEAD}metadata:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n${levels.join('\n')}`,
    )
    expect(problems).toEqual(['tests/test.yaml:1: the aliases stand for more than 500000 values'])
  })

  test('one long text, many times', async () => {
    const { problems } = await loadYaml(
      `${HEAD}metadata:\n  long: &long "${'x'.repeat(1_000_000)}"\n  many: [${Array(5_000).fill('*long').join(', ')}]`,
    )
    expect(problems).toEqual(['tests/test.yaml:1: the aliases stand for more than 500000 values'])
  })

  test('each alias a level deeper than the last', async () => {
    const levels = Array.from({ length: 500 }, (_, level) => `  a${level + 1}: &a${level + 1} [*a${level}]`)
    const { problems } = await loadYaml(`${HEAD}metadata:\n  a0: &a0 x\n${levels.join('\n')}`)
    expect(problems).toEqual(['tests/test.yaml:1: nested deeper than 128 levels'])
  })

  test('many fields merged many times', async () => {
    const fields = Array.from({ length: 2_000 }, (_, index) => `f${index}: 1`)
    const maps = Array.from({ length: 2_000 }, () => '  - {<<: *base}')
    const { problems } = await loadYaml(
      `${HEAD}metadata:\n  base: &base {${fields.join(', ')}}\n  all:\n${maps.join('\n')}`,
    )
    expect(problems).toEqual(['tests/test.yaml:1: the aliases stand for more than 500000 values'])
  })

  test('many fields, and many anchors', async () => {
    const fields = Array.from({ length: 20_000 }, (_, index) => `  f${index}: &f${index} 1`)
    const aliases = Array.from({ length: 20_000 }, (_, index) => `    - *f${index}`)
    const { problems } = await loadYaml(`${HEAD}metadata:\n${fields.join('\n')}\n  all:\n${aliases.join('\n')}`)
    expect(problems).toEqual([])
  })

  test('a file of more than 4 MiB', async () => {
    const { problems } = await loadYaml(`${HEAD}description: ${'x'.repeat(4 * 1024 * 1024)}`)
    expect(problems).toEqual(['tests/test.yaml: more than 4 MiB of YAML (split it into several files)'])
  })

  test('a thousand tests that share their settings', async () => {
    const tests = Array.from({ length: 1_000 }, (_, index) => `  - {<<: *base, id: t${index}}`)
    const { cases, problems } = await loadYaml(
      `tests:\n  - &base {id: base, prompt: x, tags: [a]}\n${tests.join('\n')}`,
    )
    expect(problems).toEqual([])
    expect(cases).toHaveLength(1_001)
    expect(cases.at(-1)).toMatchObject({ id: 't999', location: { line: 1_002 } })
  })

  test('fields without end are cut short in what is said of them', async () => {
    const { problems } = await loadYaml(`${HEAD}${'f'.repeat(500)}: 1`)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(/^tests\/test\.yaml:3: f{40}…: unknown field/)
    expect(problems[0]?.length).toBeLessThan(600)
  })
})

test('names of object internals are plain names', async () => {
  const { cases, problems } = await loadYaml(`${HEAD}metadata: {__proto__: {x: 1}, constructor: 2}`)
  expect(problems).toEqual([])
  expect(JSON.stringify(cases[0]?.metadata)).toBe('{"__proto__":{"x":1},"constructor":2}')
  const odd = await loadYaml(
    `${HEAD}__proto__: {skip: true}\ntoString: 1\nexpected: {behavior: [constructor]}\nevaluators: [toString]\nweights: {__proto__: 1}`,
  )
  expect(odd.problems).toHaveLength(5)
  expect(odd.cases).toEqual([])
})

test('text for terminals and reports comes through as data', async () => {
  const { cases } = await loadYaml('id: "a\\e[31m::error::x"\nprompt: "::set-output name=x::y"')
  expect(cases[0]?.id).toBe('a\u001b[31m::error::x')
  expect(cases[0]?.input).toBe('::set-output name=x::y')
})
