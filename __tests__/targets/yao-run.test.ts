import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { resolveIdentity } from '../../src/core/identity.ts'
import type { Case } from '../../src/core/suite.ts'
import { aCase } from '../support/builders.ts'
import { collect } from '../support/run-request.ts'
import { tempFolders } from '../support/temp-folder.ts'
import { MOMENT, YAO_APP, yaoTestbed } from '../support/yao-testbed.ts'

const { serve, open } = yaoTestbed()
const folder = tempFolders()

const globalPrompt = { role: 'system', content: 'Now: 2026-02-28 09:05:07 (Saturday, Europe/Berlin)\n' }
const examples = [
  { role: 'system', content: '# Rules\n- Be brief: one sentence.\n' },
  { role: 'user', name: 'example', content: 'How do I reset my password?' },
  { role: 'assistant', content: 'Under Settings, Security.' },
]
const intro = (name: string, chat: string, locale = 'en-us', tier = '') => ({
  role: 'system',
  content: `You are ${name} (support), chat ${chat}.\nUser test-user of test-team speaks ${locale}. Tier: ${tier}.\nUnknown: [] [$SYS.EPOCH]\n`,
})
const question = { role: 'user', content: 'Hi' }
const asks = (parts: Partial<Case> = {}) => aCase({ id: 'T001', messages: [{ role: 'user', content: 'Hi' }], ...parts })

describe('what an assistant asks its model', () => {
  test('global prompts, own prompts, then the conversation, with everything replaced', async () => {
    const model = await serve()
    const { target, host } = await open({ name: 'support' }, { env: { LOCAL_HOST: model.host } })
    expect(target.label).toBe('yao:support')
    expect(target.check?.(asks())).toEqual([])
    const { events, error } = await collect(target, { case: asks() })
    expect(error).toBeUndefined()
    expect(events).toEqual([
      { type: 'assistant_message', text: 'Hello there', model: 'local-1', agent: 'support' },
      { type: 'usage', inputTokens: 7, outputTokens: 3, model: 'local-1', agent: 'support' },
    ])
    expect(model.requests[0]?.path).toBe('/v1/chat/completions')
    expect(model.requests[0]?.headers.authorization).toBe('Bearer local-secret')
    expect(model.requests[0]?.body).toEqual({
      model: 'local-1',
      messages: [globalPrompt, intro('Support', 'test-T001-1'), ...examples, question],
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.4,
      max_completion_tokens: 200,
    })
    expect(host.secrets.redact('local-secret')).toBe('***')
    expect(host.warnings).toEqual([])
  })

  test('identity, locale, metadata and chat id come from the context', async () => {
    const model = await serve()
    const { target } = await open({ name: 'support' }, { env: { LOCAL_HOST: model.host } })
    const context = {
      locale: 'de-AT',
      chat_id: 'chat-9',
      metadata: { tier: 3, list: ['x'], __disable_global_prompts: true },
    }
    const identity = resolveIdentity({ flags: {}, context })
    await collect(target, { case: asks(), identity, run: 1 })
    await collect(target, { case: asks(), identity, run: 2 })
    const asked = model.requests.map(({ body }) => body.messages?.[0])
    expect(asked).toEqual([
      intro('Kundendienst', 'chat-9', 'de-AT', '3'),
      intro('Kundendienst', 'chat-9-run2', 'de-AT', '3'),
    ])
  })

  test.each<[string, Partial<Case>, object[]]>([
    [
      'a preset in place of the default prompts',
      { metadata: { __prompt_preset: 'chat.friendly' } },
      [globalPrompt, { role: 'system', content: 'Be friendly to test-user.' }],
    ],
    [
      'a preset from the options',
      { options: { metadata: { __prompt_preset: 'strict' } } },
      [globalPrompt, { role: 'system', content: 'Be strict.' }],
    ],
    [
      'an option without global prompts',
      { options: { disable_global_prompts: true } },
      [intro('Support', 'test-T001-1'), ...examples],
    ],
    [
      'metadata without global prompts',
      { metadata: { __disable_global_prompts: true } },
      [intro('Support', 'test-T001-1'), ...examples],
    ],
    [
      'an option that wins over metadata',
      { options: { disable_global_prompts: false }, metadata: { __disable_global_prompts: true } },
      [globalPrompt, intro('Support', 'test-T001-1'), ...examples],
    ],
  ])('%s', async (_, parts, prompts) => {
    const model = await serve()
    const { target } = await open({ name: 'support' }, { env: { LOCAL_HOST: model.host } })
    expect(target.check?.(asks(parts))).toEqual([])
    await collect(target, { case: asks(parts) })
    expect(model.requests[0]?.body.messages).toEqual([...prompts, question])
  })

  test('a connector of the case adds its own parameters within its limits', async () => {
    const model = await serve()
    const { target } = await open({ name: 'support' }, { env: { LOCAL_HOST: `${model.host}/v1` } })
    const item = asks({ options: { connector: 'cloud.text-1_5' } })
    expect(target.check?.(item)).toEqual([])
    await collect(target, { case: item })
    expect(model.requests[0]?.headers).toMatchObject({ 'api-key': 'local-secret' })
    expect(model.requests[0]?.headers).not.toHaveProperty('authorization')
    const { messages: _, ...body } = model.requests[0]?.body ?? {}
    // The assistant's own 200 tokens win over the connector's 4000; a reasoning model takes no other temperature.
    expect(body).toEqual({
      model: 'text-1.5',
      stream: true,
      stream_options: { include_usage: true },
      temperature: 1,
      max_completion_tokens: 200,
      enable_search: false,
      thinking: { type: 'disabled' },
    })
  })

  test('the connector of the command line wins and is part of the label', async () => {
    const model = await serve()
    const { target } = await open({ name: 'support' }, { env: { LOCAL_HOST: model.host }, connector: 'cloud.text-1_5' })
    expect(target.label).toBe('yao:support#cloud.text-1_5')
    await collect(target, { case: asks({ options: { connector: 'local' } }) })
    expect(model.requests[0]?.body.model).toBe('text-1.5')
  })
})

