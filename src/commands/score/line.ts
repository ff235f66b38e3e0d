import type { Evaluation, Severity } from '../../core/evaluation.ts'
import { wholeScore } from '../../core/percent.ts'
import type { OpenedTimeline, Subject } from './subject.ts'

/** What became of one thing to judge. */
export type Judged =
  | {
      readonly kind: 'judged'
      readonly evaluations: readonly Evaluation[]
      /** Null where no evaluator gave one that counts. */
      readonly score: number | null
      readonly passed: boolean
      /** Why it did not pass, in words. */
      readonly reasons?: readonly string[]
      /** Why nothing can be said of the agent: then it has neither passed nor failed. */
      readonly error?: string
      /** How it differs from what is expected of it, where something is. */
      readonly differences?: readonly string[]
      readonly metadata: OpenedTimeline['metadata']
    }
  | { readonly kind: 'skipped'; readonly reason: string }

interface EvaluationFields {
  readonly evaluator: string
  readonly status: Evaluation['status']
  readonly passed: boolean
  readonly score: number | null
  readonly violations: readonly { readonly type: string; readonly severity: Severity; readonly message: string }[]
  /** Why it does not apply, or how it failed. */
  readonly reason?: string
  readonly informational?: boolean
}

/** One line of the output file. The names are promised; more may be added. */
export function lineOf({ id, suite, run }: Subject, judged: Judged) {
  const name = { id, ...(suite === undefined ? {} : { suite }), ...(run === undefined ? {} : { run }) }
  if (judged.kind === 'skipped')
    return { ...name, skipped: judged.reason, evaluations: [], overall: { score: null, passed: false } }
  const { evaluations, score, passed, error, differences, metadata, reasons = [] } = judged
  return {
    ...name,
    evaluations: evaluations.map(evaluationFields),
    overall: { score: score === null ? null : wholeScore(score), passed },
    ...(reasons.length === 0 ? {} : { reasons }),
    ...(error === undefined ? {} : { error }),
    ...(differences === undefined ? {} : { as_expected: differences.length === 0, differences }),
    ...(metadata.skipped === 0 && metadata.partial.length === 0 ? {} : { metadata }),
  }
}

/** What does not apply found nothing wrong; what failed has not passed. Neither has a score. */
function evaluationFields(evaluation: Evaluation): EvaluationFields {
  const { evaluator, status } = evaluation
  switch (evaluation.status) {
    case 'scored': {
      const { passed, score, violations, informational } = evaluation
      const told = violations.map(({ type, severity, message }) => ({ type, severity, message }))
      return {
        evaluator,
        status,
        passed,
        score: wholeScore(score),
        violations: told,
        ...(informational ? { informational } : {}),
      }
    }
    case 'not_applicable':
      return { evaluator, status, passed: true, score: null, violations: [], reason: evaluation.reason }
    case 'errored':
      return { evaluator, status, passed: false, score: null, violations: [], reason: evaluation.message }
  }
}
