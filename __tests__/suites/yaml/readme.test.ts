import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith } from '../folder.ts'
import { loadIn, settingsOf } from './load.ts'

const readme = readFileSync(join(resolve(import.meta.dirname, '../../..'), 'README.md'), 'utf8')
const section = readme.slice(
  readme.indexOf('### YAML suites'),
  readme.indexOf('\n## ', readme.indexOf('### YAML suites')),
)
const [suite = '', config = ''] = [...section.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text)

test('the suite and the config file of the README are what it says', async () => {
  const cwd = folderWith({
    '.git/HEAD': '',
    'tests/a.yaml': suite,
    'tests/critical/b.yaml': 'id: b\nprompt: x\nagent: plan\ntags: [slow]\n',
    'fixtures/app/a.txt': '',
    'agent-test.yaml': config,
  })
  const { cases, problems, warnings } = await loadIn(cwd, ['tests'])
  expect({ problems, warnings }).toEqual({ problems: [], warnings: [] })
  const [first, second] = cases
  expect(first?.session?.turns).toEqual([{ text: 'Create notes.txt' }, { text: 'Yes, go on', onlyWhenAsked: true }])
  expect(first).toMatchObject({ tags: ['smoke'], assertions: [{ type: 'contains', value: 'notes.txt' }] })
  expect(settingsOf(first, 'execution-balance')).toEqual({})
  expect(settingsOf(first, 'delegation')).toEqual({ fileThreshold: 6 })
  expect(second?.tags).toEqual(['slow', 'core', 'nightly'])
  expect(settingsOf(second, 'behavior')).toEqual({ mustNotUseTools: ['write', 'edit'] })
})

test('every field of a test that the README names is one', async () => {
  const rows = [...section.matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell = '']) => cell)
  const fields = rows.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
  expect(fields.length).toBeGreaterThan(15)
  // A value of the wrong type is told apart from a field that nobody knows.
  const text = `id: a\n${fields.map((field) => `${field}: .5`).join('\n')}\n`
  const { problems } = await loadIn(folderWith({ 'a.yaml': text }), ['a.yaml'])
  expect(problems.filter((problem) => problem.includes('unknown field'))).toEqual([])
})
