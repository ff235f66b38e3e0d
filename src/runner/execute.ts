import type { ConversationRecord } from '../core/conversation.ts'
import { TargetError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { resolveIdentity } from '../core/identity.ts'
import type { Json } from '../core/json.ts'
import { redactDeep } from '../core/redact.ts'
import { type Check, logsOf, madeChecks, type RunResult } from '../core/result.ts'
import { outputOf, type TraceEvent } from '../core/trace.ts'
import { pool } from '../lib/pool.ts'
import type { RunRequest } from '../targets/target.ts'
import { meansOf, patientMeans } from './asking.ts'
import { attemptAll, type Patience } from './attempts.ts'
import { collectEvents } from './collect-events.ts'
import { converse } from './conversation.ts'
import { endedRun } from './ended-run.ts'
import { erroredBy, judgeRun } from './judging.ts'
import { createMeter } from './meter.ts'
import { learnedBy, optionsOf, type Plan, type PlannedRun, timeoutOf } from './plan.ts'
import { factsOf } from './run-facts.ts'
import { stopCheck, type Watch, watchOf } from './watch.ts'

/** A longer timer would fire at once. Source: Node, setTimeout. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export interface FinishedRun {
  readonly index: number
  readonly planned: PlannedRun
  readonly result: RunResult
}

interface ExecuteOptions {
  /** Asked before each run is started: once it says yes nothing more is, while what is running ends and counts. */
  readonly isStopped?: () => boolean
}

/**
 * Executes runs of the plan and yields each result as it ends. Leaving the loop, or an abort of the host's signal,
 * starts nothing more and aborts what is running; aborted runs yield no result.
 */
export async function* execute(
  runs: Iterable<PlannedRun>,
  plan: Plan,
  host: Host,
  { isStopped = () => false }: ExecuteOptions = {},
): AsyncGenerator<FinishedRun, void, undefined> {
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
    for await (const finished of pool(until(isStopped, runs), plan.parallel, work)) {
      if (finished) yield finished
      if (host.signal.aborted && running.length === 0) return
    }
  } finally {
    leaving = true
    abortAll()
    host.signal.removeEventListener('abort', abortAll)
  }
}

/** Asked only where there is something left to start. */
function* until(isStopped: () => boolean, runs: Iterable<PlannedRun>): Generator<PlannedRun, void, undefined> {
  for (const run of runs) {
    if (isStopped()) return
    yield run
  }
}

/** The run, with what its author wants before and after it. Neither counts towards its time. */
async function runOnce(planned: PlannedRun, plan: Plan, host: Host, controller: AbortController): Promise<RunResult> {
  const { item, run, around = {} } = planned
  const { signal } = controller
  const startedAt = host.now()
  let prepared: Json = null
  try {
    prepared = (await around.before?.(signal)) ?? null
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    const spent = { attempts: 1, startedAt, durationMs: host.now() - startedAt }
    const failed = { key: item.key, run, ...spent, ...erroredBy(error), output: null, trace: { events: [] } }
    return redactDeep(failed, host.secrets)
  }
  const result = await runTarget(planned, plan, host, controller)
  try {
    // Not with the run's signal: it may be over because that was aborted.
    await around.after?.(endedRun(result, item.id), prepared, host.signal)
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    host.log.warn(`${item.key}: ${error.message}`)
  }
  return result
}

async function runTarget(planned: PlannedRun, plan: Plan, host: Host, controller: AbortController): Promise<RunResult> {
  const { item, run } = planned
  const meter = createMeter(plan.prices)
  const means = meter.metered(meansOf(planned.means, { case: item, run }))
  const startedAt = host.now()
  const limitMs = Math.min(timeoutOf(item, plan), LONGEST_TIMER_MS)
  const watch = watchOf({ ...planned, means }, plan, host)
  // A plain timer: a run limit must keep the process alive, which AbortSignal.timeout does not.
  const expire = () => controller.abort(timedOut(limitMs))
  let timer = setTimeout(expire, limitMs)
  const request = requestOf(planned, plan, controller.signal)
  try {
    const patience = { host, signal: controller.signal, deadline: startedAt + limitMs }
    const { events, output, error, attempts, checks, conversation } = await answered({ ...planned, means }, request, {
      patience,
      watch,
      lose: (lost) => meter.lose(lost),
    })
    clearTimeout(timer)
    watch?.close()
    const trace = { events }
    const durationMs = host.now() - startedAt
    // The limit is the agent's own: those who judge it get as much time again.
    if (means.ask) timer = setTimeout(expire, limitMs)
    const judges = patientMeans(means, { ...patience, deadline: host.now() + limitMs })
    const logs = logsOf(trace)
    const { outcome, ...evaluated } = await judgeRun({ output, trace, case: item }, { checks, error }, judges)
    const sideUsage = meter.total()
    const base = {
      key: item.key,
      run,
      attempts,
      startedAt,
      durationMs,
      ...(conversation ? { conversation } : {}),
      ...(logs ? { logs } : {}),
      ...(sideUsage ? { sideUsage } : {}),
    }
    // After judging, so that an assertion that looks for a leaked key can still see it.
    const result = redactDeep({ ...base, ...evaluated, ...outcome, output, trace }, host.secrets)
    return { ...result, ...factsOf(result.trace, plan.prices) }
  } finally {
    clearTimeout(timer)
    watch?.close()
  }
}

function requestOf({ item, run }: PlannedRun, plan: Plan, signal: AbortSignal): RunRequest {
  return {
    case: item,
    run,
    identity: resolveIdentity({ flags: plan.flags, context: plan.context, case: item }),
    options: optionsOf(item, plan),
    ...learnedBy(item, plan),
    signal,
  }
}

/** What was said in a run, and what is known of it before the case's own assertions. */
interface Answered {
  readonly events: readonly TraceEvent[]
  readonly output: Json
  readonly error?: TargetError
  readonly attempts: number
  readonly checks: readonly Check[]
  readonly conversation?: ConversationRecord
}

interface Surroundings {
  readonly patience: Patience
  readonly watch: Watch | undefined
  /** Told what a try said that is begun again. */
  readonly lose: (events: readonly TraceEvent[]) => void
}

async function answered(
  planned: PlannedRun,
  request: RunRequest,
  { patience, watch, lose }: Surroundings,
): Promise<Answered> {
  const { item, target, means = {} } = planned
  if (item.conversation) {
    const { record, ...said } = await converse(request, item.conversation, { target, means, patience, lose })
    return { ...said, output: record.turns.at(-1)?.output ?? null, conversation: record }
  }
  const attempt = () => {
    watch?.restart()
    return collectEvents(target, request, patience.host, watch)
  }
  const { last, error, attempts } = await attemptAll(attempt, patience, (lost) => lose(lost.events))
  const { events } = last
  const trace = { events }
  const checks = [...stopCheck(watch?.stoppedBy()), ...madeChecks(trace)]
  return { events, output: outputOf(trace), attempts, checks, ...(error ? { error } : {}) }
}

function timedOut(limitMs: number): TargetError {
  return new TargetError(`no answer within the time limit of ${limitMs / 1_000}s`, { code: 'TIMEOUT' })
}
