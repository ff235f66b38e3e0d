import type { EvaluationPlan, ViolationExpectation } from '../../core/evaluation.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { KindConfig } from '../../core/kind.ts'

/** What was asked of a run when its session was kept; undefined where that does not say it. */
export function readPlan(value: Json | undefined): EvaluationPlan | undefined {
  if (!isJsonObject(value)) return undefined
  const { evaluators, passThreshold, passPolicy, expectedViolations, weights, expectedPass, compat } = value
  if (!Array.isArray(evaluators) || typeof passThreshold !== 'number' || !isJsonObject(weights)) return undefined
  return {
    evaluators: evaluators.filter(isKind),
    passThreshold,
    passPolicy: passPolicy === 'threshold' ? 'threshold' : 'conjunction',
    expectedViolations: Array.isArray(expectedViolations) ? expectedViolations.filter(isExpectation) : [],
    weights: Object.fromEntries(
      Object.entries(weights).filter((pair): pair is [string, number] => typeof pair[1] === 'number' && pair[1] >= 0),
    ),
    ...(typeof expectedPass === 'boolean' ? { expectedPass } : {}),
    ...(compat === 'openagents' ? { compat } : {}),
  }
}

function isKind(value: Json): value is KindConfig & JsonObject {
  return isJsonObject(value) && typeof value['type'] === 'string'
}

const STATES: readonly unknown[] = ['must', 'must_not', 'may']

function isExpectation(value: Json): value is ViolationExpectation & JsonObject {
  return isJsonObject(value) && typeof value['evaluator'] === 'string' && STATES.includes(value['state'])
}
