import { describe, expect, test } from 'vitest'
import { type ContextFile, resolveIdentity } from '../../src/core/identity.ts'
import { aCase } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { problemsOf } from '../support/problems-of.ts'
import { collect } from '../support/run-request.ts'
import { tempFolders } from '../support/temp-folder.ts'
import { hostWithToken, NAMED, type RemoteWorld, remoteTestbed } from '../support/yao-remote-testbed.ts'
import { YAO_TOKEN } from '../support/yao-server.ts'

const folder = tempFolders()
const { serve, open } = remoteTestbed()

describe('settings', () => {
  const says = (pattern: RegExp) => expect.stringMatching(pattern) as string
  const env = (values: Record<string, string>) => ({ ...NAMED, host: fakeHost({ env: values }) })
  const url = 'https://yao.test'

  test.each<[string, Record<string, unknown>, RemoteWorld, object[]]>([
    ['no URL', { url: 'somewhere' }, NAMED, [{ field: 'target.url', message: says(/http or https URL/) }]],
    ['a URL with a password', { url: 'https://me:pw@yao.test' }, NAMED, [{ field: 'target.url' }]],
    ['no token', { url }, env({}), [{ message: says(/YAO_TOKEN is not set/), hint: says(/set YAO_TOKEN/) }]],
    ['an empty token', { url }, env({ YAO_TOKEN: ' ' }), [{ message: says(/YAO_TOKEN is empty/) }]],
    [
      'a token of two lines',
      { url },
      env({ YAO_TOKEN: 'two\nlines' }),
      [{ field: 'YAO_TOKEN', message: says(/no header/) }],
    ],
    ['no agent', { url }, {}, [{ field: 'target.agent', message: says(/not known/), hint: says(/-n workers/) }]],
    ['an agent that climbs out of its path', { url, agent: '../../admin' }, {}, [{ field: 'target.agent' }]],
    ['a name that is no id', { url }, { name: 'a b' }, [{ field: '--name', message: says(/id of an assistant/) }]],
    ['a name that no header can carry', { url }, { name: '助手' }, [{ field: '--name', message: says(/no header/) }]],
    ['a path without a slash', { url, path: 'chat' }, NAMED, [{ field: 'target.path' }]],
    ['a path that climbs', { url, path: '/../admin' }, NAMED, [{ field: 'target.path' }]],
    ['a path with a query', { url, path: '/chat?x=1' }, NAMED, [{ field: 'target.path' }]],
    [
      'a connector that names an assistant',
      { url },
      { ...NAMED, connector: 'gpt-4o-yao_other' },
      [{ field: '--connector', message: says(/names an assistant/) }],
    ],
    [
      'a context that no header can carry',
      { url },
      { ...NAMED, context: { chat_id: 'a\nb', locale: '中' } },
      [{ field: '--ctx: chat_id' }, { field: '--ctx: locale' }],
    ],
    [
      'everything at once',
      { url: 'x', agent: 'a b', path: 'y' },
      env({}),
      [{ field: 'target.url' }, { field: 'target.agent' }, { field: 'target.path' }, { field: 'target' }],
    ],
  ])('%s is refused', async (_, settings, { host = hostWithToken(), ...world }, expected) => {
    const problems = await problemsOf(open(settings, { host, ...world }))
    expect(problems).toMatchObject(expected)
    expect(problems).toHaveLength(expected.length)
  })

  test.each<[string, Record<string, unknown>, RemoteWorld, string]>([
    [
      'a URL without a path is that of the default API',
      { url: 'https://yao.test/' },
      NAMED,
      'yao-remote:workers.keyword@yao.test/v1',
    ],
    [
      'a URL with a path is taken as it is',
      { url: 'https://yao.test/api/' },
      NAMED,
      'yao-remote:workers.keyword@yao.test/api',
    ],
    ['the setting before the name', { url, agent: 'support' }, NAMED, 'yao-remote:support@yao.test/v1'],
    [
      'another connector is another target',
      { url },
      { ...NAMED, connector: 'm.x' },
      'yao-remote:workers.keyword@yao.test/v1#m.x',
    ],
  ])('%s', async (_, settings, world, label) => {
    expect((await open(settings, world)).label).toBe(label)
  })

  test('the agent whose folder the suite lies in, when none is named', async () => {
    const { path } = folder({ 'app.yao': '{}', 'assistants/a/b/package.yao': '{}' })
    const target = await open({ url }, { agentFolder: `${path}/assistants/a/b` })
    expect(target.label).toBe('yao-remote:a.b@yao.test/v1')
  })

  test.each<[string, boolean]>([
    ['http://yao.test/v1', true],
    ['https://yao.test/v1', false],
    ['http://localhost:5099/v1', false],
    ['http://127.0.0.1:5099/v1', false],
    ['http://[::1]:5099/v1', false],
    ['http://127.evil.test/v1', true],
  ])('%s: a token sent in the open is a warning: %s', async (address, isWarned) => {
    const host = hostWithToken()
    await open({ url: address }, { host, ...NAMED })
    expect(host.warnings).toEqual(isWarned ? [says(/unencrypted/)] : [])
  })
})

