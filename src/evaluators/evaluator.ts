import { z } from 'zod'
import type { Evaluation, ScoredEvaluation, Severity, Violation } from '../core/evaluation.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { Kind, KindConfig } from '../core/kind.ts'
import type { Check } from '../core/result.ts'
import type { Trace } from '../core/trace.ts'

/** One thing that was found wrong; its severity is that of its type unless it says otherwise. */
export interface Finding {
  readonly type: string
  /** What happened, in a sentence that needs no other. */
  readonly message: string
  readonly severity?: Severity
  readonly timestamp?: number
  readonly evidence?: Json
}

/** One weighted question to the trace; answered well when nothing was found. */
export interface Inspection {
  readonly name: string
  /** 1 where absent. */
  readonly weight?: number
  readonly findings: readonly Finding[]
}

export type Judgement =
  | {
      readonly kind: 'judged'
      /** Without any, the evaluator does not apply. */
      readonly inspections: readonly Inspection[]
      readonly facts?: JsonObject
      /** Measured, not judged: its score counts for nothing. */
      readonly informational?: boolean
    }
  | { readonly kind: 'not_applicable'; readonly reason: string; readonly facts?: JsonObject }

export interface EvaluatorKind extends Kind {
  /** The severity of every violation that it may find, where the settings say nothing else. */
  readonly violations: Readonly<Record<string, Severity>>
  /** Takes settings that passed the schema. Pure: the same trace gives the same evaluation. */
  evaluate(trace: Trace, config: KindConfig): Evaluation | Promise<Evaluation>
}

export const SEVERITIES = ['error', 'warning', 'info', 'off'] as const

/**
 * A kind whose `judge` sees its own settings typed. Every kind also takes `severity`, for all that it may find, and
 * `severities`, by type of violation.
 */
export function defineEvaluator<S extends z.ZodObject, V extends string>(definition: {
  readonly type: string
  readonly schema: S
  readonly violations: Readonly<Record<V, Severity>>
  judge(settings: z.infer<S>, trace: Trace): Judgement
}): EvaluatorKind {
  const { type, violations } = definition
  const types = Object.keys(violations)
  const severity = z.enum(SEVERITIES).optional()
  const severities = z.strictObject(Object.fromEntries(types.map((name) => [name, severity]))).optional()
  const common = z.object({ severity, severities })
  return {
    type,
    schema: definition.schema.extend(common.shape),
    violations,
    evaluate(trace, { type: _type, ...settings }) {
      const { severity: all, severities: given = {} } = common.parse(settings)
      const judgement = definition.judge(definition.schema.parse(settings), trace)
      const forAll = all === undefined ? {} : Object.fromEntries(types.map((name) => [name, all]))
      return evaluationOf(type, judgement, { defaults: violations, given: { ...forAll, ...given } })
    },
  }
}

/** What the severity of a violation comes from. */
interface Severities {
  readonly defaults: Readonly<Record<string, Severity>>
  /** What the user says of a type outranks all else; `off` takes it back. */
  readonly given: Readonly<Record<string, Severity | 'off' | undefined>>
}

/** What a judgement comes to: the weight of what was found in order, of the weight of all. */
function evaluationOf(evaluator: string, judgement: Judgement, severities: Severities): Evaluation {
  const facts = judgement.facts === undefined ? {} : { facts: judgement.facts }
  if (judgement.kind === 'not_applicable') {
    return { status: 'not_applicable', evaluator, reason: judgement.reason, ...facts }
  }
  const { inspections, informational = false } = judgement
  const judged = inspections.map((inspection) => ({
    ...inspection,
    violations: inspection.findings.flatMap((finding) => violationOf(finding, severities) ?? []),
  }))
  const checks = judged.map(({ name, weight = 1, violations }): Check => {
    return {
      name,
      passed: violations.length === 0,
      weight,
      message: violations.map(({ message }) => message).join('; '),
    }
  })
  if (checks.length === 0 && !informational) {
    return { status: 'not_applicable', evaluator, reason: 'nothing of it is asked for', ...facts }
  }
  const violations = judged.flatMap((inspection) => inspection.violations)
  return {
    status: 'scored',
    evaluator,
    passed: violations.every(({ severity }) => severity !== 'error'),
    score: scoreOf(checks),
    checks,
    violations,
    ...(informational ? { informational } : {}),
    ...facts,
  }
}

function violationOf({ severity, ...finding }: Finding, { defaults, given }: Severities): Violation | undefined {
  const decided = given[finding.type] ?? severity ?? defaults[finding.type] ?? 'error'
  return decided === 'off' ? undefined : { ...finding, severity: decided }
}

/** Multiplied before it is divided, so that whole scores are exact. */
export function scoreOf(checks: readonly Check[]): ScoredEvaluation['score'] {
  const total = checks.reduce((sum, { weight }) => sum + weight, 0)
  if (total === 0) return 100
  const achieved = checks.reduce((sum, { passed, weight }) => sum + (passed ? weight : 0), 0)
  return (achieved * 100) / total
}
