import type { ViolationExpectation } from '../../core/evaluation.ts'
import { isJsonObject, type Json } from '../../core/json.ts'
import { didYouMean } from '../../core/kind.ts'
import { type FieldValues, readFields, shown } from '../../core/reading/fields.ts'
import { type Place, readOneOf } from '../../core/reading/values.ts'
import { evaluators } from '../../evaluators/index.ts'
import type { DemandsBuilder } from './demands.ts'
import { readEvaluatorName } from './evaluator-names.ts'

/** Source: spec opencode-evals A.5; `mayViolate` is the third state, which the public schema has not. */
const EXPECTATION = {
  rule: 'any',
  shouldViolate: 'boolean',
  mayViolate: 'boolean',
  severity: 'any',
  violationType: 'string',
  description: 'string',
} as const

const SEVERITIES = ['error', 'warning', 'info'] as const

/** Reads a list of violations that must, must not or may be found. */
export function readViolations(list: readonly Json[], demands: DemandsBuilder, { notes, at }: Place): void {
  for (const [index, item] of list.entries()) {
    const place = { notes, at: `${at}[${index}]` }
    if (!isJsonObject(item)) {
      notes.problem(
        place.at,
        `expected an object such as {rule: approval-gate, shouldViolate: false}, got ${shown(item)}`,
      )
      continue
    }
    const fields = readFields(item, EXPECTATION, { ...place, unknown: 'problem' })
    if (fields.rule === undefined) {
      notes.problem(`${place.at}.rule`, 'required', 'the name of an evaluator, such as approval-gate')
    }
    const evaluator =
      fields.rule === undefined
        ? undefined
        : readEvaluatorName(fields.rule, { notes, at: `${place.at}.rule` }, demands.custom)
    const severity = readOneOf(fields.severity, SEVERITIES, { notes, at: `${place.at}.severity` })
    const state = readState(fields, place)
    if (evaluator === undefined || state === undefined) continue
    checkType(fields.violationType, evaluator, { notes, at: `${place.at}.violationType` })
    demands.expectViolation({
      evaluator,
      ...(fields.violationType ? { type: fields.violationType } : {}),
      state,
      ...(severity === undefined ? {} : { severity }),
    })
  }
}

function checkType(type: string | undefined, evaluator: string, { notes, at }: Place): void {
  const known = Object.keys(evaluators.get(evaluator)?.violations ?? {})
  // What a custom evaluator finds is its own.
  if (!type || known.length === 0 || known.includes(type)) return
  const hint = didYouMean(type, known) ?? `it finds ${known.join(', ')}`
  notes.problem(at, `${evaluator} finds no ${shown(type)}`, hint)
}

function readState(
  { shouldViolate, mayViolate }: FieldValues<typeof EXPECTATION>,
  { notes, at }: Place,
): ViolationExpectation['state'] | undefined {
  if (mayViolate === true && shouldViolate === undefined) return 'may'
  if (mayViolate === true) {
    notes.problem(`${at}.mayViolate`, 'cannot be given beside "shouldViolate"', 'choose must, must not or may')
    return undefined
  }
  if (shouldViolate === undefined) {
    const hint = 'shouldViolate: true must be found, false must not; mayViolate: true is fine either way'
    notes.problem(`${at}.shouldViolate`, 'required', hint)
    return undefined
  }
  return shouldViolate ? 'must' : 'must_not'
}
