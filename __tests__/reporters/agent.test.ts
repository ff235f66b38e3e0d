import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Host } from '../../src/core/host.ts'
import type { Message } from '../../src/core/message.ts'
import type { EmittedEvent } from '../../src/core/trace.ts'
import { combineReporters, createOutputReporters, reporterAgent } from '../../src/reporters/index.ts'
import type { RunRequest, Target } from '../../src/targets/target.ts'
import { aCase, failedOutcome, passedOutcome } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { play, temporaryFolder } from '../support/reporting.ts'

interface Scripted extends Target {
  readonly requests: readonly RunRequest[]
  readonly disposed: () => boolean
}

/** An agent that answers with these events, or as the function says. */
function agent(answer: readonly EmittedEvent[] | ((request: RunRequest) => AsyncIterable<EmittedEvent>)): Scripted {
  const requests: RunRequest[] = []
  let disposed = false
  return {
    label: 'yao:report.beautiful',
    requests,
    disposed: () => disposed,
    async *execute(request) {
      requests.push(request)
      yield* typeof answer === 'function' ? answer(request) : answer
    },
    async dispose() {
      disposed = true
    },
  }
}

const textOf = (message: Message | undefined) => (typeof message?.content === 'string' ? message.content : '')
const says = (text: string) => agent([{ type: 'assistant_message', text }])

interface WriteOptions {
  readonly path?: string
  readonly verbose?: boolean
  readonly timeoutMs?: number
  readonly host?: Partial<Host>
  readonly outputs?: number
}

async function write(
  target: Target,
  { path = 'report.md', verbose = false, timeoutMs, outputs = 1, ...options }: WriteOptions = {},
) {
  const cwd = await temporaryFolder()
  const host = fakeHost({ cwd, ...options.host })
  const { reporters } = await createOutputReporters([path], host)
  const limit = timeoutMs === undefined ? {} : { timeoutMs }
  const all = combineReporters([...reporters, reporterAgent({ target, path, verbose, host, ...limit })], host.log)
  const played = Array.from({ length: outputs }, (_, index) => ({
    item: aCase({ id: `c${index}` }),
    outcomes: [index === 0 ? failedOutcome('too rude') : passedOutcome],
    parts: { output: 'Whatever. '.repeat(10) },
  }))
  await play(all, played)
  const read = (name: string) => readFile(join(cwd, name), 'utf8')
  return { host, written: await read(path), read, files: (await readdir(cwd)).sort() }
}

test("the file holds the agent's text, the built-in report lies beside it", async () => {
  const target = says('# All is well')
  const { written, read, files, host } = await write(target)
  expect(written).toBe('# All is well')
  expect(files).toEqual(['report.built-in.md', 'report.md'])
  expect(await read('report.built-in.md')).toContain('# Agent Test Report')
  expect(host.warnings).toEqual([])
  expect(target.disposed()).toBe(true)
})

test.each([
  [
    'report.md',
    false,
    { format: 'markdown', options: { verbose: false, include_outputs: false, include_inputs: false } },
  ],
  ['report.html', true, { format: 'html', options: { verbose: true, include_outputs: true, include_inputs: true } }],
  ['report.jsonl', false, { format: 'json' }],
])('the agent of %s gets one message with the report, the format and the options', async (path, verbose, wanted) => {
  const target = says('x')
  await write(target, { path, verbose })
  const [request] = target.requests
  expect(request?.case.messages).toHaveLength(1)
  expect(request?.options).toEqual({ skip: { history: true, output: true } })
  const [message] = request?.case.messages ?? []
  expect(message?.role).toBe('user')
  expect(JSON.parse(textOf(message))).toMatchObject({
    ...wanted,
    report: {
      summary: { total: 1, failed: 1, agent_id: 'yao:support-bot' },
      results: [{ id: 'c0', status: 'failed', pass_rate: 0, error: 'too rude' }],
    },
  })
})

