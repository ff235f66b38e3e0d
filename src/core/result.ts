import type { TargetErrorCode } from './errors.ts'
import type { Json } from './json.ts'
import type { Percent } from './percent.ts'
import type { Trace, Usage } from './trace.ts'

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
}

/** How one run ended. An errored run says nothing about the agent: never a pass, never a fail. */
export type RunOutcome =
  | { readonly status: 'passed' | 'failed'; readonly checks: readonly Check[] }
  | { readonly status: 'errored'; readonly code: TargetErrorCode; readonly message: string }

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
}

/** One execution of one case, whole: streamed to the reporters and then forgotten. */
export type RunResult = RunBase & RunOutcome & { readonly output: Json; readonly trace: Trace }

/** What stays in memory of a run until the end: small for a pass, with the evidence for everything else. */
export type RunRecord = RunBase & RunOutcome & { readonly output?: Json }

/** Drops what the report does not need: traces, and of a pass all that was said and checked. */
export function toRecord(result: RunResult): RunRecord {
  const { trace: _trace, ...record } = result
  if (record.status !== 'passed') return record
  const { output: _output, ...passed } = record
  return { ...passed, checks: [] }
}

/** The generated failure text of a run: every failed check, joined as Yao joins them. */
export function failureText(run: RunOutcome): string {
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
