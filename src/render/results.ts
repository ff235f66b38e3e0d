import {
  type CaseReport,
  caseScore,
  executedCases,
  meanScoreOf,
  overallPassRate,
  totalsOf,
} from '../core/case-report.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { Percent } from '../core/percent.ts'
import type { Report } from '../core/report.ts'
import {
  type Check,
  failureText,
  type LogLine,
  type RunOutcome,
  type RunRecord,
  type RunResult,
  type SkippedOutcome,
} from '../core/result.ts'
import { yaoStability } from '../core/stability.ts'
import type { CaseOptions } from '../core/suite.ts'
import { type SeedEvent, toSeed } from '../core/trace.ts'
import { describeReason, type ExitReason } from '../core/verdict.ts'
import { type ConversationFields, conversationFields } from './conversation.ts'
import { type EvaluationFields, evaluationFields } from './evaluations.ts'
import { distinctReasons } from './verdict-line.ts'

/** Raised when a reader of an earlier version would misread a line or a document. */
export const RESULTS_VERSION = 1

/** Yao's words for how a run ended. */
export type ResultStatus = 'passed' | 'failed' | 'error' | 'timeout' | 'skipped'

/** What results files say of one run. Source: spec yao 5.1 and 5.2. */
export interface ResultFields {
  readonly status: ResultStatus
  readonly duration_ms: number
  /** More than one try was needed. */
  readonly attempts?: number
  readonly output?: Json
  readonly error?: string
  readonly code?: string
  /** Why the run skipped itself. */
  readonly reason?: string
  readonly assertions?: readonly AssertionFields[]
  /** Of a case that asks for evaluations: what they come to, null where none gave a score that counts. */
  readonly score?: Percent | null
  readonly evaluations?: readonly EvaluationFields[]
  /** What scripts wrote. */
  readonly logs?: readonly LogLine[]
  readonly trace?: readonly SeedEvent[]
  /** Of a case that a simulated user talked through. */
  readonly metadata?: ConversationFields
}

interface AssertionFields {
  readonly type: string
  readonly passed: boolean
  readonly message: string
  readonly expected?: Json
  readonly actual?: Json
  /** What else its judge said, such as `reason` and `score`. */
  readonly details?: JsonObject
}

export function resultStatus(run: RunOutcome | SkippedOutcome): ResultStatus {
  if (run.status !== 'errored') return run.status
  return run.code === 'TIMEOUT' ? 'timeout' : 'error'
}

/** Every check of the run, or only those that say why it failed. */
export function resultFields(
  run: RunResult | RunRecord,
  { onlyFailed }: { readonly onlyFailed: boolean },
): ResultFields {
  const checks =
    run.status === 'errored' || run.status === 'skipped'
      ? []
      : run.checks.filter((check) => !(onlyFailed && check.passed))
  return {
    status: resultStatus(run),
    duration_ms: Math.round(run.durationMs),
    ...(run.attempts > 1 ? { attempts: run.attempts } : {}),
    ...(run.output === undefined || run.output === null ? {} : { output: run.output }),
    ...(run.status === 'passed' || run.status === 'skipped' ? {} : { error: failureText(run) }),
    ...(run.status === 'skipped' ? { reason: run.reason } : {}),
    ...(run.status === 'errored' ? { code: run.code } : {}),
    ...(checks.length > 0 ? { assertions: checks.map(assertionFields) } : {}),
    ...(run.score === undefined ? {} : { score: run.score }),
    ...(run.evaluations === undefined ? {} : { evaluations: run.evaluations.map(evaluationFields) }),
    ...(run.logs === undefined ? {} : { logs: run.logs }),
    ...('trace' in run ? { trace: toSeed(run.trace) } : {}),
    ...(run.conversation === undefined ? {} : { metadata: conversationFields(run.conversation) }),
  }
}

function assertionFields({ name, passed, message, expected, actual, details }: Check): AssertionFields {
  return {
    type: name,
    passed,
    message,
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
    ...(details === undefined ? {} : { details }),
  }
}

interface PlanFields {
  /** RFC 3339. */
  readonly startedAt: string
  readonly totalCases: number
  readonly runsPerCase: number
  readonly targets: readonly string[]
  readonly connector?: string
}

/** First line of a results stream. */
export function startLine({ startedAt, totalCases, runsPerCase, targets, connector }: PlanFields) {
  return {
    type: 'start',
    schemaVersion: RESULTS_VERSION,
    timestamp: startedAt,
    agent_id: agentId(targets),
    ...(connector === undefined ? {} : { connector }),
    total_cases: totalCases,
    runs_per_case: runsPerCase,
  }
}

export function agentId(targets: readonly string[]): string {
  return targets.join(', ')
}

interface CaseName {
  readonly suite: string
  readonly id: string
}

/** One run as it ends: `result` where a case is run once, else `run`. */
export function runLine(result: RunResult, { suite, id }: CaseName, runsPerCase: number) {
  const name = runsPerCase > 1 ? { type: 'run', suite, id, run: result.run } : { type: 'result', suite, id }
  return { ...name, ...resultFields(result, { onlyFailed: true }) }
}

export function skippedLine({ suite, id, skip = '' }: CaseName & { readonly skip?: string }) {
  return { type: 'result', suite, id, status: 'skipped', duration_ms: 0, reason: skip }
}

/** One case after its last run. */
export function stabilityLine(item: CaseReport) {
  const { suite, id } = item
  return { type: 'stability', suite, id, ...stabilityFields(item) }
}

export function stabilityFields(item: CaseReport) {
  const { stability, skippedRuns } = item
  const skipped = skippedRuns === 0 ? {} : { skipped: skippedRuns }
  const score = caseScore(item)
  const scored = score === undefined ? {} : { mean_score: score }
  return { ...yaoStability(stability), errors: stability.errored, timeouts: stability.timeouts, ...skipped, ...scored }
}

export function summaryLine(report: Report, exitCode: number) {
  return { type: 'summary', ...summaryFields(report, exitCode) }
}

export interface SummaryFields {
  readonly total: number
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly errors: number
  readonly timeouts: number
  /** Cases that were planned and never executed. */
  readonly not_run: number
  readonly duration_ms: number
  readonly runs_per_case: number
  readonly total_runs: number
  readonly overall_pass_rate: number
  /** Of the runs with a score; absent where there is none. */
  readonly mean_score?: number
  readonly stable_cases: number
  readonly unstable_cases: number
  readonly exit_reason: ExitReason
  readonly exit_code: number
  readonly reasons: readonly string[]
}

export function summaryFields(report: Report, exitCode: number): SummaryFields {
  const totals = totalsOf(report.cases)
  const score = meanScoreOf(totals)
  return {
    total: totals.cases,
    passed: totals.passed,
    failed: totals.failed,
    skipped: totals.skipped,
    errors: totals.errors,
    timeouts: totals.timeouts,
    not_run: totals.notRun,
    duration_ms: Math.round(report.durationMs),
    runs_per_case: report.runsPerCase,
    total_runs: totals.runs,
    overall_pass_rate: overallPassRate(totals),
    ...(score === undefined ? {} : { mean_score: score }),
    stable_cases: totals.passed,
    unstable_cases: executedCases(totals) - totals.passed,
    exit_reason: report.verdict.exitReason,
    exit_code: exitCode,
    reasons: distinctReasons(report.verdict).map(describeReason),
  }
}

/** What a case's record says beside its input; only what is not empty. */
export interface CaseExtras {
  readonly options?: CaseOptions
  readonly metadata?: JsonObject
}
