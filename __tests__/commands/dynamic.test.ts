import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { bad, good, run, talk } from './talk.ts'

describe('a conversation of two assistants', () => {
  test('passes, with every turn in the results', async () => {
    const { code, resultLine, heard } = await run({ shop: good })
    expect(code).toBe(0)
    expect(heard.map(({ who }) => who)).toEqual(['shop', 'customer', 'shop'])
    const [first, simulator, second] = heard
    expect(first?.system).toContain('You are the shop, chat test-buy-1.')
    expect(second?.system).toBe(first?.system)
    expect(second?.messages).toEqual([
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Welcome!' },
      { role: 'user', content: 'I want shoes' },
    ])
    expect(simulator?.system).toContain('You are in a hurry')
    expect(JSON.parse(String(simulator?.messages[0]?.content))).toEqual({
      persona: 'You are in a hurry',
      goal: 'buy shoes',
      conversation: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Welcome!' },
      ],
      turn_number: 2,
      max_turns: 20,
      checkpoints_reached: ['greeted'],
      checkpoints_pending: ['ordered', 'thanked'],
      extra: {},
    })
    const result = resultLine()
    const ms = expect.any(Number) as number
    expect(result).toMatchObject({ id: 'buy', status: 'passed', output: 'Done: order 42.' })
    expect(result?.['metadata']).toEqual({
      mode: 'dynamic',
      total_turns: 2,
      ending: 'checkpoints_reached',
      turns: [
        {
          turn: 1,
          input: 'Hello',
          output: 'Welcome!',
          response: { content: 'Welcome!' },
          checkpoints_reached: ['greeted'],
          duration_ms: ms,
        },
        {
          turn: 2,
          input: 'I want shoes',
          output: 'Done: order 42.',
          response: { content: 'Done: order 42.' },
          checkpoints_reached: ['ordered'],
          duration_ms: ms,
        },
      ],
      checkpoints: {
        greeted: { id: 'greeted', reached: true, reached_at_turn: 1, required: true, passed: true },
        ordered: {
          id: 'ordered',
          description: 'the order is there',
          reached: true,
          reached_at_turn: 2,
          required: true,
          passed: true,
        },
        thanked: {
          id: 'thanked',
          reached: false,
          required: false,
          passed: false,
          message: 'in turn 2 expected output to contain "thank", got "Done: order 42."',
        },
      },
      simulator: { agent: 'users.hasty', usage: { inputTokens: 7, outputTokens: 3 } },
    })
  })

  test('fails with a check for each missing checkpoint, and tells the talk', async () => {
    const { code, resultLine, stdout, read } = await run({
      shop: bad,
      records: [{ ...talk, max_turns: 3, metadata: { own: 1 } }],
      args: ['-o', 'out.json', '-o', 'out.md', '-v'],
    })
    expect(code).toBe(1)
    const message =
      'checkpoint "ordered" was not reached in 3 turns: in turn 3 expected output to match /order \\d+/, got "Which size?"'
    expect(resultLine()).toMatchObject({
      status: 'failed',
      error: message,
      assertions: [{ type: 'checkpoint', passed: false }],
    })
    expect(JSON.parse(read('out.json'))).toMatchObject({
      results: [{ id: 'buy', pass_rate: 0, metadata: { own: 1, mode: 'dynamic', total_turns: 3 } }],
    })
    expect(stdout).toContain('1. User: Hello')
    expect(stdout).toContain('3. User: I want shoes')
    expect(stdout).toContain('Agent: Which size?')
    expect(stdout).toContain('Reached: greeted')
    const markdown = read('out.md')
    expect(markdown).toMatch(/\| `ordered` the order is there +\| no +\| in turn 3 expected/)
    expect(markdown).toMatch(/\| `thanked` +\| no \(optional\) +\|/)
    expect(markdown).toContain('Conversation (3 turns, turns used up):')
    expect(markdown).toContain('3. User: I want shoes\n   Agent: Which size?')
  })

  test('fails when the customer holds its goal for achieved too early', async () => {
    const customer = () => '```json\n{"message": "bye", "goal_achieved": true, "reasoning": "I have had enough"}\n```'
    const { code, resultLine, read, heard } = await run({ shop: bad, customer, args: ['-o', 'out.md'] })
    expect(code).toBe(1)
    expect(heard).toHaveLength(2)
    expect(resultLine()).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('when the simulator held its goal for achieved, after 1 turn') as string,
      metadata: { ending: 'goal_achieved', simulator: { reasoning: 'I have had enough' } },
    })
    expect(read('out.md')).toContain('ended by the simulator: I have had enough')
  })

  test('each of several runs is a conversation of its own', async () => {
    const { code, lines, heard, read } = await run({
      shop: ({ system, messages }) => (system.includes('buy-2') ? bad : good)({ system, messages }, 1),
      records: [{ ...talk, max_turns: 2 }],
      args: ['--runs', '3', '--parallel', '3', '-o', 'out.json'],
    })
    expect(code).toBe(1)
    const runs = lines().filter(({ type }) => type === 'run')
    expect(new Map(runs.map(({ run: number, status }) => [number, status]))).toEqual(
      new Map([
        [1, 'passed'],
        [2, 'failed'],
        [3, 'passed'],
      ]),
    )
    expect(heard.every(({ messages }) => messages.length <= 3)).toBe(true)
    expect(JSON.parse(read('out.json'))).toMatchObject({
      results: [{ run_details: [1, 2, 3].map((number) => ({ run: number, metadata: { total_turns: 2 } })) }],
    })
  })

  test('files of the input reach the agent', async () => {
    const input = {
      content: [
        { type: 'text', text: 'This one' },
        { type: 'file', source: 'file://note.txt' },
      ],
    }
    const { code, heard } = await run({
      shop: good,
      records: [{ ...talk, input }],
      files: { 'assistants/shop/tests/note.txt': 'shoes' },
    })
    expect(code).toBe(0)
    const file = { filename: 'note.txt', file_data: 'data:text/plain;base64,c2hvZXM=' }
    expect(heard[2]?.messages[0]).toMatchObject({ content: [{ type: 'text' }, { type: 'file', file }] })
    expect(heard[1]?.messages[0]?.content).toContain('[file note.txt]')
  })

  test('what a hook remembers lives over the turns of one run', async () => {
    const hook = `
export function Next(ctx) {
  const n = (ctx.memory.chat.Get('n') ?? 0) + 1
  ctx.memory.chat.Set('n', n)
  return { data: { n } }
}
`
    const third = { id: 'third', assert: { type: 'json_path', path: 'n', value: 3 } }
    const { code, lines, heard } = await run({
      shop: good,
      records: [{ ...talk, checkpoints: [third] }],
      files: { 'assistants/shop/src/index.ts': hook },
      args: ['--runs', '2'],
    })
    expect(code).toBe(0)
    const runs = lines().filter(({ type }) => type === 'run')
    expect(runs).toMatchObject([1, 2].map(() => ({ output: { n: 3 }, metadata: { total_turns: 3 } })))
    // The agent hears its own words again, not the data that its hook made of them.
    expect(heard.at(-1)?.messages).toMatchObject([{}, { content: 'Welcome!' }, {}, { content: 'Done: order 42.' }, {}])
  })

  test('other targets hold conversations, too', async () => {
    const agent = `
let text = ''
for await (const chunk of process.stdin) text += chunk
const { turn, input, messages } = JSON.parse(text)
process.stdout.write(turn === 1 ? 'Welcome!' : 'order ' + messages.length + ' for ' + input)
`
    const { code, resultLine } = await run({
      shop: good,
      files: { 'agent.mjs': agent },
      args: ['--target', `command:"${process.execPath}" agent.mjs`],
    })
    expect(code).toBe(0)
    expect(resultLine()).toMatchObject({ output: 'order 3 for I want shoes' })
  })
})

