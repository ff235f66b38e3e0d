import type { BaselineCase, LoadedBaseline } from '../../src/core/baseline.ts'
import type { CaseReport } from '../../src/core/case-report.ts'
import type { Report } from '../../src/core/report.ts'
import type { RunOutcome, RunRecord } from '../../src/core/result.ts'
import type { Controls } from '../../src/core/run-blob.ts'
import type { Step } from '../../src/core/step.ts'
import type { ReportLinks } from '../../src/render/index.ts'
import {
  aBaseline,
  aCaseReport,
  aGate,
  aReport,
  erroredOutcome,
  failedOutcome,
  mixed,
  passedOutcome,
  passes,
  someControls,
  someRuns,
} from './builders.ts'

export const sampleLinks: ReportLinks = {
  runUrl: 'https://github.com/octo/bot/actions/runs/901',
  reportUrl: 'https://github.com/octo/bot/actions/runs/901/artifacts/77',
  headSha: '1234abcd5678ef901234abcd5678ef901234abcd',
  fileUrl: ({ file, line }) => `https://github.com/octo/bot/blob/1234abcd/${file}#L${line}`,
}

export const at = (line: number) => ({ location: { file: 'tests/support.jsonl', line } })
const usage = { inputTokens: 2_900, outputTokens: 140, costUsd: 0.0041 }
const paid = (outcomes: readonly RunOutcome[]) => someRuns(outcomes, { usage })

export const greeting = aCaseReport({
  id: 'greet-01',
  ...at(1),
  input: 'Hi there',
  summary: 'Hi there',
  runs: paid(passes(3)),
})
const hours = aCaseReport({ id: 'hours-02', ...at(2), input: 'When are you open?', runs: paid(passes(3)) })

const lookUp: Step = { tool: 'look_up_order', parameters: 'a'.repeat(16), shown: '{"order":1007}' }
const refund: Step = { tool: 'refund_order', parameters: 'b'.repeat(16) }
const cancel: Step = {
  tool: 'cancel_order',
  parameters: 'c'.repeat(16),
  shown: '{"order":1007,"reason":"customer asked"}',
}

export const wrongTool = failedOutcome({
  name: 'contains',
  message: 'expected output to contain "refund_order"',
  expected: 'refund_order',
  actual: 'I have cancelled your order.',
})
const refundAsked = { id: 'refund-03', ...at(3), input: 'I want my money back for order 1007' }
const answers = ['I have cancelled your order.\n\nAnything else?', 'Order 1007 is cancelled.']

/** Looked at more closely: 3 runs and 12 re-runs, of which `passed` passed. */
function refundRuns(passed: number, failed: number): CaseReport {
  const runs = mixed(0, Math.min(3, failed), wrongTool).concat(mixed(passed, failed - Math.min(3, failed), wrongTool))
  return aCaseReport({
    ...refundAsked,
    runs: someRuns(runs, { steps: [lookUp, cancel], usage }).map((run, index): RunRecord => {
      return run.status === 'passed' ? run : { ...run, output: answers[index % answers.length] ?? null }
    }),
  })
}
export const refundBroken = aCaseReport({ ...refundRuns(0, 3) })
const refundBefore = aCaseReport({ ...refundAsked, runs: paid(passes(3)) })

const flakyAsked = { id: 'tone-04', ...at(4), input: 'You are useless!' }
const unkind = failedOutcome({
  name: 'agent',
  message: 'the judge says no',
  details: { reason: 'The answer argues with the customer instead of apologising.' },
})
const flaky = aCaseReport({
  ...flakyAsked,
  runs: someRuns([passedOutcome, unkind, passedOutcome], { output: 'I only do what I am told.' }),
})
const flakyBefore = aCaseReport({ ...flakyAsked, runs: someRuns(mixed(2, 1)) })

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
const lenient = { ...aGate, minPassRate: 80, thresholdMode: 'shown' as const }
const SOURCE = 'run 812 on main (merge base, 2 h old)'

