import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { agentTest, suiteOf } from '../support/command-line.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()

/** Prints the events that the case's metadata holds. */
const AGENT = `
let text = ''
for await (const chunk of process.stdin) text += chunk
for (const event of JSON.parse(text).metadata.events) console.log(JSON.stringify(event))
`

function call(data: object): object {
  return { type: 'tool_call', data }
}

const CALLS = [
  call({ tool: 'search', server: 'agents.web', parameters: { query: 'tea', limit: 3 }, result: { hits: 2, ok: true } }),
  call({ tool: 'pay', parameters: '{"amount": 5}', error: 'no such account' }),
  { type: 'assistant_message', data: { text: 'done' } },
]

function aCase(id: string, assert: Json): object {
  return { id, input: 'go', metadata: { events: CALLS }, assert }
}

const records = [
  aCase('called', [
    { type: 'tool_called', value: 'agents_web__search' },
    { type: 'tool_called', value: { name: 'web.search', arguments: { query: 'tea' } } },
    { type: 'tool_called', value: { name: 'pay', arguments: { amount: 5 } } },
    { type: 'tool_called', value: 'delete', negate: true },
    { type: 'tool_result', value: { tool: 'search', result: { hits: '2', ok: true } } },
  ]),
  aCase('not called', { type: 'tool_called', value: ['delete', 'sear'] }),
  aCase('failed', { type: 'tool_result', value: { tool: 'pay' } }),
]

const VERDICTS = [
  { id: 'called', status: 'passed' },
  {
    id: 'not called',
    status: 'failed',
    error:
      'expected a call of "delete" or "sear", got ["agents.web__search","pay"] ("sear" is only a part of the name "agents.web__search")',
  },
  {
    id: 'failed',
    status: 'failed',
    error: 'expected the first call of "pay" to end without an error, got "no such account" (error of pay)',
  },
]

test('tool calls of a program are judged, reported with server and error, and judged again from the report', async () => {
  const { path } = folder({ 'agent.mjs': AGENT, 'suite.jsonl': suiteOf(...records) })
  const run = [process.execPath, 'agent.mjs']
  const target = JSON.stringify({ type: 'command', run, format: 'events' })
  const lines = (name: string) =>
    readFileSync(join(path, name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; trace?: { type: string; data: Json }[] })
  const results = (name: string) => lines(name).filter(({ type }) => type === 'result')

  const live = await agentTest(['-i', 'suite.jsonl', '--target', target, '-o', 'live.jsonl'], { cwd: path })
  expect(live.code).toBe(1)
  expect(results('live.jsonl')).toMatchObject(VERDICTS)
  const calls = results('live.jsonl')[0]?.trace?.filter(({ type }) => type === 'tool_call')
  expect(calls?.map(({ data }) => data)).toEqual([
    { tool: 'search', server: 'agents.web', parameters: { query: 'tea', limit: 3 }, result: { hits: 2, ok: true } },
    { tool: 'pay', parameters: '{"amount": 5}', error: 'no such account' },
  ])

  const again = await agentTest(['-i', 'suite.jsonl', '--target', 'replay:live.jsonl', '-o', 'again.jsonl'], {
    cwd: path,
  })
  expect(again.code).toBe(1)
  expect(results('again.jsonl')).toMatchObject(VERDICTS)
  expect(results('again.jsonl').map(({ trace }) => trace)).toEqual(results('live.jsonl').map(({ trace }) => trace))
})
