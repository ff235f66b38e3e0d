import { expect, test } from 'vitest'
import { describeProblem, type Problem } from '../../src/core/errors.ts'
import type { Suite } from '../../src/core/suite.ts'
import { selectCases } from '../../src/setup/select-cases.ts'
import { aCase } from '../support/builders.ts'

function suiteOf(name: string, tags: Readonly<Record<string, readonly string[]>>): Suite {
  const cases = Object.entries(tags).map(([id, own]) =>
    aCase({ suite: name, id, ...(own.length === 0 ? {} : { tags: own }) }),
  )
  return { name, path: `/${name}`, cases, warnings: [] }
}

const SUITES = [
  suiteOf('a.yaml', { one: ['smoke'], two: ['smoke', 'slow'] }),
  suiteOf('b.yaml', { three: ['slow'], four: [] }),
]

test.each<[string, readonly string[], string | undefined, string[]]>([
  ['all of them', [], undefined, ['one', 'two', 'three', 'four']],
  ['a tag', ['smoke'], undefined, ['one', 'two']],
  ['any of two tags', ['smoke', 'slow'], undefined, ['one', 'two', 'three']],
  ['an id', [], '^t', ['two', 'three']],
  ['a tag and an id', ['slow'], '^two$', ['two']],
])('%s', (_, tag, run, ids) => {
  const problems: Problem[] = []
  expect(selectCases(SUITES, { tag, run }, problems).map(({ item }) => item.id)).toEqual(ids)
  expect(problems).toEqual([])
})

test.each<[string, readonly Suite[], readonly string[], string | undefined, string[]]>([
  [
    'a tag that no case has',
    SUITES,
    ['smok'],
    undefined,
    ['--tag: no case has the tag "smok" (did you mean "smoke"?)'],
  ],
  ['another one', SUITES, ['x'], undefined, ['--tag: no case has the tag "x" (tags are smoke, slow)']],
  ['one of two', SUITES, ['smoke', 'x'], undefined, ['--tag: no case has the tag "x" (tags are smoke, slow)']],
  [
    'a tag where there are none',
    [suiteOf('a.jsonl', { one: [] })],
    ['x'],
    undefined,
    ['--tag: no case has the tag "x" (no case has a tag; YAML suites give them as "tags")'],
  ],
  ['no id', SUITES, [], 'zzz', ['--run: no case id matches "zzz" (ids are one, two, three, four)']],
])('%s: a problem', (_, suites, tag, run, expected) => {
  const problems: Problem[] = []
  selectCases(suites, { tag, run }, problems)
  expect(problems.map(describeProblem)).toEqual(expected)
})

test('nothing to choose from is no mistake of the choice', () => {
  const problems: Problem[] = []
  expect(selectCases([], { tag: ['x'], run: 'y' }, problems)).toEqual([])
  expect(problems).toEqual([])
})
