import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { baseSideTestbed, bothAnswers, sideOf } from '../support/base-side-testbed.ts'
import { fakeHost } from '../support/fake-host.ts'
import { hasOpenCode, OPENCODE } from '../support/opencode/testbed.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'

const { pull, open } = baseSideTestbed()

/** Repeats the first thing it is told, which is the agent's prompt. */
let model: ScriptedModel
beforeEach(async () => {
  model = await startScriptedModel({ answer: ({ body }) => String(body.messages?.[0]?.content) })
})
afterEach(() => model.close())

describe('a Yao agent', () => {
  const connector = () =>
    JSON.stringify({ type: 'openai', options: { host: model.host, model: 'plain-model', key: 'local-secret' } })
  const prompt = (text: string) => `- role: system\n  content: "${text}"\n`
  const suite = `${JSON.stringify({ id: 'a', input: 'Hello' })}\n`
  const application = (root = '') => ({
    [`${root}app.yao`]: '{}',
    [`${root}connectors/plain.conn.yao`]: connector(),
    [`${root}assistants/bot/package.yao`]: '{ "name": "bot", "connector": "plain" }',
    [`${root}assistants/bot/prompts.yml`]: prompt('old'),
    [`${root}assistants/bot/tests/s.jsonl`]: suite,
  })
  const change = (root = '') => ({ [`${root}assistants/bot/prompts.yml`]: prompt('new') })
  const OLD_AND_NEW = { here: 'new', base: 'old' }

  test.each([
    { situation: 'whose folder the suite lies in', raw: {} },
    { situation: 'by name', raw: { name: 'bot' } },
    { situation: 'by its folder', raw: { target: 'yao:assistants/bot' } },
    { situation: 'by name, of a root', raw: { target: '{"type":"yao","name":"bot","root":"."}' } },
  ])('$situation', async ({ raw }) => {
    const world = pull({ base: application(), change: change() })
    expect(await bothAnswers(await open(world, { input: ['assistants/bot/tests/s.jsonl'], ...raw }))).toEqual(
      OLD_AND_NEW,
    )
  })

  test('of the application that -a names', async () => {
    const world = pull({ base: { ...application('app/'), 's.jsonl': suite }, change: change('app/') })
    const raw = { input: ['s.jsonl'], name: 'bot', app: 'app' }
    expect(await bothAnswers(await open(world, raw))).toEqual(OLD_AND_NEW)
  })

  test('that is new is missing, and says so; the others of the same run are there', async () => {
    const added = {
      'assistants/extra/package.yao': '{ "name": "extra", "connector": "plain" }',
      'assistants/extra/prompts.yml': prompt('extra'),
      'assistants/extra/tests/s.jsonl': suite,
    }
    const world = pull({ base: application(), change: { ...change(), ...added } })
    const { opened, prepared } = await open(world, { input: ['assistants/*/tests/s.jsonl'] })
    const side = sideOf(opened)
    const sides = await Promise.all(prepared.plan.cases.map((planned) => side.planned(planned)))
    expect(sides).toEqual([
      expect.objectContaining({ target: expect.objectContaining({ label: 'yao:bot' }) }),
      { missing: expect.stringMatching(/^its agent cannot be opened: .*package\.yao/) },
    ])
  })

  test('that cannot run a case there says so before it is run', async () => {
    const world = pull({
      base: application(),
      change: {
        ...change(),
        'connectors/other.conn.yao': connector(),
        'assistants/bot/tests/s.jsonl': `${JSON.stringify({ id: 'a', input: 'x', options: { connector: 'other' } })}\n`,
      },
    })
    const { opened, prepared } = await open(world, { input: ['assistants/bot/tests/s.jsonl'] })
    const [planned] = prepared.plan.cases
    const missing = { missing: expect.stringContaining('other') }
    expect(planned && (await sideOf(opened).planned(planned))).toEqual(missing)
  })

  test('outside of the repository is no agent of another commit', async () => {
    const world = pull({ base: { 's.jsonl': suite }, change: { 'x.txt': '' } })
    const outside = join(world.temp, 'app')
    for (const [name, text] of Object.entries(application()))
      world.author.write({ [join('..', 'temp', 'app', name)]: text })
    const reason = (text: string) => ({ kind: 'unavailable', reason: expect.stringContaining(text) })
    const byFolder = await open(world, { input: ['s.jsonl'], target: `yao:${outside}/assistants/bot` })
    expect(byFolder.opened).toEqual(reason('lies outside of the repository'))
    const byName = await open(world, { input: ['s.jsonl'], name: 'bot', app: outside })
    expect(byName.opened).toEqual(reason('outside of the repository'))
  })

  test('whose answers are recorded is the same on every commit', async () => {
    const world = pull({
      base: {
        ...application(),
        'connectors/plain.conn.yao': readFileSync('__tests__/fixtures/yao-app/connectors/recorded.conn.yao', 'utf8'),
        'cassettes/keyword.jsonl': readFileSync('__tests__/fixtures/yao-app/cassettes/keyword.jsonl', 'utf8'),
      },
      change: change(),
    })
    const { opened } = await open(world, { input: ['assistants/bot/tests/s.jsonl'] })
    expect(opened).toEqual({ kind: 'unavailable', reason: 'recorded answers are the same on every commit' })
  })

  test('has no script tests there: these are cases of the change', async () => {
    const script = 'export function TestA(t, ctx) { t.assert.True(true) }\n'
    const world = pull({
      base: { ...application(), 'assistants/bot/src/index.ts': 'export function Create() {}\n' },
      change: { 'assistants/bot/src/index_test.ts': script },
    })
    const { opened } = await open(world, { input: ['scripts.bot.index'] })
    expect(opened).toEqual({ kind: 'unavailable', reason: expect.stringContaining('script tests') })
  })
})

