import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createOutputReporters } from '../../src/reporters/index.ts'
import {
  aBaseline,
  aCase,
  aCaseReport,
  aReport,
  aRun,
  erroredOutcome,
  failedOutcome,
  mixed,
  passedOutcome,
  passes,
  someRuns,
} from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { hasJq, jq } from '../support/jq.ts'
import { hostileText } from '../support/markdown.ts'
import { type Played, play, temporaryFolder } from '../support/reporting.ts'

async function write(
  played: readonly Played[],
  options: Parameters<typeof play>[2] = {},
): Promise<{ path: string; text: string }> {
  const folder = await temporaryFolder()
  const { reporters } = await createOutputReporters(['report.json'], fakeHost({ cwd: folder }))
  const [reporter] = reporters
  if (!reporter) throw new Error('no reporter was made')
  await play(reporter, played, options)
  const path = join(folder, 'report.json')
  return { path, text: await readFile(path, 'utf8') }
}

const greeting = aCase()
const refund = aCase({
  id: 'refund-03',
  input: { role: 'user', content: 'Money back!' },
  options: { connector: 'openai.mini' },
  metadata: { area: 'refunds' },
})
const wrongTool = failedOutcome({ name: 'equals', message: 'expected "yes"', expected: 'yes', actual: 'no' })
const all = [
  { item: greeting, outcomes: passes(3), parts: { output: { said: 'Hello' } } },
  {
    item: refund,
    outcomes: [passedOutcome, wrongTool, erroredOutcome('TIMEOUT', 'no answer within 5m')],
    parts: { output: 'no' },
  },
  { item: aCase({ id: 'draft-07', skip: 'marked as skipped' }), outcomes: [] },
]

test('several runs: summary, environment, one result a case with all of its runs', async () => {
  const { text } = await write(all)
  const document = JSON.parse(text) as Record<string, unknown>
  expect(Object.keys(document)).toEqual([
    'schemaVersion',
    'summary',
    'environment',
    'verdict',
    'spending',
    'baseline',
    'changes',
    'results',
    'stability_results',
    'skipped',
    'not_run',
    'metadata',
  ])
  const trace = [{ timestamp: 1_772_359_200_000, type: 'assistant_message', data: { text: 'Hello there' } }]
  const assertions = [{ type: 'equals', passed: false, message: 'expected "yes"', expected: 'yes', actual: 'no' }]
  expect(document).toMatchObject({
    schemaVersion: 1,
    summary: {
      total: 3,
      passed: 1,
      failed: 1,
      skipped: 1,
      agent_id: 'yao:support-bot',
      exit_reason: 'failed',
      exit_code: 1,
    },
    environment: {
      user_id: 'test-user',
      team_id: 'test-team',
      locale: 'en-us',
      client_type: 'test',
      client_ip: '127.0.0.1',
    },
    verdict: { passed: false, exit_reason: 'failed' },
    baseline: { state: 'off' },
    skipped: [{ suite: 'tests/support.jsonl', id: 'draft-07', reason: 'marked as skipped' }],
    not_run: [],
    metadata: {
      version: '1.0.0',
      input_file: 'tests/support.jsonl',
      output_file: 'report.json',
      options: { runs: 3, min_pass_rate: 100 },
    },
  })
  expect(document['results']).toEqual([
    expect.objectContaining({
      id: 'greet-01',
      status: 'passed',
      pass_rate: 100,
      stable: true,
      stability_class: 'stable',
    }),
    {
      id: 'refund-03',
      suite: 'tests/support.jsonl',
      status: 'failed',
      input: { role: 'user', content: 'Money back!' },
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
      duration_ms: 800,
      error: 'expected "yes"',
      assertions,
      options: { connector: 'openai.mini' },
      metadata: { area: 'refunds' },
      run_details: [
        { run: 1, status: 'passed', duration_ms: 800, output: 'no', trace },
        { run: 2, status: 'failed', duration_ms: 800, output: 'no', error: 'expected "yes"', assertions, trace },
        {
          run: 3,
          status: 'timeout',
          duration_ms: 800,
          output: 'no',
          error: 'no answer within 5m',
          code: 'TIMEOUT',
          trace,
        },
      ],
    },
  ])
  expect(document['stability_results']).toMatchObject([
    { id: 'greet-01', run_details: [{ run: 1, status: 'passed', output: { said: 'Hello' } }, { run: 2 }, { run: 3 }] },
    {
      id: 'refund-03',
      pass_rate: expect.closeTo(100 / 3, 12),
      run_details: [{ run: 1 }, { run: 2, error: 'expected "yes"' }, { run: 3, status: 'timeout' }],
    },
  ])
})

test('a single run: the same results with the run itself, no stability list', async () => {
  const { text } = await write([
    { item: greeting, outcomes: [passedOutcome], parts: { output: 'Hi' } },
    { item: refund, outcomes: [wrongTool], parts: { output: 'no' } },
    { item: aCase({ id: 'late' }), outcomes: [], parts: {} },
  ])
  const document = JSON.parse(text) as Record<string, unknown>
  expect(document).not.toHaveProperty('stability_results')
  expect(document['not_run']).toEqual([{ suite: 'tests/support.jsonl', id: 'late' }])
  expect(document['results']).toMatchObject([
    { id: 'greet-01', status: 'passed', input: 'Say hello', pass_rate: 100, duration_ms: 800, output: 'Hi' },
    {
      id: 'refund-03',
      status: 'failed',
      pass_rate: 0,
      output: 'no',
      error: 'expected "yes"',
      assertions: [{ type: 'equals' }],
    },
  ])
})

