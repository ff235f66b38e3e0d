import type { ConversationRecord } from './conversation.ts'
import type { TargetErrorCode } from './errors.ts'
import type { Evaluation } from './evaluation.ts'
import type { Json, JsonObject } from './json.ts'
import type { Percent } from './percent.ts'
import type { Step } from './step.ts'
import { eventsOf, type Trace, type Usage } from './trace.ts'

/** The atom of judgement: one thing that held or did not. */
export interface Check {
  /** What was looked at, such as the assertion's type. */
  readonly name: string
  readonly passed: boolean
  readonly weight: number
  /** Why it failed; empty when it passed. */
  readonly message: string
  readonly expected?: Json
  readonly actual?: Json
  /** What else its judge said, such as the reason of a pass. */
  readonly details?: JsonObject
}

/** How one run ended. An errored run says nothing about the agent: never a pass, never a fail. */
export type RunOutcome =
  | { readonly status: 'passed' | 'failed'; readonly checks: readonly Check[] }
  | { readonly status: 'errored'; readonly code: TargetErrorCode; readonly message: string }

/** A test that decided while it ran that it is none: it says nothing, neither good nor bad. */
export interface SkippedOutcome {
  readonly status: 'skipped'
  readonly reason: string
}

/** What a script wrote while it ran. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly text: string
}

interface RunBase {
  readonly key: string
  /** From 1. */
  readonly run: number
  /** Tries inside this run; more than 1 only after retryable target errors. */
  readonly attempts: number
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly durationMs: number
  readonly usage?: Usage
  /** Model that answered, several in their order joined by ", "; absent where the target does not know. */
  readonly answeredModel?: string
  /** Rounds of the agent, where the target tells them apart: its model's answers. */
  readonly turns?: number
  /** Tool calls in order, the first 200; a report keeps them of failed runs and of one passed run of a case. */
  readonly steps?: readonly Step[]
  /** Of a case that a simulated user talks through. */
  readonly conversation?: ConversationRecord
  /** Of the scripts that ran; only what has a place in a report. */
  readonly logs?: readonly LogLine[]
  /** Of a case that asks for some. */
  readonly evaluations?: readonly Evaluation[]
  /** What they come to; null where none gave a score that counts. */
  readonly score?: Percent | null
}

/** One execution of one case, whole: streamed to the reporters and then forgotten. */
export type RunResult = RunBase &
  (RunOutcome | SkippedOutcome) & { readonly output: Json; readonly trace: Trace; readonly sideUsage?: SideUsage }

/** What a run used beside the agent's own `usage`: judges, the simulated user, and tries that were begun again. */
export interface SideUsage extends Usage {
  /** Answers of which not even the tokens are known. */
  readonly unmetered: number
}

/** `first`: every case has as many of these; `rerun`: of cases that were looked at more closely. */
export type RunStage = 'first' | 'rerun'

/** The stage of a run by its number: a repeated workflow attempt keeps the numbers. */
export function stageOf({ run }: { readonly run: number }, runsPerCase: number): RunStage {
  return run <= runsPerCase ? 'first' : 'rerun'
}

/** A run that counts. */
export type JudgedResult = Exclude<RunResult, SkippedOutcome>

/** What stays in memory of a run until the end: small for a pass, with the evidence for everything else. */
export type RunRecord = RunBase & RunOutcome & { readonly output?: Json }

/** Drops what the report does not need: traces, and of a pass all that was said and checked. */
export function toRecord(result: JudgedResult): RunRecord {
  const { trace: _trace, sideUsage: _side, ...record } = result
  if (record.status !== 'passed') return record
  const { output: _output, conversation: _conversation, evaluations, ...passed } = record
  return { ...passed, checks: [], ...(evaluations ? { evaluations: evaluations.map(withoutEvidence) } : {}) }
}

/** Scores and what was found, without what it was found in. */
function withoutEvidence(evaluation: Evaluation): Evaluation {
  if (evaluation.status !== 'scored') return evaluation
  const { facts: _facts, violations, ...scored } = evaluation
  const found = violations.map(({ evidence: _evidence, ...violation }) => violation)
  return { ...scored, checks: [], violations: found }
}

/** The checks that the target itself made, such as those of a script test, or that a hook of the agent failed. */
export function madeChecks(trace: Trace): Check[] {
  const decided = eventsOf(trace, 'check').filter(({ decidedBy }) => decidedBy === undefined)
  return decided.map(({ name, passed, message, expected, actual, details }) => ({
    name,
    passed,
    weight: 1,
    message,
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
    ...(details === undefined ? {} : { details }),
  }))
}

/** What scripts wrote, the last of it where it is too much for a report; undefined when they wrote nothing. */
export function logsOf(trace: Trace): readonly LogLine[] | undefined {
  const all = eventsOf(trace, 'log')
  if (all.length === 0) return undefined
  const kept: LogLine[] = []
  let room = MAX_LOG_LENGTH
  for (const { level, text } of all.toReversed()) {
    room -= text.length
    if (room < 0 && kept.length > 0) break
    kept.unshift({ level, text: text.length > MAX_LOG_LENGTH ? `${text.slice(0, MAX_LOG_LENGTH)}…` : text })
  }
  const lost = all.length - kept.length
  if (lost > 0) kept.unshift({ level: 'info', text: `(${lost} earlier lines are left out)` })
  return kept
}

/** Characters of logs that a report keeps of one run. */
const MAX_LOG_LENGTH = 8_000

/** Why a run did not pass: of a failed one every failed check, joined as Yao joins them. */
export function failureText(run: RunOutcome | SkippedOutcome): string {
  if (run.status === 'skipped') return run.reason
  if (run.status === 'errored') return run.message
  return run.checks.flatMap((check) => (check.passed ? [] : [check.message])).join('; ')
}

/** Rate of passed among the runs that could be judged. */
export interface JudgedRate {
  readonly passed: number
  readonly judged: number
}

/** Multiplied before it is divided: 57 of 100 is exactly 57 and meets a threshold of 57. */
export function ratePercent({ passed, judged }: JudgedRate): Percent {
  return (passed * 100) / judged
}
