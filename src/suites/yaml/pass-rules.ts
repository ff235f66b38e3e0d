import type { FieldTable, FieldValues } from '../../core/reading/fields.ts'
import type { Notes } from '../../core/reading/findings.ts'
import { readOneOf, readPercent } from '../../core/reading/values.ts'

/** When a test passes; a test and a config file write it alike. Source: spec opencode-evals E. */
export interface PassRules {
  readonly passThreshold?: number
  readonly passPolicy?: 'conjunction' | 'threshold'
  readonly compat?: 'openagents'
  readonly approvalMode?: 'text' | 'permission' | 'either'
  readonly stopOnCritical?: boolean
}

/** The names with an underscore are those of the first design. */
export const PASS_RULES = {
  passThreshold: 'any',
  pass_threshold: 'any',
  passPolicy: 'any',
  pass_policy: 'any',
  compat: 'any',
  approvalMode: 'any',
  stopOnCritical: 'boolean',
  'stop-on-critical': 'boolean',
} as const satisfies FieldTable

type Written = FieldValues<typeof PASS_RULES>

export function readPassRules(
  fields: Written,
  { notes, at }: { readonly notes: Notes; readonly at: string },
): PassRules {
  const chosen = (field: 'passThreshold' | 'passPolicy', older: 'pass_threshold' | 'pass_policy') => {
    if (fields[field] !== undefined && fields[older] !== undefined)
      notes.problem(`${at}${older}`, `cannot be given beside "${field}"`, 'they mean the same')
    const name = fields[field] === undefined ? older : field
    return [fields[name], { notes, at: `${at}${name}` }] as const
  }
  const passThreshold = readPercent(...chosen('passThreshold', 'pass_threshold'))
  const [policy, policyPlace] = chosen('passPolicy', 'pass_policy')
  const passPolicy = readOneOf(policy, ['conjunction', 'threshold'], policyPlace)
  const compat = readOneOf(fields.compat, ['openagents'], { notes, at: `${at}compat` })
  const approvalMode = readOneOf(fields.approvalMode, ['text', 'permission', 'either'], {
    notes,
    at: `${at}approvalMode`,
  })
  const { stopOnCritical = fields['stop-on-critical'] } = fields
  if (fields.stopOnCritical !== undefined && fields['stop-on-critical'] !== undefined)
    notes.problem(`${at}stop-on-critical`, 'cannot be given beside "stopOnCritical"', 'they mean the same')
  return {
    ...(passThreshold === undefined ? {} : { passThreshold }),
    ...(passPolicy === undefined ? {} : { passPolicy }),
    ...(compat === undefined ? {} : { compat }),
    ...(approvalMode === undefined ? {} : { approvalMode }),
    ...(stopOnCritical === undefined ? {} : { stopOnCritical }),
  }
}