test('an address needs another one, whose key is a secret of the run', async () => {
  const other = await startScriptedModel({ answer: () => 'old' })
  const suite = `${JSON.stringify({ id: 'a', input: 'new' })}\n`
  const world = pull({ base: { 's.jsonl': suite }, change: { 'x.txt': '' } }, { env: { BASE_KEY: 'key-of-the-base' } })
  const control = JSON.stringify({ type: 'http', url: other.url, key: '$ENV.BASE_KEY' })
  const both = await open(world, { input: ['s.jsonl'], target: `http:${model.url}`, 'control-target': control })
  expect(await bothAnswers(both)).toEqual({ here: 'new', base: 'old' })
  expect(other.requests[0]?.headers.authorization).toBe('Bearer key-of-the-base')
  expect(world.host.secrets.redact('key-of-the-base')).toBe('***')
  const [planned] = both.prepared.plan.cases
  const ofBase = planned && (await sideOf(both.opened).planned(planned))
  expect(ofBase).toMatchObject({ target: { label: planned?.target.label } })
  await other.close()
})

test('an address whose key is not set says so', async () => {
  const world = pull({ base: { 's.jsonl': `${JSON.stringify({ id: 'a', input: 'x' })}\n` }, change: { 'x.txt': '' } })
  const control = JSON.stringify({ type: 'http', url: model.url, key: '$ENV.BASE_KEY' })
  const { opened } = await open(world, { input: ['s.jsonl'], target: `http:${model.url}`, 'control-target': control })
  expect(opened).toEqual({ kind: 'unavailable', reason: expect.stringContaining('BASE_KEY is not set') })
})

describe.skipIf(!hasOpenCode)('an OpenCode project (skipped where OpenCode is not installed)', () => {
  test('has the agents and rules of the base, and the same program', { timeout: 120_000 }, async () => {
    // What it says depends on who it was told to be.
    const who = await startScriptedModel({
      answer: ({ body }) => (JSON.stringify(body.messages).includes('You are the old one') ? 'old' : 'new'),
    })
    const config = {
      model: 'scripted/main',
      default_agent: 'bot',
      provider: {
        scripted: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: who.url, apiKey: 'none' },
          models: { main: { name: 'main', limit: { context: 100_000, output: 1_000 } } },
        },
      },
    }
    const agent = (text: string) => `---\nmode: primary\ndescription: Bot\n---\n${text}\n`
    const world = pull({
      base: {
        'opencode.json': JSON.stringify(config),
        '.opencode/agent/bot.md': agent('You are the old one.'),
        'evals/s.jsonl': `${JSON.stringify({ id: 'a', input: 'Who are you?' })}\n`,
      },
      change: { '.opencode/agent/bot.md': agent('You are the other one.') },
    })
    world.author.write({ '../temp/models.json': '{}' })
    const host = fakeHost({ ...world.host, env: { ...world.host.env, LANG: 'C.UTF-8' } })
    const target = JSON.stringify({ type: 'opencode', bin: OPENCODE, catalogue: '../temp/models.json' })
    const both = await open({ ...world, host }, { input: ['evals/s.jsonl'], target, 'keep-sessions': 'off' })
    expect(await bothAnswers(both)).toEqual({ here: 'new', base: 'old' })
    await who.close()
  })
})

test('the address of an OpenCode server is the same on every commit', async () => {
  const suite = `${JSON.stringify({ id: 'a', input: 'x', skip: true })}\n`
  const world = pull({ base: { 's.jsonl': suite }, change: { 'x.txt': '' } })
  const { opened } = await open(world, { input: ['s.jsonl'], target: 'opencode:http://127.0.0.1:9' })
  expect(opened).toEqual({ kind: 'unavailable', reason: expect.stringContaining('address of a server') })
})
