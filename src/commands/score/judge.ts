import type { EvaluationPlan } from '../../core/evaluation.ts'
import { judgeEvaluations } from '../../core/evaluation-verdict.ts'
import type { Check } from '../../core/result.ts'
import { evaluateTrace, type FindEvaluator } from '../../evaluators/index.ts'
import { differences } from './expected.ts'
import type { Judged } from './line.ts'
import type { Options } from './options.ts'
import type { OpenedTimeline, Subject } from './subject.ts'

interface Judging extends Pick<Options, 'threshold' | 'policy' | 'compat'> {
  readonly find: FindEvaluator
  warn(message: string): void
}

/** Opens the subject, lets every evaluator of its plan say its word, and closes it again. */
export async function judgeSubject(subject: Subject, judging: Judging): Promise<Judged> {
  const opened = await subject.open(judging.warn)
  if (opened.kind === 'skipped') return opened
  try {
    return await judgeTimeline(opened, subject, judging)
  } finally {
    opened.close?.()
  }
}

async function judgeTimeline(
  { trace, metadata, error: runError }: OpenedTimeline,
  { plan: asked, expected }: Subject,
  judging: Judging,
): Promise<Judged> {
  const plan = withGiven(asked, judging)
  const evaluations = await evaluateTrace(trace, plan.evaluators, judging.find)
  const verdict = judgeEvaluations(evaluations, plan, runError === undefined ? {} : { runError })
  const { status, score } = verdict
  const told = { evaluations, score, passed: status === 'passed' }
  return {
    kind: 'judged',
    ...told,
    ...(verdict.status === 'errored' ? { error: verdict.message } : { reasons: reasonsOf(verdict.checks) }),
    ...(expected ? { differences: differences(expected, told) } : {}),
    metadata,
  }
}

/** Violations are told by their evaluators; this is what else failed. */
function reasonsOf(checks: readonly Check[]): string[] {
  return checks.flatMap(({ passed, message }) => (passed ? [] : [message]))
}

/** What the command line says outranks what was asked at the time. */
function withGiven(plan: EvaluationPlan, { threshold, policy, compat }: Judging): EvaluationPlan {
  return {
    ...plan,
    ...(threshold === undefined ? {} : { passThreshold: threshold }),
    ...(policy === undefined ? {} : { passPolicy: policy }),
    ...(compat === undefined ? {} : { compat }),
  }
}
