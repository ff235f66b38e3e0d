import type { CaseOptions } from '../../core/suite.ts'
import type { UnusedOption } from '../target.ts'

/**
 * Options that only hooks can heed here. There is no history, search, keyword extraction, client or trace log of our own,
 * so what asks for none of them is done anyway. Source: spec yao 3, "options".
 */
export function hookOnlyOptions(
  { mode, search, skip = {} }: CaseOptions,
  { hasHooks }: { readonly hasHooks: boolean },
): UnusedOption[] {
  const kept = Object.entries(skip).flatMap(([name, isSkipped]) =>
    isSkipped === false ? [`options.skip.${name}`] : [],
  )
  const fields = [
    ...(mode === undefined || mode === 'chat' ? [] : ['options.mode']),
    ...(search === true ? ['options.search'] : []),
    // A report holds what happened in a run, whatever is skipped.
    ...(skip.trace === true ? ['options.skip.trace'] : []),
    ...kept,
  ]
  const fate = hasHooks ? 'passed to hooks only' : 'no effect, for the agent has no hooks'
  return fields.map((field) => ({ field, fate }))
}
