import { judgeAssertions, normaliseAssertions, type Subject } from '../assertions/index.ts'
import { describeProblem, TargetError } from '../core/errors.ts'
import type { Means } from '../core/means.ts'
import type { Check } from '../core/result.ts'
import { eventsOf } from '../core/trace.ts'

/**
 * The checks of a target that an agent decides, such as `t.assert.Agent` of a script test: their settings come from the
 * script, so what is wrong with them fails the check.
 */
export async function laterChecks(subject: Subject, means: Means): Promise<Check[]> {
  const checks: Check[] = []
  for (const { name, message, actual = null, details, decidedBy } of eventsOf(subject.trace, 'check')) {
    if (decidedBy === undefined) continue
    if (!means.ask) throw new TargetError(`${name}: no agent can be asked here`, { code: 'UNSUPPORTED' })
    const { assertions, problems } = normaliseAssertions({ ...decidedBy, type: 'agent' }, undefined)
    const refused = problems.map(({ field = '', ...problem }): Check => {
      const text = describeProblem({ ...problem, field: field.replace(/^assert/, name) })
      return { name, passed: false, weight: 1, message: text }
    })
    const judged = await judgeAssertions({ ...subject, output: actual }, assertions, means)
    for (const check of [...refused, ...judged]) {
      const text = check.passed || message === '' ? check.message : `${check.message} ${message}`
      checks.push({ ...check, name, message: text, ...(details ? { details: { ...details, ...check.details } } : {}) })
    }
  }
  return checks
}
