import type { CaseReport } from '../core/case-report.ts'
import type { Evaluation, Severity } from '../core/evaluation.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { Percent } from '../core/percent.ts'
import type { Check } from '../core/result.ts'

/** What results files say of one evaluation; null is a score that there is not. */
export interface EvaluationFields {
  readonly evaluator: string
  readonly status: Evaluation['status']
  /** Nothing critical was found; absent where the evaluator failed itself. */
  readonly passed?: boolean
  readonly score: Percent | null
  readonly violations: readonly ViolationFields[]
  readonly checks?: readonly CheckFields[]
  readonly informational?: boolean
  readonly facts?: JsonObject
  /** Why it does not apply, or how it failed. */
  readonly reason?: string
}

interface CheckFields {
  readonly name: string
  readonly passed: boolean
  readonly weight: number
  /** Why it failed. */
  readonly message?: string
}

interface ViolationFields {
  readonly type: string
  readonly severity: Severity
  readonly message: string
  readonly timestamp?: number
  readonly evidence?: Json
}

export function evaluationFields(evaluation: Evaluation): EvaluationFields {
  const { evaluator, status } = evaluation
  switch (evaluation.status) {
    case 'scored': {
      const { passed, score, violations, checks, informational, facts } = evaluation
      return {
        evaluator,
        status,
        passed,
        score,
        violations: violations.map(violationFields),
        ...(checks.length === 0 ? {} : { checks: checks.map(checkFields) }),
        ...(informational === true ? { informational } : {}),
        ...(facts === undefined ? {} : { facts }),
      }
    }
    case 'not_applicable': {
      const { reason, facts } = evaluation
      return { evaluator, status, passed: true, score: null, violations: [], reason, ...(facts ? { facts } : {}) }
    }
    case 'errored':
      return { evaluator, status, score: null, violations: [], reason: evaluation.message }
  }
}

/** Evaluators whose mean over a case's runs is below 100, worst first. */
export function lowScores({
  runs,
}: Pick<CaseReport, 'runs'>): { readonly evaluator: string; readonly score: Percent }[] {
  const sums = new Map<string, { total: number; count: number }>()
  for (const evaluation of runs.flatMap(({ evaluations = [] }) => evaluations)) {
    if (evaluation.status !== 'scored' || evaluation.informational) continue
    const { total, count } = sums.get(evaluation.evaluator) ?? { total: 0, count: 0 }
    sums.set(evaluation.evaluator, { total: total + evaluation.score, count: count + 1 })
  }
  return [...sums]
    .map(([evaluator, { total, count }]) => ({ evaluator, score: total / count }))
    .filter(({ score }) => score < 100)
    .sort((left, right) => left.score - right.score)
}

function checkFields({ name, passed, weight, message }: Check): CheckFields {
  return { name, passed, weight, ...(message === '' ? {} : { message }) }
}

function violationFields({ type, severity, message, timestamp, evidence }: ViolationFields): ViolationFields {
  return {
    type,
    severity,
    message,
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(evidence === undefined ? {} : { evidence }),
  }
}