describe('before anything is called', () => {
  test.each<[string, object, RegExp]>([
    [
      'a simulator that there is not',
      { simulator: { use: 'users.hastie' } },
      /talk\.jsonl:1: simulator\.use: .*users\.hastie/,
    ],
    [
      'a connector that there is not',
      { simulator: { use: 'users.hasty', options: { connector: 'locl' } } },
      /talk\.jsonl:1: simulator\.options\.connector: .*locl/,
    ],
    [
      'a judge that there is not',
      { checkpoints: [{ id: 'a', assert: { type: 'agent', use: 'agents:users.judge', value: 'be kind' } }] },
      /talk\.jsonl:1: checkpoints\[0\]\.assert\.use: .*users\.judge/,
    ],
    [
      'a checkpoint that cannot be',
      { checkpoints: [{ id: 'a' }] },
      /talk\.jsonl:1: checkpoints\[0\]\.assert: required/,
    ],
    ['no simulator', { simulator: undefined }, /talk\.jsonl:1: simulator: required/],
  ])('%s is refused', async (_, rest, problem) => {
    const { code, stderr, heard, path } = await run({ shop: good, records: [{ ...talk, ...rest }] })
    expect(stderr).toMatch(problem)
    expect({ code, heard }).toEqual({ code: 1, heard: [] })
    expect(readdirSync(path)).not.toContain('out.jsonl')
  })

  test('a dry run tells the conversation, with its defaults', async () => {
    const { code, stdout, heard } = await run({ shop: good, args: ['--dry-run'] })
    expect({ code, heard }).toEqual({ code: 0, heard: [] })
    expect(JSON.parse(stdout)).toMatchObject({
      id: 'buy',
      simulator: { use: 'users.hasty', options: { metadata: { goal: 'buy shoes' } } },
      checkpoints: [
        { id: 'greeted', assert: [{ type: 'contains', value: 'Welcome' }], after: [], required: true },
        { id: 'ordered', after: ['greeted'] },
        { id: 'thanked', required: false },
      ],
      max_turns: 20,
    })
  })
})
