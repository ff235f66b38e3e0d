import type { OptionDefinition } from './option.ts'
import { OPTIONS, type OptionName } from './options.ts'

export const OPTION_NAMES = Object.keys(OPTIONS) as OptionName[]

export function optionOf(name: OptionName): OptionDefinition {
  return OPTIONS[name]
}

/** The default as written on one surface; undefined where there is none. */
export function defaultOf(name: OptionName, surface: 'cli' | 'action'): string | undefined {
  const value = optionOf(name).default
  const written = typeof value === 'object' ? value[surface] : value
  return written === '' ? undefined : written
}

/** The option as its user wrote it. */
export function labelOf(name: OptionName, surface: 'cli' | 'action'): string {
  return surface === 'cli' ? `--${name}` : `input ${name}`
}

/** Flags in a text as the inputs that stand for them: what is found below the entries is worded for the command line. */
export function inputsForFlags(text: string): string {
  // A whole command is for a terminal, wherever it is read.
  if (text.includes('agent-test -')) return text
  return text
    .replace(/--([a-z][a-z-]*)/g, (flag, name: string) =>
      namesOn('action').some((known) => known === name) ? labelOf(name as OptionName, 'action') : flag,
    )
    .replace(/(?<![\w"-])-([a-z])(?![\w-])/g, (flag, short: string) => {
      const name = OPTION_NAMES.find((known) => optionOf(known).short === short)
      return name === undefined ? flag : labelOf(name, 'action')
    })
}

export function namesOn(surface: 'cli' | 'action'): OptionName[] {
  return OPTION_NAMES.filter((name) => optionOf(name).on === 'both' || optionOf(name).on === surface)
}
