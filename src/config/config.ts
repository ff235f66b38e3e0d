import { type Problem, problemsError } from '../core/errors.ts'
import { issuesToProblems } from '../core/kind.ts'
import { defaultOf, labelOf, namesOn, OPTION_NAMES, type OptionName, optionOf, type Settings } from './options.ts'

/** What one surface gave, as written: text, texts or a boolean; a missing name was not given. */
export type RawSettings = Partial<Record<OptionName, string | readonly string[] | boolean>>

export interface Config extends Settings {
  /** Names the user gave, for the precedence flags > ctx file > case > defaults. */
  readonly given: ReadonlySet<OptionName>
}

/** Parses what was given over the surface's defaults; throws one UserError with every problem. */
export function resolveConfig(raw: RawSettings, surface: 'cli' | 'action'): Config {
  const problems: Problem[] = []
  const entries = OPTION_NAMES.map((name) => [name, parseOption(name, raw, surface, problems)] as const)
  if (problems.length > 0) throw problemsError('INVALID_OPTIONS', problems)
  // The table types every entry; only their union is known here.
  const settings = Object.fromEntries(entries) as unknown as Settings
  return { ...settings, given: new Set(OPTION_NAMES.filter((name) => raw[name] !== undefined)) }
}

function parseOption(name: OptionName, raw: RawSettings, surface: 'cli' | 'action', problems: Problem[]): unknown {
  const definition = optionOf(name)
  const written = raw[name] ?? defaultValue(name, surface)
  if (written === undefined) return undefined
  const parsed = definition.schema.safeParse(written)
  if (parsed.success) return parsed.data
  const field = labelOf(name, surface)
  problems.push(...issuesToProblems(parsed.error).map(({ message }) => ({ field, message })))
  return undefined
}

function defaultValue(name: OptionName, surface: 'cli' | 'action'): string | readonly string[] | boolean | undefined {
  const { kind } = optionOf(name)
  const written = defaultOf(name, surface)
  if (kind === 'list') return written === undefined ? [] : [written]
  if (kind === 'flag') return written === 'true'
  // An empty default is a value of its own: switched off on this surface.
  return optionOf(name).default === undefined ? undefined : (written ?? '')
}

/** Action inputs, read by `getInput`: '' is not given, lists are one item a line, flags are true or false. */
export function rawFromInputs(getInput: (name: string) => string): RawSettings {
  const problems: Problem[] = []
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
    else if (kind === 'flag') raw[name] = booleanInput(name, text, problems)
    else raw[name] = text
  }
  if (problems.length > 0) throw problemsError('INVALID_OPTIONS', problems)
  return raw
}

function booleanInput(name: OptionName, text: string, problems: Problem[]): boolean {
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  problems.push({ field: labelOf(name, 'action'), message: `expected true or false, got ${JSON.stringify(text)}` })
  return false
}
