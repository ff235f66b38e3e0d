import { describe, expect, test } from 'vitest'
import { aCase } from '../support/builders.ts'
import { hookedAgents, openaiConnector } from '../support/hooked-agent.ts'
import { toolFiles as files, schema } from '../support/tool-app.ts'

const { run, open } = hookedAgents()

describe('which tools the model is offered', () => {
  const names = (body: Record<string, unknown> | undefined) =>
    ((body?.['tools'] ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name)
  const three = ['kit__add', 'kit__who', 'kit__fail']

  test.each<[string, unknown[], string[]]>([
    ['all of a server', ['kit'], three],
    ['all of a server, as an object', [{ server_id: 'kit' }], three],
    ['some by name', [{ server_id: 'kit', tools: ['who'] }], ['kit__who']],
    ['some by name, in short', [{ kit: ['who', 'add'] }], ['kit__who', 'kit__add']],
    ['some by name, in the middle form', [{ kit: { tools: ['fail'], resources: ['x'] } }], ['kit__fail']],
    ['all when the list of names is empty', [{ kit: [] }], three],
    ['those of a server beside the assistant', ['agents.a.own.set'], ['agents_a_own_set__one']],
  ])('%s', async (_, servers, expected) => {
    const own = {
      'assistants/a/mcps/own/set.mcp.yao': '{ "transport": "process", "tools": { "one": "agents.a.lib.One" } }',
      'assistants/a/mcps/mapping/own/set/schemes/one.in.yao': schema({}),
      'assistants/a/src/lib.ts': 'export function One() { return 1 }',
    }
    const { model, host } = await run('', { files: files({ servers }, own) })
    expect(host.warnings).toEqual([])
    expect(names(model.requests[0]?.body)).toEqual(expected)
  })

  test('with description and schema, and without what is meant for Yao', async () => {
    const { model } = await run('', { files: files({ servers: [{ kit: ['add'] }] }) })
    expect(model.requests[0]?.body['tools']).toEqual([
      {
        type: 'function',
        function: {
          name: 'kit__add',
          description: 'Does it',
          parameters: {
            type: 'object',
            description: 'Does it',
            properties: { a: { type: 'number' }, b: { type: 'object', properties: { c: { type: 'integer' } } } },
            required: ['a'],
          },
        },
      },
    ])
  })

  test('examples stand between the prompts and the conversation', async () => {
    const samples = [1, 2, 3, 4].map((n) => JSON.stringify({ name: `s${n}`, input: { a: n }, output: n })).join('\n')
    const { model } = await run('', {
      files: files({ servers: ['kit'] }, { 'mcps/mapping/kit/schemes/add.jsonl': samples }),
    })
    const messages = model.requests[0]?.body.messages ?? []
    expect(messages.map(({ role }) => role)).toEqual(['system', 'system', 'user'])
    expect(messages[1]?.content).toContain('### kit__add\n- s1\n  input: {"a":1}\n  output: 1')
    expect(messages[1]?.content).not.toContain('s4')
  })

  test('at most 20, and those beyond are named', async () => {
    const tools = Array.from({ length: 22 }, (_, n) => `t${n}`)
    const many = {
      'mcps/many.mcp.yao': JSON.stringify({
        transport: 'process',
        tools: Object.fromEntries(tools.map((name) => [name, 'scripts.kit.Who'])),
      }),
      ...Object.fromEntries(tools.map((name) => [`mcps/mapping/many/schemes/${name}.in.yao`, schema({})])),
    }
    const { model, host } = await run('', { files: files({ servers: ['many'] }, many) })
    expect(names(model.requests[0]?.body)).toHaveLength(20)
    expect(host.warnings).toEqual([expect.stringContaining('many.t20: Yao offers 20 tools at most; many.t21')])
  })

  test('Create puts other servers in their place', async () => {
    const hook = 'function Create() { return { mcp_servers: [{ server_id: "kit", tools: ["who"] }] } }'
    const { model } = await run(hook, { files: files({ servers: [{ kit: ['add'] }] }) })
    expect(names(model.requests[0]?.body)).toEqual(['kit__who'])
  })

  test('what a server alone can do is named, and not offered', async () => {
    const more = {
      'mcps/remote.mcp.yao': '{ "transport": "http", "url": "http://127.0.0.1:1" }',
      'mcps/data.mcp.yao': '{ "transport": "process", "tools": { "find": "models.user.Find" } }',
      'mcps/mapping/data/schemes/find.in.yao': schema({}),
    }
    const { host, model } = await run('', { files: files({ servers: ['remote', 'data', 'kitt', 'kit'] }, more) })
    expect(host.warnings).toEqual([
      'partial coverage of a: not run here: MCP servers (remote: transport "http"; unknown MCP server "kitt" (did you mean "kit"?); data.find: models.user.Find)',
    ])
    expect(names(model.requests[0]?.body)).toEqual(['data__find', ...three])
  })

  test.each<[string, Record<string, string>, object]>([
    [
      'a tool without a schema',
      {
        'mcps/kit.mcp.yao':
          '{ "transport": "process",\n "tools": { "add": "scripts.kit.Add", "more": "scripts.kit.More" } }',
      },
      { file: 'mcps/kit.mcp.yao', line: 2, field: 'tools.more', hint: 'write mcps/mapping/kit/schemes/more.in.yao' },
    ],
    ['broken JSON', { 'mcps/kit.mcp.yao': '{ "transport" }' }, { file: 'mcps/kit.mcp.yao', line: 1 }],
    [
      'a broken schema',
      { 'mcps/mapping/kit/schemes/add.in.yao': '{' },
      { file: 'mcps/mapping/kit/schemes/add.in.yao' },
    ],
    [
      'a broken example',
      { 'mcps/mapping/kit/schemes/add.jsonl': '{}\nnope' },
      { file: 'mcps/mapping/kit/schemes/add.jsonl', line: 2 },
    ],
    ['no transport', { 'mcps/kit.mcp.yao': '{ "tools": {} }' }, { file: 'mcps/kit.mcp.yao', field: 'transport' }],
    [
      'servers of the wrong form',
      files({ servers: [5] }),
      { file: 'assistants/a/package.yao', message: expect.stringContaining('mcp.servers[0]') },
    ],
  ])('%s is told with its place before anything runs', async (_, broken, problem) => {
    await expect(open({ files: { ...files(), ...broken } })).rejects.toMatchObject({
      name: 'UserError',
      problems: [problem],
    })
  })

  test('a connector that says that its model calls no tools', async () => {
    const { target } = await open({
      files: files(
        { servers: ['kit'] },
        { 'connectors/m.conn.yao': openaiConnector('http://127.0.0.1:1', { capabilities: { vision: true } }) },
      ),
    })
    expect(target.check?.(aCase())).toMatchObject([
      { field: 'mcp.servers', message: expect.stringContaining('calls no tools') },
    ])
  })
})
