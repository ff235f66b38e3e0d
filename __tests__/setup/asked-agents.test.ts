import { afterEach, describe, expect, test } from 'vitest'
import type { Question } from '../../src/core/means.ts'
import { askedIn, openAskedAgents } from '../../src/setup/asked-agents.ts'
import { aCase } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { type Answer, startScriptedModel } from '../support/scripted-model.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()
const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

type Scope = Parameters<typeof openAskedAgents>[0]

/** An application with one judge that names its world in its prompt. */
async function open(answer: Answer, scope: Partial<Omit<Scope, 'host' | 'root'>> = {}) {
  const model = await startScriptedModel({ answer: () => answer })
  const { path } = folder({
    'app.yao': '{}',
    'connectors/local.conn.yao': JSON.stringify({
      type: 'openai',
      options: { host: model.host, model: 'local-1', key: 'k' },
    }),
    'assistants/lab/judge/package.yao': '{ "name": "Judge", "connector": "local" }',
    'assistants/lab/judge/prompts.yml':
      '- role: system\n  content: "$CTX.USER_ID of $CTX.TEAM_ID, $CTX.test_mode, $CTX.tier, $CTX.CHAT_ID"\n',
  })
  const agents = openAskedAgents({ host: fakeHost({ cwd: path }), root: path, flags: {}, ...scope })
  cleanups.push(
    () => model.close(),
    () => agents.dispose(),
  )
  return { agents, model, prompts: () => model.requests.map(({ body }) => body.messages?.[0]?.content) }
}

const question: Question = { agent: 'lab.judge', content: 'Is it?', metadata: { test_mode: 'validator' } }

describe('asking', () => {
  test('gives what was said and what it cost', async () => {
    const { agents, model } = await open('It is.')
    expect(await agents.ask(question)).toEqual({ output: 'It is.', usage: { inputTokens: 7, outputTokens: 3 } })
    expect(model.requests[0]?.body.messages?.at(-1)).toEqual({ role: 'user', content: 'Is it?' })
  })

  test.each<[string, Partial<Scope>, Partial<Parameters<typeof aCase>[0]>, string]>([
    ['defaults', {}, {}, 'test-user of test-team, validator, , test-greet-01-2'],
    ['user and team of the case', {}, { user: 'ann', team: 'ops' }, 'ann of ops, validator, , test-greet-01-2'],
    [
      'user and team of the command line',
      { flags: { user: 'bob', team: 'dev' } },
      { user: 'ann' },
      'bob of dev, validator, , test-greet-01-2',
    ],
    [
      'of the ctx file who asks, but neither the chat nor the metadata of the tested agent',
      { context: { authorized: { user_id: 'eve' }, chat_id: 'chat-1', metadata: { tier: 'gold' } } },
      { metadata: { tier: 'case' } },
      'eve of test-team, validator, , test-greet-01-2',
    ],
  ])('%s', async (_, scope, parts, prompt) => {
    const { agents, prompts } = await open('ok', scope)
    await agents.ask({ ...question, asker: { case: aCase(parts), run: 2 } })
    expect(prompts()).toEqual([prompt])
  })

  test('an agent is opened once', async () => {
    const { agents, model } = await open('ok')
    await Promise.all([agents.ask(question), agents.ask(question), agents.ask(question)])
    expect(model.requests).toHaveLength(3)
    await agents.ask(question)
    expect(model.connections).toBeLessThanOrEqual(3)
  })

  test('one that is not there, and that nobody could check before, could not be run', async () => {
    const { agents } = await open('ok')
    await expect(agents.ask({ ...question, agent: 'nobody' })).rejects.toMatchObject({
      name: 'TargetError',
      code: 'UNSUPPORTED',
      message: 'no assistant "nobody" in assistants',
    })
  })

  test('ends with its signal', async () => {
    const { agents } = await open({ fault: { kind: 'hang-headers' } })
    const controller = new AbortController()
    const asked = agents.ask({ ...question, signal: controller.signal })
    setTimeout(() => controller.abort(), 50)
    await expect(asked).rejects.toMatchObject({ name: 'TargetError', code: 'ABORTED' })
  })

  test('a failure of the provider is told whether it may pass', async () => {
    const { agents } = await open({ fault: { kind: 'status', status: 503 } })
    await expect(agents.ask(question)).rejects.toMatchObject({ code: 'PROVIDER_ERROR', retryable: true })
  })
})

test('a case names every agent that it asks, and where', () => {
  const judge = (agent: string) => ({ type: 'agent', use: `agents:${agent}`, value: 'x' })
  const plain = { type: 'equals', value: 1 }
  const checkpoint = { after: [], required: true }
  const item = aCase({
    assertions: [plain, { ...judge('a'), options: { connector: 'c', metadata: { m: 1 } } }],
    conversation: {
      simulator: { agent: 'user', metadata: { goal: 'buy' } },
      checkpoints: [
        { ...checkpoint, id: 'one', assertions: [judge('b')] },
        { ...checkpoint, id: 'two', assertions: [plain, judge('c')] },
      ],
      maxTurns: 3,
    },
  })
  expect(askedIn(item)).toEqual([
    { agent: 'user', metadata: { goal: 'buy' }, field: 'simulator' },
    { agent: 'a', connector: 'c', metadata: { m: 1 }, field: 'assert[1]' },
    { agent: 'b', metadata: {}, field: 'checkpoints[0].assert' },
    { agent: 'c', metadata: {}, field: 'checkpoints[1].assert[1]' },
  ])
  expect(askedIn(aCase({ assertions: [judge('a')] }))).toEqual([{ agent: 'a', metadata: {}, field: 'assert' }])
  expect(askedIn(aCase())).toEqual([])
})
