import type { z } from 'zod'
import { type Problem, problemsError } from '../core/errors.ts'
import { issuesToProblems } from '../core/kind.ts'
import { defaultOf, labelOf, namesOn, OPTION_NAMES, optionOf } from './lookup.ts'
import type { Default } from './option.ts'
import type { OPTIONS, OptionName } from './options.ts'

type OptionValue<N extends OptionName> = z.output<(typeof OPTIONS)[N]['schema']>

/** Every option with its parsed value; undefined where it was not given and has no default. */
type Settings = {
  readonly [N in OptionName]: (typeof OPTIONS)[N] extends { readonly default: Default } | { readonly kind: 'list' }
    ? OptionValue<N>
    : OptionValue<N> | undefined
}

/** What one surface gave, as written: text, texts or a boolean; a missing name was not given. */
export type RawSettings = Partial<Record<OptionName, string | readonly string[] | boolean>>

export interface Config extends Settings {
  /** Names the user gave, for the precedence flags > ctx file > case > defaults. */
  readonly given: ReadonlySet<OptionName>
}

/** Parses what was given over the surface's defaults; throws one UserError with every problem. */
export function resolveConfig(raw: RawSettings, surface: 'cli' | 'action'): Config {
  const problems: Problem[] = []
  const config = configOf(raw, surface, problems)
  if (problems.length > 0) throw problemsError('INVALID_OPTIONS', problems)
  return config
}

/** The action's settings, and every mistake in them; what is mistaken has its default, so that the rest can be told. */
export function configFromInputs(getInput: (name: string) => string): {
  readonly config: Config
  readonly problems: readonly Problem[]
} {
  const problems: Problem[] = []
  const raw = rawFromInputs(getInput, problems)
  return { config: configOf(raw, 'action', problems), problems }
}

function configOf(raw: RawSettings, surface: 'cli' | 'action', problems: Problem[]): Config {
  const entries = OPTION_NAMES.map((name) => [name, parseOption(name, raw, surface, problems)] as const)
  // The table types every entry; only their union is known here.
  const settings = Object.fromEntries(entries) as unknown as Settings
  return { ...settings, given: new Set(OPTION_NAMES.filter((name) => raw[name] !== undefined)) }
}

function parseOption(name: OptionName, raw: RawSettings, surface: 'cli' | 'action', problems: Problem[]): unknown {
  const { schema } = optionOf(name)
  const byDefault = defaultValue(name, surface)
  const written = raw[name] ?? byDefault
  if (written === undefined) return undefined
  const parsed = schema.safeParse(written)
  if (parsed.success) return parsed.data
  const field = labelOf(name, surface)
  problems.push(...issuesToProblems(parsed.error).map(({ message }) => ({ field, message })))
  return byDefault === undefined ? undefined : schema.safeParse(byDefault).data
}

function defaultValue(name: OptionName, surface: 'cli' | 'action'): string | readonly string[] | boolean | undefined {
  const { kind } = optionOf(name)
  const written = defaultOf(name, surface)
  // An expression is the runner's to evaluate: an input that was given empty is empty.
  if (written?.startsWith('${{')) return ''
  if (kind === 'list') return written === undefined ? [] : [written]
  if (kind === 'flag') return written === 'true'
  // An empty default is a value of its own: switched off on this surface.
  return optionOf(name).default === undefined ? undefined : (written ?? '')
}

/** Read by `getInput`: '' is not given, lists are one item a line, flags are true or false. */
function rawFromInputs(getInput: (name: string) => string, problems: Problem[]): RawSettings {
  const raw: RawSettings = {}
  for (const name of namesOn('action')) {
    const text = getInput(name).trim()
    // The runner hands over every default as if it had been given; it must not outrank what a case says.
    if (text === '' || text === defaultOf(name, 'action')) continue
    const { kind } = optionOf(name)
    if (kind === 'list')
      raw[name] = text
        .split(/\r?\n/)
        .map((line) => line.trim())
        .filter((line) => line !== '')
    else if (kind === 'value') raw[name] = text
    else if (/^(?:true|false)$/i.test(text)) raw[name] = text.toLowerCase() === 'true'
    else
      problems.push({ field: labelOf(name, 'action'), message: `expected true or false, got ${JSON.stringify(text)}` })
  }
  return raw
}
