import { failureText, type RunResult } from '../core/result.ts'
import type { EndedRun } from './plan.ts'

/** A run as functions that run afterwards are told of it. Source: spec yao 10.2. */
export function endedRun(result: RunResult, id: string): EndedRun {
  const { output } = result
  return {
    id,
    status: statusOf(result),
    duration_ms: Math.round(result.durationMs),
    ...(output === null ? {} : { output }),
    ...(result.status === 'passed' || result.status === 'skipped' ? {} : { error: failureText(result) }),
  }
}

function statusOf(result: RunResult): string {
  if (result.status !== 'errored') return result.status
  return result.code === 'TIMEOUT' ? 'timeout' : 'error'
}