test.each([
  ['one run', 1],
  ['several runs', 2],
])('the outputs of runs that passed are in the message under -v only: %s', async (_title, runs) => {
  for (const verbose of [true, false]) {
    const target = says('x')
    const host = fakeHost({ cwd: await temporaryFolder() })
    const agentOf = reporterAgent({ target, path: 'report.md', verbose, host })
    const { reporters } = await createOutputReporters(['report.md'], host)
    const outcomes = Array.from({ length: runs }, () => passedOutcome)
    const played = [{ item: aCase({ id: 'c0' }), outcomes, parts: { output: 'said so' } }]
    await play(combineReporters([...reporters, agentOf], host.log), played)
    const { report } = JSON.parse(textOf(target.requests[0]?.case.messages[0])) as { report: { results: object[] } }
    const found = JSON.stringify(report.results).split('said so').length - 1
    expect(found).toBe(verbose ? runs : 0)
  }
})

test.each([
  ['structured data', agent([{ type: 'output', value: { title: 'Report' } }]), '{\n  "title": "Report"\n}\n'],
  ['one fenced block', says('```markdown\n# Report\n\ntext\n```'), '# Report\n\ntext\n'],
  ['one long fence around another', says('````md\n```js\nx\n```\n````'), '```js\nx\n```\n'],
  ['words around a fence', says('Here:\n```\nx\n```'), 'Here:\n```\nx\n```'],
  ['two fenced blocks', says('```\na\n```\nand\n```\nb\n```'), '```\na\n```\nand\n```\nb\n```'],
])('what the agent gives is written: %s', async (_title, target, wanted) => {
  expect((await write(target)).written).toBe(wanted)
})

describe('when the agent fails, the file holds the built-in report and there is one warning', () => {
  const failing = agent(async function* () {
    yield { type: 'assistant_message', text: 'half' }
    throw new Error('the model answered 500')
  })
  const hanging = agent(async function* () {
    yield { type: 'assistant_message', text: 'half' }
    await new Promise(() => undefined)
  })
  test.each([
    ['it cannot be run', failing, 'the model answered 500'],
    ['it says nothing', agent([]), 'it said nothing'],
    ['it never answers and ignores its signal', hanging, 'no answer in time'],
  ])('%s', async (_title, target, why) => {
    const { written, files, host } = await write(target, { timeoutMs: 50 })
    expect(written).toContain('# Agent Test Report')
    expect(files).toEqual(['report.md'])
    expect(host.warnings).toEqual([`the reporter agent failed, so report.md holds the built-in report: ${why}`])
    expect(target.disposed()).toBe(true)
  })

  test('the run was interrupted', async () => {
    const target = says('x')
    const { host } = await write(target, { host: { signal: AbortSignal.abort() } })
    expect(target.requests).toEqual([])
    expect(host.warnings).toEqual([expect.stringContaining('the run was interrupted')])
  })

  test('an interruption ends the wait for it', async () => {
    const controller = new AbortController()
    const target = agent(async function* (): AsyncIterable<EmittedEvent> {
      yield { type: 'assistant_message', text: 'half' }
      controller.abort()
      await new Promise(() => undefined)
    })
    const { host } = await write(target, { host: { signal: controller.signal } })
    expect(host.warnings).toEqual([expect.stringContaining('the run was interrupted')])
  })
})

test('a report of many megabytes is cut to what an agent can be given, the failures last', async () => {
  const target = says('x')
  await write(target, { outputs: 20_000 })
  const text = textOf(target.requests[0]?.case.messages[0])
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024)
  expect(JSON.parse(text)).toMatchObject({
    report: { summary: { total: 20_000 }, results: [{ id: 'c0', error: 'too rude' }] },
  })
})

test('a secret that the agent repeats is not written', async () => {
  const host = fakeHost()
  host.secrets.add('sk-very-secret-value')
  const { written } = await write(says('key: sk-very-secret-value'), { host: { secrets: host.secrets } })
  expect(written).toBe('key: ***')
})
