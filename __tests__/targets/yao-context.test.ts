import { describe, expect, test } from 'vitest'
import { hookedAgents, prompts } from '../support/hooked-agent.ts'

const { run } = hookedAgents()

const next = (body: string) => `function Next(ctx, payload) { ${body} }`
const gives = (what: string) => next(`return { data: ${what} }`)

describe('ctx.memory', () => {
  test('has four namespaces, which do not see each other', async () => {
    const { data } = await run(
      gives(
        `['user', 'team', 'chat', 'context'].map((name, n) => (ctx.memory[name].Set('k', n), ctx.memory[name].Len()))`,
      ),
    )
    expect(data).toEqual([1, 1, 1, 1])
  })
})

describe('what is written', () => {
  test('messages, traces and logs are kept in order, and are no answer', async () => {
    const { logs, text, data } = await run(
      next(`
        const id = ctx.SendStream('Starting')
        ctx.Append(id, ' on')
        ctx.Replace(id, { type: 'text', props: { content: 'Done' } })
        ctx.Merge(id, { progress: 5 }, 'props')
        ctx.Set(id, 1, 'props.x')
        ctx.End(id)
        const block = ctx.BlockID()
        ctx.Send({ type: 'image', props: { url: 'u' } }, block)
        ctx.EndBlock(block)
        ctx.trace.Info('step')
        const node = ctx.trace.Add({ a: 1 }, { label: 'Search' })
        node.Warn('slow').Complete()
        ctx.trace.Parallel([{ input: 1, option: { label: 'P' } }])[0].Fail('broken')
        console.log('plain', { a: 1 })
        log.Error('bad')
        return { data: [ctx.MessageID(), ctx.BlockID(), ctx.ThreadID()] }`),
    )
    expect(text).toBe('Hello there')
    expect(data).toEqual(['M3', 'B2', 'T1'])
    expect(logs).toEqual([
      'ctx.SendStream M1: Starting',
      'ctx.Append M1:  on',
      'ctx.Replace M1: Done',
      'ctx.Merge M1: {"progress":5} props',
      'ctx.Set M1: 1 props.x',
      'ctx.End M1:',
      'ctx.Send M2: {"type":"image","props":{"url":"u"}}',
      'ctx.EndBlock B1:',
      'trace: step',
      'trace: Search',
      'trace: slow',
      'trace: P',
      'trace: broken',
      'plain {"a":1}',
      'bad',
    ])
  })
})

const helper = {
  'assistants/b/package.yao': '{ "name": "B", "connector": "other" }',
  'assistants/b/prompts.yml': prompts('I am b'),
}

