import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findAgentFolder, findAppRoot } from '../../src/suites/index.ts'
import { folderWith } from './folder.ts'

const files = {
  'app.yao': '{}',
  'assistants/a/package.yao': '{}',
  'assistants/a/b/package.yao': '{}',
  'assistants/a/b/tests/x/in.jsonl': '',
}

test.each([
  ['the folder itself', 'assistants/a', 'assistants/a'],
  ['the nearest above', 'assistants/a/b/tests/x', 'assistants/a/b'],
  ['nothing above the assistants', 'assistants', undefined],
])('the agent: %s', (_, start, expected) => {
  const root = folderWith(files)
  expect(findAgentFolder(join(root, start))).toBe(expected === undefined ? undefined : join(root, expected))
})

test('a folder called package.yao is no agent', () => {
  const root = folderWith()
  mkdirSync(join(root, 'package.yao'))
  expect(findAgentFolder(root)).toBeUndefined()
})

test.each([['app.yao'], ['app.json'], ['app.jsonc']])('the application is where %s is', (name) => {
  const root = folderWith({ [name]: '{}', 'assistants/a/package.yao': '{}' })
  expect(findAppRoot(join(root, 'assistants/a'))).toBe(root)
  expect(findAppRoot(root)).toBe(root)
})
