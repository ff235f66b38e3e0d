import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { yao } from '../../src/targets/yao/index.ts'
import { locateAssistant } from '../../src/targets/yao/locate.ts'
import { fakeHost } from '../support/fake-host.ts'
import { problemsOf } from '../support/problems-of.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()
const assistant = '{ "name": "x" }'

function locate(
  root: string,
  settings: { folder?: string; name?: string },
  { cwd = '.', YAO_ROOT }: { cwd?: string; YAO_ROOT?: string } = {},
) {
  const found = locateAssistant(settings, fakeHost({ cwd: resolve(root, cwd), env: { YAO_ROOT } }))
  return { ...found, root: found.root.slice(root.length + 1), folder: found.folder.slice(root.length + 1) }
}

describe('an assistant is found', () => {
  const files = {
    'app/app.yao': '{}',
    'app/assistants/keyword/package.yao': assistant,
    'app/assistants/workers/system/title/package.yao': assistant,
    'app/tools/helper/package.yao': assistant,
  }

  test.each<[string, Parameters<typeof locate>[1], Parameters<typeof locate>[2], object]>([
    ['by folder', { folder: 'app/assistants/keyword' }, {}, { root: 'app', id: 'keyword' }],
    [
      'by a folder above which the application lies',
      { folder: '.' },
      { cwd: 'app/assistants/workers/system/title' },
      { root: 'app', id: 'workers.system.title' },
    ],
    ['by a folder outside of assistants', { folder: 'app/tools/helper' }, {}, { root: 'app', id: 'helper' }],
    [
      'by id from inside of the application',
      { name: 'workers.system.title' },
      { cwd: 'app/tools/helper' },
      { root: 'app', folder: 'app/assistants/workers/system/title' },
    ],
    [
      'by id below YAO_ROOT',
      { name: 'keyword' },
      { YAO_ROOT: 'app' },
      { root: 'app', folder: 'app/assistants/keyword' },
    ],
    ['by a name that is a folder here', { name: 'keyword' }, { cwd: 'app/assistants' }, { root: 'app', id: 'keyword' }],
    ['by a plain word outside of any application', { name: 'helper' }, { cwd: 'app/tools' }, { id: 'helper' }],
  ])('%s', (_, settings, world, expected) => {
    const { path } = folder(files)
    expect(locate(path, settings, world)).toMatchObject(expected)
  })

  test('without an app file the folder above assistants stands for the application', () => {
    const { path } = folder({ 'repo/assistants/a/b/package.yao': assistant })
    expect(locate(path, { folder: 'repo/assistants/a/b' })).toEqual({
      root: 'repo',
      folder: 'repo/assistants/a/b',
      id: 'a.b',
    })
    expect(locate(path, { name: 'a.b' }, { cwd: 'repo' })).toEqual({
      root: 'repo',
      folder: 'repo/assistants/a/b',
      id: 'a.b',
    })
  })

  test('a checkout below another assistants folder does not change the id', () => {
    const { path } = folder({
      'assistants/checkout/app.json': '{}',
      'assistants/checkout/assistants/a/package.yao': assistant,
    })
    expect(locate(path, { folder: 'assistants/checkout/assistants/a' }).id).toBe('a')
  })

  test.each([
    ['a word is an id', 'workers.keyword', { name: 'workers.keyword' }],
    ['a path is a folder', 'assistants/keyword', { folder: 'assistants/keyword' }],
    ['a dot is a folder', '.', { folder: '.' }],
  ])('--target yao:VALUE: %s', (_, value, expected) => {
    expect(yao.fromValue(value)).toEqual(expected)
  })
})

describe('an assistant is not found', () => {
  const create = (settings: Record<string, unknown>, cwd: string, env: Record<string, string> = {}) =>
    problemsOf(yao.create({ type: 'yao', ...settings }, { host: fakeHost({ cwd, env }) }))

  test.each<[string, Record<string, unknown>, object]>([
    [
      'a misspelt id',
      { name: 'keywrod' },
      { field: 'target.name', message: 'no assistant "keywrod" in assistants', hint: 'did you mean "keyword"?' },
    ],
    ['an id that is like none', { name: 'zzz' }, { field: 'target.name', hint: 'known assistants: keyword' }],
    ['a path in the place of an id', { name: '../../etc' }, { field: 'target.name' }],
    [
      'a folder without package.yao',
      { folder: 'assistants' },
      { field: 'target.folder', message: 'there is no package.yao in assistants' },
    ],
    ['both folder and name', { folder: 'a', name: 'b' }, { field: 'target' }],
    ['neither', {}, { field: 'target' }],
  ])('%s', async (_, settings, problem) => {
    const { path } = folder({ 'app.yao': '{}', 'assistants/keyword/package.yao': assistant })
    expect(await create(settings, path)).toMatchObject([problem])
  })

  test('outside of an application', async () => {
    expect(await create({ name: 'keyword' }, folder().path)).toMatchObject([
      { field: 'target.name', hint: expect.stringContaining('YAO_ROOT') },
    ])
  })

  test('a YAO_ROOT that is no folder', async () => {
    expect(await create({ name: 'keyword' }, folder().path, { YAO_ROOT: 'nowhere' })).toMatchObject([
      { field: 'YAO_ROOT' },
    ])
  })

  test('a link out of the application is not followed for assets', async () => {
    const { path } = folder({
      'secret/key.txt': 'private',
      'app/app.yao': '{}',
      'app/assistants/a/package.yao': assistant,
      'app/assistants/a/assets/own.txt': 'own',
      'app/assistants/a/prompts.yml':
        '- role: system\n  content: @assets/link.txt\n- role: system\n  content: @assets/../../../../secret/key.txt\n',
    })
    symlinkSync(join(path, 'secret/key.txt'), join(path, 'app/assistants/a/assets/link.txt'))
    expect(await create({ name: 'a' }, join(path, 'app'))).toMatchObject([
      { file: 'assistants/a/prompts.yml', line: 2, message: '@assets/link.txt lies outside of the application' },
      {
        file: 'assistants/a/prompts.yml',
        line: 4,
        message: expect.stringContaining('lies outside of the application'),
      },
    ])
  })
})
