import type { Problem } from '../core/errors.ts'
import { didYouMean } from '../core/kind.ts'

/** The flags of a verb, as `parseArgs` takes them. */
type FlagTable = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>

/** One option as `parseArgs` found it. */
interface FlagToken {
  readonly name: string
  readonly rawName: string
  readonly value?: string | undefined
}

/** What is wrong with a flag of the verb: unknown, without its value, or with one that it does not take. */
export function flagProblems({ name, rawName: field, value }: FlagToken, flags: FlagTable, verb: string): Problem[] {
  const flag = Object.hasOwn(flags, name) ? flags[name] : undefined
  if (!flag) {
    const hint = didYouMean(name, Object.keys(flags))?.replace('"', '"--')
    return [{ field, message: 'unknown flag', hint: hint ?? `agent-test ${verb} --help lists them` }]
  }
  if (flag.type === 'boolean') return value === undefined ? [] : [{ field, message: 'takes no value' }]
  return value === undefined || value === '' ? [{ field, message: 'needs a value' }] : []
}
