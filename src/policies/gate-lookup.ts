import { type CaseGate, mergeGates } from '../core/gate.ts'
import type { Case } from '../core/suite.ts'
import type { GateEntries, NamedGate } from './read-gates.ts'

type GateOf = (item: Pick<Case, 'key' | 'id' | 'suite' | 'gate'>) => CaseGate | undefined

/**
 * The gate of a case, field by field: what the case itself says outranks what the file says of it, and that outranks
 * what the file says of its suite. Cases that ask for the same share one object: there may be a hundred thousand.
 */
export function gateLookup({ suites, cases }: GateEntries): GateOf {
  const ofSuites = new Map<string, CaseGate | undefined>()
  const suiteGate = (suite: string): CaseGate | undefined => {
    if (!ofSuites.has(suite)) {
      const fitting = suites.filter(({ matches }) => matches.some((isMeant) => isMeant(suite)))
      ofSuites.set(suite, mergeGates(fitting.map(({ gate }) => gate)))
    }
    return ofSuites.get(suite)
  }
  const byName = new Map<string, NamedGate[]>()
  const places = new Map(cases.map((entry, place) => [entry, place]))
  for (const entry of cases) byName.set(entry.case, [...(byName.get(entry.case) ?? []), entry])
  return (item) => {
    const ofSuite = suiteGate(item.suite)
    const named = [...(byName.get(item.key) ?? []), ...(byName.get(item.id) ?? [])]
    if (named.length === 0 && !item.gate) return ofSuite
    const inOrder = named.sort((left, right) => (places.get(left) ?? 0) - (places.get(right) ?? 0))
    return mergeGates([ofSuite, ...inOrder.map(({ gate }) => gate), item.gate])
  }
}
