import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scriptRoot } from '../../src/scripts/script-root.ts'
import { openScripts } from '../../src/scripts/scripts.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folderWith = tempFolders()

const APP = {
  'app.yao': '{}',
  'scripts/tests/check.ts': 'export function Ok() {}\nfunction Own() {}',
  'scripts/loose.js': 'module.exports = require("./tests/check")',
  'scripts/broken.ts': 'let = 1 2',
  'assistants/a/package.yao': '{}',
  'assistants/a/src/Tools.ts': 'export function Fn() {}',
  'assistants/a/src/tools_test.ts': 'export function TestX() {}',
  'assistants/a/b/package.yao': '{}',
  'assistants/a/b/src/deep/thing.ts': 'export function Fn() {}',
  'assistants/a/b/src/index_test.ts':
    'function Before() {}\nexport function TestOne() {}\nasync function TestTwo() {}\nfunction helper() {}',
  'assistants/a/b/src/deep/env_test.ts': 'export function Before() {}\nexport function Only() {}',
  'assistants/a/b/src/none_test.ts': 'export function Nothing() {}',
  'plain/package.yao': '{}',
  'plain/src/x_test.js': 'function TestJs() {}',
}

function app() {
  const { path } = folderWith(APP)
  return openScripts({ root: path, cwd: path })
}

describe('process names', () => {
  test.each([
    ['scripts.tests.check.Ok', 'scripts/tests/check.ts', 'Ok'],
    ['scripts.tests.check.Own', 'scripts/tests/check.ts', 'Own'],
    ['scripts.loose.Whatever', 'scripts/loose.js', 'Whatever'],
    ['agents.a.tools.Fn', 'assistants/a/src/Tools.ts', 'Fn'],
    ['agents.a.b.deep.Thing.Fn', 'assistants/a/b/src/deep/thing.ts', 'Fn'],
  ])('%s', async (name, path, fn) => {
    expect(await app().findProcess(name)).toMatchObject({ kind: 'found', script: { path }, function: fn })
  })

  test.each<[string, { message: string; hint?: string; file?: string }]>([
    [
      'scripts.tests.chek.Ok',
      { message: 'there is no script "tests/chek" in scripts', hint: 'did you mean "tests/check"?' },
    ],
    [
      'scripts.tests.check.ok',
      { message: 'there is no function "ok" in scripts/tests/check.ts', hint: 'did you mean "Ok"?' },
    ],
    [
      'scripts.tests.check.Zzzzzzzz',
      { message: 'there is no function "Zzzzzzzz" in scripts/tests/check.ts', hint: 'its functions are Ok, Own' },
    ],
    ['scripts.broken.Fn', { file: 'scripts/broken.ts', message: expect.stringContaining('not a valid script') }],
    ['scripts.Fn', { message: '"scripts.Fn" is not the name of a script\'s function' }],
    ['models.user.Find', { message: '"models.user.Find" is not the name of a script\'s function' }],
    ['scripts...x.Fn', { message: '"scripts...x.Fn" is not the name of a script\'s function' }],
    ['scripts.a/../../b.Fn', { message: '"scripts.a/../../b.Fn" is not the name of a script\'s function' }],
    ['agents.zzz.tools.Fn', { message: '"agents.zzz.tools.Fn": no agent of this name in assistants' }],
    [
      'agents.a.tools_test.TestX',
      { message: 'there is no script "tools_test" in assistants/a/src', hint: 'there are Tools' },
    ],
  ])('%s leads to nothing', async (name, problem) => {
    expect(await app().findProcess(name)).toEqual({ kind: 'not-found', problem: expect.objectContaining(problem) })
  })
})