/** A baseline of these cases, the refund's passing run with its tool calls. */
function known(
  cases: readonly CaseReport[],
  more: (item: BaselineCase) => Partial<BaselineCase> = () => ({}),
): LoadedBaseline {
  const baseline = aBaseline(cases)
  const withSteps = baseline.cases.map((item) => {
    return { ...item, ...(item.key.endsWith('refund-03') ? { steps: [lookUp, refund] } : {}), ...more(item) }
  })
  return { kind: 'ok', source: SOURCE, baseline: { ...baseline, cases: withSteps } }
}

const adaptive = { runsPerCase: 3, maxRuns: 15, gate: lenient, plannedRuns: 9 }
const refundKey = refundBroken.key
const spending = { tokens: 27_360, costUsd: 0.0369, unpricedRuns: 0, unmeteredRuns: 0 }

const regressedParts = {
  ...adaptive,
  cases: [greeting, hours, refundRuns(2, 13)],
  loaded: known([greeting, hours, refundBefore]),
  spending: { ...spending, tokens: 63_840, costUsd: 0.0861 },
}

/** What the bot says of them is kept as golden files. */
export const sampleReports: Readonly<Record<string, Report>> = {
  green: aReport({
    ...adaptive,
    cases: [greeting, hours, refundBefore, skipped],
    loaded: known([greeting, hours, refundBefore]),
    spending,
  }),
  regression: aReport({
    ...regressedParts,
    controls: someControls({ cases: { [refundKey]: { passed: 5, failed: 0 } }, suite: suiteControls(2, 0) }),
  }),
  'environment-moved': aReport({
    ...regressedParts,
    controls: someControls({ cases: { [refundKey]: { passed: 0, failed: 5 } }, suite: suiteControls(0, 2) }),
  }),
  'suite-regression': suiteRegression(),
  'young-baseline': aReport({
    ...adaptive,
    plannedRuns: 6,
    cases: [greeting, hours],
    loaded: {
      kind: 'ok',
      source: SOURCE,
      baseline: aBaseline(
        [aCaseReport({ ...greeting, runs: paid(passes(2)) }), aCaseReport({ ...hours, runs: paid(passes(2)) })],
        {},
        1,
      ),
    },
  }),
  'first-run': aReport({
    cases: [greeting, hours, refundBroken, flaky],
    gate: { ...aGate, minPassRate: 50 },
    baseline: { kind: 'none', detail: 'no run of main has stored one' },
  }),
  waived: aReport({
    ...regressedParts,
    cases: [...regressedParts.cases, aCaseReport({ ...flaky, runs: someRuns(mixed(1, 2, unkind)) })],
    plannedRuns: 12,
    gate: aGate,
    waivers: [
      {
        kind: 'accepted',
        case: refundKey,
        reason: 'refunds need a person from March on',
        until: '2026-03-31',
        source: 'agent-test.accept.yml:4',
      },
      {
        kind: 'quarantined',
        case: 'tone-04',
        reason: 'fails now and then on the base branch',
        evidence: 'main passed 41 of 50 runs in 12 sessions',
        until: '2026-03-20',
        source: 'agent-test.quarantine.yml:1',
      },
    ],
  }),
  errors: aReport({ cases: [greeting, rateLimited, timedOut], gate: lenient }),
  budget: aReport({
    ...adaptive,
    cases: [greeting, aCaseReport({ ...hours, runs: [] })],
    plannedRuns: 6,
    evidence: { stoppedBy: { limit: 'cost', allowed: 0.01, used: 0.0123 }, costLimited: true },
    spending: { tokens: 9_120, costUsd: 0.0123, unpricedRuns: 3, unmeteredRuns: 0 },
  }),
  scored: scored(),
  improved: aReport({
    ...adaptive,
    cases: [greeting, hours, aCaseReport({ ...refundAsked, runs: paid(passes(3)) })],
    loaded: known([greeting, hours, aCaseReport({ ...refundAsked, runs: paid(mixed(0, 3, wrongTool)) })]),
    spending,
  }),
  mixed: mixedReport(),
  unchanged: aReport({
    ...adaptive,
    plannedRuns: 3,
    cases: [
      greeting,
      aCaseReport({
        id: 'hotel-01',
        suite: 'tests/booking.jsonl',
        location: { file: 'tests/booking.jsonl', line: 1 },
        runs: [],
        unchanged: 'no file that tests/booking.jsonl depends on was changed',
      }),
    ],
    loaded: known([greeting]),
  }),
  interrupted: aReport({
    cases: [greeting, aCaseReport({ ...hours, runs: [] })],
    interrupted: true,
    plannedRuns: 6,
  }),
}

