import { expect, test } from 'vitest'
import type { CaseReport } from '../../src/core/case-report.ts'
import type { Report } from '../../src/core/report.ts'
import { type ReportLinks, renderMarkdown, renderSummary } from '../../src/render/index.ts'
import {
  aCaseReport,
  aGate,
  aReport,
  erroredOutcome,
  failedOutcome,
  loadedBaseline,
  mixed,
  passedOutcome,
  passes,
  someRuns,
} from '../support/builders.ts'

const links: ReportLinks = {
  runUrl: 'https://github.com/octo/bot/actions/runs/901',
  headSha: '1234abcd5678ef901234abcd5678ef901234abcd',
  fileUrl: ({ file, line }) => `https://github.com/octo/bot/blob/1234abcd/${file}#L${line}`,
}

const at = (line: number) => ({ location: { file: 'tests/support.jsonl', line } })
const greeting = aCaseReport({ id: 'greet-01', ...at(1), input: 'Hi there', summary: 'Hi there' })
const hours = aCaseReport({ id: 'hours-02', ...at(2), input: 'When are you open?' })
const callsTheWrongTool = failedOutcome({
  name: 'contains',
  message: 'expected output to contain "refund_order"',
  expected: 'refund_order',
  actual: 'I have cancelled your order.',
})
const refundAsked = { id: 'refund-03', ...at(3), input: 'I want my money back for order 1007' }
const answers = [
  'I have cancelled your order.\n\nAnything else?',
  'Order 1007 is cancelled.',
  'Order 1007 is cancelled.',
]
const refundBroken = aCaseReport({
  ...refundAsked,
  runs: someRuns(mixed(0, 3, callsTheWrongTool)).map((run, index) => ({ ...run, output: answers[index] ?? null })),
})
const refundBefore = aCaseReport({ ...refundAsked, runs: someRuns(mixed(29, 1)) })
const flakyAsked = { id: 'tone-04', ...at(4), input: 'You are useless!' }
const flaky = aCaseReport({
  ...flakyAsked,
  runs: someRuns([passedOutcome, failedOutcome('expected output to match /sorry/'), passedOutcome], {
    output: 'Whatever.',
  }),
})
const flakyBefore = aCaseReport({ ...flakyAsked, runs: someRuns(passes(30)) })
const rateLimited = aCaseReport({
  id: 'order-05',
  ...at(5),
  input: { role: 'user', content: 'Where is my order?' },
  runs: someRuns([passedOutcome, erroredOutcome('RATE_LIMITED', '429 from the model: slow down'), passedOutcome]),
})
const timedOut = aCaseReport({
  id: 'long-06',
  ...at(6),
  runs: someRuns(Array.from({ length: 3 }, () => erroredOutcome('TIMEOUT', 'no answer within 5m'))),
})
const skipped = aCaseReport({ id: 'draft-07', ...at(7), skip: 'marked as skipped' })
const lenient = { ...aGate, minPassRate: 80 }

const scenarios: Record<string, Report> = {
  regression: aReport({
    cases: [greeting, hours, refundBroken],
    loaded: loadedBaseline([greeting, hours, refundBefore]),
    gate: lenient,
  }),
  errors: aReport({ cases: [greeting, rateLimited, timedOut], gate: lenient, baseline: { kind: 'off' } }),
  green: aReport({ cases: [greeting, hours, skipped], loaded: loadedBaseline([greeting, hours]) }),
  'first-run': aReport({
    cases: [greeting, hours, refundBroken, flaky],
    gate: { ...aGate, minPassRate: 50 },
    baseline: { kind: 'none', detail: 'no run of main has saved one' },
  }),
  improved: aReport({
    cases: [
      greeting,
      hours,
      aCaseReport({ ...refundAsked, runs: someRuns(passes(3), { usage: { inputTokens: 52_000, outputTokens: 900 } }) }),
    ],
    loaded: loadedBaseline([greeting, hours, refundBefore]),
  }),
  mixed: aReport({
    cases: [
      greeting,
      refundBroken,
      flaky,
      rateLimited,
      timedOut,
      skipped,
      { ...hours, fingerprint: 'another question' },
      aCaseReport({ id: 'new-08', ...at(8) }),
      aCaseReport({ id: 'hotel-01', suite: 'tests/booking.jsonl', location: { file: 'tests/booking.jsonl', line: 1 } }),
    ],
    loaded: loadedBaseline([
      aCaseReport({ ...greeting, runs: someRuns(mixed(2, 1)) }),
      hours,
      refundBefore,
      flakyBefore,
      rateLimited,
      timedOut,
      aCaseReport({ id: 'gone-09', ...at(9) }),
    ]),
    gate: { ...aGate, minPassRate: 60 },
    warnings: ['tests/support.jsonl:8: unknown field "asert" (did you mean "assert"?)'],
  }),
  interrupted: aReport({
    cases: [greeting, aCaseReport({ ...hours, runs: [] })],
    interrupted: true,
    plannedRuns: 6,
  }),
}

test.each(Object.entries(scenarios))('the comment of a run that is %s', async (name, report) => {
  const text = renderSummary(report, { heading: 'Agent tests · support-bot', links })
  await expect(text).toMatchFileSnapshot(`golden/summary.${name}.md`)
})

test.each(Object.entries(scenarios))('the Markdown file of a run that is %s', async (name, report) => {
  await expect(renderMarkdown(report)).toMatchFileSnapshot(`golden/markdown.${name}.md`)
})

test('the comment of a long red run, shrunk to its limit', async () => {
  const cases: CaseReport[] = Array.from({ length: 300 }, (_, index) =>
    aCaseReport({
      id: `case-${index + 1}`,
      ...at(index + 1),
      runs: someRuns(index % 2 === 0 ? passes(3) : mixed(1, 2, callsTheWrongTool), { output: 'No. '.repeat(500) }),
    }),
  )
  const text = renderSummary(aReport({ cases }), { heading: 'Agent tests', links, limit: { chars: 8_000 } })
  await expect(text).toMatchFileSnapshot('golden/summary.shrunk.md')
})

test('a single run per case needs no classes', async () => {
  const single = (item: CaseReport) => aCaseReport({ ...item, runs: item.runs.slice(0, 1) })
  const report = aReport({ cases: [single(greeting), single(refundBroken)], runsPerCase: 1 })
  await expect(renderSummary(report, { heading: 'Agent tests', links })).toMatchFileSnapshot(
    'golden/summary.single-run.md',
  )
})
