import { describe, expect, test } from 'vitest'
import { resolveIdentity } from '../../src/core/identity.ts'
import type { Case } from '../../src/core/suite.ts'
import { aCase } from '../support/builders.ts'
import { hookedAgents, prompts } from '../support/hooked-agent.ts'
import { collect } from '../support/run-request.ts'

const { run, open, seen } = hookedAgents()

/** Hands on what Create sees, for Next to give as the answer. */
const echo = (what: string) => `
  export function Create(ctx, messages, options) { return { metadata: { seen: JSON.stringify(${what}) } } }
  export function Next(ctx, payload, options) { return { data: JSON.parse(ctx.metadata.seen) } }
`
const nextGives = (what: string) => `export function Next(ctx, payload, options) { return { data: ${what} } }`
const createGives = (what: string) => `function Create(ctx, messages, options) { return ${what} }`

const local = (id: string, files: Record<string, string> = {}, settings: object = {}): Record<string, string> => ({
  [`assistants/${id}/package.yao`]: JSON.stringify({ name: id.toUpperCase(), connector: 'other', ...settings }),
  [`assistants/${id}/prompts.yml`]: prompts(`I am ${id}`),
  ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`assistants/${id}/${name}`, text])),
})

describe('what the hooks get', () => {
  test('Create: the conversation without prompts, and the options with their defaults', async () => {
    const { data, faults } = await run(echo('{ messages, options }'), {
      item: { options: { metadata: { tier: 3 }, skip: { trace: true } } },
    })
    expect(faults).toEqual([])
    expect(data).toEqual({
      messages: [{ role: 'user', content: 'Hi' }],
      options: { mode: 'chat', search: true, metadata: { tier: 3 }, skip: { trace: true, history: true } },
    })
  })

  test('Create: options of the case as they are', async () => {
    const options = { connector: 'other', mode: 'task', search: false, disable_global_prompts: true }
    const { data } = await run(echo('options'), { item: { options } })
    expect(data).toEqual({ ...options, skip: { history: true } })
  })

  test('Next: messages, completion and no tools', async () => {
    const { data } = await run(nextGives('{ ...payload, keys: Object.keys(payload) }'), {
      reply: { text: 'Hello', reasoning: 'hm', usage: { prompt_tokens: 5, completion_tokens: 2 } },
    })
    expect(data).toEqual({
      keys: ['messages', 'completion', 'error'],
      messages: [{ role: 'user', content: 'Hi' }],
      error: '',
      completion: {
        id: 'chatcmpl-m-1',
        model: 'm-1',
        role: 'assistant',
        content: 'Hello',
        reasoning_content: 'hm',
        finish_reason: 'stop',
        usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
      },
    })
  })

  test('ctx: who asks, in plain fields, and the same by Authorized()', async () => {
    const hook = echo('{ ...JSON.parse(JSON.stringify(ctx)), same: Authorized() }')
    const { target } = await open({ files: { 'assistants/a/src/index.ts': hook } })
    const context = {
      locale: 'de',
      chat_id: 'chat-9',
      metadata: { tier: 1 },
      authorized: { user_id: 'u1', scope: 'x' },
    }
    const { events, error } = await collect(target, { run: 2, identity: resolveIdentity({ flags: {}, context }) })
    expect(error).toBeUndefined()
    const authorized = { user_id: 'u1', sub: 'u1', team_id: 'test-team', tenant_id: 'test-team', scope: 'x' }
    expect(seen(events).data).toMatchObject({
      chat_id: 'chat-9-run2',
      assistant_id: 'a',
      locale: 'de',
      theme: '',
      route: '',
      referer: 'test',
      accept: 'standard',
      client: { type: 'test', user_agent: 'yao-agent-test/1.0', ip: '127.0.0.1' },
      metadata: { tier: 1 },
      authorized,
      same: authorized,
    })
  })
})

