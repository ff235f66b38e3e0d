import type { EvaluationPlan } from '../core/evaluation.ts'
import type { Host } from '../core/host.ts'
import type { Means } from '../core/means.ts'
import type { Check } from '../core/result.ts'
import type { TraceEvent } from '../core/trace.ts'
import {
  type CriticalViolation,
  criticalEvaluators,
  criticalViolations,
  evaluateTrace,
  evaluatorsWith,
} from '../evaluators/index.ts'
import type { Plan, PlannedRun } from './plan.ts'

/** Judges a run while its events arrive. */
export interface Watch {
  /** Aborted at the first critical violation, where that is to end the run. */
  readonly signal: AbortSignal
  event(event: TraceEvent): void
  /** What came so far counts no more: the target is tried again. */
  restart(): void
  /** What ended the run. */
  stoppedBy(): CriticalViolation | undefined
  close(): void
}

interface Watching {
  readonly plan: EvaluationPlan
  readonly means: Pick<Means, 'plugin'>
  readonly host: Pick<Host, 'now' | 'sleep'>
  /** Whether a critical violation ends the run. */
  readonly stops: boolean
  /** Told of each kind of critical violation once. */
  tell?(found: CriticalViolation): void
}

/** The trace is judged anew each time, so a judgement is paid for with this many times its own duration of rest. */
const REST = 20
const SHORTEST_REST_MS = 20

/** What an evaluator may think of; the rest is figures. */
const TELLING = new Set<TraceEvent['type']>([
  'user_message',
  'assistant_message',
  'tool_call',
  'patch',
  'approval_response',
])

/**
 * Evaluators are pure functions of the whole trace. They are asked again as it grows, at most a twentieth of the time
 * that passes, so that all of it costs in proportion to the length of the run.
 */
export function openWatch({ plan, means, host, stops, tell }: Watching): Watch {
  const stop = new AbortController()
  const closed = new AbortController()
  const { plugin } = means
  const find = evaluatorsWith(plugin ? { plugin: (called) => plugin(called, closed.signal) } : {})
  const configs = criticalEvaluators(plan.evaluators)
  const told = new Set<string>()
  let events: TraceEvent[] = []
  let judgedLength = 0
  let restUntil = 0
  let isBusy = false
  let isResting = false
  let stoppedBy: CriticalViolation | undefined

  const judge = async (): Promise<void> => {
    isBusy = true
    const startedAt = host.now()
    const judged = events
    judgedLength = judged.length
    const evaluations = await evaluateTrace({ events: judged.slice() }, configs, find)
    isBusy = false
    restUntil = host.now() + Math.max(SHORTEST_REST_MS, REST * (host.now() - startedAt))
    if (closed.signal.aborted) return
    // Otherwise another attempt has begun meanwhile.
    if (judged === events) for (const found of criticalViolations(evaluations, plan)) notice(found)
    judgeWhenDue()
  }
  const notice = (found: CriticalViolation): void => {
    const kind = `${found.evaluator} ${found.violation.type}`
    if (told.has(kind)) return
    told.add(kind)
    tell?.(found)
    if (!stops || stoppedBy) return
    stoppedBy = found
    stop.abort()
  }
  const judgeWhenDue = (): void => {
    if (isBusy || isResting || closed.signal.aborted || stoppedBy || events.length === judgedLength) return
    const restMs = restUntil - host.now()
    if (restMs > 0) void rest(restMs)
    else void judge()
  }
  const rest = async (ms: number): Promise<void> => {
    isResting = true
    await host.sleep(ms, closed.signal)
    isResting = false
    judgeWhenDue()
  }
  return {
    signal: stop.signal,
    event(event) {
      events.push(event)
      if (TELLING.has(event.type)) judgeWhenDue()
      else if (judgedLength === events.length - 1) judgedLength = events.length
    },
    restart() {
      events = []
      judgedLength = 0
    },
    stoppedBy: () => stoppedBy,
    close: () => closed.abort(),
  }
}

/** The watch of a run whose evaluations are looked at before its end. */
export function watchOf({ item, means = {}, ...planned }: PlannedRun, plan: Plan, host: Host): Watch | undefined {
  const { evaluations, conversation } = item
  const { onCritical } = plan
  const stops = plan.stopOnCritical ?? evaluations?.stopOnCritical ?? false
  // Turns with a simulated user are traces of their own.
  if (!evaluations || conversation || !(stops || onCritical)) return undefined
  const tell = onCritical && ((found: CriticalViolation) => onCritical(found, { ...planned, item }))
  return openWatch({ plan: evaluations, means, host, stops, ...(tell ? { tell } : {}) })
}

/** That a run was ended: failed, even where nothing of it would be held against the agent. */
export function stopCheck(found: CriticalViolation | undefined): Check[] {
  if (!found) return []
  const message = `the run was ended at a critical violation: ${found.evaluator}: ${found.violation.type}`
  return [{ name: 'stop-on-critical', passed: false, weight: 1, message }]
}
