import { appendFile, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { TargetError, UserError } from '../../src/core/errors.ts'
import type { Json } from '../../src/core/json.ts'
import { type TraceEvent, toSeed } from '../../src/core/trace.ts'
import { createTarget, type Target } from '../../src/targets/index.ts'
import { aCase } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { collect, runRequest } from '../support/run-request.ts'

const SUITE = 'tests/suite.jsonl'

let folder: string
const opened: Target[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-test-replay-'))
})
afterEach(async () => {
  for (const target of opened.splice(0)) await target.dispose?.()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function open(content: string | readonly Json[], file = 'out.jsonl'): Promise<Target> {
  const text = typeof content === 'string' ? content : content.map((line) => `${JSON.stringify(line)}\n`).join('')
  await writeFile(join(folder, file), text)
  const target = await createTarget({ type: 'replay', file }, { host: fakeHost({ cwd: folder }) })
  opened.push(target)
  return target
}

const replay = (target: Target, id: string, { run = 1, suite = SUITE } = {}) =>
  collect(target, { case: aCase({ suite, id }), run })

const start = { type: 'start', timestamp: '2026-03-01T10:00:00Z', agent_id: 'support-bot', total_cases: 2 }
const summary = { type: 'summary', total: 2, passed: 1, failed: 1 }
const said = (text: string) => ({ timestamp: 1, type: 'assistant_message', data: { text } })
const passed = (id: string, text: string, more: Record<string, Json> = {}) => ({
  type: 'result',
  suite: SUITE,
  id,
  status: 'passed',
  duration_ms: 3,
  output: text,
  trace: [said(text)],
  ...more,
})
const heard = (text: string) => ({ events: [{ timestamp: 1, type: 'assistant_message', text }] })

describe('a recorded run yields what was recorded', () => {
  test('every event of its trace, with its time', async () => {
    const events: TraceEvent[] = [
      { timestamp: 10, type: 'user_message', text: 'Hello' },
      {
        timestamp: 11,
        type: 'tool_call',
        agent: 'main',
        model: 'm',
        tool: 'read',
        parameters: { path: 'ä' },
        result: null,
      },
      { timestamp: 12, type: 'patch', files: ['a.ts'] },
      { timestamp: 13, type: 'approval_request', id: 'p1', tool: 'bash', parameters: {} },
      { timestamp: 14, type: 'approval_response', id: 'p1', approved: false },
      { timestamp: 15, type: 'usage', inputTokens: 3, outputTokens: 4 },
      { timestamp: 16, type: 'output', value: { ok: [1] } },
    ]
    const line = passed('T1', 'x', { output: { ok: [1] }, trace: toSeed({ events }) as unknown as Json })
    const replayed = await replay(await open([start, line, summary]), 'T1')
    expect(replayed.error).toBeUndefined()
    expect(replayed.events).toMatchObject(events)
  })

  test('each run its own, in any order and at the same time', async () => {
    const runs = [3, 1, 2].map((run) => passed('T1', `answer ${run}`, { type: 'run', run }))
    const target = await open([start, ...runs, { type: 'stability', id: 'T1', runs: 3, pass_rate: 100 }, summary])
    expect(await Promise.all([1, 2, 3].map((run) => replay(target, 'T1', { run })))).toEqual(
      [1, 2, 3].map((run) => heard(`answer ${run}`)),
    )
  })

  test('a run without a trace yields its output', async () => {
    const target = await open([
      { type: 'result', id: 'T1', status: 'failed', output: { a: 1 } },
      { type: 'result', id: 'T2', status: 'failed', output: null, trace: [] },
      { type: 'result', id: 'T3', status: 'failed' },
    ])
    expect(await replay(target, 'T1')).toEqual({ events: [{ type: 'output', value: { a: 1 } }] })
    expect(await replay(target, 'T2')).toEqual({ events: [{ type: 'output', value: null }] })
    expect(await replay(target, 'T3')).toEqual({ events: [] })
  })

  test.each([
    [
      'with its code',
      { status: 'error', code: 'PROCESS_FAILED', error: 'exit 3' },
      { code: 'PROCESS_FAILED', message: 'exit 3' },
    ],
    ['as a timeout', { status: 'timeout', error: 'too slow' }, { code: 'TIMEOUT', message: 'too slow' }],
    [
      'with a code of another version',
      { status: 'error', code: 'toString', error: 'e' },
      { code: 'PROVIDER_ERROR', message: 'e' },
    ],
    [
      'without a code or message',
      { status: 'error' },
      { code: 'PROVIDER_ERROR', message: 'recorded without a message' },
    ],
    [
      'and is not tried again',
      { status: 'error', code: 'RATE_LIMITED', error: '429' },
      { code: 'RATE_LIMITED', retryable: false },
    ],
  ])('an errored run errs again %s, after what it did', async (_, fields, error) => {
    const replayed = await replay(
      await open([{ type: 'result', suite: SUITE, id: 'T1', trace: [said('half')], ...fields }]),
      'T1',
    )
    expect(replayed.events).toEqual(heard('half').events)
    expect(replayed.error).toBeInstanceOf(TargetError)
    expect(replayed.error).toMatchObject(error)
  })

  test('lines larger than what is read at once, blank lines, CRLF, a BOM and a last line without newline', async () => {
    const big = '€'.repeat(700_000)
    const lines = [passed('T1', big), passed('T2', 'ü'), passed('T3', big), passed('T4', 'last')]
    const text = `\uFEFF${JSON.stringify(start)}\r\n\r\n${lines.map((line) => JSON.stringify(line)).join('\r\n\n')}`
    const target = await open(text)
    for (const { id, output } of lines) expect(await replay(target, id)).toEqual(heard(output))
    expect(target.label).toBe('support-bot')
  })
})

describe('which record is meant', () => {
  const twoSuites = [
    passed('T1', 'from a', { suite: 'a.jsonl' }),
    passed('T1', 'from b', { suite: 'b.jsonl' }),
    passed('T2', 'only in b', { suite: 'b.jsonl' }),
  ]

  test('suite and id decide', async () => {
    expect(await replay(await open(twoSuites), 'T1', { suite: 'b.jsonl' })).toEqual(heard('from b'))
  })

  test('the id alone decides when no line has the suite and the id is there once', async () => {
    expect(await replay(await open(twoSuites), 'T2', { suite: 'renamed.jsonl' })).toEqual(heard('only in b'))
  })

  test('records without a suite are found by their id', async () => {
    const { suite: _suite, ...line } = passed('T1', 'hello')
    expect(await replay(await open([line]), 'T1')).toEqual(heard('hello'))
  })

  test.each([
    [
      'an id of several suites',
      'T1',
      'c.jsonl',
      1,
      'out.jsonl: suite c.jsonl is not recorded, and T1 is in 2 other suites',
    ],
    ['an id of another suite', 'T2', 'a.jsonl', 1, 'out.jsonl: case T2 is not recorded; recorded: T1'],
    ['an unknown id', 'T9', 'b.jsonl', 1, 'out.jsonl: case T9 is not recorded; recorded: T1, T2'],
    [
      'a run beyond the recorded ones',
      'T1',
      'b.jsonl',
      2,
      'out.jsonl: run 2 of case T1 is not recorded; recorded: run 1',
    ],
  ])('%s is not recorded', async (_, id, suite, run, message) => {
    expect(await replay(await open(twoSuites), id, { suite, run })).toEqual({
      events: [],
      error: new TargetError(message, { code: 'NOT_RECORDED' }),
    })
  })

  test('a skipped case has no record; a long list of the others is cut', async () => {
    const others = Array.from({ length: 8 }, (_, index) => passed(`C${index}`, 'x'))
    const target = await open([{ type: 'result', suite: SUITE, id: 'T1', status: 'skipped' }, ...others])
    expect(await replay(target, 'T1')).toMatchObject({
      error: {
        code: 'NOT_RECORDED',
        message: 'out.jsonl: case T1 is not recorded; recorded: C0, C1, C2, C3, C4 and 3 more',
      },
    })
  })
})

describe('a file that cannot be replayed is a configuration error', () => {
  const line = JSON.stringify(passed('T1', 'x'))
  const hint = 'replay reads the results file that agent-test writes with -o FILE.jsonl'

  test.each<[string, string, object[]]>([
    ['empty', '', [{ file: 'out.jsonl', message: 'holds no recorded run', hint }]],
    ['only a start', JSON.stringify(start), [{ message: 'holds no recorded run' }]],
    [
      'a pretty-printed JSON report',
      '{\n  "summary": {}\n}\n',
      [
        { file: 'out.jsonl', line: 1, message: expect.stringContaining('not JSON'), hint },
        { line: 2, message: expect.stringContaining('not JSON') },
        { line: 3, message: expect.stringContaining('not JSON') },
      ],
    ],
    [
      'a suite',
      '{"id":"T1","input":"x"}',
      [{ line: 1, message: 'no line of a results file: expected an object with "type"' }],
    ],
    [
      'a last line that was cut off',
      `${line}\n${line.slice(0, 20)}`,
      [{ line: 2, message: expect.stringContaining('not JSON') }],
    ],
    [
      'a run recorded twice',
      `${line}\n\n${line}`,
      [{ line: 3, message: 'run 1 of case T1 is recorded a second time', hint: 'first in line 1' }],
    ],
    ['a field of the wrong type', '{"type":"result","id":7,"status":"passed"}', [{ line: 1, field: 'id' }]],
    ['an unknown status', '{"type":"run","id":"T","run":1,"status":"ok"}', [{ line: 1, field: 'status' }]],
    ['a run number below 1', '{"type":"run","id":"T","run":0,"status":"passed"}', [{ line: 1, field: 'run' }]],
    [
      'an event of another kind',
      '{"type":"result","id":"T","status":"passed","trace":[{"type":"thought"}]}',
      [{ line: 1, field: 'trace[0]', message: 'unknown event type "thought"' }],
    ],
    [
      'an output that would overflow the stack',
      `{"type":"result","id":"T","status":"passed","output":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      [{ line: 1, field: 'output', message: 'nested deeper than 500 levels' }],
    ],
    [
      'a newer version',
      '{"type":"start","schemaVersion":99}',
      [{ line: 1, message: 'schemaVersion 99 is newer than this agent-test reads (1)' }],
    ],
  ])('%s', async (_, text, problems) => {
    const error = await open(text).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UserError)
    expect(error).toMatchObject({ code: 'INVALID_TARGET', problems })
  })

  test('a wrong file is not reported line by line to its end', async () => {
    const error = await open('nonsense\n'.repeat(1_000)).catch((thrown: unknown) => thrown)
    expect((error as UserError).problems).toHaveLength(20)
  })

  test.each([
    ['missing', 'none.jsonl', 'ENOENT'],
    ['a folder', '.', 'EISDIR'],
  ])('%s', async (_, file, detail) => {
    const created = createTarget({ type: 'replay', file }, { host: fakeHost({ cwd: folder }) })
    const error: unknown = await created.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'INVALID_TARGET',
      problems: [{ file, message: expect.stringMatching(`^cannot be read: ${detail}`) }],
    })
  })
})

test.each([
  ['the recorded agent, which a replay stands for', [start, passed('T1', 'x')], 'support-bot'],
  ['the file when no agent is recorded', [passed('T1', 'x')], 'replay:out.jsonl'],
])('the label is %s', async (_, lines, label) => {
  expect((await open(lines)).label).toBe(label)
})

test.each([
  ['shorter', (path: string) => truncate(path, 10)],
  ['replaced', (path: string) => writeFile(path, JSON.stringify(passed('T2', 'xx')).padEnd(500))],
])('a file that got %s while it was replayed is an error that names the line', async (_, change) => {
  const target = await open([passed('T1', 'xx')])
  await change(join(folder, 'out.jsonl'))
  expect(await replay(target, 'T1')).toMatchObject({
    events: [],
    error: { code: 'BAD_RESPONSE', message: 'out.jsonl:1: the file has changed since it was opened' },
  })
})

test('a file that grew meanwhile still replays what was in it', async () => {
  const target = await open([passed('T1', 'x')])
  await appendFile(join(folder, 'out.jsonl'), 'nonsense\n')
  expect(await replay(target, 'T1')).toEqual(heard('x'))
})

test('an aborted run replays nothing', async () => {
  const target = await open([passed('T1', 'x')])
  const run = target.execute(runRequest({ case: aCase({ suite: SUITE, id: 'T1' }), signal: AbortSignal.abort() }))
  await expect(run[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'ABORTED' })
})
