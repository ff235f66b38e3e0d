import { isJsonObject, type Json } from '../../core/json.ts'
import { didYouMean, quote } from '../../core/kind.ts'
import { readFields, shown } from '../../core/reading/fields.ts'
import { type Place, readCount, readPatterns, readTexts } from '../../core/reading/values.ts'
import type { ApprovalPolicy } from '../../core/session.ts'

const TYPES = ['auto-approve', 'auto-deny', 'smart'] as const

const STRATEGY = { type: 'any', config: 'object', message: 'string' } as const

/** Source: spec opencode-evals A.3; `learn` is ours. */
const SMART = {
  allowedTools: 'list',
  deniedTools: 'list',
  approvePatterns: 'list',
  denyPatterns: 'list',
  maxApprovals: 'number',
  defaultDecision: 'boolean',
  learn: 'boolean',
} as const

export const APPROVE: ApprovalPolicy = { kind: 'approve' }

/** Reads `approvalStrategy`: an object with a `type`, or the type alone. */
export function readApprovalPolicy(value: Json, place: Place): ApprovalPolicy | undefined {
  const { notes, at } = place
  if (typeof value === 'string') return policyOf(value, {}, { notes, typeAt: at, at })
  if (!isJsonObject(value)) {
    notes.problem(at, `expected an object such as {type: auto-approve}, got ${shown(value)}`)
    return undefined
  }
  const { type, config, message } = readFields(value, STRATEGY, { notes, at, unknown: 'problem' })
  if (type === undefined) {
    notes.problem(`${at}.type`, 'required', `one of ${TYPES.map(quote).join(', ')}`)
    return undefined
  }
  return policyOf(type, { config, message }, { notes, typeAt: `${at}.type`, at })
}

interface StrategySettings {
  readonly config?: Readonly<Record<string, Json>> | undefined
  readonly message?: string | undefined
}

function policyOf(
  type: Json,
  { config, message }: StrategySettings,
  { notes, at, typeAt }: Place & { readonly typeAt: string },
): ApprovalPolicy | undefined {
  if (config !== undefined && type !== 'smart') notes.problem(`${at}.config`, 'only the type "smart" has settings')
  if (message !== undefined && type !== 'auto-deny')
    notes.problem(`${at}.message`, 'only the type "auto-deny" says why')
  if (type === 'auto-approve') return APPROVE
  if (type === 'auto-deny') return { kind: 'deny', ...(message === undefined ? {} : { message }) }
  if (type === 'smart') return readSmart(config ?? {}, { notes, at: `${at}.config` })
  const hint =
    type === 'manual'
      ? 'nobody is there to answer: auto-deny stops the agent where it asks'
      : typeof type === 'string'
        ? didYouMean(type, TYPES)
        : undefined
  notes.problem(typeAt, `expected one of ${TYPES.map(quote).join(', ')}, got ${shown(type)}`, hint)
  return undefined
}

function readSmart(config: Readonly<Record<string, Json>>, { notes, at }: Place): ApprovalPolicy {
  const fields = readFields(config, SMART, { notes, at, unknown: 'problem' })
  const placeOf = (field: string) => ({ notes, at: `${at}.${field}` })
  const maxApprovals = readCount(fields.maxApprovals, placeOf('maxApprovals'))
  return {
    kind: 'smart',
    allowedTools: readTexts(fields.allowedTools, placeOf('allowedTools')),
    deniedTools: readTexts(fields.deniedTools, placeOf('deniedTools')),
    approvePatterns: readPatterns(fields.approvePatterns, placeOf('approvePatterns')),
    denyPatterns: readPatterns(fields.denyPatterns, placeOf('denyPatterns')),
    ...(maxApprovals === undefined ? {} : { maxApprovals }),
    defaultDecision: fields.defaultDecision ?? true,
    learn: fields.learn ?? false,
  }
}
