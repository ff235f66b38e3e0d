import { defaultOf, namesOn, optionOf } from './lookup.ts'
import type { OptionName } from './options.ts'

/** The `--help` text of the test verb, from the options table. */
export function helpText(): string {
  const rows = namesOn('cli').map((name) => ({ left: flagsOf(name), right: describe(name) }))
  const width = Math.max(...rows.map(({ left }) => left.length))
  const lines = rows.map(({ left, right }) => `  ${left.padEnd(width)}  ${right}`)
  return [
    'Usage: agent-test [test] -i SUITE [options]',
    '       agent-test extract REPORT [-o DIR] [--format markdown|json]',
    '       agent-test score PATH... [-o OUT.jsonl], or score --help',
    '       agent-test quarantine --baseline FILE [--until DATE] [-i SUITE...]',
    '       agent-test demo',
    '       agent-test --version | --help',
    '',
    'Runs the suites of an AI agent, compares with a baseline and says whether the agent got worse.',
    '',
    'Options:',
    ...lines,
    '',
    'Exit code: 0 when the gate passes, 1 otherwise (--exit-codes detailed tells the reasons apart).',
    '',
  ].join('\n')
}

function flagsOf(name: OptionName): string {
  const { short, argument } = optionOf(name)
  const flags = short === undefined ? `    --${name}` : `-${short}, --${name}`
  return argument === undefined ? flags : `${flags} ${argument}`
}

function describe(name: OptionName): string {
  const { help, kind } = optionOf(name)
  const value = defaultOf(name, 'cli')
  const suffix = value === undefined || kind === 'flag' ? '' : ` (default: ${value})`
  return `${help}${kind === 'list' ? '; repeatable' : ''}${suffix}`
}