describe('script tests', () => {
  test.each<[string, string, string, string[]]>([
    ['scripts.a.b.index', 'assistants/a/b/src/index_test.ts', 'a.b', ['TestOne', 'TestTwo']],
    ['scripts.a.tools', 'assistants/a/src/tools_test.ts', 'a', ['TestX']],
    ['scripts.plain.x', 'plain/src/x_test.js', 'plain', ['TestJs']],
  ])('%s', async (input, path, id, tests) => {
    const found = await app().findTests(input)
    if (found.kind !== 'found') throw new Error(found.problem.message)
    expect([found.script.path, found.agent.id, found.tests.map(({ name }) => name)]).toEqual([path, id, tests])
  })

  test('an agent without a package.yao', async () => {
    const { path } = folderWith({ 'app.yao': '{}', 'assistants/x/y/src/m_test.ts': 'function TestA() {}' })
    expect(await openScripts({ root: path, cwd: path }).findTests('scripts.x.y.m')).toMatchObject({
      kind: 'found',
      agent: { id: 'x.y' },
    })
  })

  test.each<[string, { message: string; hint?: string; file?: string }]>([
    ['scripts.', { message: '"scripts." names no script test' }],
    ['scripts.a', { message: '"scripts.a" names no script test' }],
    [
      'scripts.a.b.indx',
      { message: 'there is no script test assistants/a/b/src/indx_test.ts', hint: 'did you mean "index_test"?' },
    ],
    [
      'scripts.a.b.none',
      { file: 'assistants/a/b/src/none_test.ts', message: 'there is no test in this file', hint: 'it has Nothing' },
    ],
  ])('%s is none', async (input, problem) => {
    expect(await app().findTests(input)).toEqual({ kind: 'not-found', problem: expect.objectContaining(problem) })
  })
})

describe('before and after', () => {
  const find = (reference: string) => {
    const scripts = app()
    return scripts.findHook(reference, join(scripts.root, 'assistants/a/b'))
  }
  test.each([
    ['Only', 'deep/env_test.ts', 'Only'],
    ['helper', 'index_test.ts', 'helper'],
    ['index_test.Before', 'index_test.ts', 'Before'],
    ['index.Before', 'index_test.ts', 'Before'],
    ['src/index_test.Before', 'index_test.ts', 'Before'],
    ['deep/env_test.Before', 'deep/env_test.ts', 'Before'],
    ['src/deep/env.Before', 'deep/env_test.ts', 'Before'],
  ])('%s', async (reference, path, fn) => {
    expect(await find(reference)).toMatchObject({
      kind: 'found',
      script: { path: `assistants/a/b/src/${path}` },
      function: fn,
    })
  })

  test.each<[string, { message: string; hint?: string }]>([
    [
      'Before',
      {
        message: '"Before" is in assistants/a/b/src/deep/env_test.ts, assistants/a/b/src/index_test.ts',
        hint: 'name the file as well, such as file_test.Fn',
      },
    ],
    [
      'Onli',
      {
        message: 'there is no function "Onli" in the *_test.ts files of assistants/a/b/src',
        hint: 'did you mean "Only"?',
      },
    ],
    [
      'indx_test.Before',
      { message: 'there is no indx_test.ts in assistants/a/b/src', hint: 'did you mean "index_test"?' },
    ],
    [
      'index_test.Befor',
      { message: 'there is no function "Befor" in assistants/a/b/src/index_test.ts', hint: 'did you mean "Before"?' },
    ],
    ['scripts:index.Before', { message: '"scripts:index.Before" names no function of a script test' }],
    ['../../a/src/tools_test.TestX', { message: '"../../a/src/tools_test.TestX" names no function of a script test' }],
    ['', { message: '"" names no function of a script test' }],
  ])('%j leads to nothing', async (reference, problem) => {
    expect(await find(reference)).toEqual({ kind: 'not-found', problem: expect.objectContaining(problem) })
  })
})

describe('the root', () => {
  test.each<[string, Record<string, string>, string, string]>([
    ['the application', { 'x/app.yao': '', 'x/assistants/a/package.yao': '' }, 'x/assistants/a/tests', 'x'],
    ['what assistants lies in', { 'x/assistants/a/package.yao': '' }, 'x/assistants/a', 'x'],
    ['a folder with assistants', { 'x/assistants/a/package.yao': '', 'x/y/z': '' }, 'x/y', 'x'],
    ['the agent', { 'x/package.yao': '', 'x/src/a.ts': '' }, 'x/src', 'x'],
    ['nothing of these', { 'x/y/z': '' }, 'x/y', 'x/y'],
  ])('%s', (_, files, start, root) => {
    const { path } = folderWith(files)
    expect(scriptRoot(join(path, start), { cwd: path, env: {} })).toBe(join(path, root))
  })

  test('YAO_ROOT goes first', () => {
    const { path } = folderWith({ 'x/app.yao': '' })
    mkdirSync(join(path, 'other'))
    expect(scriptRoot(join(path, 'x'), { cwd: path, env: { YAO_ROOT: 'other' } })).toBe(join(path, 'other'))
  })
})
