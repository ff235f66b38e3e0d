import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aCase } from '../support/builders.ts'
import { hookedAgents } from '../support/hooked-agent.ts'
import { collect } from '../support/run-request.ts'
import type { Answer } from '../support/scripted-model.ts'
import { toolCalls as calls, toolFiles as files, schema } from '../support/tool-app.ts'

const { run, open, seen, folder } = hookedAgents()

const add = { type: 'function', function: { name: 'kit__add' } }

describe('calls of tools', () => {
  test('without hooks the model gets the results, in the order of its calls, until it has done', async () => {
    const { events, text, model, faults } = await run('', {
      files: files(),
      reply: (_, n) =>
        n === 1
          ? calls(['kit__add', { a: 2, b: { c: 3 } }], ['kit__who', {}])
          : n === 2
            ? calls(['kit__who', ''])
            : 'Five',
    })
    expect(faults).toEqual([])
    expect(text).toBe('Five')
    const sum = { sum: 5, fixed: 'fixed', all: { a: 2, b: { c: 3 } }, chat: 'test-greet-01-1' }
    expect(events.filter(({ type }) => type === 'tool_call')).toEqual([
      { type: 'tool_call', tool: 'add', server: 'kit', parameters: { a: 2, b: { c: 3 } }, result: sum, agent: 'a' },
      { type: 'tool_call', tool: 'who', server: 'kit', parameters: {}, result: 'test-user of a', agent: 'a' },
      { type: 'tool_call', tool: 'who', server: 'kit', parameters: {}, result: 'test-user of a', agent: 'a' },
    ])
    expect(model.requests[1]?.body.messages?.slice(2)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'kit__add', arguments: '{"a":2,"b":{"c":3}}' } },
          { id: 'c2', type: 'function', function: { name: 'kit__who', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: JSON.stringify(sum) },
      { role: 'tool', tool_call_id: 'c2', content: '"test-user of a"' },
    ])
    expect(events.filter(({ type }) => type === 'usage')).toHaveLength(3)
  })

  test('with hooks they run once, and Next gets them', async () => {
    const { data, model, events } = await run(
      'function Next(ctx, { tools, completion }) { return { data: { tools, calls: completion.tool_calls.length } } }',
      {
        files: files(),
        reply: calls(['kit__add', { a: 1 }]),
      },
    )
    expect(model.requests).toHaveLength(1)
    expect(data).toEqual({
      calls: 1,
      tools: [
        {
          toolcall_id: 'c1',
          server: 'kit',
          tool: 'add',
          arguments: '{"a":1}',
          result: { sum: 1, fixed: 'fixed', all: { a: 1 }, chat: 'test-greet-01-1' },
          error: '',
        },
      ],
    })
    expect(events.map(({ type }) => type)).toEqual(['usage', 'tool_call', 'output'])
  })

  test('without the loop the answer is what the tools gave', async () => {
    const { model, events } = await run('', {
      files: files({ servers: ['kit'], options: { tool_loop: false } }),
      reply: calls(['kit__who', {}]),
    })
    expect(model.requests).toHaveLength(1)
    expect(events.map(({ type }) => type)).toEqual(['usage', 'tool_call'])
  })

  test.each([
    [undefined, 5],
    [2, 2],
  ])('a model that never has done fails the run (max_turn: %s)', async (maxTurns, turns) => {
    const options = maxTurns === undefined ? {} : { max_turn: maxTurns }
    const { faults, model } = await run('', {
      files: files({ servers: ['kit'], options }),
      reply: calls(['kit__who', {}]),
    })
    expect(faults).toEqual([`tools: the model still calls tools after ${turns} turns (mcp.options.max_turn)`])
    expect(model.requests).toHaveLength(turns + 1)
  })

  test.each<[string, [string, object | string], string]>([
    ['arguments that are missing', ['kit__add', {}], 'invalid arguments: a is required'],
    ['arguments of the wrong type', ['kit__add', { a: 'two' }], 'invalid arguments: a: expected number, got string'],
    [
      'arguments inside of arguments',
      ['kit__add', { a: 1, b: { c: 1.5 } }],
      'invalid arguments: b.c: expected integer, got number',
    ],
    ['arguments that are no object', ['kit__add', '[1]'], 'invalid arguments: expected a JSON object'],
    ['a tool that does not exist', ['kit__ad', {}], 'there is no tool "kit__ad": did you mean "kit__add"?'],
    ['what the tool throws', ['kit__fail', {}], 'the tool is broken'],
  ])('%s: the model is told and may mend it', async (_, call, error) => {
    const { faults, text, model } = await run('', {
      files: files(),
      reply: (_request, n) => (n === 1 ? calls(call) : n === 2 ? calls(['kit__who', {}]) : 'Done'),
    })
    expect(faults).toEqual([])
    expect(text).toBe('Done')
    expect(model.requests[1]?.body.messages?.at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'c1',
      content: `Error: ${error}`,
    })
  })

  test('three times at most', async () => {
    const thrice = await run('', { files: files(), reply: calls(['kit__fail', {}]) })
    expect(thrice.faults).toEqual(['tools: tools failed 3 times: fail: the tool is broken'])
    expect(thrice.model.requests).toHaveLength(3)
  })

  test('a model that tells the user of the failure has answered', async () => {
    const reply = (_: unknown, n: number) => (n === 1 ? calls(['kit__fail', {}]) : 'Sorry, no such order')
    const { faults, text, model } = await run('', { files: files(), reply })
    expect(faults).toEqual([])
    expect(text).toBe('Sorry, no such order')
    expect(model.requests).toHaveLength(2)
  })

  test('broken JSON of a model is mended, as in Yao', async () => {
    const { events } = await run('', {
      files: files(),
      reply: (_, n) => (n === 1 ? calls(['kit__add', '{"a": 4,']) : 'ok'),
    })
    expect(events.find(({ type }) => type === 'tool_call')).toMatchObject({ result: { sum: 4 } })
  })

  test('a tool whose function is not there fails the run by name', async () => {
    const more = { 'scripts/kit.ts': 'export function Adds() {}' }
    const { faults, host } = await run('', {
      files: files({ servers: [{ kit: ['add'] }] }, more),
      reply: calls(['kit__add', { a: 1 }]),
    })
    expect(faults).toEqual([
      expect.stringMatching(/^tools: tool add of MCP server kit: there is no function "Add".*did you mean "Adds"/),
    ])
    expect(host.warnings).toEqual([expect.stringContaining('kit.add: there is no function "Add" in scripts/kit.ts')])
  })

  test('a tool that only a server runs ends the run as not run', async () => {
    const more = {
      'mcps/data.mcp.yao': '{ "transport": "process", "tools": { "find": "models.user.Find" } }',
      'mcps/mapping/data/schemes/find.in.yao': schema({}),
    }
    const { error } = await run('', { files: files({ servers: ['data'] }, more), reply: calls(['data__find', {}]) })
    expect(error).toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('Process("models.user.Find") is not run here'),
    })
  })

  test('tools of the options belong to the caller: their calls are events', async () => {
    const settings = { name: 'A', connector: 'm', options: { tools: [add] } }
    const { events, faults } = await run('', {
      files: { 'assistants/a/package.yao': JSON.stringify(settings) },
      reply: calls(['kit__add', { a: 1 }]),
    })
    expect(faults).toEqual([])
    expect(events[0]).toEqual({ type: 'tool_call', tool: 'kit__add', parameters: { a: 1 }, model: 'm-1', agent: 'a' })
  })

  test('are recorded and found again', async () => {
    const tape = join(folder().path, 'tape.jsonl')
    const reply = (_: unknown, n: number): Answer =>
      n % 2 === 1 ? calls(['kit__add', { a: n }]) : { text: `Sum ${n}`, reasoning: 'hm' }
    const live = await open({ files: files(), reply, record: tape })
    for (const number of [1, 2]) await collect(live.target, { case: aCase({ input: 'Hi' }), run: number })
    await live.target.dispose?.()
    expect(readFileSync(tape, 'utf8').trim().split('\n')).toHaveLength(4)
    const tapeFile = {
      'connectors/m.conn.yao': JSON.stringify({ type: 'cassette', options: { file: tape, model: 'm-1' } }),
    }
    const later = await open({ files: files({ servers: ['kit'] }, tapeFile) })
    const runs = []
    for (const number of [2, 1])
      runs.push(seen((await collect(later.target, { case: aCase({ input: 'Hi' }), run: number })).events))
    expect(runs.map(({ text }) => text)).toEqual(['Sum 4', 'Sum 2'])
    expect(runs[0]?.events.find(({ type }) => type === 'tool_call')).toMatchObject({ result: { sum: 3 } })
  })
})