describe('what Create decides', () => {
  const global = { 'agent/prompts.yml': prompts('Global'), 'assistants/a/prompts/strict.yml': prompts('Be strict') }
  const system = (content: string) => ({ role: 'system', content })
  const hi = { role: 'user', content: 'Hi' }

  test.each<[string, string, object]>([
    ['nothing by null', 'null', { messages: [system('Global'), system('Be kind'), hi] }],
    ['nothing by {}', '{}', { messages: [system('Global'), system('Be kind'), hi] }],
    ['nothing by an empty list', '{ messages: [] }', { messages: [system('Global'), system('Be kind'), hi] }],
    [
      'the messages',
      '{ messages: [...messages, { role: "user", content: [{ type: "text", text: "Now" }] }] }',
      {
        messages: [system('Global'), system('Be kind'), hi, { role: 'user', content: [{ type: 'text', text: 'Now' }] }],
      },
    ],
    ['the temperature', '{ temperature: 0 }', { temperature: 0 }],
    ['the token limit by its old name', '{ max_tokens: 7 }', { max_completion_tokens: 7 }],
    ['the token limit', '{ max_completion_tokens: 8 }', { max_completion_tokens: 8 }],
    ['the connector', '{ connector: "other" }', { model: 'm-2' }],
    ['the preset', '{ prompt_preset: "strict" }', { messages: [system('Global'), system('Be strict'), hi] }],
    ['no global prompts', '{ disable_global_prompts: true }', { messages: [system('Be kind'), hi] }],
  ])('%s', async (_, returned, body) => {
    const settings = { name: 'A', connector: 'm', options: { temperature: 0.4, max_completion_tokens: 99 } }
    const { model, faults, error } = await run(createGives(returned), {
      files: { ...global, 'assistants/a/package.yao': JSON.stringify(settings) },
    })
    expect(error).toBeUndefined()
    expect(faults).toEqual([])
    expect(model.requests).toHaveLength(1)
    expect(model.requests[0]?.body).toMatchObject(body)
  })

  test('locale, theme, route and metadata, for the prompts and for Next', async () => {
    const hook = `
      function Create(ctx) { return { locale: 'de', theme: 'dark', route: '/x', metadata: { tier: 9 } } }
      function Next(ctx) { return { data: [ctx.locale, ctx.theme, ctx.route, ctx.metadata] } }`
    const { model, data } = await run(hook, {
      files: {
        'assistants/a/prompts.yml': prompts('$CTX.ASSISTANT_NAME $CTX.LOCALE $CTX.THEME $CTX.ROUTE $CTX.tier'),
        'assistants/a/package.yao': '{ "name": "{{ name }}", "connector": "m" }',
        'assistants/a/locales/de.yml': 'name: Kunde\n',
      },
      item: { metadata: { kept: true } },
    })
    expect(model.requests[0]?.body.messages?.[0]?.content).toBe('Kunde de dark /x 9')
    expect(data).toEqual(['de', 'dark', '/x', { kept: true, tier: 9 }])
  })

  test('a case says by its option what package.yao and metadata do not outrank, and Create does', async () => {
    const item = { options: { disable_global_prompts: true } }
    const { model } = await run(createGives('{ disable_global_prompts: false }'), { files: global, item })
    expect(model.requests[0]?.body.messages?.[0]?.content).toBe('Global')
  })

  test('-c outranks the connector of Create, and says so', async () => {
    const { model, logs } = await run(createGives('{ connector: "m" }'), { connector: 'other' })
    expect(model.requests[0]?.body.model).toBe('m-2')
    expect(logs).toEqual(['Create asks for connector m; -c other outranks it'])
  })

  test('what only a server carries out is named, and so is what nobody knows', async () => {
    const hook = createGives('{ uses: { vision: "x" }, force_uses: true, search: true, audio: {}, temprature: 1 }')
    const { logs, faults } = await run(hook)
    expect(faults).toEqual([])
    expect(logs).toEqual([
      'Create sets audio, which is not run here',
      'Create sets uses, which is not run here',
      'Create sets force_uses, which is not run here',
      'Create sets search, which is not run here',
      'Create returns an unknown field "temprature" (did you mean "temperature"?)',
    ])
  })
})

describe('what Next decides', () => {
  test.each<[string, string, object]>([
    ['nothing', 'null', { text: 'Hello there', data: undefined }],
    ['nothing by {}', '{}', { text: 'Hello there', data: undefined }],
    ['only metadata, which is no answer', '{ metadata: { a: 1 } }', { text: 'Hello there', data: undefined }],
    ['data in place of the text', '{ data: { a: [1] } }', { data: { a: [1] } }],
    ['data as text', '{ data: "Bye" }', { data: 'Bye' }],
    [
      'data of JSON alone',
      '{ data: { at: new Date(0), no: undefined } }',
      { data: { at: '1970-01-01T00:00:00.000Z' } },
    ],
  ])('%s', async (_, returned, expected) => {
    expect(await run(`function Next() { return ${returned} }`)).toMatchObject({ ...expected, faults: [] })
  })

  test('an asynchronous hook is awaited', async () => {
    expect((await run('export async function Next() { await null; return { data: 1 } }')).data).toBe(1)
  })
})

