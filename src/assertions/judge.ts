import { TargetError } from '../core/errors.ts'
import type { KindConfig } from '../core/kind.ts'
import type { Means } from '../core/means.ts'
import type { Check } from '../core/result.ts'
import type { Outcome, PreparedAssertion, Subject } from './assertion.ts'
import { excerpt } from './excerpt.ts'
import { assertions } from './registry.ts'

/**
 * Judges one run by all of its case's assertions, in order; a failed one does not spare the rest. Throws the TargetError of
 * a judge that could not be asked, unless another assertion failed: all must pass, so the judge could not change that.
 */
export async function judgeAssertions(
  subject: Subject,
  configs: readonly KindConfig[],
  means: Means = {},
): Promise<Check[]> {
  const checks: Check[] = []
  let unasked: TargetError | undefined
  let hasFailed = false
  for (const config of configs) {
    const prepared = preparedOf(config)
    try {
      const outcome = prepared.check(subject, means)
      const check = toCheck(config, prepared, outcome instanceof Promise ? await outcome : outcome)
      hasFailed ||= !check.passed
      checks.push(check)
    } catch (error) {
      if (!(error instanceof TargetError)) throw error
      unasked ??= error
      checks.push({ name: config.type, passed: false, weight: 1, message: error.message })
    }
  }
  if (unasked && !hasFailed) throw unasked
  return checks
}

function preparedOf(config: KindConfig): PreparedAssertion {
  const kind = assertions.get(config.type)
  if (!kind) throw new Error(`assertion type ${config.type} was not checked when the suite was loaded`)
  return kind.prepare(config)
}

function toCheck(config: KindConfig, prepared: PreparedAssertion, outcome: Outcome): Check {
  const isNegated = config['negate'] === true
  const name = config.type
  const details = outcome.kind === 'judged' && outcome.details ? { details: outcome.details } : {}
  if (outcome.kind === 'judged' && outcome.holds !== isNegated) {
    return { name, passed: true, weight: 1, message: '', ...details }
  }
  const own = typeof config['message'] === 'string' ? config['message'] : ''
  const { expected } = prepared
  if (outcome.kind === 'unevaluable') {
    const message = own === '' ? outcome.message : `${own} (${outcome.message})`
    return { name, passed: false, weight: 1, message, expected }
  }
  const message = own === '' ? failureOf(prepared, outcome, isNegated) : own
  return { name, passed: false, weight: 1, message, expected, actual: outcome.actual, ...details }
}

function failureOf(prepared: PreparedAssertion, outcome: Outcome & { kind: 'judged' }, isNegated: boolean): string {
  if (outcome.text !== undefined && outcome.text !== '') return `${isNegated ? 'negated: ' : ''}${outcome.text}`
  const note = outcome.note ? ` (${outcome.note})` : ''
  return `${isNegated ? 'negated: did not expect' : 'expected'} ${prepared.expectation()}, got ${excerpt(outcome.actual)}${note}`
}
