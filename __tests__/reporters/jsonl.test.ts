import { createReadStream } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { combineReporters, createOutputReporters, type Reporter } from '../../src/reporters/index.ts'
import {
  aCase,
  aReport,
  aRun,
  erroredOutcome,
  failedOutcome,
  mixed,
  passedOutcome,
  passes,
} from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { hasJq, jq } from '../support/jq.ts'
import { hostileText } from '../support/markdown.ts'
import { play, temporaryFolder } from '../support/reporting.ts'

async function reporterIn(folder: string, options = {}): Promise<{ reporter: Reporter; path: string }> {
  const opened = await createOutputReporters(['results.jsonl'], fakeHost({ cwd: folder }), options)
  expect(opened).toMatchObject({ problems: [], warnings: [] })
  const [reporter] = opened.reporters
  if (!reporter) throw new Error('no reporter was made')
  return { reporter, path: join(folder, 'results.jsonl') }
}

async function linesOf(path: string): Promise<unknown[]> {
  const text = await readFile(path, 'utf8')
  expect(text.endsWith('\n')).toBe(true)
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
}

const greeting = aCase()
const refund = aCase({ id: 'refund-03', input: 'Money back!' })
const draft = aCase({ id: 'draft-07', skip: 'marked as skipped' })
const wrongTool = failedOutcome(
  { name: 'contains', message: 'expected output to contain "refund_order"', expected: 'refund_order', actual: 'No.' },
  { name: 'type', passed: true, message: '' },
)

test('a single run per case gives start, one result a case and a summary', async () => {
  const { reporter, path } = await reporterIn(await temporaryFolder())
  await play(
    reporter,
    [
      { item: greeting, outcomes: [passedOutcome] },
      { item: refund, outcomes: [wrongTool], parts: { output: 'No.', durationMs: 12.4 } },
      {
        item: aCase({ id: 'slow' }),
        outcomes: [erroredOutcome('TIMEOUT', 'no answer within 5m')],
        parts: { output: null },
      },
      {
        item: aCase({ id: 'down' }),
        outcomes: [erroredOutcome('PROVIDER_ERROR', 'the model answered 500')],
        parts: { attempts: 3 },
      },
      { item: draft, outcomes: [] },
    ],
    { connector: 'openai.gpt-4o' },
  )
  const trace = [{ timestamp: 1_772_359_200_000, type: 'assistant_message', data: { text: 'Hello there' } }]
  const suite = 'tests/support.jsonl'
  expect(await linesOf(path)).toEqual([
    {
      type: 'start',
      schemaVersion: 1,
      timestamp: '2026-03-01T10:00:00.000Z',
      agent_id: 'yao:support-bot',
      connector: 'openai.gpt-4o',
      total_cases: 5,
      runs_per_case: 1,
    },
    { type: 'result', suite, id: 'draft-07', status: 'skipped', duration_ms: 0, reason: 'marked as skipped' },
    { type: 'result', suite, id: 'greet-01', status: 'passed', duration_ms: 800, output: 'Hello there', trace },
    {
      type: 'result',
      suite,
      id: 'refund-03',
      status: 'failed',
      duration_ms: 12,
      output: 'No.',
      error: 'expected output to contain "refund_order"',
      assertions: [
        {
          type: 'contains',
          passed: false,
          message: 'expected output to contain "refund_order"',
          expected: 'refund_order',
          actual: 'No.',
        },
      ],
      trace,
    },
    {
      type: 'result',
      suite,
      id: 'slow',
      status: 'timeout',
      duration_ms: 800,
      error: 'no answer within 5m',
      code: 'TIMEOUT',
      trace,
    },
    {
      type: 'result',
      suite,
      id: 'down',
      status: 'error',
      duration_ms: 800,
      attempts: 3,
      output: 'Hello there',
      error: 'the model answered 500',
      code: 'PROVIDER_ERROR',
      trace,
    },
    {
      type: 'summary',
      total: 5,
      passed: 1,
      failed: 1,
      skipped: 1,
      errors: 1,
      timeouts: 1,
      not_run: 0,
      duration_ms: 192_000,
      runs_per_case: 1,
      total_runs: 4,
      overall_pass_rate: 25,
      stable_cases: 1,
      unstable_cases: 3,
      exit_reason: 'failed',
      exit_code: 1,
      reasons: [
        'tests/support.jsonl/refund-03 passed 0/1 (0%), below the required 100%',
        '2 of 4 runs errored: no answer within 5m',
      ],
    },
  ])
})

