import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { type ConnectorDefaults, requestParameters, takesImages } from '../../src/targets/yao/parameters.ts'
import { aCase } from '../support/builders.ts'
import { problemsOf } from '../support/problems-of.ts'
import { collect } from '../support/run-request.ts'
import { tempFolders } from '../support/temp-folder.ts'
import { yaoTestbed } from '../support/yao-testbed.ts'

const { serve, open } = yaoTestbed()
const folder = tempFolders()

function app(
  connectors: Record<string, unknown>,
  settings: object = { connector: 'c' },
  files: Record<string, string> = {},
): string {
  const written = Object.entries(connectors).map(([name, value]) => [
    `connectors/${name}.conn.yao`,
    typeof value === 'string' ? value : JSON.stringify(value, null, 2),
  ])
  return folder({
    'app.yao': '{}',
    'assistants/a/package.yao': JSON.stringify({ name: 'A', ...settings }, null, 2),
    'assistants/a/prompts.yml': '- role: system\n  content: Be kind\n',
    ...Object.fromEntries(written),
    ...files,
  }).path
}

const openai = (options: object = {}, more: object = {}) => ({
  type: 'openai',
  ...more,
  options: { model: 'm-1', ...options },
})

describe('where a connector leads', () => {
  test.each<[string, (host: string) => object, string]>([
    ['a bare host', (host) => ({ host }), '/v1/chat/completions'],
    ['a host with a slash at its end', (host) => ({ host: `${host}/api/` }), '/api/chat/completions'],
    ['a host with a path', (host) => ({ host: `${host}/gateway` }), '/gateway/v1/chat/completions'],
    ['a host that ends in its version', (host) => ({ host: `${host}/v1` }), '/v1/chat/completions'],
    ['a host that ends in another version', (host) => ({ host: `${host}/api/v3beta` }), '/api/v3beta/chat/completions'],
    ['the old name proxy', (host) => ({ proxy: host }), '/v1/chat/completions'],
    ['host before proxy', (host) => ({ host, proxy: 'http://127.0.0.1:1' }), '/v1/chat/completions'],
  ])('%s', async (_, options, path) => {
    const model = await serve()
    const { target } = await open({ name: 'a' }, { cwd: app({ c: openai(options(model.host)) }) })
    expect(target.check?.(aCase())).toEqual([])
    expect((await collect(target)).error).toBeUndefined()
    expect(model.requests[0]?.path).toBe(path)
    expect(model.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  test.each<[string, object, string | undefined, string]>([
    ['-c', { connector: 'b' }, 'c', 'from-c'],
    ['package.yao', { connector: 'b' }, undefined, 'from-b'],
    ['package.yao by a variable', { connector: '$ENV.CONNECTOR' }, undefined, 'from-b'],
    ['the application when package.yao names none', {}, undefined, 'from-default'],
    ['the application when package.yao leaves it empty', { connector: '' }, undefined, 'from-default'],
  ])('it is named by %s', async (_, settings, flag, expected) => {
    const model = await serve()
    const connectors = Object.fromEntries(
      ['b', 'c', 'default'].map((id) => [id, openai({ host: model.host, model: `from-${id}` })]),
    )
    const cwd = app(connectors, settings, { 'agent/agent.yml': 'system:\n  default: default\n' })
    const { target } = await open(
      { name: 'a' },
      { cwd, env: { CONNECTOR: 'b' }, ...(flag === undefined ? {} : { connector: flag }) },
    )
    expect(target.check?.(aCase())).toEqual([])
    await collect(target)
    expect(model.requests[0]?.body.model).toBe(expected)
  })
})

describe('what is wrong with a connector', () => {
  const image = aCase({
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] }],
  })

  test.each<[string, Record<string, unknown>, object, object[]]>([
    [
      'no such connector',
      { other: openai() },
      { connector: 'othr' },
      [
        {
          file: 'assistants/a/package.yao',
          line: 3,
          field: 'connector',
          message: 'unknown connector "othr"',
          hint: 'did you mean "other"?',
        },
      ],
    ],
    [
      'none named anywhere',
      {},
      {},
      [{ file: 'assistants/a/package.yao', message: 'the assistant names no connector', hint: 'name one with -c' }],
    ],
    [
      'a role of the server',
      {},
      { connector: 'use::default' },
      [{ file: 'assistants/a/package.yao', line: 3, message: expect.stringContaining('settings of a Yao server') }],
    ],
    [
      'an unset variable as its name',
      {},
      { connector: '$ENV.NOPE' },
      [{ file: 'assistants/a/package.yao', line: 3, message: 'the environment variable NOPE is not set' }],
    ],
    [
      'another type',
      { c: { type: 'anthropic', options: {} } },
      { connector: 'c' },
      [
        {
          file: 'connectors/c.conn.yao',
          line: 2,
          field: 'type',
          message: expect.stringContaining('only "openai" and "cassette"'),
        },
      ],
    ],
    [
      'broken JSON',
      { c: '{ "type": }' },
      { connector: 'c' },
      [{ file: 'connectors/c.conn.yao', line: 1, message: expect.stringContaining('not JSON') }],
    ],
    [
      'unset variables, all at once',
      { c: openai({ host: '$ENV.HOST_X', key: '$ENV.KEY_X', model: '$ENV.MODEL_X' }) },
      { connector: 'c' },
      [
        {
          file: 'connectors/c.conn.yao',
          line: 5,
          field: 'options.host',
          message: 'the environment variable HOST_X is not set',
        },
        { file: 'connectors/c.conn.yao', line: 4, field: 'options.model' },
        { file: 'connectors/c.conn.yao', line: 6, field: 'options.key' },
      ],
    ],
    [
      'a host that is no URL',
      { c: openai({ host: 'api.test' }) },
      { connector: 'c' },
      [{ line: 5, field: 'options.host', message: expect.stringContaining('expected an http or https URL') }],
    ],
    [
      'no model',
      { c: { type: 'openai', options: {} } },
      { connector: 'c' },
      [{ line: 3, field: 'options.model', message: 'expected the name of the model' }],
    ],
    [
      'a wrong auth mode',
      { c: openai({}, { auth_mode: 'basic' }) },
      { connector: 'c' },
      [{ line: 3, field: 'auth_mode', message: 'expected one of bearer, api-key, x-api-key' }],
    ],
    [
      'a cassette that does not exist',
      { c: { type: 'cassette', options: { file: '../tapes/a.jsonl', model: 'm' } } },
      { connector: 'c' },
      [{ file: 'tapes/a.jsonl', message: 'there is no such cassette' }],
    ],
    [
      'a cassette without a file',
      { c: { type: 'cassette' } },
      { connector: 'c' },
      [{ field: 'options.file' }, { field: 'options.model' }],
    ],
    [
      'a model without eyes',
      { c: openai({ host: 'http://127.0.0.1:1', capabilities: { streaming: true } }) },
      { connector: 'c' },
      [{ field: 'input', message: 'connector "c" says that its model takes no images' }],
    ],
  ])('%s', async (_, connectors, settings, expected) => {
    const { target } = await open({ name: 'a' }, { cwd: app(connectors, settings) })
    const found = target.check?.(image)
    expect(found).toMatchObject(expected)
    expect(found).toHaveLength(expected.length)
  })

  test("with -c it is refused at once, and the assistant's own is not asked", async () => {
    const cwd = app({ own: openai({ host: '$ENV.NOPE' }), c: { type: 'redis', options: {} } }, { connector: 'own' })
    expect(await problemsOf(open({ name: 'a' }, { cwd, connector: 'c' }))).toMatchObject([
      { file: 'connectors/c.conn.yao', field: 'type' },
    ])
    expect(await problemsOf(open({ name: 'a' }, { cwd, connector: 'cc' }))).toMatchObject([
      { field: '--connector', message: 'unknown connector "cc"' },
    ])
  })

  test("a case with its own connector does not need the assistant's", async () => {
    const model = await serve()
    const cwd = app({ own: openai({ host: '$ENV.NOPE' }), good: openai({ host: model.host }) }, { connector: 'own' })
    const { target } = await open({ name: 'a' }, { cwd })
    expect(target.check?.(aCase({ options: { connector: 'good' } }))).toEqual([])
    expect(target.check?.(aCase({ options: { connector: 'goood' } }))).toMatchObject([
      { field: 'options.connector', hint: 'did you mean "good"?' },
    ])
    expect(target.check?.(aCase())).toMatchObject([{ file: 'connectors/own.conn.yao', line: 5 }])
  })
})

