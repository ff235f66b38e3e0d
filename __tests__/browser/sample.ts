import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { TraceEvent } from '../../src/core/trace.ts'
import { createOutputReporters } from '../../src/reporters/index.ts'
import {
  aCase,
  aCaseReport,
  erroredOutcome,
  failedOutcome,
  loadedBaseline,
  mixed,
  passedOutcome,
  passes,
  someRuns,
} from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { type Played, play } from '../support/reporting.ts'

type PlayOptions = Parameters<typeof play>[2]

/** Writes a report as the command line does; the file is gone when the test ends. */
export async function writeReport(played: readonly Played[], options: PlayOptions = {}): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), 'html-report-'))
  onTestFinished(() => rm(cwd, { recursive: true, force: true }))
  const { reporters } = await createOutputReporters(['report.html'], fakeHost({ cwd }))
  const [reporter] = reporters
  if (!reporter) throw new Error('no reporter was made')
  await play(reporter, played, options)
  return join(cwd, 'report.html')
}

const at = Date.parse('2026-03-01T10:00:00.000Z')
const policy = `You can return shoes within 30 days of delivery if they were worn indoors only. Please keep the original box:
without it we charge a handling fee of 4.90 €.

1. Open **My orders** and choose the pair.
2. Print the label. It is valid for 14 days.
3. Drop the parcel off at any shop of the carrier.

The money is on your account 5 to 7 working days after the parcel has arrived. `
const shortAnswer = 'You can return shoes within 30 days.'
const lookup: readonly TraceEvent[] = [
  { timestamp: at, type: 'user_message', text: 'Where is my parcel 4711?' },
  {
    timestamp: at + 200,
    type: 'tool_call',
    tool: 'track_parcel',
    server: 'shop',
    parameters: { number: '4711', carrier: 'north' },
    result: { state: 'in transit', hub: 'Lyon', eta: '2026-03-03' },
  },
  { timestamp: at + 500, type: 'tool_call', tool: 'notify', parameters: { channel: 'mail' }, error: 'no such channel' },
  { timestamp: at + 900, type: 'log', level: 'warn', text: 'eta is two days late' },
  { timestamp: at + 1_000, type: 'assistant_message', text: 'It is in Lyon and arrives on Tuesday.' },
]
const words = failedOutcome(
  { name: 'type', passed: true, message: '', expected: 'string' },
  {
    name: 'contains',
    message: 'expected output to contain "original packaging"',
    expected: 'original packaging',
    actual: policy.repeat(3),
  },
)
const plan = { steps: ['check the order', 'refund 49.90 EUR', 'write to the customer'], approved: true, amount: 49.9 }

const orders = 'tests/orders.jsonl'
const returns = aCase({
  id: 'return-shoes',
  input: 'May I return shoes that I wore once?',
  metadata: { area: 'returns', owner: 'team-care' },
})
const refund = aCase({
  id: 'refund-plan',
  location: { file: 'tests/support.jsonl', line: 14 },
  input: { role: 'user', content: 'The kettle came broken. I want my money back, order 8812.' },
})
const parcel = aCase({
  suite: orders,
  id: 'parcel-status',
  location: { file: orders, line: 3 },
  input: 'Where is my parcel 4711?',
})

/** A report as teams get it: most cases pass, a few fail in different ways, some regressed, one was skipped. */
export const sample: readonly Played[] = [
  ...['greeting', 'opening-hours', 'change-address', 'invoice-copy', 'payment-methods'].map((id, index) => ({
    item: aCase({
      id,
      location: { file: 'tests/support.jsonl', line: 20 + index },
      input: `Customer asks about ${id.replace('-', ' ')}`,
    }),
    outcomes: passes(3),
    parts: { output: shortAnswer, durationMs: 640 + index * 87, usage: { inputTokens: 412, outputTokens: 57 + index } },
  })),
  { item: returns, outcomes: [words, passedOutcome, words], parts: { output: policy.repeat(3), durationMs: 2_340 } },
  {
    item: refund,
    outcomes: mixed(
      0,
      3,
      failedOutcome({
        name: 'equals',
        message: 'expected the plan of the policy',
        expected: { ...plan, amount: 44.9 },
        actual: plan,
      }),
    ),
    parts: { output: plan, durationMs: 1_810, attempts: 2 },
  },
  {
    item: parcel,
    outcomes: [passedOutcome, passedOutcome, failedOutcome('expected output to contain "Tuesday"')],
    parts: { output: 'It is in Lyon.', trace: { events: lookup }, durationMs: 3_905 },
  },
  {
    item: aCase({
      suite: orders,
      id: 'cancel-order',
      location: { file: orders, line: 4 },
      input: 'Cancel my order 12',
    }),
    outcomes: [passedOutcome, erroredOutcome('PROVIDER_ERROR', 'the model answered 502 Bad Gateway'), passedOutcome],
    parts: { output: 'Done, order 12 is cancelled.' },
  },
  {
    item: aCase({
      suite: orders,
      id: 'bulk-order',
      location: { file: orders, line: 5 },
      input: 'I need 4,000 pens by Friday',
    }),
    outcomes: Array.from({ length: 3 }, () => erroredOutcome('TIMEOUT', 'no answer within the time limit of 60s')),
    parts: { durationMs: 60_000, output: null },
  },
  {
    item: aCase({
      suite: orders,
      id: 'gift-card',
      input: 'Do you sell gift cards?',
      skip: 'waits for the new catalogue',
    }),
    outcomes: [],
  },
  {
    item: aCase({ suite: orders, id: 'warranty', input: 'How long is the warranty on a kettle?' }),
    outcomes: passes(3),
    parts: { output: 'Two years.' },
  },
]

/** On the base branch `return-shoes` and `parcel-status` were stable, and `warranty` never passed. */
const earlier = sample.flatMap(({ item, outcomes }) => {
  if (item.skip !== undefined || item.id === 'greeting') return []
  const before = item.id === 'warranty' ? mixed(0, 3) : item.id === 'refund-plan' ? outcomes : passes(3)
  const { suite, id, fingerprint } = item
  return [aCaseReport({ suite, id, fingerprint, runs: someRuns(before) })]
})

export const sampleOptions = {
  report: {
    loaded: loadedBaseline([...earlier, aCaseReport({ id: 'fax-number' })], 'run 812 on main', 20),
    inputs: ['tests/support.jsonl', orders],
    connector: 'openai.gpt-4o',
    warnings: ['tests/support.jsonl:14: an option that this target does not honour: search'],
  },
} satisfies PlayOptions
