import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { casePassRate, overallPassRate, totalsOf } from '../../src/core/case-report.ts'
import type { Json } from '../../src/core/json.ts'
import type { RunOutcome } from '../../src/core/result.ts'
import { classify, measure, yaoStability } from '../../src/core/stability.ts'
import { outputOf, type TraceEvent } from '../../src/core/trace.ts'
import { exitCodeOf, judge } from '../../src/core/verdict.ts'
import {
  aCaseReport,
  aGate,
  anEvidence,
  erroredOutcome,
  failedOutcome,
  mixed,
  passedOutcome,
  someRuns,
} from '../support/builders.ts'

function tableOf<Row>(name: string): Row[] {
  const table = new URL(`../fixtures/conformance/${name}`, import.meta.url)
  return readFileSync(table, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)
}

interface OutputRow {
  readonly id: string
  readonly note: string
  readonly completion: Json
  readonly next: Json
  readonly tools?: readonly { readonly tool: string; readonly result: Json }[]
  readonly output: Json
}

/** The run of an assistant: its tools, what the model said, and what its Next hook made of it. */
function eventsOfRow({ completion, next, tools = [] }: OutputRow): TraceEvent[] {
  const said: TraceEvent[] =
    typeof completion === 'string'
      ? [{ timestamp: 2, type: 'assistant_message', text: completion }]
      : [{ timestamp: 2, type: 'output', value: completion }]
  return [
    ...tools.map(({ tool, result }): TraceEvent => ({ timestamp: 1, type: 'tool_call', tool, parameters: {}, result })),
    ...said,
    { timestamp: 3, type: 'output', value: next },
  ]
}

const outputs = tableOf<OutputRow>('yao-output-cases.jsonl')

test.each(outputs)('output $id: $note', (row) => {
  expect(outputOf({ events: eventsOfRow(row) })).toEqual(row.output)
})

interface CaseRow {
  readonly id: string
  readonly note: string
  readonly level: 'case'
  readonly runs: readonly { readonly status: 'passed' | 'failed' | 'error'; readonly ms: number }[]
  readonly expect: Record<string, Json>
}

interface ReportRow {
  readonly id: string
  readonly note: string
  readonly level: 'report'
  readonly case_pass_rates?: readonly number[]
  readonly case_statuses?: readonly string[]
  readonly runs_per_case: number
  readonly total: number
  readonly skipped: number
  readonly expect: Record<string, number>
  readonly ours?: Record<string, number>
}

const stability = tableOf<CaseRow | ReportRow>('yao-stability-cases.jsonl')
const OUTCOMES: Record<CaseRow['runs'][number]['status'], RunOutcome> = {
  passed: passedOutcome,
  failed: failedOutcome(),
  error: erroredOutcome(),
}

test('the tables are whole', () => {
  expect([outputs.length, stability.length]).toEqual([10, 17])
})

test.each(stability.filter((row) => row.level === 'case'))('stability $id: $note', ({ runs, expect: expected }) => {
  const records = runs.flatMap(({ status, ms }) => someRuns([OUTCOMES[status]], { durationMs: ms }))
  expect(yaoStability(measure(records))).toEqual(expected)
})

/** Cases with the row's rates; then the skipped ones, then those that fail-fast never reached. */
function casesOf(row: ReportRow) {
  const executed = (
    row.case_pass_rates ??
    row.case_statuses?.map((status) => (status === 'passed' ? 100 : 0)) ??
    []
  ).map((rate, index) => {
    const passed = (rate * row.runs_per_case) / 100
    return aCaseReport({ id: `case-${index}`, runs: someRuns(mixed(passed, row.runs_per_case - passed)) })
  })
  const rest = Array.from({ length: row.total - executed.length }, (_, index) =>
    aCaseReport({ id: `rest-${index}`, runs: [], ...(index < row.skipped ? { skip: 'not today' } : {}) }),
  )
  return [...executed, ...rest]
}

test.each(stability.filter((row) => row.level === 'report'))('report $id: $note', (row) => {
  const cases = casesOf(row)
  const totals = totalsOf(cases)
  const stable = cases.filter((item) => item.runs.length > 0 && classify(item.stability.passRate) === 'stable').length
  const evidence = anEvidence(cases, { plannedRuns: totals.runs })
  const measured: Record<string, number> = {
    total_runs: totals.runs,
    passed: totals.passed,
    failed: totals.failed,
    skipped: totals.skipped,
    stable_cases: stable,
    unstable_cases: totals.cases - totals.skipped - totals.notRun - stable,
    overall_pass_rate: overallPassRate(totals),
    console_pass_rate: casePassRate(totals),
    exit_code: exitCodeOf(judge(evidence, aGate).exitReason, 'seed'),
  }
  // `ours` is where agent-test differs on purpose: skipped cases weigh nothing, and nothing executed is not green.
  expect(measured).toMatchObject({ ...row.expect, ...row.ours })
})
