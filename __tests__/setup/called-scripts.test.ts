import { afterEach, describe, expect, test } from 'vitest'
import { type CalledScripts, calledIn, openCalledScripts } from '../../src/setup/called-scripts.ts'
import { fakeHost } from '../support/fake-host.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folderWith = tempFolders()
const opened: CalledScripts[] = []
afterEach(async () => {
  for (const scripts of opened.splice(0)) await scripts.dispose()
})

const APP = {
  'app.yao': '{}',
  'assistants/lab/package.yao': '{}',
  'assistants/lab/src/Rules.ts': 'export function Twice(n: number) { return n * 2 }',
  'scripts/t.ts': [
    'import { least } from "./lib/limits"',
    'export function True() { return true }',
    'export function Given(output: string, input: any, value: any) { return { output, input, value } }',
    'export function Nested(n: number) {',
    '  return Process("agents.lab.rules.Twice", n) + Process("scripts.t.Own") + least',
    '}',
    'function Own() { return 1 }',
    'export function Throws() {',
    '  throw new TypeError("boom")',
    '}',
    'export async function Later() { return await Promise.resolve("later") }',
    'export function Endless() { return Process("scripts.t.Endless") }',
    'export function Outside() { try { Process("models.user.Find", 1) } catch { return true } }',
    'export function Catches() { try { Process("scripts.t.Throws") } catch (e) { return e.message } }',
    'export function Who() { return Authorized() }',
  ].join('\n'),
  'scripts/lib/limits.ts': 'export const least = 100',
}

function open() {
  const { path } = folderWith(APP)
  const scripts = openCalledScripts({ host: fakeHost({ cwd: path }), root: path, authorized: { user_id: 'u1' } })
  opened.push(scripts)
  return scripts
}

describe('calls', () => {
  test.each([
    ['True', [], true],
    ['Given', ['o', { role: 'user' }, null], { output: 'o', input: { role: 'user' }, value: null }],
    ['Nested', [3], 107],
    ['Later', [], 'later'],
    ['Who', [], { user_id: 'u1' }],
    ['Catches', [], 'scripts.t.Throws: TypeError: boom (at Throws (scripts/t.ts:9))'],
  ])('%s', async (name, args, value) => {
    expect(await open().call(`scripts.t.${name}`, args)).toEqual({ kind: 'returned', value })
  })

  test.each([
    ['scripts.t.Throws', 'TypeError: boom (at Throws (scripts/t.ts:9))'],
    ['scripts.t.Endless', 'scripts call each other too deep: scripts.t.Endless → scripts.t.Endless'],
    ['scripts.t.Gone', 'there is no function "Gone" in scripts/t.ts'],
  ])('%s fails', async (name, message) => {
    expect(await open().call(name, [])).toEqual({ kind: 'failed', message: expect.stringContaining(message) })
  })
})

test('what only a server has says nothing of the agent, whatever the script catches', async () => {
  const message = 'Process("models.user.Find") is not run here: it needs a running Yao server'
  await expect(open().call('scripts.t.Outside', [])).rejects.toMatchObject({ code: 'UNSUPPORTED', message })
})

describe('before the run', () => {
  test('what is called is found in assertions and checkpoints', () => {
    const one = { type: 'script', script: 'scripts.t.True' }
    const text = { type: 'contains', value: 'x' }
    const checkpoint = { id: 'c', description: '', required: true, after: [], assertions: [text, one] }
    const simulator = { agent: 'user', metadata: {} }
    const conversation = { simulator, checkpoints: [checkpoint], maxTurns: 3 }
    expect(calledIn({ assertions: [one] })).toEqual([{ name: 'scripts.t.True', field: 'assert.script' }])
    expect(calledIn({ assertions: [text], conversation })).toEqual([
      { name: 'scripts.t.True', field: 'checkpoints[0].assert[1].script' },
    ])
  })

  test('an unknown function is a problem of the record', async () => {
    const scripts = open()
    expect(await scripts.problems({ name: 'scripts.t.True', field: 'assert.script' })).toEqual([])
    expect(await scripts.problems({ name: 'scripts.t.Tru', field: 'assert.script' })).toEqual([
      { field: 'assert.script', message: 'there is no function "Tru" in scripts/t.ts', hint: 'did you mean "True"?' },
    ])
    expect(await scripts.problems({ name: 'scripts.missing.Fn', field: 'assert.script' })).toEqual([
      { field: 'assert.script', message: 'there is no script "missing" in scripts', hint: expect.any(String) },
    ])
  })
})
