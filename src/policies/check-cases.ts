import type { Problem } from '../core/errors.ts'
import type { CaseGate } from '../core/gate.ts'
import { didYouMean, quote } from '../core/kind.ts'
import type { Case } from '../core/suite.ts'
import { holdsOn, isFor } from '../core/waiver.ts'
import type { NamedGate } from './read-gates.ts'
import type { PlacedWaiver } from './read-waivers.ts'

export interface CheckedCases {
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
}

type NamedCase = Pick<Case, 'key' | 'id' | 'suite' | 'gate'>

interface Rules {
  readonly waivers: readonly PlacedWaiver[]
  readonly named: readonly NamedGate[]
  readonly gateOf: (item: NamedCase) => CaseGate | undefined
  readonly today: string
}

/** What only shows beside the cases: contradictions, and names that were most likely mistyped. */
export function checkCases(cases: readonly NamedCase[], rules: Rules): CheckedCases {
  return { problems: criticalInQuarantine(cases, rules), warnings: mistypedGates(cases, rules.named) }
}

/** It would have to pass every time, and be allowed to fail. */
function criticalInQuarantine(cases: readonly NamedCase[], { waivers, gateOf, today }: Rules): Problem[] {
  const quarantined = waivers.filter(({ waiver }) => waiver.kind === 'quarantined' && holdsOn(waiver, today))
  return quarantined.flatMap(({ waiver, file, line, field }): Problem[] => {
    const critical = cases.find((item) => isFor(waiver, item) && gateOf(item)?.critical === true)
    if (!critical) return []
    const message = `${quote(critical.key)} is critical, and what is critical is not let through as flaky`
    return [{ file, line, field: `${field}.case`, message, hint: 'take it out of one of the two' }]
  })
}

/** Beyond that many names nobody looks for the one that was meant. */
const MOST_NAMES = 5_000
const MOST_WARNINGS = 20

/** An entry may be for a suite that is not run now; one that almost names a case, or names its suite, is a typo. */
function mistypedGates(cases: readonly NamedCase[], named: readonly NamedGate[]): Problem[] {
  if (named.length === 0) return []
  const names = new Set(cases.flatMap(({ key, id }) => [key, id]))
  const unknown = named.filter((entry) => !names.has(entry.case))
  if (unknown.length === 0) return []
  const suites = [...new Set(cases.map(({ suite }) => suite))]
  const known = [...names].slice(0, MOST_NAMES)
  return unknown.slice(0, MOST_WARNINGS).flatMap(({ case: name, file, line }) => {
    const hint = didYouMean(name, known)
    if (hint === undefined && !suites.some((suite) => name.startsWith(`${suite}/`))) return []
    const message = `there is no case ${quote(name)}`
    return [{ file, line, field: 'case', message, ...(hint === undefined ? {} : { hint }) }]
  })
}