describe('requests', () => {
  const sent = async (
    item: ReturnType<typeof aCase>,
    { context, ...world }: RemoteWorld = {},
    settings: object = {},
  ) => {
    const server = await serve()
    const target = await open({ url: server.url, ...settings }, { ...NAMED, ...world, ...(context ? { context } : {}) })
    const identity = resolveIdentity({ flags: {}, context, case: item })
    const { error } = await collect(target, { case: item, identity })
    expect(error).toBeUndefined()
    const [request] = server.requests
    if (!request) throw new Error('nothing arrived')
    const metadata = request.headers['x-yao-metadata']
    return {
      ...request,
      metadata:
        metadata === undefined ? undefined : (JSON.parse(Buffer.from(String(metadata), 'base64').toString()) as object),
    }
  }

  test('path, token, headers and body of a plain case', async () => {
    const { path, headers, body, metadata } = await sent(aCase({ input: 'Say hello' }))
    expect(path).toBe('/v1/experts/workers.keyword/chat/completions')
    expect(headers).toMatchObject({
      authorization: `Bearer ${YAO_TOKEN}`,
      accept: 'text/event-stream',
      'accept-language': 'en-us',
      'x-yao-accept': 'standard',
      'x-yao-chat': expect.stringMatching(/^agent-test-[\da-f-]{36}$/) as string,
    })
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['x-yao-mode']))
    expect(headers).not.toHaveProperty('x-yao-assistant')
    expect(metadata).toBeUndefined()
    expect(body).toEqual({ messages: [{ role: 'user', content: 'Say hello' }], skip: { history: true }, stream: true })
  })

  test('the options of a case go along, in the places that Yao reads', async () => {
    const { headers, body, metadata } = await sent(
      aCase({
        metadata: { topic: 'größe' },
        options: {
          connector: 'openai.gpt-4o',
          mode: 'task',
          search: false,
          disable_global_prompts: true,
          metadata: { page: 2 },
          skip: { history: false, trace: true, keyword: true },
        },
      }),
      { context: { locale: 'de-de' } },
    )
    expect(headers).toMatchObject({ 'x-yao-mode': 'task', 'accept-language': 'de-de' })
    expect(body).toMatchObject({ model: 'openai.gpt-4o', skip: { history: true, trace: true, keyword: true } })
    expect(metadata).toEqual({ topic: 'größe', page: 2, __disable_global_prompts: true, __disable_search: true })
  })

  test('metadata too long for a header goes in the body', async () => {
    const { headers, body } = await sent(aCase({ metadata: { text: 'x'.repeat(5_000) } }))
    expect(headers).not.toHaveProperty('x-yao-metadata')
    expect(body).toMatchObject({ metadata: { text: 'x'.repeat(5_000) } })
  })

  test('an older server takes the assistant from a header', async () => {
    const { path, headers } = await sent(aCase(), {}, { path: '/chat/completions' })
    expect(path).toBe('/v1/chat/completions')
    expect(headers['x-yao-assistant']).toBe('workers.keyword')
  })

  test('attachments and data parts arrive in the form of Yao', async () => {
    const content = [
      { type: 'text', text: 'See' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      { type: 'file', file: { url: 'data:text/plain;base64,AA==', filename: 'a.txt' } },
      { type: 'data', data: { sources: [{ type: 'model', name: 'pet' }] } },
    ] as const
    const { body } = await sent(aCase({ messages: [{ role: 'user', content }] }))
    expect(body['messages']).toEqual([{ role: 'user', content }])
  })

  test.each<[string, ContextFile | undefined, (ids: readonly string[]) => void]>([
    ['fresh for every run', undefined, (ids) => expect(new Set(ids).size).toBe(3)],
    [
      'that of the context, told apart by run',
      { chat_id: 'c' },
      (ids) => expect(ids).toEqual(['c', 'c-run2', 'c-run3']),
    ],
  ])('the chat id is %s', async (_, context, check) => {
    const server = await serve()
    const target = await open({ url: server.url }, { ...NAMED, ...(context ? { context } : {}) })
    const identity = resolveIdentity({ flags: {}, context })
    for (const run of [1, 2, 3]) await collect(target, { run, identity })
    check(server.requests.map(({ headers }) => String(headers['x-yao-chat'])))
  })

  test('all turns of one conversation share a chat, another conversation has its own', async () => {
    const server = await serve()
    const target = await open({ url: server.url })
    const [first, second] = [{}, {}]
    for (const conversation of [first, first, second]) await collect(target, { turn: { number: 1, conversation } })
    const ids = server.requests.map(({ headers }) => headers['x-yao-chat'])
    expect([ids[0] === ids[1], ids[1] === ids[2]]).toEqual([true, false])
  })
})