test('several runs per case give a line for each run and a stability line when a case is complete', async () => {
  const { reporter, path } = await reporterIn(await temporaryFolder(), { exitCodes: 'detailed' })
  await play(reporter, [
    { item: greeting, outcomes: passes(3) },
    { item: refund, outcomes: [passedOutcome, wrongTool, erroredOutcome('TIMEOUT', 'no answer within 5m')] },
    { item: draft, outcomes: [] },
  ])
  const lines = (await linesOf(path)) as Record<string, string | number | undefined>[]
  expect(
    lines.map(({ type, id, run, status }) => [type, id, run, status].filter((part) => part !== undefined).join(' ')),
  ).toEqual([
    'start',
    'result draft-07 skipped',
    'run greet-01 1 passed',
    'run refund-03 1 passed',
    'run greet-01 2 passed',
    'run refund-03 2 failed',
    'run greet-01 3 passed',
    'stability greet-01',
    'run refund-03 3 timeout',
    'stability refund-03',
    'summary',
  ])
  expect(lines.at(-2)).toEqual({
    type: 'stability',
    suite: 'tests/support.jsonl',
    id: 'refund-03',
    runs: 3,
    passed: 1,
    failed: 2,
    pass_rate: expect.closeTo(100 / 3, 12),
    consistency: expect.closeTo(1 / 3, 12),
    stable: false,
    stability_class: 'highly_unstable',
    avg_duration_ms: 800,
    min_duration_ms: 800,
    max_duration_ms: 800,
    std_deviation_ms: 0,
    errors: 1,
    timeouts: 1,
  })
  expect(lines.at(-1)).toMatchObject({
    runs_per_case: 3,
    total_runs: 6,
    overall_pass_rate: expect.closeTo(66.67, 1),
    stable_cases: 1,
    unstable_cases: 1,
    exit_reason: 'failed',
    exit_code: 1,
  })
})

test('a case cut short has its stability line all the same, and the summary says what was not run', async () => {
  const { reporter, path } = await reporterIn(await temporaryFolder(), { exitCodes: 'detailed' })
  await play(
    reporter,
    [
      { item: greeting, outcomes: passes(2) },
      { item: refund, outcomes: [] },
    ],
    { runsPerCase: 3, report: { interrupted: true, plannedRuns: 6 } },
  )
  const lines = await linesOf(path)
  expect(lines.at(-2)).toMatchObject({ type: 'stability', id: 'greet-01', runs: 2, pass_rate: 100 })
  expect(lines.at(-1)).toMatchObject({
    total: 2,
    not_run: 1,
    total_runs: 2,
    exit_reason: 'interrupted',
    exit_code: 130,
  })
})

test('results reach the file while the run goes on', async () => {
  const { reporter, path } = await reporterIn(await temporaryFolder())
  await reporter.onStart?.({ startedAt: '2026-03-01T10:00:00.000Z', cases: [greeting], runsPerCase: 1, targets: ['t'] })
  await reporter.onRun?.(aRun(), greeting)
  await expect.poll(async () => (await readFile(path, 'utf8')).split('\n').length, { timeout: 3_000 }).toBe(3)
  await reporter.onEnd?.(aReport())
})

test('an old file is empty from the start, so that nobody takes it for this run', async () => {
  const folder = await temporaryFolder()
  const { reporter, path } = await reporterIn(folder)
  await writeFile(path, 'old results\n')
  await reporter.onStart?.({ startedAt: '2026-03-01T10:00:00.000Z', cases: [], runsPerCase: 1, targets: ['t'] })
  expect(await readFile(path, 'utf8')).not.toContain('old')
  await reporter.onEnd?.(aReport())
})

test('hostile outputs stay one line each, also for readers that end lines at U+2028', async () => {
  const folder = await temporaryFolder()
  const texts = fc.sample(hostileText, 200)
  const { reporter, path } = await reporterIn(folder)
  await play(
    reporter,
    texts.map((text, index) => ({
      item: aCase({ id: `${index}${text}` }),
      outcomes: [failedOutcome(text)],
      parts: { output: { [text]: text } },
    })),
  )
  const lines: string[] = []
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY }))
    lines.push(line)
  expect(lines).toHaveLength(texts.length + 2)
  for (const [index, text] of texts.entries()) {
    const written = JSON.parse(lines[index + 1] ?? '') as unknown
    expect(written).toMatchObject({ id: `${index}${text}`, output: { [text]: text }, error: text })
  }
})

test.skipIf(!hasJq)("the seed's own recipe finds the summary (skipped without jq)", async () => {
  const { reporter, path } = await reporterIn(await temporaryFolder())
  await play(reporter, [{ item: greeting, outcomes: mixed(2, 1) }])
  const found = jq('-c', 'select(.type == "summary")', path)
  expect(JSON.parse(found)).toMatchObject({ type: 'summary', total: 1, failed: 1 })
})

test('a full disk ends the run with an error that names the file', async () => {
  const host = fakeHost()
  const { reporters } = await createOutputReporters(['/dev/full'], host)
  const all = combineReporters(reporters, host.log)
  await expect(play(all, [{ item: greeting, outcomes: passes(1) }])).rejects.toMatchObject({
    name: 'UserError',
    code: 'OUTPUT_NOT_WRITABLE',
    message: expect.stringContaining('/dev/full could not be written'),
  })
  expect(host.warnings).toEqual([])
})

test('a hundred thousand results are written in one go without being held', async () => {
  const { reporter, path } = await reporterIn(await temporaryFolder())
  await reporter.onStart?.({ startedAt: '2026-03-01T10:00:00.000Z', cases: [], runsPerCase: 1, targets: ['t'] })
  const before = process.memoryUsage().rss
  const output = 'x'.repeat(1_000)
  for (let index = 0; index < 100_000; index += 1) await reporter.onRun?.(aRun({ output }), greeting)
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024)
  await reporter.onEnd?.(aReport())
  expect((await stat(path)).size).toBeGreaterThan(100_000_000)
})