describe('hooks and models', () => {
  test('without prompts and servers no model is asked', async () => {
    const { model, data } = await run(
      nextGives('{ said: payload.messages[0].content, has: "completion" in payload }'),
      {
        files: { 'assistants/a/prompts.yml': '', 'assistants/a/package.yao': '{ "name": "A" }' },
      },
    )
    expect(data).toEqual({ said: 'Hi', has: false })
    expect(model.requests).toEqual([])
  })

  test('a file without hooks is no fault', async () => {
    expect(await run('export const x = 1')).toMatchObject({ text: 'Hello there', faults: [] })
  })

  test('a model that fails ends the run as errored, and Next is not asked', async () => {
    const { error, faults } = await run(nextGives('1'), { reply: { fault: { kind: 'status', status: 401 } } })
    expect(error).toMatchObject({ name: 'TargetError', code: 'AUTHENTICATION' })
    expect(faults).toEqual([])
  })
})

describe('delegation', () => {
  const files = local('b')

  test('by Create: the other agent answers, and Next is not asked', async () => {
    const hook = `
      function Create(ctx, messages) {
        return { delegate: { agent_id: 'b', messages: [{ role: 'user', content: 'For b' }], options: { metadata: { x: 1 } } } }
      }
      function Next() { throw new Error('not called') }`
    const { events, model, faults } = await run(hook, { files })
    expect(faults).toEqual([])
    expect(model.requests.map(({ body }) => body)).toMatchObject([
      { model: 'm-2', messages: [{ content: 'I am b' }, { role: 'user', content: 'For b' }] },
    ])
    expect(events).toMatchObject([
      { type: 'assistant_message', text: 'Hello there', agent: 'b' },
      { type: 'usage', agent: 'b' },
    ])
  })

  test('by Next, and on to a third agent with its own hooks', async () => {
    const pass = (id: string) =>
      `function Next(ctx, { messages }) { return { delegate: { agent_id: '${id}', messages } } }`
    const last = nextGives('[ctx.assistant_id, ctx.referer, ctx.metadata.x, ctx.memory.context.Get("k"), ctx.chat_id]')
    const { data, model, events } = await run(
      `function Create(ctx) { ctx.memory.context.Set('k', 'kept'); return { metadata: { x: 5 } } }\n${pass('b')}`,
      { files: { ...local('b', { 'src/index.ts': pass('c') }), ...local('c', { 'src/index.ts': last }) } },
    )
    expect(data).toEqual(['c', 'agent', 5, 'kept', 'test-greet-01-1'])
    expect(model.requests.map(({ body }) => body.messages?.[0]?.content)).toEqual(['Be kind', 'I am b', 'I am c'])
    expect(events.filter(({ type }) => type === 'usage')).toHaveLength(3)
  })

  test.each<[string, string, RegExp]>([
    ['an unknown agent', '{ agent_id: "bb", messages }', /delegates to no assistant "bb".*did you mean "b"/],
    ['a circle', '{ agent_id: "a", messages }', /more than 12 levels deep: a → a → a/],
  ])('%s fails the run by name', async (_, delegate, message) => {
    const hook = `function Create(ctx, messages) { return { delegate: ${delegate} } }`
    const { faults, error, model } = await run(hook, { files })
    expect(error).toBeUndefined()
    expect(faults).toEqual([expect.stringMatching(message)])
    expect(model.requests).toEqual([])
  })
})

describe('one run and the next', () => {
  const counting = `
    let calls = 0
    export function Next(ctx) {
      calls += 1
      globalThis.leak = (globalThis.leak || 0) + 1
      return { data: [calls, globalThis.leak, ctx.memory.user.Incr('n'), ctx.memory.chat.Incr('n'), ctx.chat_id] }
    }`

  test('share nothing, one after the other or at once', async () => {
    const { target } = await open({ files: { 'assistants/a/src/index.ts': counting } })
    const once = async (item: Case, number: number) =>
      seen((await collect(target, { case: item, run: number })).events).data
    const cases = [aCase({ id: 'one' }), aCase({ id: 'two' })]
    const first = await once(aCase({ id: 'one' }), 1)
    const rest = await Promise.all(cases.flatMap((item) => [2, 3].map((number) => once(item, number))))
    expect([first, ...rest]).toEqual(
      ['test-one-1', 'test-one-2', 'test-one-3', 'test-two-2', 'test-two-3'].map((chat) => [1, 1, 1, 1, chat]),
    )
  })

  test('turns of one conversation share its memory', async () => {
    const { target } = await open({ files: { 'assistants/a/src/index.ts': nextGives('ctx.memory.chat.Incr("n")') } })
    const [one, two] = [{}, {}]
    const turns = [one, one, two].map((conversation, index) => ({ number: index + 1, conversation }))
    const values = []
    for (const turn of turns) values.push(seen((await collect(target, { turn })).events).data)
    expect(values).toEqual([1, 2, 1])
  })
})
