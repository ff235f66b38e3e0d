import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, inject, test } from 'vitest'
import { agentTest } from '../support/command-line.ts'
import { tempFolders } from '../support/temp-folder.ts'
import { honest, judging } from './judging.ts'

const { serve, application } = judging()
const folderWith = tempFolders()

describe('script tests and agents', () => {
  test('ctx.agent.Call asks an agent of the application, t.assert.Agent lets one judge', async () => {
    const model = await serve(honest)
    const tests = [
      'export function TestPolite(t, ctx) {',
      '  const reply = ctx.agent.Call("bot", [{ role: "user", content: "please wait" }], {})',
      '  t.assert.Equal(reply.content, "please wait")',
      '  t.assert.Agent(reply.content, "lab.judge", { criteria: "is polite" })',
      '}',
      'export function TestRude(t) {',
      '  t.assert.Agent("go away", "lab.judge", { criteria: "is polite" })',
      '}',
      'export function TestNobody(t) {',
      '  t.assert.Agent("x", "lab.gone", { criteria: "is polite" })',
      '}',
    ].join('\n')
    const { path } = application(model, [], { 'assistants/bot/src/talk_test.ts': tests })
    const { code, stdout } = await agentTest(['-i', 'scripts.bot.talk'], { cwd: path })
    expect(code).toBe(1)
    expect(stdout).toMatch(/PASSED +TestPolite/)
    expect(stdout).toMatch(/FAILED +TestRude/)
    expect(stdout).toContain('it is rude')
    expect(stdout).toMatch(/ERROR +TestNobody/)
    expect(stdout).toContain('no assistant "lab.gone"')
  })
})

describe('as a program', () => {
  const { cli } = inject('bundles')

  test('it ends by itself when its threads have nothing more to do', async () => {
    const tests =
      'function TestGood(t) { t.assert.Equal(1, 1) }\nfunction TestDeep(t) { const f = () => f() + 1; t.assert.Panic(f) }'
    const { path } = folderWith({
      'app.yao': '{}',
      'assistants/lab/package.yao': '{}',
      'assistants/lab/src/unit_test.ts': tests,
    })
    const ended = await promisify(execFile)(process.execPath, [cli, '-i', 'scripts.lab.unit'], {
      cwd: path,
      timeout: 20_000,
    })
    expect(ended.stdout).toContain('2 of 2 passed every run')
  })
})
