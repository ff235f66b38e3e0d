import type { Json, JsonObject } from './json.ts'
import type { KindConfig } from './kind.ts'
import type { Percent } from './percent.ts'
import type { Check } from './result.ts'

/** `error` is critical: it fails a case unless the case expects it. */
export type Severity = 'error' | 'warning' | 'info'

/** One thing an evaluator found wrong; known by evaluator and type. */
export interface Violation {
  readonly type: string
  readonly severity: Severity
  readonly message: string
  /** Time of the event it is about. */
  readonly timestamp?: number
  readonly evidence?: Json
  /** A custom evaluator says that nothing which comes later can undo it. */
  readonly final?: boolean
}

/** What one evaluator says of one run. An evaluator's own failure and nothing to judge are states of their own. */
export type Evaluation =
  | ScoredEvaluation
  | {
      readonly status: 'not_applicable'
      readonly evaluator: string
      readonly reason: string
      readonly facts?: JsonObject
    }
  | { readonly status: 'errored'; readonly evaluator: string; readonly message: string }

export interface ScoredEvaluation {
  readonly status: 'scored'
  readonly evaluator: string
  /** No violation of severity error, whatever the score. */
  readonly passed: boolean
  /** Weight of the passed checks by the weight of all. */
  readonly score: Percent
  readonly checks: readonly Check[]
  readonly violations: readonly Violation[]
  /** Measured, not judged: its score counts for nothing. */
  readonly informational?: boolean
  /** Figures and evidence, such as the number of files. */
  readonly facts?: JsonObject
}

/** What a case asks of its evaluations. Source: spec opencode-evals A.5, E. */
export interface EvaluationPlan {
  /** Evaluators to run, with their settings. */
  readonly evaluators: readonly KindConfig[]
  /** Mean score that is asked for. */
  readonly passThreshold: Percent
  /** `threshold` is the seed's rule alone; `conjunction` also asks that nothing critical was found and all expected was. */
  readonly passPolicy: 'conjunction' | 'threshold'
  readonly expectedViolations: readonly ViolationExpectation[]
  /** By evaluator; 1 where absent. */
  readonly weights: Readonly<Record<string, number>>
  /** The deprecated `expected.pass`: whether the agent is to do well (true) or wrong (false), whatever else is said. */
  readonly expectedPass?: boolean
  /** `openagents`: what is not applicable counts as 100, as in that project. */
  readonly compat?: 'openagents'
  /** The run ends at the first critical violation that nothing later can undo. */
  readonly stopOnCritical?: boolean
}

export interface ViolationExpectation {
  readonly evaluator: string
  /** Any type of that evaluator where absent. */
  readonly type?: string
  readonly state: 'must' | 'must_not' | 'may'
  /** As written; reported where it differs, no part of the match. */
  readonly severity?: Severity
}
