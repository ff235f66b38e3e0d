import type { KindConfig } from '../core/kind.ts'
import type { Means } from '../core/means.ts'
import type { Check } from '../core/result.ts'
import type { Outcome, PreparedAssertion, Subject } from './assertion.ts'
import { excerpt } from './excerpt.ts'
import { assertions } from './registry.ts'

/** Judges one run by all of its case's assertions, in order; a failed one does not spare the rest. */
export async function judgeAssertions(
  subject: Subject,
  configs: readonly KindConfig[],
  means: Means = {},
): Promise<Check[]> {
  const checks: Check[] = []
  for (const config of configs) {
    const prepared = preparedOf(config)
    const outcome = prepared.check(subject, means)
    checks.push(toCheck(config, prepared, outcome instanceof Promise ? await outcome : outcome))
  }
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
  if (outcome.kind === 'judged' && outcome.holds !== isNegated) return { name, passed: true, weight: 1, message: '' }
  const own = typeof config['message'] === 'string' ? config['message'] : ''
  const { expected } = prepared
  if (outcome.kind === 'unevaluable') {
    const message = own === '' ? outcome.message : `${own} (${outcome.message})`
    return { name, passed: false, weight: 1, message, expected }
  }
  const message = own === '' ? failureOf(prepared, outcome, isNegated) : own
  return { name, passed: false, weight: 1, message, expected, actual: outcome.actual }
}

function failureOf(prepared: PreparedAssertion, outcome: Outcome & { kind: 'judged' }, isNegated: boolean): string {
  const note = outcome.note ? ` (${outcome.note})` : ''
  return `${isNegated ? 'negated: did not expect' : 'expected'} ${prepared.expectation()}, got ${excerpt(outcome.actual)}${note}`
}
