import { judgeAssertions, type Subject } from '../assertions/index.ts'
import { TargetError, type TargetErrorCode } from '../core/errors.ts'
import type { Evaluation } from '../core/evaluation.ts'
import { type EvaluationVerdict, judgeEvaluations } from '../core/evaluation-verdict.ts'
import type { Means } from '../core/means.ts'
import type { Percent } from '../core/percent.ts'
import type { Check, RunOutcome, SkippedOutcome } from '../core/result.ts'
import { eventsOf, type Trace } from '../core/trace.ts'
import { evaluateTrace, evaluatorsWith } from '../evaluators/index.ts'
import { laterChecks } from './later-checks.ts'

/** What a run comes to, with the evaluations that its case asks for. */
export interface Judgement {
  readonly outcome: RunOutcome | SkippedOutcome
  readonly evaluations?: readonly Evaluation[]
  readonly score?: Percent | null
}

export interface Known {
  /** Checks from before, such as those of checkpoints. */
  readonly checks: readonly Check[]
  /** Why the target could not be run. */
  readonly error?: TargetError | undefined
}

/** By the case's own assertions, what was checked before, and its evaluations; these last also of a run cut short. */
export async function judgeRun(subject: Subject, { checks, error }: Known, means: Means): Promise<Judgement> {
  if (!error) {
    const skipped = skippedBy(subject.trace)
    if (skipped) return { outcome: skipped }
  }
  const asserted = error ? erroredBy(error) : await assertionOutcome(subject, checks, means)
  const { evaluations: plan } = subject.case
  if (!plan) return { outcome: asserted }
  const evaluations = await evaluateTrace(subject.trace, plan.evaluators, evaluatorsWith(means))
  const surroundings =
    asserted.status === 'errored' ? { runError: asserted.message } : { isJudgedElsewhere: asserted.checks.length > 0 }
  const verdict = judgeEvaluations(evaluations, plan, surroundings)
  return { outcome: withEvaluations(asserted, verdict), evaluations, score: verdict.score }
}

/** A failed assertion is proof whatever the evaluators could not say. */
function withEvaluations(asserted: RunOutcome, verdict: EvaluationVerdict): RunOutcome {
  if (asserted.status === 'errored') return asserted
  if (verdict.status === 'errored') {
    return asserted.status === 'failed'
      ? asserted
      : { status: 'errored', code: CODES[verdict.cause], message: verdict.message }
  }
  const isGood = asserted.status === 'passed' && verdict.status === 'passed'
  return { status: isGood ? 'passed' : 'failed', checks: [...asserted.checks, ...verdict.checks] }
}

const CODES: Readonly<Record<Extract<EvaluationVerdict, { status: 'errored' }>['cause'], TargetErrorCode>> = {
  not_run: 'PROVIDER_ERROR',
  evaluator: 'EVALUATOR_FAILED',
  nothing_judged: 'NOT_JUDGED',
}

/** What failed before has failed, whoever cannot be asked now. */
async function assertionOutcome(subject: Subject, before: readonly Check[], means: Means): Promise<RunOutcome> {
  try {
    const later = await laterChecks(subject, means)
    const checks = [...before, ...later, ...(await judgeAssertions(subject, subject.case.assertions, means))]
    return { status: checks.every((check) => check.passed) ? 'passed' : 'failed', checks }
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    return before.every((check) => check.passed) ? erroredBy(error) : { status: 'failed', checks: before }
  }
}

function skippedBy(trace: Trace): SkippedOutcome | undefined {
  const skip = eventsOf(trace, 'skip')[0]
  return skip && { status: 'skipped', reason: skip.reason === '' ? 'skipped itself' : skip.reason }
}

export function erroredBy({ code, message }: TargetError): RunOutcome {
  return { status: 'errored', code, message }
}
