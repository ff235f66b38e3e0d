import type { Evaluation, EvaluationPlan, ScoredEvaluation, Violation, ViolationExpectation } from './evaluation.ts'
import type { JsonObject } from './json.ts'
import { formatScore, type Percent } from './percent.ts'
import type { Check } from './result.ts'

/** What the evaluations of one run come to. */
export type EvaluationVerdict = {
  /** Null where no evaluator gave a score that counts. */
  readonly score: Percent | null
} & (
  | { readonly status: 'passed' | 'failed'; readonly checks: readonly Check[] }
  | {
      readonly status: 'errored'
      readonly cause: 'not_run' | 'evaluator' | 'nothing_judged'
      readonly message: string
      readonly checks: readonly Check[]
    }
)

export interface Surroundings {
  /** Why the run itself could not be done. */
  readonly runError?: string
  /** Something beside the evaluations is judged, such as an assertion. */
  readonly isJudgedElsewhere?: boolean
}

/**
 * A run passes when its mean score is high enough and, under `conjunction`, nothing critical was found but what may or
 * must be, and all that must be was found. Proven failure outranks an evaluator's own; that outranks the score, which
 * lacks its word. Source: spec opencode-evals E.
 */
export function judgeEvaluations(
  evaluations: readonly Evaluation[],
  plan: EvaluationPlan,
  { runError, isJudgedElsewhere = false }: Surroundings = {},
): EvaluationVerdict {
  const score = overallScore(evaluations, plan)
  const errored = (cause: 'not_run' | 'evaluator' | 'nothing_judged', message: string): EvaluationVerdict => ({
    status: 'errored',
    cause,
    message,
    score: cause === 'not_run' ? null : score,
    checks: [],
  })
  if (runError !== undefined) return errored('not_run', runError)
  const proofs = plan.passPolicy === 'threshold' ? [] : conjunctionChecks(evaluations, plan)
  const failed = proofs.some(({ passed }) => !passed)
  const broken = evaluations.filter((evaluation) => evaluation.status === 'errored')
  if (!failed && broken.length > 0) {
    const texts = broken.map(({ evaluator, message }) => `the evaluator ${evaluator} failed itself: ${message}`)
    return errored('evaluator', texts.join('; '))
  }
  const isJudged = isJudgedElsewhere || proofs.length > 0 || score !== null
  if (!isJudged) return errored('nothing_judged', nothingJudged(evaluations))
  const checks = [...proofs, ...thresholdCheck(score, plan)]
  return { status: checks.every(({ passed }) => passed) ? 'passed' : 'failed', score, checks }
}

function nothingJudged(evaluations: readonly Evaluation[]): string {
  if (evaluations.length === 0) return 'nothing was judged: no evaluator ran, and nothing else is asked of the run'
  const names = evaluations.map(({ evaluator }) => evaluator).join(', ')
  return `nothing was judged: none of the evaluators applies to this run (${names}), and nothing else is asked of it`
}

/** The deprecated `expected.pass: false` asks for a bad run, so a bad score is no failure there. */
function thresholdCheck(score: Percent | null, { passThreshold, passPolicy, expectedPass }: EvaluationPlan): Check[] {
  const isAsked = passPolicy === 'threshold' || expectedPass !== false
  if (score === null || !isAsked) return []
  const passed = score >= passThreshold
  const message = `the mean score is ${formatScore(score)}, below the threshold of ${formatScore(passThreshold)}`
  return [
    { name: 'score', passed, weight: 1, message: passed ? '' : message, details: { score, threshold: passThreshold } },
  ]
}

/**
 * The weighted mean of what counts: left out are what is only measured, what does not apply, and an evaluator that this
 * case wants or lets be violated.
 */
function overallScore(evaluations: readonly Evaluation[], plan: EvaluationPlan): Percent | null {
  const isLenient = ({ evaluator }: Evaluation) =>
    plan.expectedViolations.some(({ state, ...expected }) => state !== 'must_not' && isMeant(expected, evaluator))
  let total = 0
  let weightSum = 0
  for (const evaluation of evaluations) {
    const score = countedScore(evaluation, plan)
    if (score === undefined || isLenient(evaluation)) continue
    const weight = Object.hasOwn(plan.weights, evaluation.evaluator) ? (plan.weights[evaluation.evaluator] ?? 1) : 1
    total += score * weight
    weightSum += weight
  }
  return weightSum > 0 ? total / weightSum : null
}

function countedScore(evaluation: Evaluation, { compat }: EvaluationPlan): Percent | undefined {
  if (evaluation.status === 'scored') return evaluation.informational ? undefined : evaluation.score
  return evaluation.status === 'not_applicable' && compat === 'openagents' ? 100 : undefined
}