describe('recorded assistants', () => {
  const keywords = { messages: [{ role: 'user' as const, content: 'AI and ML' }] }

  test("the application's default connector answers from its cassette, on another day too", async () => {
    const { target } = await open({ name: 'workers.keyword' })
    expect(target.label).toBe('yao:workers.keyword (recorded)')
    const texts = []
    for (const run of [1, 2, 3]) texts.push((await collect(target, { case: aCase(keywords), run })).events[0])
    expect(texts).toMatchObject([{ text: '["AI", "ML"]' }, { text: 'AI, ML' }, { text: '["AI", "ML"]' }])
  })

  test('what a provider answered is recorded by the names of volatile parts and found again', async () => {
    const { path } = folder()
    const tape = join(path, 'tape.jsonl')
    const model = await serve('Recorded')
    const env = { LOCAL_HOST: model.host }
    const live = await open({ name: 'support' }, { env, record: tape })
    for (const run of [1, 2]) await collect(live.target, { case: asks(), run })
    await live.target.dispose?.()
    const lines = readFileSync(tape, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { run: number; messages: { content: string }[] })
    expect(lines.map(({ run }) => run)).toEqual([1, 2])
    expect(lines[0]?.messages).toEqual(lines[1]?.messages)
    expect(lines[0]?.messages[0]?.content).toBe('Now: $SYS.DATETIME ($SYS.WEEKDAY, $SYS.TIMEZONE)\n')
    expect(lines[0]?.messages[1]?.content).toContain('You are Support (support), chat $CTX.CHAT_ID.')

    const app = folder().path
    cpSync(YAO_APP, app, { recursive: true })
    writeFileSync(
      join(app, 'connectors/tape.conn.yao'),
      JSON.stringify({ type: 'cassette', options: { file: tape, model: 'local-1' } }),
    )
    const later = await open({ name: 'support' }, { cwd: app, connector: 'tape', now: MOMENT + 40 * 86_400_000 })
    expect(later.target.check?.(asks())).toEqual([])
    expect((await collect(later.target, { case: asks(), run: 2 })).events[0]).toMatchObject({ text: 'Recorded' })
  })

  test('a recording connector that is a cassette itself is refused', async () => {
    const { target } = await open(
      { name: 'support' },
      { env: { LOCAL_HOST: 'http://127.0.0.1:1' }, record: join(folder().path, 'tape.jsonl') },
    )
    expect(target.check?.(asks({ options: { connector: 'recorded' } }))).toMatchObject([
      { field: 'options.connector', message: expect.stringContaining('cannot be recorded from one') },
    ])
  })
})
