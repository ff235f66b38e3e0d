import { afterEach, expect, test } from 'vitest'
import { agentTest, suiteOf } from '../support/command-line.ts'
import { openaiConnector, prompts } from '../support/hooked-agent.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()
const models: ScriptedModel[] = []
afterEach(async () => {
  for (const model of models.splice(0)) await model.close()
})

async function app(hook: string, suite: string, limits: readonly string[] = []) {
  const model = await startScriptedModel({ answer: () => 'Hello' })
  models.push(model)
  const cwd = folder({
    'app.yao': '{}',
    'connectors/m.conn.yao': openaiConnector(model.host),
    'assistants/a/package.yao': '{ "name": "A", "connector": "m" }',
    'assistants/a/prompts.yml': prompts('Be kind'),
    'assistants/a/src/index.ts': hook,
    'assistants/a/tests/inputs.jsonl': suite,
  }).path
  return agentTest(['-i', 'assistants/a/tests/inputs.jsonl', ...limits], { cwd })
}

test('assertions look at what Next made of the answer', async () => {
  const { code, stdout } = await app(
    'export function Next(ctx, { completion }) { return { data: { said: completion.content, user: ctx.authorized.user_id } } }',
    suiteOf({ id: 'T1', input: 'Hi', user: 'u1', assert: { type: 'json_path', path: '$.user', value: 'u1' } }),
  )
  expect(stdout).toContain('1 passed')
  expect(code).toBe(0)
})

test('a hook that throws fails its case with message and place, and no assertion is needed for that', async () => {
  const { code, stdout } = await app(
    'export function Next() {\n  throw new Error("out of cheese")\n}',
    suiteOf({ id: 'T1', input: 'Hi' }, { id: 'T2', input: 'Hi', assert: { type: 'contains', value: 'Hello' } }),
  )
  expect(code).toBe(1)
  expect(stdout).toContain('out of cheese')
  expect(stdout).toContain('assistants/a/src/index.ts:2')
  expect(stdout).toContain('2 failed')
})

test('what is not run here errors its case', async () => {
  const { code, stdout, stderr } = await app(
    'export function Next() { return { data: new Store("x").Get("y") } }',
    suiteOf({ id: 'T1', input: 'Hi' }),
  )
  expect(code).toBe(1)
  expect(stderr).toContain('partial coverage of a: not run here: Store (assistants/a/src/index.ts:1)')
  expect(stdout).toContain('Store is not run here: it needs a running Yao server')
  expect(stdout).toContain('1 with errors')
})

test('a hook without an end is ended with its run', async () => {
  const { code, stdout } = await app('export function Next() { for (;;); }', suiteOf({ id: 'T1', input: 'Hi' }), [
    '--timeout',
    '3s',
  ])
  expect(code).toBe(1)
  expect(stdout).toContain('no answer within the time limit of 3s')
})
