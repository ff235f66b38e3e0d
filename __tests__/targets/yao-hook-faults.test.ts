import { describe, expect, test } from 'vitest'
import { hookedAgents, prompts } from '../support/hooked-agent.ts'

const { run, open } = hookedAgents()

const createGives = (what: string) => `function Create(ctx, messages, options) { return ${what} }`

describe('a hook that is wrong fails the run', () => {
  test.each<[string, string, string]>([
    [
      'by throwing',
      'function helper() {\n  throw new Error("out of cheese")\n}\nexport function Create() {\n  helper()\n}',
      'hook Create: Create of a: Error: out of cheese\nat helper (assistants/a/src/index.ts:2)\nat Create (assistants/a/src/index.ts:5)',
    ],
    [
      'by a name that does not exist',
      'function Next() { return nope }',
      "hook Next: Next of a: ReferenceError: 'nope' is not defined",
    ],
    [
      'by calling what is no function',
      'function Next(ctx) { const x = {}; x.y() }',
      'hook Next: Next of a: TypeError: not a function',
    ],
    ['by throwing a text', 'function Next() { throw "text" }', 'hook Next: Next of a: Error: text'],
    [
      'while it is loaded',
      'const x = null\nx.y\nexport function Next() {}',
      "hook Create: Create of a: TypeError: cannot read property 'y' of null",
    ],
    [
      'by a text for an answer',
      'function Create() { return "yes" }',
      'hook Create: Create of a: wrong return value: expected an object or null, got string',
    ],
    [
      'by a list for an answer',
      'function Next() { return [1] }',
      'hook Next: Next of a: wrong return value: expected {"data"}, {"delegate"} or null, got array',
    ],
    [
      'by a wrong temperature',
      createGives('{ temperature: "hot" }'),
      'wrong return value: temperature: expected a number',
    ],
    ['by a wrong limit', createGives('{ max_tokens: 0 }'), 'wrong return value: max_tokens: expected at least 1'],
    ['by a wrong preset', createGives('{ prompt_preset: 5 }'), 'wrong return value: prompt_preset: expected a text'],
    ['by wrong metadata', createGives('{ metadata: [] }'), 'wrong return value: metadata: expected an object'],
    [
      'by a wrong flag',
      createGives('{ disable_global_prompts: "no" }'),
      'wrong return value: disable_global_prompts: expected true or false',
    ],
    [
      'by messages that are no list',
      createGives('{ messages: "Hi" }'),
      'wrong return value: messages: expected a list of messages',
    ],
    [
      'by a message of an unknown role',
      createGives('{ messages: [{ role: "usr", content: "x" }] }'),
      'messages[0].role: unknown role "usr" (did you mean "user"?)',
    ],
    [
      'by a message of an unknown part',
      createGives('{ messages: [{ content: [{ type: "smell" }] }] }'),
      'messages[0].content: expected a text or a list of parts',
    ],
    [
      'by servers of the wrong form',
      createGives('{ mcp_servers: [5] }'),
      'mcp_servers[0]: expected the id of a server',
    ],
    [
      'by a delegate without messages',
      createGives('{ delegate: { agent_id: "b" } }'),
      'delegate.messages: expected a list of messages',
    ],
    [
      'by a delegate without an agent',
      createGives('{ delegate: {} }'),
      'delegate.agent_id: expected the id of an agent',
    ],
    [
      'by an unknown preset',
      createGives('{ prompt_preset: "stric" }'),
      'prompt preset: unknown prompt preset "stric" (did you mean "strict"?)',
    ],
    [
      'by an unknown connector',
      createGives('{ connector: "othe" }'),
      'connector: unknown connector "othe" (did you mean "other"?)',
    ],
    [
      'by an unknown server',
      createGives('{ mcp_servers: ["nope"] }'),
      'hook Create: Create of a: mcp_servers: unknown MCP server "nope"',
    ],
  ])('%s', async (_, hook, message) => {
    const { faults, error } = await run(hook, { files: { 'assistants/a/prompts/strict.yml': prompts('x') } })
    expect(error).toBeUndefined()
    expect(faults).toEqual([expect.stringContaining(message)])
  })

  test('a connector that is there and cannot be used is not the fault of the agent', async () => {
    const { faults, error } = await run(createGives('{ connector: "locked" }'), {
      files: { 'connectors/locked.conn.yao': '{ "type": "openai", "options": { "model": "m", "key": "$ENV.NOPE" } }' },
    })
    expect(faults).toEqual([])
    expect(error).toMatchObject({ code: 'UNSUPPORTED', message: expect.stringContaining('NOPE is not set') })
  })

  test('hooks that cannot be parsed are told with file and line before anything runs', async () => {
    const opening = open({ files: { 'assistants/a/src/index.ts': 'export function Create() {\n  return {{\n}\n' } })
    await expect(opening).rejects.toMatchObject({
      name: 'UserError',
      problems: [{ file: 'assistants/a/src/index.ts', line: expect.any(Number) }],
    })
  })
})