/** Names that suites use for the same evaluator. Source: spec opencode-evals A.5. */
const ALIASES: ReadonlyMap<string, string> = new Map([['confirm-cleanup', 'cleanup-confirmation']])

function isMeant({ evaluator }: Pick<ViolationExpectation, 'evaluator'>, name: string): boolean {
  return (ALIASES.get(evaluator) ?? evaluator) === name
}

interface Found {
  readonly evaluator: string
  readonly violation: Violation
}

function isExpected(expectation: ViolationExpectation, { evaluator, violation }: Found): boolean {
  const isType = expectation.type === undefined || expectation.type === violation.type
  return isType && isMeant(expectation, evaluator)
}

/** One check for each evaluator that found nothing critical, each critical find that nobody expected, each expectation. */
function conjunctionChecks(evaluations: readonly Evaluation[], plan: EvaluationPlan): Check[] {
  const { expectedViolations, expectedPass } = plan
  const scored = evaluations.filter((evaluation) => evaluation.status === 'scored')
  const found = scored.flatMap(({ evaluator, violations }) => violations.map((violation) => ({ evaluator, violation })))
  const isCritical = ({ violation }: Found) => violation.severity === 'error'
  const critical = found.filter(isCritical)
  // The deprecated `expected.pass: true` forgives nothing, whatever else may be violated.
  const forgiving = expectedPass === true ? [] : expectedViolations.filter(({ state }) => state !== 'must_not')
  const named = expectedViolations.filter(({ state }) => state === 'must_not')
  const unexpected = critical.filter(
    (one) => ![...forgiving, ...named].some((expectation) => isExpected(expectation, one)),
  )
  const clean = scored.filter(
    (evaluation) => !evaluation.informational && !critical.some(({ evaluator }) => evaluator === evaluation.evaluator),
  )
  return [
    ...clean.map(cleanCheck),
    ...(expectedPass === false
      ? [badRunCheck(critical.length > 0 || isLow(evaluations, plan))]
      : unexpected.map(violationCheck)),
    ...expectedViolations.flatMap((expectation) => expectationCheck(expectation, found, evaluations)),
  ]
}

function isLow(evaluations: readonly Evaluation[], plan: EvaluationPlan): boolean {
  const score = overallScore(evaluations, plan)
  return score !== null && score < plan.passThreshold
}

function cleanCheck({ evaluator, score }: ScoredEvaluation): Check {
  return { name: evaluator, passed: true, weight: 1, message: '', details: { score } }
}

function badRunCheck(wasBad: boolean): Check {
  const message = 'the case says that the agent does wrong, and nothing critical was found'
  return { name: 'expected', passed: wasBad, weight: 1, message: wasBad ? '' : message }
}

function violationCheck({ evaluator, violation }: Found): Check {
  const { type, message, evidence } = violation
  const details: JsonObject = { type, ...(evidence === undefined ? {} : { evidence }) }
  return { name: evaluator, passed: false, weight: 1, message: `${type}: ${message}`, details }
}

/** Nothing where the evaluator failed itself: its word is not known. */
function expectationCheck(
  expectation: ViolationExpectation,
  found: readonly Found[],
  evaluations: readonly Evaluation[],
): Check[] {
  const { evaluator, type, state } = expectation
  const own = evaluations.find((evaluation) => isMeant(expectation, evaluation.evaluator))
  if (state === 'may' || own?.status === 'errored') return []
  const matches = found.filter((one) => isExpected(expectation, one))
  const name = own?.evaluator ?? evaluator
  const [first] = matches
  const passed = (state === 'must') === (first !== undefined)
  if (!passed && first) {
    const what = `must not be violated here: ${first.violation.type}: ${first.violation.message}`
    const more = matches.length > 1 ? ` (and ${matches.length - 1} more)` : ''
    return [{ name, passed, weight: 1, message: `${what}${more}`, details: { severity: first.violation.severity } }]
  }
  const what = type === undefined ? 'a violation' : `the violation ${type}`
  const message = passed ? '' : `expected ${what}, and ${whyNone(own)}`
  const details = first && severityNote(expectation, first)
  return [{ name, passed, weight: 1, message, ...(details ? { details } : {}) }]
}

function whyNone(own: Evaluation | undefined): string {
  if (!own) return 'the evaluator was not run'
  return own.status === 'not_applicable' ? `the evaluator does not apply: ${own.reason}` : 'none was found'
}

/** The severity that a suite writes is no part of the match, but its author may want to know. */
function severityNote({ severity }: ViolationExpectation, { violation }: Found): JsonObject | undefined {
  return severity === undefined || severity === violation.severity
    ? undefined
    : { expectedSeverity: severity, severity: violation.severity }
}