describe('asking other agents and models', () => {
  test('ctx.agent.Call gives the response, and only its cost is the run’s', async () => {
    const hook = `function Next(ctx, payload) {
      const seen = []
      const { agent_id, content, response, error } = ctx.agent.Call('b', [{ role: 'user', content: 'Ask b' }], {
        metadata: { from: 'a' }, onChunk: (message) => void seen.push(message.props.content),
      })
      return { data: { agent_id, content, error, seen, next: response.next, model: response.completion.model } }
    }`
    const inner = `function Next(ctx) { return { data: [ctx.metadata.from, ctx.referer, ctx.memory.context.Len()] } }`
    const { data, events, model, text } = await run(
      `${hook}\nfunction Create(ctx) { ctx.memory.context.Set('mine', 1) }`,
      {
        files: { ...helper, 'assistants/b/src/index.ts': inner },
        reply: (_, n) => (n === 1 ? 'From a' : 'From b'),
      },
    )
    expect(data).toEqual({ agent_id: 'b', content: 'From b', seen: ['From b'], next: ['a', 'agent', 0], model: 'm-2' })
    expect(text).toBe('From a')
    expect(model.requests[1]?.body).toMatchObject({
      model: 'm-2',
      messages: [{ content: 'I am b' }, { content: 'Ask b' }],
    })
    expect(events.filter(({ type }) => type === 'usage')).toHaveLength(2)
  })

  test.each<[string, string, unknown]>([
    [
      'all of them',
      `ctx.agent.All([{ agent: 'b', messages }, { agent: 'bb', messages }]).map((r) => r.error ? 'failed' : r.content)`,
      ['Hello there', 'failed'],
    ],
    [
      'the first that succeeds',
      `ctx.agent.Any([{ agent: 'bb', messages }, { agent: 'b', messages }, { agent: 'b', messages }]).map((r) => r.agent_id)`,
      ['b'],
    ],
    [
      'the first',
      `ctx.agent.Race([{ agent: 'bb', messages }, { agent: 'b', messages }]).map((r) => r.agent_id)`,
      ['bb'],
    ],
    ['an unknown agent by name', `ctx.agent.Call('bb', messages).error`, expect.stringContaining('no assistant "bb"')],
    ['wrong messages', `ctx.agent.Call('b', 'text').error`, 'messages: expected a list of messages'],
    ['a process', `Process('agent.Call', { assistant_id: 'b', messages }).content`, 'Hello there'],
    ['a model', `ctx.llm.Stream('other', messages, { temperature: 0.1 }).response.model`, 'm-2'],
    [
      'several models, each heard',
      `(() => { const seen = []; ctx.llm.All([{ connector: 'm', messages }, { connector: 'other', messages }], { onChunk: (id, n) => seen.push([id, n]) }); return seen })()`,
      [
        ['m', 0],
        ['other', 1],
      ],
    ],
    [
      'the first model that answers',
      `ctx.llm.Any([{ connector: 'mm', messages }, { connector: 'm', messages }]).map((r) => r.connector)`,
      ['m'],
    ],
    [
      'an unknown connector by name',
      `ctx.llm.Stream('othr', messages).error`,
      'unknown connector "othr" (did you mean "other"?)',
    ],
  ])('%s', async (_, expression, expected) => {
    const hook = `function Create(ctx, messages) { return { metadata: { result: ${expression} } } }\n${gives('ctx.metadata.result')}`
    const { data, faults } = await run(hook, { files: helper })
    expect(faults).toEqual([])
    expect(data).toEqual(expected)
  })

  test('an agent that fails is an error of its result', async () => {
    const { data } = await run(gives(`ctx.agent.Call('b', payload.messages).error`), {
      files: { ...helper, 'assistants/b/src/index.ts': 'function Create() { throw new Error("b broke") }' },
    })
    expect(data).toMatch(/^Create of b: Error: b broke/)
  })

  test('a provider that fails behind it ends the run, whatever the hook catches', async () => {
    const { error, faults } = await run(
      next(`try { ctx.agent.Call('b', payload.messages) } catch (_) {} return { data: 1 }`),
      {
        files: helper,
        reply: (_, n) => (n === 1 ? 'Hello' : { fault: { kind: 'status', status: 403 } }),
      },
    )
    expect(error).toMatchObject({ code: 'AUTHENTICATION' })
    expect(faults).toEqual([])
  })
})

describe('Process', () => {
  const files = {
    'scripts/tools/math.ts': `
      export function Add(a: number, b: number): number { return a + b }
      export function Who() { return Authorized().user_id }
      export function Fail() { throw new Exception('no good', 400) }
      let count = 0
      export function Count() { return ++count }`,
    'assistants/a/src/lib/names.ts': 'export const Hello = (name: string) => `Hello ${name}`',
  }

  test.each<[string, string, unknown]>([
    ['a script of the application', `Process('scripts.tools.math.Add', 2, 3)`, 5],
    ['a script of an agent', `Process('agents.a.lib.names.Hello', 'you')`, 'Hello you'],
    ['with the same identity', `Process('scripts.tools.math.Who')`, 'test-user'],
    ['afresh each time', `[Process('scripts.tools.math.Count'), Process('scripts.tools.math.Count')]`, [1, 1]],
    [
      'what it throws can be caught',
      `(() => { try { Process('scripts.tools.math.Fail') } catch (e) { return e.message } })()`,
      'no good',
    ],
    [
      'a function that is not there, too',
      `(() => { try { Process('scripts.tools.math.Ad') } catch (e) { return e.message } })()`,
      expect.stringContaining('did you mean "Add"?'),
    ],
    ['JSON in a text', `Process('text.ExtractJSON', 'Here: \`\`\`json\\n{"a": 1}\\n\`\`\`')`, { a: 1 }],
    ['no JSON in a text', `Process('text.ExtractJSON', 'nothing')`, null],
  ])('%s', async (_, expression, expected) => {
    const { data, faults } = await run(gives(`[${expression}]`), { files })
    expect(faults).toEqual([])
    expect(data).toEqual([expected])
  })
})

