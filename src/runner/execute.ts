import { judgeAssertions } from '../assertions/index.ts'
import { TargetError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { resolveIdentity } from '../core/identity.ts'
import type { Means } from '../core/means.ts'
import { redactDeep } from '../core/redact.ts'
import type { RunOutcome, RunResult } from '../core/result.ts'
import { outputOf, type TraceEvent, usageOf } from '../core/trace.ts'
import { pool } from '../lib/pool.ts'
import type { RunRequest, Target } from '../targets/target.ts'
import { abortError, collectEvents } from './collect-events.ts'
import { interleaved, optionsOf, type Plan, type PlannedRun, timeoutOf } from './plan.ts'

/** Attempts inside one run; more than one only after retryable target errors. */
const MAX_ATTEMPTS = 4
const FIRST_WAIT_MS = 1_000
/** A longer timer would fire at once. Source: Node, setTimeout. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export interface FinishedRun {
  readonly index: number
  readonly planned: PlannedRun
  readonly result: RunResult
}

/**
 * Runs the plan and yields each result as it ends. Leaving the loop, or an abort of the host's signal, starts nothing
 * more and aborts what is running; aborted runs yield no result.
 */
export async function* execute(plan: Plan, host: Host): AsyncGenerator<FinishedRun, void, undefined> {
  // No Set: one that changes all the time leaves its outgrown tables behind, each pointing at the next, and so keeps
  // what was in them until the next full garbage collection.
  const running: AbortController[] = []
  const abortAll = () => {
    for (const controller of running) controller.abort()
  }
  host.signal.addEventListener('abort', abortAll)
  let leaving = false
  const isStopping = () => leaving || host.signal.aborted
  const work = async (planned: PlannedRun): Promise<FinishedRun | undefined> => {
    if (isStopping()) return undefined
    const controller = new AbortController()
    running.push(controller)
    try {
      const result = await runOnce(planned, plan, host, controller)
      const wasAborted = isStopping() && result.status === 'errored'
      return wasAborted ? undefined : { index: planned.index, planned, result }
    } finally {
      running.splice(running.indexOf(controller), 1)
    }
  }
  try {
    for await (const finished of pool(interleaved(plan), plan.parallel, work)) {
      if (finished) yield finished
      if (host.signal.aborted && running.length === 0) return
    }
  } finally {
    leaving = true
    abortAll()
    host.signal.removeEventListener('abort', abortAll)
  }
}

async function runOnce(planned: PlannedRun, plan: Plan, host: Host, controller: AbortController): Promise<RunResult> {
  const { item, target, means, run } = planned
  const startedAt = host.now()
  const limitMs = Math.min(timeoutOf(item, plan), LONGEST_TIMER_MS)
  // A plain timer: a run limit must keep the process alive, which AbortSignal.timeout does not.
  const timer = setTimeout(() => controller.abort(timedOut(limitMs)), limitMs)
  const request: RunRequest = {
    case: item,
    run,
    identity: resolveIdentity({ flags: plan.flags, context: plan.context, case: item }),
    options: optionsOf(item, plan),
    signal: controller.signal,
  }
  try {
    const { events, error, attempts } = await attemptAll(target, request, host, startedAt + limitMs)
    clearTimeout(timer)
    const trace = { events }
    const output = outputOf(trace)
    const usage = usageOf(trace)
    const outcome = error ? erroredBy(error) : await judged({ output, trace, case: item }, means)
    const durationMs = host.now() - startedAt
    const base = { key: item.key, run, attempts, startedAt, durationMs, ...(usage ? { usage } : {}) }
    // After judging, so that an assertion that looks for a leaked key can still see it.
    return redactDeep({ ...base, ...outcome, output, trace }, host.secrets)
  } finally {
    clearTimeout(timer)
  }
}

async function judged(subject: Parameters<typeof judgeAssertions>[0], means: Means | undefined): Promise<RunOutcome> {
  try {
    const checks = await judgeAssertions(subject, subject.case.assertions, means)
    return { status: checks.every((check) => check.passed) ? 'passed' : 'failed', checks }
  } catch (error) {
    if (error instanceof TargetError) return erroredBy(error)
    throw error
  }
}

interface Attempts {
  readonly events: TraceEvent[]
  readonly error?: TargetError
  readonly attempts: number
}

/** Retries live here and nowhere else; an attempt that cannot start before the limit is not waited for. */
async function attemptAll(target: Target, request: RunRequest, host: Host, deadline: number): Promise<Attempts> {
  for (let attempts = 1; ; attempts += 1) {
    const { events, error } = await collectEvents(target, request, host)
    if (!error) return { events, attempts }
    const waitMs = error.retryAfterMs ?? FIRST_WAIT_MS * 2 ** (attempts - 1)
    const isHopeless = !error.retryable || attempts >= MAX_ATTEMPTS || host.now() + waitMs >= deadline
    if (isHopeless || isAborted(request)) return { events, error, attempts }
    await host.sleep(waitMs, request.signal)
    if (isAborted(request)) return { events, error: abortError(request.signal), attempts }
  }
}

function isAborted({ signal }: RunRequest): boolean {
  return signal.aborted
}

function timedOut(limitMs: number): TargetError {
  return new TargetError(`no answer within the time limit of ${limitMs / 1_000}s`, { code: 'TIMEOUT' })
}

function erroredBy({ code, message }: TargetError): RunOutcome {
  return { status: 'errored', code, message }
}
