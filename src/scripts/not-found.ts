import type { Problem } from '../core/errors.ts'
import { didYouMean, quote } from '../core/kind.ts'
import type { ScriptFile } from './script-files.ts'

/** A name that leads to nothing, or to a file that is no script. */
export interface NotFound {
  readonly kind: 'not-found'
  readonly problem: Problem
}

export interface FoundFunction {
  readonly kind: 'found'
  readonly script: ScriptFile
  readonly function: string
}

export function notFound(message: string, hint?: string): NotFound {
  return { kind: 'not-found', problem: { message, ...(hint === undefined ? {} : { hint }) } }
}

/** The function of a script, or what it has in its place. */
export function functionIn(script: ScriptFile, name: string): FoundFunction | NotFound {
  const names = script.functions.map((one) => one.name)
  if (names.includes(name) || !script.isComplete) return { kind: 'found', script, function: name }
  const known = names.length === 0 ? 'it has no function' : `its functions are ${shortList(names)}`
  return notFound(`there is no function ${quote(name)} in ${script.path}`, didYouMean(name, names) ?? known)
}

export function shortList(names: readonly string[]): string {
  return names.length > 10 ? `${names.slice(0, 10).join(', ')}, …` : names.join(', ')
}