describe('a hostile hook', () => {
  const limits = (hook: string) =>
    run(hook, {
      files: { 'scripts/deep.ts': 'export function Down(n) { return Process("scripts.deep.Down", n + 1) }' },
    })

  test.each<[string, string, RegExp]>([
    [
      'finds no process by its constructor',
      'function Next() { return { data: typeof (() => {}).constructor("return this")().process } }',
      /^data: "undefined"$/,
    ],
    [
      'finds no require beyond scripts',
      'function Next() { return { data: require("fs") } }',
      /npm packages are not available/,
    ],
    [
      'reads no file outside of the application',
      'function Next() { return require("../../../../../../etc/passwd") }',
      /is not found from/,
    ],
    [
      'only harms its own prototypes',
      'function Next() { Object.prototype.polluted = 1; Array.prototype.map = () => "no"; JSON.stringify = () => "{}"; return { data: { own: 1 } } }',
      /^data: \{"own":1\}$/,
    ],
    [
      'cannot smuggle a prototype out',
      'function Next() { return JSON.parse(\'{"data": {"__proto__": {"x": 1}}}\') }',
      /^data: /,
    ],
    [
      'cannot call the outside by itself',
      'function Next() { return __call("memory", {}, [], 5) }',
      /'__call' is not defined/,
    ],
    [
      'cannot make a context of its own',
      'function Next() { return __openContext({}) }',
      /'__openContext' is not defined/,
    ],
    [
      'cannot answer with a value without a bottom',
      'function Next() { let data = 1; for (let n = 0; n < 5000; n++) data = [data]; return { data } }',
      /nested deeper than 500 levels|stack is full|InternalError/,
    ],
    [
      'cannot hand one over',
      'function Next(ctx) { let v = 1; for (let n = 0; n < 2000; n++) v = [v]; ctx.memory.user.Set("x", v) }',
      /nested deeper than 500 levels|stack is full|InternalError/,
    ],
    ['cannot answer with a giant', 'function Next() { return { data: "x".repeat(40e6) } }', /hook Next/],
    [
      'cannot fill the memory',
      'function Next() { const all = []; for (;;) all.push("x".repeat(1e6) + all.length) }',
      /needed more than 128 MiB of memory/,
    ],
    ['cannot call itself without end', 'function Next() { return Next() }', /stack|Maximum call|InternalError/],
    [
      'cannot store without end',
      'function Next(ctx) { for (let n = 0; ; n++) ctx.memory.user.Set("k" + n, "x".repeat(5e6)) }',
      /ctx\.memory is full/,
    ],
    [
      'cannot call scripts without end',
      'function Next() { return Process("scripts.deep.Down", 0) }',
      /more than 12 levels deep: a → scripts\.deep\.Down/,
    ],
    [
      'cannot ask itself without end',
      'function Create(ctx, messages) { try { ctx.agent.Call("a", messages) } catch (_) {} for (;;); }',
      /more than 12 levels deep/,
    ],
    [
      'cannot ask models without end',
      'function Create(ctx, messages) { for (;;) ctx.llm.Stream("m", messages) }',
      /more than 100 model calls/,
    ],
  ])('%s', async (_, hook, expected) => {
    const { faults, data, error } = await limits(hook)
    expect(error).toBeUndefined()
    expect(faults[0] ?? `data: ${JSON.stringify(data)}`).toMatch(expected)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
    expect([1].map((n) => n)).toEqual([1])
  })

  test('that never ends is ended with its run', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 1_500)
    const { error, logs } = await run('function Create() { for (;;); }', { signal: controller.signal })
    expect(error).toMatchObject({ code: 'ABORTED' })
    expect(logs).toEqual(['Create (assistants/a/src/index.ts) was still running when the run was ended'])
  })

  test('that waits for a model is ended with its run', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 1_500)
    const { error } = await run('function Create(ctx, messages) { ctx.llm.Stream("m", messages) }', {
      signal: controller.signal,
      reply: { fault: { kind: 'hang-headers' } },
    })
    expect(error).toMatchObject({ code: 'ABORTED' })
  })

  test('that writes without end keeps only the beginning', async () => {
    const { logs } = await run('function Next(ctx) { for (let n = 0; n < 3000; n++) ctx.trace.Info("line " + n) }')
    expect(logs).toHaveLength(2_001)
    expect(logs.at(-1)).toBe('more than 2000 lines; the rest is left out')
  })
})
