import { describe, expect, test } from 'vitest'
import { type RawSettings, resolveConfig } from '../../src/config/config.ts'
import type { SessionPlan } from '../../src/core/session.ts'
import type { Case } from '../../src/core/suite.ts'
import type { PlannedCase } from '../../src/runner/plan.ts'
import { prepare, release } from '../../src/setup/prepare.ts'
import { createTarget } from '../../src/targets/index.ts'
import { aCase } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()

type Files = Readonly<Record<string, string>>

const connector = (model: string) =>
  JSON.stringify({ type: 'openai', options: { host: 'http://127.0.0.1:9', model, key: 'k' } })

const SUITE = 'assistants/bot/tests/s.jsonl'

/** An application whose bot is judged by whatever a record names. */
const APPLICATION: Files = {
  'app.yao': '{}',
  'connectors/plain.conn.yao': connector('plain-1'),
  'connectors/judges.conn.yao': connector('judge-1'),
  'assistants/bot/package.yao': '{ "name": "Bot", "connector": "plain" }',
  'assistants/bot/prompts.yml': '- role: system\n  content: "I am a bot."\n',
  'assistants/judge/package.yao': '{ "name": "Judge", "connector": "judges" }',
  'assistants/judge/prompts.yml': '- role: system\n  content: "Judge."\n',
  'assistants/judge/tests/own.jsonl': '{"id":"x","input":"y"}\n',
  'assistants/judge/below/package.yao': '{ "name": "Another", "connector": "plain" }',
  'assistants/bot/tests/check.ts':
    'import { word } from "./word"\nexport function check() { return { passed: word === "a" } }\n',
  'assistants/bot/tests/word.ts': 'export const word = "a"\n',
  'assistants/bot/tests/unused.ts': 'export const other = "a"\n',
  'scripts/tests.ts': 'export function Ask() { return true }\n',
}

/** What is planned for the one case that has this in its record, in an application with these files changed. */
async function planned(record: object, changes: Files = {}, settings: RawSettings = {}): Promise<PlannedCase> {
  const files = { ...APPLICATION, ...changes, [SUITE]: `${JSON.stringify({ id: 'a', input: 'Hello', ...record })}\n` }
  const { path } = folder(files)
  const config = resolveConfig({ input: [SUITE], output: ['out.jsonl'], ...settings }, 'cli')
  const ready = await prepare(config, fakeHost({ cwd: path }), { baselineMayBeMissing: false, warn: () => undefined })
  await release(ready)
  const [found] = ready.plan.cases
  if (!found) throw new Error('one case is planned')
  return found
}

const fingerprint = async (record: object, changes?: Files) => {
  const { fingerprint: judged, item } = await planned(record, changes)
  return judged ?? item.fingerprint
}

const asked = { assert: { type: 'agent', use: 'agents:judge', value: 'It is polite.' } }
const plugin = { assert: { type: 'custom', file: 'check.ts' } }
const script = { assert: { type: 'script', script: 'scripts.tests.Ask' } }
const talk = {
  simulator: { use: 'judge' },
  checkpoints: [{ id: 'c', assert: { type: 'contains', value: 'x' } }],
}

