import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Problem } from '../../src/core/errors.ts'
import { aCase } from '../support/builders.ts'
import { describeCorpus } from '../support/corpus.ts'
import { collect } from '../support/run-request.ts'
import { yaoTestbed } from '../support/yao-testbed.ts'

const { serve, open } = yaoTestbed()

describeCorpus('the public Yao application', 'yao/yao-dev-app', (app) => {
  const folders = readdirSync(join(app, 'assistants'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('package.yao'))
    .map((path) => dirname(path))
    .sort()
  const env = { OPENAI_TEST_KEY: 'key-for-tests' }

  /** Assistants that are known to be more than prompts; none has another problem than these. */
  const UNUSABLE: Readonly<Record<string, RegExp>> = { 'tests/keyword-agent': /no prompts and no hooks/ }
  // The corpus holds no scripts.
  const noScript = 'there is no script "tests/mcp" in scripts'
  const echo = `MCP servers (echo.ping: ${noScript}; echo.echo: ${noScript})`
  const PARTIAL: Readonly<Record<string, string>> = {
    'tests/fullfields': `${echo}, uses (vision, audio, fetch, web, keyword, querydsl, rerank), search, kb, db, workflow, sandbox`,
    'tests/keyword-agent': 'hooks (package.yao names them, and there is no src/index.ts)',
    'tests/mcptest': echo,
    'tests/merge': 'uses (web, keyword), search',
  }

  test('holds the assistants these tests were written for', () => {
    expect(folders.length).toBeGreaterThanOrEqual(13)
  })

  test.each(folders)('%s loads', async (folder) => {
    const { target, host } = await open({ folder: join(app, 'assistants', folder) }, { cwd: app, env })
    const id = folder.replaceAll('/', '.')
    expect(target.label).toBe(`yao:${id}`)
    const problems: readonly Problem[] = (await target.check?.(aCase())) ?? []
    const expected = UNUSABLE[folder]
    expect(problems.map(({ message }) => message)).toEqual(
      expected === undefined ? [] : [expect.stringMatching(expected)],
    )
    const partial = PARTIAL[folder]
    expect(host.warnings).toEqual(partial === undefined ? [] : [`partial coverage of ${id}: not run here: ${partial}`])
  })

  const usable = folders.filter((folder) => UNUSABLE[folder] === undefined)

  test.each(usable)('%s answers', async (folder) => {
    const model = await serve('Answered')
    const world = { ...env, OPENAI_API_HOST: model.host, OPENAI_API_KEY: 'key-for-openai' }
    const { target } = await open(
      { folder: join(app, 'assistants', folder) },
      { cwd: app, env: world, connector: 'openai.gpt-4o' },
    )
    const { events, error } = await collect(target, { case: aCase({ input: 'Hi' }) })
    expect(error).toBeUndefined()
    expect(events.filter(({ type }) => type !== 'usage')).toMatchObject([
      { type: 'assistant_message', text: 'Answered', agent: folder.replaceAll('/', '.') },
    ])
    expect(model.requests[0]?.body.messages?.at(-1)).toEqual({ role: 'user', content: 'Hi' })
  })

  test('mcptest offers the two tools it names, with their examples; a call fails by the name of what is not there', async () => {
    const model = await serve({ toolCalls: [{ id: 'c1', name: 'echo__ping', arguments: '{"count": 2}' }] })
    const world = { ...env, OPENAI_API_HOST: model.host, OPENAI_API_KEY: 'key-for-openai' }
    const { target } = await open(
      { folder: join(app, 'assistants/tests/mcptest') },
      { cwd: app, env: world, connector: 'openai.gpt-4o' },
    )
    const { events, error } = await collect(target, { case: aCase({ input: 'Hi' }) })
    expect(error).toBeUndefined()
    expect(events.at(-1)).toMatchObject({
      type: 'check',
      name: 'tools',
      passed: false,
      message: `tool ping of MCP server echo: ${noScript}`,
    })
    const { messages = [], tools } = model.requests[0]?.body ?? {}
    expect(tools).toMatchObject([{ function: { name: 'echo__ping' } }, { function: { name: 'echo__echo' } }])
    expect(messages.at(-2)?.content).toContain('uppercase_echo: Echo message in uppercase')
  })

  test.each<[string, object[]]>([
    ['gpt-4o', []],
    ['moonshot.kimi-k2_5-code', [{ message: 'the environment variable MOONSHOT_API_KEY is not set' }]],
    ['deepseek.v3', [{ field: 'options.proxy' }, { field: 'options.model' }, { field: 'options.key' }]],
    ['redis', [{ field: 'type' }]],
    ['sqlite', [{ field: 'type' }]],
  ])('connector %s', async (connector, expected) => {
    const { target } = await open({ folder: join(app, 'assistants/hello') }, { cwd: app, env })
    expect(target.check?.(aCase({ options: { connector } }))).toMatchObject(expected)
  })

  test('case T003 of hooks-test runs through a connector of the application', async () => {
    const folder = join(app, 'assistants/tests/hooks-test')
    const records = readFileSync(join(folder, 'tests/inputs.jsonl'), 'utf8').trim().split('\n')
    const parsed = records.map((line) => JSON.parse(line) as { id: string; input: string })
    const { id, input = '' } = parsed.find((record) => record.id === 'T003') ?? {}
    expect(id).toBe('T003')
    const model = await serve('no hooks here')
    const world = { ...env, OPENAI_API_HOST: model.host, OPENAI_API_KEY: 'key-for-openai' }
    const { target } = await open({ folder }, { cwd: app, env: world, connector: 'openai.gpt-4o' })
    expect(target.label).toBe('yao:tests.hooks-test#openai.gpt-4o')
    const item = aCase({ id: 'T003', input, messages: [{ role: 'user', content: input }] })
    expect(target.check?.(item)).toEqual([])
    const { events, error } = await collect(target, { case: item })
    expect(error).toBeUndefined()
    expect(events[0]).toMatchObject({ type: 'assistant_message', text: 'no hooks here', model: 'gpt-4o' })
    const { messages, ...body } = model.requests[0]?.body ?? {}
    expect(body).toEqual({
      model: 'gpt-4o',
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.3,
      max_completion_tokens: 500,
    })
    expect(messages?.map(({ role }) => role)).toEqual(['system', 'system', 'user'])
    expect(messages?.[0]?.content).toMatch(/2026-02-28 09:05:07[\s\S]*Europe\/Berlin[\s\S]*Saturday/)
    expect(messages?.[1]?.content).toContain('test agent')
    expect(messages?.[2]).toEqual({ role: 'user', content: input })
    expect(model.requests[0]?.headers.authorization).toBe('Bearer key-for-openai')
  })
})