describe('what only a server has', () => {
  test.each([
    ['Process("models.user.Find")', 'Process("models.user.Find", 1)', true],
    ['Process("flows.x")', 'Process("flows.x")', true],
    ['Process("agents.__yao.title.index.Fn")', 'Process("agents.__yao.title.index.Fn")', true],
    ['Process("models.user.Find")', 'Process(["models", "user", "Find"].join("."))', false],
    ['Store', 'new Store("cache").Get("x")', true],
    ['FS', 'new FS("data")', true],
    ['Query', 'new Query("default").Get({})', true],
    ['http.Get', 'http.Get("http://127.0.0.1:1")', true],
    ['fetch', 'fetch("http://127.0.0.1:1")', true],
    ['Job', 'new Job(() => 1)', true],
    ['Plan', 'new Plan("x")', true],
    ['WebSocket', 'new WebSocket("ws://x")', true],
    ['MCP', 'new MCP("x")', true],
    ['Use', 'Use(MCP, () => 1)', true],
    ['Eval', 'Eval("1")', true],
    ['time.After', 'time.After(1, "scripts.x.Fn")', false],
    ['ctx.search.Web', 'ctx.search.Web("x")', true],
    ['ctx.workspace.ReadFile', 'ctx.workspace.ReadFile("x")', true],
    ['ctx.kb.Search', 'ctx.kb.Search("x")', true],
    ['ctx.db.Find', 'ctx.db.Find("x")', true],
    ['ctx.space', 'ctx.space.Get("x")', false],
    ['ctx.memory.global', 'ctx.memory.global.Get("x")', false],
    ['ctx.memory.user.Scan', 'ctx.memory.user.Scan()', false],
    ['ctx.llm.GenerateImage', 'ctx.llm.GenerateImage("m", "x")', false],
    ['ctx.mcp.GetPrompt', 'ctx.mcp.GetPrompt("m", "x")', false],
  ])('%s ends the run by its name at its first use, whatever catches', async (name, code, isSeen) => {
    const hook = `function Next(ctx) { try { ${code} } catch (_) {} return { data: 'went on' } }`
    const { error, data, host } = await run(hook)
    expect(error).toMatchObject({ code: 'UNSUPPORTED', message: expect.stringContaining(`${name} is not run here`) })
    expect(data).toBeUndefined()
    // Up front, by the text of the script; what is made while it runs is not seen then.
    const listed = host.warnings.some((warning) => warning.includes('(assistants/a/src/index.ts:1)'))
    expect(listed).toBe(isSeen)
  })

  test('without a configured sandbox there is none in Yao either: undefined, and said so', async () => {
    const { data, logs } = await run(gives('ctx.sandbox ? "has" : "has not"'))
    expect(data).toBe('has not')
    expect(logs).toEqual(['ctx.sandbox is undefined: package.yao configures no sandbox'])
    const { faults } = await run(next('ctx.sandbox.Exec(["ls"])'))
    expect(faults[0]).toContain('ctx.sandbox is undefined: package.yao configures no sandbox')
  })

  test('with one it is not run', async () => {
    const { error } = await run(next('if (ctx.sandbox) ctx.sandbox.Exec(["ls"])'), {
      files: { 'assistants/a/package.yao': '{ "name": "A", "connector": "m", "sandbox": { "command": "x" } }' },
    })
    expect(error).toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('ctx.sandbox.Exec is not run here'),
    })
  })

  test('own functions of such a name, texts and comments are not taken for it', async () => {
    const hook = `
      // new Store("x")
      /* http.Get("x") */
      function Query(x) { return x }
      function Next() { return { data: [Query(1), "https://x.y", "ctx is fine"] } }`
    const { data, host } = await run(hook)
    expect(data).toEqual([1, 'https://x.y', 'ctx is fine'])
    expect(host.warnings).toEqual([])
  })
})
