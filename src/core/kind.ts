import type { z } from 'zod'
import type { Problem } from './errors.ts'

/** Settings of one assertion, target or evaluator as the user wrote them; `type` names the registered kind. */
export interface KindConfig {
  readonly type: string
  readonly [setting: string]: unknown
}

export interface Kind {
  readonly type: string
  /** Strict object without `type`; plain data, no transforms, so that parsing twice is safe. */
  readonly schema: z.ZodObject
}

export interface Registry<K extends Kind> {
  readonly types: readonly string[]
  get(type: string): K | undefined
}

export function registry<K extends Kind>(kinds: readonly K[]): Registry<K> {
  const byType = new Map(kinds.map((kind) => [kind.type, kind]))
  if (byType.size !== kinds.length) throw new Error('two kinds share one type name')
  return { types: [...byType.keys()].sort(), get: (type) => byType.get(type) }
}

/** Problems of one kind's settings: unknown type, unknown setting, wrong value; each with its field and a hint. */
export function checkKindConfig<K extends Kind>(
  kinds: Registry<K>,
  config: KindConfig,
  { noun, field, common }: { noun: string; field: string; common?: z.ZodObject },
): Problem[] {
  const kind = kinds.get(config.type)
  if (!kind) {
    const hint = didYouMean(config.type, kinds.types) ?? `known types: ${kinds.types.join(', ')}`
    return [{ field: join(field, 'type'), message: `unknown ${noun} type ${quote(config.type)}`, hint }]
  }
  const { type: _type, ...settings } = config
  const schema = strictSchema(kind, common)
  const parsed = schema.safeParse(settings)
  return parsed.success ? [] : issuesToProblems(parsed.error, field, Object.keys(schema.shape))
}

/** Making a schema costs ten times what using it costs, and a suite may hold a hundred thousand settings. */
const strictSchemas = new WeakMap<
  z.ZodObject,
  { readonly common: z.ZodObject | undefined; readonly strict: z.ZodObject }
>()

function strictSchema({ schema }: Kind, common: z.ZodObject | undefined): z.ZodObject {
  const known = strictSchemas.get(schema)
  if (known && known.common === common) return known.strict
  const strict = common ? schema.extend(common.shape).strict() : schema.strict()
  strictSchemas.set(schema, { common, strict })
  return strict
}

/** zod's issues as problems: one per field, in our words, with a did-you-mean for unknown keys. */
export function issuesToProblems(error: z.ZodError, field = '', knownKeys: readonly string[] = []): Problem[] {
  return error.issues.flatMap((issue): Problem[] => {
    const path = issue.path.reduce<string>((at, key) => join(at, key as string | number), field)
    if (issue.code !== 'unrecognized_keys') return [{ field: path, message: lowerFirst(issue.message) }]
    return issue.keys.map((key) => {
      const hint = issue.path.length === 0 ? didYouMean(key, knownKeys) : undefined
      return { field: join(path, key), message: 'unknown setting', ...(hint === undefined ? {} : { hint }) }
    })
  })
}

export function didYouMean(word: string, known: readonly string[]): string | undefined {
  // Nobody meant a known name by a text of this length, and comparing it would take long.
  if (word.length > 100) return undefined
  const best = known
    .map((name) => ({
      name,
      distance: editDistance(word.toLowerCase(), name.toLowerCase()),
      lengthGap: Math.abs(word.length - name.length),
    }))
    .sort((left, right) => left.distance - right.distance || left.lengthGap - right.lengthGap)[0]
  if (!best || best.distance > Math.max(1, Math.floor(best.name.length / 3))) return undefined
  return `did you mean ${quote(best.name)}?`
}

/** Insertions, deletions, substitutions and swaps of neighbours that make one word of the other. */
function editDistance(left: string, right: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let row = 0; row < left.length; row += 1) {
    const current = [row + 1]
    for (let column = 0; column < right.length; column += 1) {
      const isSame = left[row] === right[column]
      const isSwap = row > 0 && column > 0 && left[row] === right[column - 1] && left[row - 1] === right[column]
      const costs = [
        (previous[column] ?? 0) + (isSame ? 0 : 1),
        (previous[column + 1] ?? 0) + 1,
        (current[column] ?? 0) + 1,
        ...(isSwap ? [(beforePrevious[column - 1] ?? 0) + 1] : []),
      ]
      current.push(Math.min(...costs))
    }
    beforePrevious = previous
    previous = current
  }
  return previous.at(-1) ?? 0
}

function join(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`
  return path === '' ? key : `${path}.${key}`
}

export function quote(text: string): string {
  return JSON.stringify(text)
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