/** Fresh runs of the base commit after an alarm of the suite: of the two cases that do well, and of the refund. */
function suiteControls(passed: number, failed: number): Controls['suite'] {
  const well = { passed: 2, failed: 0 }
  return { [greeting.key]: well, [hours.key]: well, [refundKey]: { passed, failed } }
}

/** Every one of forty cases passes two of three runs: none is shown to have regressed, all of them together have. */
function suiteRegression(): Report {
  const cases = (outcomes: readonly RunOutcome[]) =>
    Array.from({ length: 40 }, (_, index) =>
      aCaseReport({ id: `case-${index + 1}`, ...at(index + 1), runs: someRuns(outcomes, { output: 'No.' }) }),
    )
  return aReport({
    runsPerCase: 3,
    cases: cases(mixed(2, 1)),
    loaded: known(cases(passes(3))),
    gate: { ...lenient, minPassRate: 50 },
    controls: someControls({
      suite: Object.fromEntries(cases(passes(3)).map(({ key }) => [key, { passed: 2, failed: 0 }])),
    }),
  })
}

function scored(): Report {
  const evaluations = (faithfulness: number, tone: number) =>
    Object.entries({ faithfulness, tone }).map(([evaluator, score]) => ({
      status: 'scored' as const,
      evaluator,
      passed: score > 50,
      score,
      checks: [],
      violations: [],
    }))
  const runs = (outcomes: readonly RunOutcome[], faithfulness: number, tone: number) =>
    someRuns(outcomes, {
      evaluations: evaluations(faithfulness, tone),
      score: (faithfulness + tone) / 2,
      output: 'We are open from nine to five, and on Sundays as well.',
    })
  const low = failedOutcome({ name: 'faithfulness', message: 'faithfulness 35 is below 70' })
  return aReport({
    ...adaptive,
    plannedRuns: 6,
    cases: [
      aCaseReport({ ...hours, runs: runs(mixed(1, 14, low), 35, 90) }),
      aCaseReport({ ...greeting, runs: runs(passes(3), 96, 92) }),
    ],
    loaded: known([aCaseReport({ ...hours }), aCaseReport({ ...greeting })], (item) => ({
      runs: item.runs.map((run) => ({ ...run, scores: { faithfulness: 95, tone: 92 } })),
    })),
  })
}

function mixedReport(): Report {
  return aReport({
    ...adaptive,
    plannedRuns: 24,
    cases: [
      greeting,
      refundRuns(0, 15),
      flaky,
      rateLimited,
      timedOut,
      skipped,
      aCaseReport({ ...hours, fingerprint: 'another question' }),
      aCaseReport({ id: 'new-08', ...at(8) }),
      aCaseReport({
        id: 'hotel-01',
        suite: 'tests/booking.jsonl',
        location: { file: 'tests/booking.jsonl', line: 1 },
        runs: someRuns(mixed(0, 3, wrongTool), { output: 'The hotel is cancelled.' }),
      }),
    ],
    loaded: known([
      aCaseReport({ ...greeting, runs: someRuns(mixed(1, 2)) }),
      hours,
      refundBefore,
      flakyBefore,
      rateLimited,
      timedOut,
      aCaseReport({ id: 'gone-09', ...at(9) }),
    ]),
    proposals: [
      {
        key: flaky.key,
        evidence: 'main passed 14 of 21 runs in 7 sessions, and failed in 7 of these',
        until: '2026-03-31',
      },
    ],
    warnings: ['tests/support.jsonl:8: unknown field "asert" (did you mean "assert"?)'],
  })
}
