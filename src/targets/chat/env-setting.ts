import type { Problem } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'

export type ResolvedSetting =
  | { readonly kind: 'value'; readonly value: string; readonly variable?: string }
  | { readonly kind: 'problem'; readonly problem: Problem }

/**
 * A setting that may be `$ENV.NAME` as a whole; an unset or empty variable is a problem that names variable and
 * setting. Source: spec yao 11.4.
 */
export function resolveSetting(
  written: string,
  place: Pick<Problem, 'file' | 'line' | 'field'>,
  host: Host,
): ResolvedSetting {
  const variable = /^\$ENV\.([A-Za-z_][A-Za-z0-9_]*)$/.exec(written.trim())?.[1]
  if (variable === undefined) return { kind: 'value', value: written }
  const value = host.env[variable]?.trim() ?? ''
  if (value !== '') return { kind: 'value', value, variable }
  const state = host.env[variable] === undefined ? 'not set' : 'empty'
  return {
    kind: 'problem',
    problem: {
      ...place,
      message: `the environment variable ${variable} is ${state}`,
      hint: `set ${variable}, or name a file that does with -e; in a workflow pass it with env`,
      unset: variable,
    },
  }
}