describe('parameters of a request', () => {
  test.each<[string, JsonObject, Partial<ConnectorDefaults>, JsonObject]>([
    [
      "the assistant's are sent",
      { temperature: 0, top_p: 0.5, seed: 7, stop: ['x'] },
      {},
      { temperature: 0, top_p: 0.5, seed: 7, stop: ['x'] },
    ],
    ['unknown ones, empty ones and ours are not', { stream: false, model: 'x', colour: 'red', user: null }, {}, {}],
    ['max_tokens gets its new name', { max_tokens: 5 }, {}, { max_completion_tokens: 5 }],
    ['the new name wins over the old', { max_tokens: 5, max_completion_tokens: 6 }, {}, { max_completion_tokens: 6 }],
    [
      "the connector's fill up",
      { temperature: 0 },
      { parameters: { temperature: 0.9, max_tokens: 9, enable: true } },
      { temperature: 0, max_completion_tokens: 9, enable: true },
    ],
    [
      "the connector's old name does not displace the assistant's new one",
      { max_completion_tokens: 5 },
      { parameters: { max_tokens: 9 } },
      { max_completion_tokens: 5 },
    ],
    [
      'only supported ones of the connector, within limits',
      {},
      {
        parameters: { temperature: 3, effort: 'max', other: 1, top_k: -1 },
        supported: { temperature: { max: 2 }, effort: { allowed_values: ['low', 'high'] }, top_k: { min: 0 } },
      },
      { temperature: 2, effort: 'low', top_k: 0 },
    ],
    [
      'a connector cannot change what is ours',
      {},
      { parameters: { model: 'x', messages: [], stream: false, stream_options: {} } },
      {},
    ],
    [
      'temperature is fixed where it is not adjustable',
      { temperature: 0.3 },
      { capabilities: { temperature_adjustable: false } },
      { temperature: 1 },
    ],
    [
      'a reasoning model takes no other',
      { temperature: 0.3 },
      { capabilities: { reasoning: true } },
      { temperature: 1 },
    ],
    [
      'unless it says so',
      { temperature: 0.3 },
      { capabilities: { reasoning: true, temperature_adjustable: true } },
      { temperature: 0.3 },
    ],
    ['without a temperature none is added', {}, { capabilities: { reasoning: true } }, {}],
  ])('%s', (_, options, defaults, expected) => {
    expect(requestParameters(options, { parameters: {}, ...defaults })).toEqual(expected)
  })

  test.each<[JsonObject | undefined, boolean]>([
    [undefined, true],
    [{ vision: true }, true],
    [{ vision: 'claude' }, true],
    [{ vision: false }, false],
    [{ vision: '' }, false],
    [{ tool_calls: true }, false],
  ])('capabilities %j take images: %s', (capabilities, expected) => {
    expect(takesImages(capabilities)).toBe(expected)
  })
})