describe('ctx.mcp', () => {
  test.each<[string, string, unknown]>([
    [
      'lists tools',
      'ctx.mcp.ListTools("kit").tools.map(({ name, description }) => name + ":" + description)',
      ['add:Does it', 'who:Does it', 'fail:Does it'],
    ],
    ['calls one', 'ctx.mcp.CallTool("kit", "who", {})', 'test-user of a'],
    [
      'calls several',
      'ctx.mcp.CallTools("kit", [{ name: "who" }, { name: "add", arguments: { a: 1 } }]).map((r) => r.sum ?? r)',
      ['test-user of a', 1],
    ],
    ['calls several at once', 'ctx.mcp.CallToolsParallel("kit", [{ name: "who", arguments: {} }])', ['test-user of a']],
    [
      'across servers',
      'ctx.mcp.All([{ mcp: "kit", tool: "who", arguments: {} }, { mcp: "kit", tool: "fail" }])',
      [
        { mcp: 'kit', tool: 'who', result: 'test-user of a' },
        { mcp: 'kit', tool: 'fail', error: 'the tool is broken' },
      ],
    ],
    [
      'the first that succeeds',
      'ctx.mcp.Any([{ mcp: "kit", tool: "fail" }, { mcp: "kit", tool: "who" }])[0].tool',
      'who',
    ],
    ['the first', 'ctx.mcp.Race([{ mcp: "kit", tool: "fail" }, { mcp: "kit", tool: "who" }])[0].tool', 'fail'],
    [
      'lists resources',
      'ctx.mcp.ListResources("kit").resources',
      [{ uri: 'kit://info', name: 'info', description: '', mimeType: 'application/json' }],
    ],
    ['reads one', 'JSON.parse(ctx.mcp.ReadResource("kit", "kit://info").contents[0].text)', { version: 1 }],
    [
      'an error can be caught',
      '(() => { try { ctx.mcp.CallTool("kit", "add", {}) } catch (e) { return e.message } })()',
      'invalid arguments: a is required',
    ],
    [
      'an unknown server, too',
      '(() => { try { ctx.mcp.ListTools("kid") } catch (e) { return e.message } })()',
      'unknown MCP server "kid" (did you mean "kit"?)',
    ],
    [
      'and an unknown tool',
      '(() => { try { ctx.mcp.CallTool("kit", "x") } catch (e) { return e.message } })()',
      'MCP server kit has no tool "x"',
    ],
  ])('%s', async (_, expression, expected) => {
    const { data, faults } = await run(`function Next(ctx) { return { data: [${expression}] } }`, { files: files() })
    expect(faults).toEqual([])
    expect(data).toEqual([expected])
  })

  test('a server of another transport ends the run by name', async () => {
    const more = { 'mcps/remote.mcp.yao': '{ "transport": "stdio", "command": "x" }' }
    const { error } = await run('function Next(ctx) { return { data: ctx.mcp.ListTools("remote") } }', {
      files: files({ servers: ['kit'] }, more),
    })
    expect(error).toMatchObject({
      code: 'UNSUPPORTED',
      message: 'MCP server remote is not run here: its transport is "stdio", not "process"',
    })
  })
})
