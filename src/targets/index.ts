import { type Problem, problemsError } from '../core/errors.ts'
import { isJsonObject } from '../core/json.ts'
import { checkKindConfig, didYouMean, type KindConfig, quote, type Registry, registry } from '../core/kind.ts'
import * as all from './all.ts'
import type { Checkout, Moved, Target, TargetContext, TargetKind } from './target.ts'

export { type Child, startChild } from './command/child.ts'
export { askOf, replyOf } from './opencode/asks.ts'
export { readServerEvent } from './opencode/raw.ts'
export { openStoredData, type StoredData } from './opencode/stored-data.ts'
export { translate } from './opencode/translate.ts'
export type { Checkout, Moved, Target, TargetContext } from './target.ts'

export const targets: Registry<TargetKind> = registry<TargetKind>(Object.values(all))

export type ParsedTarget = { readonly config: KindConfig } | { readonly problems: readonly Problem[] }

const FIELD = 'target'

/** Reads `--target`: `TYPE:VALUE`, or a JSON object with `type`. */
export function parseTarget(text: string): ParsedTarget {
  const parsed = text.trimStart().startsWith('{') ? fromJson(text) : fromTypeAndValue(text)
  if ('problems' in parsed) return parsed
  const problems = checkTarget(parsed.config)
  return problems.length > 0 ? { problems } : parsed
}

/** Opens a target; throws a UserError with every problem of its settings, or of what they name. */
export async function createTarget(config: KindConfig, context: TargetContext): Promise<Target> {
  const kind = targets.get(config.type)
  const problems = checkTarget(config)
  if (context.record !== undefined && kind && kind.asksModel !== true) problems.push(nothingToRecord(kind.type))
  if (!kind || problems.length > 0) throw problemsError('INVALID_TARGET', problems)
  return await kind.create(config, context)
}

/** Why targets of this kind cannot be opened on another commit, whichever that is; a clause. */
export function neverIn({ type }: KindConfig): string | undefined {
  const found = targets.get(type)?.inCheckout
  return typeof found === 'string' ? found : undefined
}

/** Settings for the same agent of a checkout; the tested one was opened with `config` in `context`. */
export async function settingsIn(checkout: Checkout, config: KindConfig, context: TargetContext): Promise<Moved> {
  const move = targets.get(config.type)?.inCheckout
  if (move === undefined) throw new Error(`a target of the unknown type ${config.type} was opened`)
  if (typeof move === 'string') return { reason: move }
  const moved = await move(config, context, checkout)
  return 'reason' in moved ? moved : { settings: { ...moved.settings, type: config.type } }
}

/** True when `-n`, or the place of the suite, names the agent that this target tests. */
export function takesName(config: KindConfig): boolean {
  return targets.get(config.type)?.takesName?.(config) ?? false
}

function checkTarget(config: KindConfig): Problem[] {
  return checkKindConfig(targets, config, { noun: 'target', field: FIELD })
}

function fromTypeAndValue(text: string): ParsedTarget {
  const bare = targets.get(text.trim())
  if (bare?.needsNoValue === true) return { config: { ...bare.fromValue(''), type: bare.type } }
  const [, type, value] = /^\s*([\w-]+):(.*)$/s.exec(text) ?? []
  if (type === undefined || value === undefined)
    return problem(`expected TYPE:VALUE or a JSON object, got ${quote(text)}`)
  const kind = targets.get(type)
  if (!kind) return problem(`unknown target type ${quote(type)}`, didYouMean(type, targets.types))
  if (value.trim() === '') return problem(`nothing after ${quote(`${type}:`)}`, `write --target ${type}:VALUE`)
  return { config: { ...kind.fromValue(value), type } }
}

function fromJson(text: string): ParsedTarget {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return problem(`not a JSON object: ${detail}`, 'in a shell, put single quotes around it')
  }
  if (!isJsonObject(value)) return problem('expected a JSON object')
  const { type, ...settings } = value
  if (typeof type === 'string') return { config: { ...settings, type } }
  return {
    problems: [{ field: `${FIELD}.type`, message: 'expected the type of the target as a string', hint: knownTypes() }],
  }
}

function nothingToRecord(type: string): Problem {
  const able = targets.types.filter((other) => targets.get(other)?.asksModel === true)
  return {
    field: '--record',
    message: `a target of type ${quote(type)} asks no model that could be recorded`,
    hint: `types that do: ${able.join(', ')}`,
  }
}

function problem(message: string, hint = knownTypes()): ParsedTarget {
  return { problems: [{ field: FIELD, message, hint }] }
}

function knownTypes(): string {
  return `known types: ${targets.types.join(', ')}`
}
