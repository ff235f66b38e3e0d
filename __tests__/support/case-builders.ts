import type { CaseReport } from '../../src/core/case-report.ts'
import type { TargetErrorCode } from '../../src/core/errors.ts'
import {
  type Check,
  type JudgedResult,
  type RunOutcome,
  type RunRecord,
  type RunResult,
  toRecord,
} from '../../src/core/result.ts'
import { measure } from '../../src/core/stability.ts'
import { type Case, caseKey } from '../../src/core/suite.ts'

export const SUITE = 'tests/support.jsonl'
export const STARTED_AT = Date.parse('2026-03-01T10:00:00.000Z')

/** A loaded case; the key follows suite and id. */
export function aCase(overrides: Partial<Case> = {}): Case {
  const { suite = SUITE, id = 'greet-01', input = 'Say hello' } = overrides
  return {
    key: caseKey(suite, id),
    id,
    suite,
    location: { file: suite, line: 1 },
    input,
    messages: [{ role: 'user', content: typeof input === 'string' ? input : JSON.stringify(input) }],
    assertions: [{ type: 'contains', value: 'Hello' }],
    options: {},
    metadata: {},
    fingerprint: `fingerprint of ${id}`,
    ...overrides,
  }
}

export const passedOutcome: RunOutcome = { status: 'passed', checks: [] }

/** A failed run whose checks are given as messages or in full. */
export function failedOutcome(...checks: readonly (string | Partial<Check>)[]): RunOutcome {
  const given = checks.length === 0 ? ['expected output to contain "Hello"'] : checks
  return {
    status: 'failed',
    checks: given.map((check) => aCheck(typeof check === 'string' ? { message: check } : check)),
  }
}

export function erroredOutcome(
  code: TargetErrorCode = 'PROVIDER_ERROR',
  message = 'the model answered 500',
): RunOutcome {
  return { status: 'errored', code, message }
}

function aCheck(overrides: Partial<Check>): Check {
  return { name: 'contains', passed: false, weight: 1, message: 'did not hold', ...overrides }
}

/** Everything of a run but how it ended. */
type RunParts = Partial<Omit<Extract<RunResult, { status: 'errored' }>, 'status' | 'code' | 'message'>>

/** One run of the default case, passed unless another outcome is given. */
export function aRun(parts: RunParts = {}, outcome: RunOutcome = passedOutcome): JudgedResult {
  return {
    key: caseKey(SUITE, 'greet-01'),
    run: 1,
    attempts: 1,
    startedAt: STARTED_AT,
    durationMs: 800,
    output: 'Hello there',
    trace: { events: [{ timestamp: STARTED_AT, type: 'assistant_message', text: 'Hello there' }] },
    ...parts,
    ...outcome,
  }
}

/** Run records of one case, numbered from 1, one per outcome. */
export function someRuns(outcomes: readonly RunOutcome[], parts: RunParts = {}): RunRecord[] {
  return outcomes.map((outcome, index) => toRecord(aRun({ run: index + 1, ...parts }, outcome)))
}

/** `passes(3)` and `mixed(2, 1)` spell the usual lists of outcomes. */
export function mixed(passed: number, failed: number, failure: RunOutcome = failedOutcome()): RunOutcome[] {
  return [...Array.from({ length: passed }, () => passedOutcome), ...Array.from({ length: failed }, () => failure)]
}

export function passes(count: number): RunOutcome[] {
  return mixed(count, 0)
}

/** A case with its runs; stability is measured from them. Three passed runs unless told otherwise. */
export function aCaseReport(overrides: Partial<CaseReport> = {}): CaseReport {
  const { suite = SUITE, id = 'greet-01', skip } = overrides
  const key = caseKey(suite, id)
  const runs = (overrides.runs ?? (skip === undefined ? someRuns(passes(3)) : [])).map((run) => ({ ...run, key }))
  return {
    key,
    id,
    suite,
    location: { file: suite, line: 1 },
    fingerprint: `fingerprint of ${id}`,
    target: 'yao:support-bot',
    input: 'Say hello',
    summary: 'Say hello',
    skippedRuns: 0,
    ...overrides,
    stability: overrides.runs === undefined && overrides.stability ? overrides.stability : measure(runs),
    runs,
  }
}