describe('the fingerprint of a case changes with', () => {
  test.each<[string, object, Files]>([
    [
      'the prompts of the agent that judges it',
      asked,
      { 'assistants/judge/prompts.yml': '- role: system\n  content: "J."\n' },
    ],
    [
      'the connector of that agent',
      asked,
      { 'assistants/judge/package.yao': '{ "name": "Judge", "connector": "plain" }' },
    ],
    ['the model behind its connector', asked, { 'connectors/judges.conn.yao': connector('judge-2') }],
    [
      'the prompts of its simulated user',
      talk,
      { 'assistants/judge/prompts.yml': '- role: system\n  content: "J."\n' },
    ],
    [
      'the file of its own assertion',
      plugin,
      { 'assistants/bot/tests/check.ts': 'export function check() { return { passed: true } }\n' },
    ],
    ['a file that this one imports', plugin, { 'assistants/bot/tests/word.ts': 'export const word = "b"\n' }],
    ['the script that it calls', script, { 'scripts/tests.ts': 'export function Ask() { return false }\n' }],
  ])('%s', async (_, record, changes) => {
    const before = await fingerprint(record)
    expect(before).toMatch(/^[0-9a-f]{16}$/)
    expect(await fingerprint(record, changes)).not.toBe(before)
  })

  test.each<[string, object, Files]>([
    ['nothing', asked, {}],
    ["the judge's own tests", asked, { 'assistants/judge/tests/own.jsonl': '{"id":"x","input":"z"}\n' }],
    [
      'an agent below the judge',
      asked,
      { 'assistants/judge/below/package.yao': '{ "name": "B", "connector": "plain" }' },
    ],
    ['the tested agent', asked, { 'assistants/bot/prompts.yml': '- role: system\n  content: "I am another."\n' }],
    ['the model of the tested agent', asked, { 'connectors/plain.conn.yao': connector('plain-2') }],
    ['a file that its own assertion does not import', plugin, { 'assistants/bot/tests/unused.ts': '1\n' }],
    ['the judge of other cases', plugin, { 'assistants/judge/prompts.yml': '- role: system\n  content: "J."\n' }],
  ])('but not with %s', async (_, record, changes) => {
    expect(await fingerprint(record, changes)).toBe(await fingerprint(record))
  })

  test('nothing but its definition, where nobody else judges: it has no other', async () => {
    expect(await planned({ assert: { type: 'contains', value: 'x' } })).not.toHaveProperty('fingerprint')
    expect(await planned({ ...asked, skip: true })).not.toHaveProperty('fingerprint')
  })
})

describe('the model that a case asks for', () => {
  test.each<[string, object, RawSettings, string | undefined]>([
    ["is that of the agent's connector", {}, {}, 'plain-1'],
    ["is that of the case's own connector", { options: { connector: 'judges' } }, {}, 'judge-1'],
    ['is that of -c before it', { options: { connector: 'plain' } }, { connector: 'judges' }, 'judge-1'],
    ['is what an endpoint is told', {}, { target: 'http:http://127.0.0.1:9/v1' }, 'default'],
    ['is -c for an endpoint', {}, { target: 'http:http://127.0.0.1:9/v1', connector: 'm' }, 'm'],
    [
      'is the option of the case for an endpoint',
      { options: { connector: 'o' } },
      { target: 'http:http://127.0.0.1:9/v1' },
      'o',
    ],
    ['is not known of a program', {}, { target: 'command:cat' }, undefined],
  ])('%s', async (_, record, settings, model) => {
    expect((await planned(record, {}, settings)).requestedModel).toBe(model)
  })
})

describe('the model that a case asks an OpenCode project for', () => {
  const session: SessionPlan = { turns: [], inherit: true, setup: [], approval: { kind: 'approve' }, files: [] }
  test.each<[string, Partial<Case>, string | undefined, string | undefined]>([
    ['is its own', { session: { ...session, model: 'p/own', defaultModel: 'p/file' } }, 'p/target', 'p/own'],
    ['is -c, or its connector', { options: { connector: 'p/c' } }, 'p/target', 'p/c'],
    ["is the target's", { session: { ...session, defaultModel: 'p/file' } }, 'p/target', 'p/target'],
    ["is that of the suite's config file", { session: { ...session, defaultModel: 'p/file' } }, undefined, 'p/file'],
    ["is the agent's, which is not known before it runs", {}, undefined, undefined],
  ])('%s', async (_, parts, model, expected) => {
    const settings = { type: 'opencode', url: 'http://127.0.0.1:9', ...(model === undefined ? {} : { model }) }
    const target = await createTarget(settings, { host: fakeHost() })
    const item = aCase(parts)
    expect(target.requestedModel?.(item, item.options)).toBe(expected)
    await target.dispose?.()
  })
})