test('checks that held are told as well', async () => {
  const held = { status: 'passed', checks: [{ name: 'type', passed: true, weight: 1, message: '' }] } as const
  const { text } = await write([{ item: greeting, outcomes: [held] }])
  expect(JSON.parse(text)).toMatchObject({ results: [{ assertions: [{ type: 'type', passed: true, message: '' }] }] })
})

test('baseline and changes are in it', async () => {
  const earlier = aCaseReport({ ...greeting, runs: someRuns(mixed(1, 2)) })
  const { text } = await write([{ item: greeting, outcomes: passes(3) }], {
    report: { loaded: { kind: 'ok', baseline: aBaseline([earlier]), source: 'file base.json' } },
  })
  expect(JSON.parse(text)).toMatchObject({
    baseline: { state: 'ok', commit: 'abc1234def5678abc1234def5678abc1234def56' },
    changes: [
      {
        key: 'tests/support.jsonl/greet-01',
        kind: 'risen',
        before: { passed: 7, judged: 21, pass_rate: expect.closeTo(100 / 3, 12) },
        after: { passed: 3, judged: 3, pass_rate: 100 },
        pool: { state: 'ok', runs: 21, passed: 7, failed: 14, sessions: 7 },
      },
    ],
  })
})

test('verdict with conclusion, notes in words, findings, judgement and what was used are in it', async () => {
  const { text } = await write([{ item: greeting, outcomes: mixed(0, 3) }], {
    report: {
      loaded: { kind: 'ok', baseline: aBaseline([aCaseReport(greeting), aCaseReport({ id: 'gone' })]), source: 'b' },
      spending: { tokens: 900, costUsd: 0.25, unpricedRuns: 1, unmeteredRuns: 0 },
      maxRuns: 15,
      proposals: [{ key: 'x', evidence: 'e', until: '2026-03-31' }],
    },
  })
  expect(JSON.parse(text)).toMatchObject({
    verdict: {
      passed: false,
      conclusion: 'failure',
      exit_reason: 'regression',
      notes: expect.arrayContaining([
        expect.objectContaining({ kind: 'removed', message: expect.stringMatching(/gone/) }),
      ]),
    },
    judgement: {
      settings: { runs: 3, maxRuns: 15 },
      sensitivity: { baselineRuns: 21, message: expect.stringMatching(/^With 21 runs on the base branch/) },
      control: { kind: 'not_needed' },
    },
    spending: { tokens: 900, cost_usd: null, known_cost_usd: 0.25, unpriced_runs: 1, unmetered_runs: 0 },
    changes: [{ kind: 'regressed', finding: { flagged: true, outcome: 'uncontrolled' } }, { kind: 'removed' }],
    proposals: [{ key: 'x', evidence: 'e', until: '2026-03-31' }],
    metadata: { options: { runs: 3, max_runs: 15 } },
  })
})

test('no case at all still gives a whole document', async () => {
  const { text } = await write([], { report: {} })
  expect(JSON.parse(text)).toMatchObject({ results: [], summary: { total: 0, overall_pass_rate: 0 } })
})

test('it is indented as JSON.stringify would, whatever the texts', async () => {
  const texts = fc.sample(hostileText, 60)
  const { text } = await write(
    texts.map((hostile, index) => ({
      item: aCase({ id: `${index}${hostile}`, input: hostile, metadata: { [hostile]: [hostile] } }),
      outcomes: [failedOutcome(hostile), passedOutcome],
      parts: { output: { [hostile]: hostile } },
    })),
  )
  expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`)
  const { results } = JSON.parse(text) as { results: unknown[] }
  expect(results).toHaveLength(texts.length)
  expect(results[7]).toMatchObject({
    id: `7${texts[7]}`,
    input: texts[7],
    run_details: [{ error: texts[7] }, { run: 2 }],
  })
})

test.skipIf(!hasJq).each([
  ['all stable', [passes(5), mixed(4, 1)], 0],
  ['one below 80', [passes(5), mixed(3, 2)], 1],
] as const)("the seed's gate judges it: %s (skipped without jq)", async (_title, outcomes, code) => {
  const { path } = await write(outcomes.map((list, index) => ({ item: aCase({ id: `c${index}` }), outcomes: list })))
  const gate = () => jq('-e', '.results | all(.pass_rate >= 80)', path)
  if (code === 0) expect(gate()).toBe('true\n')
  else expect(gate).toThrow(expect.objectContaining({ status: 1 }))
})

test('large outputs wait on the disk, not in memory', async () => {
  const folder = await temporaryFolder()
  const { reporters } = await createOutputReporters(['report.json'], fakeHost({ cwd: folder }))
  const [reporter] = reporters
  const plan = { startedAt: '2026-03-01T10:00:00.000Z', cases: [], runsPerCase: 1, targets: ['t'] }
  await reporter?.onStart?.(plan)
  const before = process.memoryUsage().rss
  for (let run = 1; run <= 3_000; run += 1) {
    await reporter?.onRun?.(aRun({ run, output: `${run}`.padEnd(100_000, 'y') }), greeting)
  }
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024)
  await reporter?.onEnd?.(aReport({ cases: [] }))
  expect(JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'))).toMatchObject({ results: [] })
})
