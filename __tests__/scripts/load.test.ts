import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/sandbox/create-sandbox.ts'
import { ScriptCallError } from '../../src/sandbox/sandbox.ts'
import { openScripts } from '../../src/scripts/scripts.ts'
import { SANDBOX_PROGRAM } from '../support/fake-host.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folderWith = tempFolders()
const sandbox = createSandbox(SANDBOX_PROGRAM)
afterAll(() => sandbox.dispose())

/** Runs `f` of `main.ts` in a folder with the files, or that of another script. */
async function run(files: Record<string, string>, script = 'main.ts') {
  const { path } = folderWith(files)
  return await runIn(path, script)
}

function runIn(root: string, script = 'main.ts') {
  return sandbox.run({
    script,
    function: 'f',
    args: [],
    preludes: [],
    load: openScripts({ root, cwd: root }).load,
    call: async () => {
      throw new ScriptCallError('nothing to call')
    },
    log: () => undefined,
    limits: { timeMs: 2000, memoryBytes: 32 * 1024 * 1024, stackBytes: 512 * 1024 },
    signal: new AbortController().signal,
  })
}

describe('imports', () => {
  test.each<[string, Record<string, string>]>([
    [
      'a sibling without extension',
      { 'main.ts': 'import { a } from "./b"\nexport const f = () => a', 'b.ts': 'export const a = "ok"' },
    ],
    [
      'with extension',
      { 'main.ts': 'import { a } from "./b.ts"\nexport const f = () => a', 'b.ts': 'export const a = "ok"' },
    ],
    [
      '.ts goes before .js',
      {
        'main.ts': 'import { a } from "./b"\nexport const f = () => a',
        'b.ts': 'export const a = "ok"',
        'b.js': 'exports.a = "js"',
      },
    ],
    [
      '.js that is .ts',
      { 'main.ts': 'import { a } from "./b.js"\nexport const f = () => a', 'b.ts': 'export const a = "ok"' },
    ],
    ['.js itself', { 'main.ts': 'import { a } from "./b"\nexport const f = () => a', 'b.js': 'exports.a = "ok"' }],
    [
      'a folder',
      { 'main.ts': 'import * as b from "./b"\nexport const f = () => b.a', 'b/index.ts': 'export const a = "ok"' },
    ],
    [
      'upwards',
      {
        'main.ts': 'import b from "./b/c"\nexport function f() { return b }',
        'b/c.ts': 'import { a } from "../d"\nexport default a',
        'd.ts': 'export const a = "ok"',
      },
    ],
    ['JSON', { 'main.ts': 'import data from "./data.json"\nexport const f = () => data.a', 'data.json': '{"a":"ok"}' }],
    ['types alone', { 'main.ts': 'import { T } from "./gone"\nexport const f = (): T => "ok"' }],
    [
      'types of Yao',
      { 'main.ts': 'import { agent, testing } from "@yao/runtime"\nexport function f(): agent.X { return "ok" }' },
    ],
    [
      'globals of Yao',
      { 'main.ts': 'import { JSON as J } from "@yaoapps/runtime"\nexport const f = () => J.parse("\\"ok\\"")' },
    ],
    [
      'a path of tsconfig',
      {
        'main.ts': 'import { a } from "@lib/b"\nexport const f = () => a',
        'tsconfig.json': '{ // with comments\n"compilerOptions": {"baseUrl": ".", "paths": {"@lib/*": ["lib/*"],}}}',
        'lib/b.ts': 'export const a = "ok"',
      },
    ],
    [
      'the best path of tsconfig',
      {
        'main.ts': 'import { a } from "x/y/z"\nexport const f = () => a',
        'tsconfig.json': '{"compilerOptions": {"paths": {"x/*": ["no/*"], "x/y/*": ["none/*", "./yes/*"]}}}',
        'yes/z.ts': 'export const a = "ok"',
      },
    ],
    ['not exported', { 'main.ts': 'function f() { return "ok" }' }],
    [
      'an enum and class fields',
      {
        'main.ts':
          'enum E { A = "ok" }\nclass C { private a: E = E.A; get() { return this.a } }\nexport const f = () => new C().get()',
      },
    ],
    [
      'in a circle',
      {
        'main.ts': 'import { g } from "./b"\nexport const a = "ok"\nexport const f = () => g()',
        'b.ts': 'import { a } from "./main"\nexport const g = () => a',
      },
    ],
  ])('%s', async (_, files) => {
    expect(await run(files)).toEqual({ kind: 'returned', value: 'ok' })
  })

  test.each<[string, string, string]>([
    [
      'an npm package',
      'import _ from "lodash"\nexport const f = () => _',
      '"lodash": scripts import other scripts by relative paths; npm packages are not available',
    ],
    ['a module of Node', 'import fs from "node:fs"\nexport const f = () => fs', '"node:fs": scripts import'],
    ['nothing', 'import { a } from "./no"\nexport const f = () => a', '"./no" is not found from main.ts'],
    ['a broken one', 'import { a } from "./broken"\nexport const f = () => a', 'broken.ts:2: not a valid script'],
    ['an absolute path', 'import { a } from "/etc/passwd"\nexport const f = () => a', '"/etc/passwd": scripts import'],
    [
      'out of the root',
      'import a from "../../../../../../etc/hostname.json"\nexport const f = () => a',
      'is not found from main.ts',
    ],
  ])('%s is an error', async (_, code, message) => {
    const outcome = await run({ 'main.ts': code, 'broken.ts': '\nlet = = 1' })
    expect(outcome).toMatchObject({
      kind: 'threw',
      error: { message: expect.stringContaining(message), stack: 'at main.ts:1' },
    })
  })

  test('a link that leads out of the root is not followed', async () => {
    const { path } = folderWith({
      'secret.ts': 'export const a = "secret"',
      'app/main.ts': 'import { a } from "./link"\nexport const f = () => a',
    })
    const root = join(path, 'app')
    symlinkSync(join(path, 'secret.ts'), join(root, 'link.ts'))
    symlinkSync(path, join(root, 'up'))
    expect(await runIn(root)).toMatchObject({ kind: 'threw', error: { message: '"./link" is not found from main.ts' } })
    writeFileSync(join(root, 'main.ts'), 'import { a } from "./up/secret"\nexport const f = () => a')
    expect(await runIn(root)).toMatchObject({
      kind: 'threw',
      error: { message: '"./up/secret" is not found from main.ts' },
    })
  })

  test('the stack points at the line of the TypeScript', async () => {
    const outcome = await run({
      'main.ts':
        'import { g } from "./b"\n\ninterface X {\n  a: number\n}\n\nexport function f(): X {\n  return g({ a: 1 })\n}',
      'b.ts': 'type T = {\n  a: number\n}\nexport function g(x: T): T {\n  throw new RangeError(`no ${x.a}`)\n}',
    })
    expect(outcome).toEqual({
      kind: 'threw',
      error: { name: 'RangeError', message: 'no 1', stack: 'at g (b.ts:5)\nat f (main.ts:8)' },
    })
  })
})
