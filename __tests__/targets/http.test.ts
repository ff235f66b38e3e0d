import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { http } from '../../src/targets/http.ts'
import type { Target } from '../../src/targets/target.ts'
import { aCase } from '../support/builders.ts'
import { describeCorpus } from '../support/corpus.ts'
import { fakeHost } from '../support/fake-host.ts'
import { problemsOf } from '../support/problems-of.ts'
import { collect } from '../support/run-request.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'

const cleanups: (() => Promise<unknown> | undefined)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function serve(answer = 'Hello there'): Promise<ScriptedModel> {
  const model = await startScriptedModel({ answer: () => answer })
  cleanups.push(() => model.close())
  return model
}

async function open(
  settings: Record<string, unknown>,
  context: { host?: ReturnType<typeof fakeHost>; connector?: string } = {},
): Promise<Target> {
  const { host = fakeHost(), connector } = context
  const target = await http.create(
    { type: 'http', ...settings },
    { host, ...(connector === undefined ? {} : { connector }) },
  )
  cleanups.push(() => target.dispose?.())
  return target
}

describe('settings', () => {
  test.each([
    ['http:URL', 'https://api.test/v1', { url: 'https://api.test/v1' }],
    ['http:URL where the type is the scheme', '//api.test/v1', { url: 'http://api.test/v1' }],
  ])('%s', (_, value, expected) => {
    expect(http.fromValue(value)).toEqual(expected)
  })

  test.each<[string, Record<string, unknown>, object[]]>([
    ['neither url nor cassette', {}, [{ message: 'expected either "url" or "cassette"' }]],
    [
      'both url and cassette',
      { url: 'http://x/v1', cassette: 'a.jsonl' },
      [{ message: 'expected either "url" or "cassette"' }, { file: 'a.jsonl' }],
    ],
    [
      'no URL',
      { url: 'somewhere' },
      [{ field: 'target.url', message: expect.stringContaining('expected an http or https URL') }],
    ],
    [
      'a host without scheme',
      { url: 'localhost:8080/v1' },
      [{ field: 'target.url', hint: expect.stringContaining('http://localhost:8080/v1') }],
    ],
    ['another scheme', { url: 'ftp://x/v1' }, [{ field: 'target.url' }]],
    [
      'an endpoint',
      { url: 'https://x.test/v1/chat/completions' },
      [{ field: 'target.url', hint: 'write https://x.test/v1' }],
    ],
    [
      'a query',
      { url: 'https://x.test/v1?a=b' },
      [{ field: 'target.url', message: expect.stringContaining('without ? and #') }],
    ],
    [
      'a password',
      { url: 'https://me:pw@x.test/v1' },
      [{ field: 'target.url', message: expect.stringContaining('user or password') }],
    ],
    [
      'unset variables, all at once',
      {
        url: 'https://x.test/v1',
        key: '$ENV.MISSING_KEY',
        headers: { 'x-team': '$ENV.MISSING_TEAM', 'bad name': 'x' },
      },
      [
        { field: 'target.key', message: 'the environment variable MISSING_KEY is not set' },
        { field: 'target.headers.x-team', message: 'the environment variable MISSING_TEAM is not set' },
        { field: 'target.headers.bad name', message: 'not a header name' },
      ],
    ],
    [
      'an empty variable',
      { url: 'https://x.test/v1', key: '$ENV.EMPTY' },
      [{ message: 'the environment variable EMPTY is empty' }],
    ],
    [
      'a key with a line break',
      { url: 'https://x.test/v1', key: 'k\nx' },
      [{ field: 'target.key', message: expect.stringContaining('no header can carry') }],
    ],
    [
      'a cassette that does not exist',
      { cassette: 'no-such.jsonl' },
      [{ file: 'no-such.jsonl', message: 'there is no such cassette' }],
    ],
    [
      'a key for a cassette that does not exist',
      { cassette: 'a.jsonl', key: 'k' },
      [{ field: 'target.cassette' }, { file: 'a.jsonl' }],
    ],
  ])('%s is refused', async (_, settings, expected) => {
    const problems = await problemsOf(open(settings, { host: fakeHost({ env: { EMPTY: ' ' } }) }))
    expect(problems).toMatchObject(expected)
    expect(problems).toHaveLength(expected.length)
  })

  test('unknown settings are refused by the strict schema', () => {
    expect(http.schema.strict().safeParse({ url: 'http://x/v1', modle: 'm' }).success).toBe(false)
    expect(
      http.schema.strict().safeParse({ url: 'http://x/v1', model: 'm', key: '$ENV.K', headers: { a: 'b' } }).success,
    ).toBe(true)
  })

  test.each<[string, Record<string, unknown>, string | undefined, RegExp]>([
    ['the model of the settings', { model: 'gpt-4o' }, undefined, /^http:127\.0\.0\.1:\d+\/v1#gpt-4o$/],
    ['the connector in its place', { model: 'gpt-4o' }, 'other', /#other$/],
    ['neither', {}, undefined, /#default$/],
  ])('the label names host, path and %s', async (_, settings, connector, label) => {
    const model = await serve()
    const target = await open({ url: `${model.url}/`, ...settings }, connector === undefined ? {} : { connector })
    expect(target.label).toMatch(label)
  })
})

describe('calls', () => {
  test('key and headers come from the environment and become secrets', async () => {
    const model = await serve()
    const host = fakeHost({ env: { API_KEY: 'key-from-env\n', TEAM: 'blue-team' } })
    const target = await open(
      { url: model.url, model: 'm-1', key: '$ENV.API_KEY', headers: { 'x-team': '$ENV.TEAM', 'x-plain': 'yes' } },
      { host },
    )
    const { events, error } = await collect(target, { case: aCase({ input: 'Say hello' }) })
    expect(error).toBeUndefined()
    expect(events).toEqual([
      { type: 'assistant_message', text: 'Hello there', model: 'm-1' },
      { type: 'usage', inputTokens: 7, outputTokens: 3, model: 'm-1' },
    ])
    expect(model.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer key-from-env',
      'x-team': 'blue-team',
      'x-plain': 'yes',
    })
    expect(model.requests[0]?.body).toEqual({
      model: 'm-1',
      messages: [{ role: 'user', content: 'Say hello' }],
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(host.secrets.redact('key-from-env blue-team yes')).not.toMatch(/key-from-env|blue-team/)
    expect(host.warnings).toEqual([])
  })

  test('a key written into the settings works with a warning that does not repeat it', async () => {
    const model = await serve()
    const host = fakeHost()
    await collect(await open({ url: model.url, key: 'literal-key' }, { host }))
    expect(model.requests[0]?.headers.authorization).toBe('Bearer literal-key')
    expect(host.warnings.join()).toContain('target.key')
    expect(host.warnings.join()).not.toContain('literal-key')
  })

  test('a URL without a path works with a warning', async () => {
    const model = await startScriptedModel({ answer: () => 'Hi' })
    cleanups.push(() => model.close())
    const host = fakeHost()
    await collect(await open({ url: model.host }, { host }))
    expect(model.requests[0]?.path).toBe('/chat/completions')
    expect(host.warnings).toEqual([expect.stringContaining('most servers want /v1')])
  })

  test.each<[string, { settings?: string; flag?: string; option?: string }, string]>([
    ['the setting', { settings: 'm-1' }, 'm-1'],
    ['the connector of the case', { settings: 'm-1', option: 'm-2' }, 'm-2'],
    [
      'the connector of the command line, which the runner puts into the options',
      { settings: 'm-1', flag: 'm-3', option: 'm-3' },
      'm-3',
    ],
    ['no setting at all', {}, 'default'],
  ])('the model is chosen by %s', async (_, { settings, flag, option }, expected) => {
    const model = await serve()
    const target = await open(
      { url: model.url, ...(settings === undefined ? {} : { model: settings }) },
      flag === undefined ? {} : { connector: flag },
    )
    await collect(target, { options: option === undefined ? {} : { connector: option } })
    expect(model.requests[0]?.body.model).toBe(expected)
  })

  test('parts go as OpenAI wants them, and what has no form is a problem before any call', async () => {
    const model = await serve()
    const target = await open({ url: model.url })
    const file = { url: 'data:text/plain;base64,SGk=', filename: 'a.txt' }
    await collect(target, { case: aCase({ messages: [{ role: 'user', content: [{ type: 'file', file }] }] }) })
    expect(model.requests[0]?.body.messages).toEqual([
      { role: 'user', content: [{ type: 'file', file: { filename: 'a.txt', file_data: file.url } }] },
    ])
    const data = aCase({ input: {}, messages: [{ role: 'user', content: [{ type: 'data', data: { sources: [] } }] }] })
    expect(target.check?.(data)).toMatchObject([{ field: 'input.content[0]' }])
    expect(target.check?.(aCase())).toEqual([])
  })

  test('a refused key names the setting and never the key', async () => {
    const model = await startScriptedModel({
      answer: () => ({ fault: { kind: 'status', status: 401, message: 'no' } }),
    })
    cleanups.push(() => model.close())
    const host = fakeHost({ env: { API_KEY: 'key-from-env' } })
    const { error } = await collect(await open({ url: model.url, key: '$ENV.API_KEY' }, { host }))
    expect(error).toMatchObject({
      code: 'AUTHENTICATION',
      message: expect.stringContaining('"key" of the http target ($ENV.API_KEY)'),
    })
    expect(String(error)).not.toContain('key-from-env')
  })
})

describeCorpus('the public designer suite', 'yao/designer/tests/inputs.jsonl', (corpus) => {
  test('its five inputs arrive as they are', async () => {
    const lines = readFileSync(corpus, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '')
    const records = lines.map((line) => JSON.parse(line) as { id: string; input: string })
    expect(records).toHaveLength(5)
    const model = await serve('A design spec in css with --color-primary, palette, font and template')
    const target = await open({ url: model.url, model: 'm-1' })
    for (const { id, input } of records) {
      const messages = [{ role: 'user', content: input }] as const
      const { error } = await collect(target, { case: aCase({ id, input, messages }) })
      expect(error).toBeUndefined()
    }
    const asked = model.requests.map(({ body }) => body.messages)
    expect(asked).toEqual(records.map(({ input }) => [{ role: 'user', content: input }]))
  })
})
