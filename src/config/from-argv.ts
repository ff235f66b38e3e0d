import { parseArgs } from 'node:util'
import { type Problem, problemsError } from '../core/errors.ts'
import { didYouMean } from '../core/kind.ts'
import type { RawSettings } from './config.ts'
import { namesOn, optionOf } from './lookup.ts'
import type { OptionName } from './options.ts'

/**
 * Flags as written on the command line; throws one UserError with every problem. Arguments that are no flags are put
 * into `positionals`, and are mistakes where there is none.
 */
export function rawFromArgv(args: readonly string[], positionals?: string[]): RawSettings {
  const names = namesOn('cli')
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(names.map((name) => [name, parserOption(name)])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const problems: Problem[] = []
  const raw: RawSettings = {}
  const takePositional = (value: string) => {
    if (positionals) positionals.push(value)
    else problems.push(unexpected(value))
  }
  let lastArgument = Number.NaN
  for (const token of tokens) {
    // What follows a flag with a problem is most likely its value, and no mistake of its own.
    if (token.kind === 'positional' && token.index !== lastArgument + 1) takePositional(token.value)
    if (token.kind !== 'option') continue
    const before = problems.length
    const name = names.find((known) => known === token.name)
    if (name === undefined) problems.push(unknownFlag(token.rawName, names))
    else take(raw, name, { written: token.value, inline: token.inlineValue === true, flag: token.rawName }, problems)
    if (problems.length > before) lastArgument = token.index + (token.value === undefined || token.inlineValue ? 0 : 1)
  }
  if (problems.length > 0) throw problemsError('INVALID_OPTIONS', problems)
  return raw
}

function parserOption(name: OptionName): { type: 'string' | 'boolean'; short?: string; multiple: boolean } {
  const { kind, short } = optionOf(name)
  return {
    type: kind === 'flag' ? 'boolean' : 'string',
    multiple: kind === 'list',
    ...(short === undefined ? {} : { short }),
  }
}

interface Given {
  readonly written: string | undefined
  readonly inline: boolean
  readonly flag: string
}

function take(raw: RawSettings, name: OptionName, { written, inline, flag }: Given, problems: Problem[]): void {
  const { kind } = optionOf(name)
  if (kind === 'flag') {
    if (written === undefined || written === 'true' || written === 'false') raw[name] = written !== 'false'
    else problems.push({ field: flag, message: `takes no value, got ${JSON.stringify(written)}` })
    return
  }
  if (written === undefined || (!inline && isFlag(written))) {
    problems.push({ field: flag, message: `needs a value (${optionOf(name).argument ?? 'VALUE'})` })
    return
  }
  const earlier = raw[name]
  raw[name] = kind === 'list' ? [...(Array.isArray(earlier) ? (earlier as readonly string[]) : []), written] : written
}

/** A flag of ours standing where a value should: the value was forgotten. */
function isFlag(text: string): boolean {
  return namesOn('cli').some((name) => text === `--${name}` || text === `-${optionOf(name).short ?? ''}`)
}

function unknownFlag(rawName: string, names: readonly OptionName[]): Problem {
  const hint = didYouMean(rawName.replace(/^-+/, ''), names)?.replace('"', '"--')
  return { field: rawName, message: 'unknown flag', hint: hint ?? 'agent-test --help lists them' }
}

function unexpected(value: string): Problem {
  return { message: `unexpected argument ${JSON.stringify(value)}`, hint: 'suites and messages are given with -i' }
}
