import { type CaseGate, mergeGates } from '../../core/gate.ts'
import { readGate } from '../../core/reading/case-gate.ts'
import type { FieldTable, FieldValues } from '../../core/reading/fields.ts'
import type { Notes } from '../../core/reading/findings.ts'

/** What a test, a list of tests or a config file asks of its cases; they all write it alike. Source: issue 5, point 5. */
export const GATE = {
  critical: 'boolean',
  gate: { minPassRate: 'any', thresholdMode: 'any', critical: 'boolean' },
} as const satisfies FieldTable

/** `at` is the path of what holds the fields, with its dot. */
export function readYamlGate(
  { critical, gate = {} }: FieldValues<typeof GATE>,
  { notes, at }: { readonly notes: Notes; readonly at: string },
): CaseGate | undefined {
  if (critical !== undefined && gate.critical !== undefined)
    notes.problem(`${at}gate.critical`, 'cannot be given beside "critical"', 'they mean the same')
  const written = { ...gate, critical: critical ?? gate.critical }
  return mergeGates([readGate(written, NAMES, { notes, at: `${at}gate` })])
}

const NAMES = { minPassRate: 'minPassRate', thresholdMode: 'thresholdMode' }
