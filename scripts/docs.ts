import { stringify } from 'yaml'
import { defaultOf, namesOn, OPTION_NAMES, optionOf } from '../src/config/lookup.ts'
import type { OptionName } from '../src/config/options.ts'
import { OUTPUT_NAMES, OUTPUTS } from '../src/config/outputs.ts'

const NOTICE = '# Written by `npm run docs` from src/config/options.ts and src/config/outputs.ts; do not edit.\n'

/** The whole action.yml. */
export function actionYml(): string {
  const inputs = namesOn('action').map((name): [string, object] => {
    const value = defaultOf(name, 'action')
    return [name, { description: optionOf(name).help, ...(value === undefined ? {} : { default: value }) }]
  })
  const outputs = OUTPUT_NAMES.map((name): [string, object] => [name, { description: OUTPUTS[name] }])
  const action = {
    name: 'agent-test',
    description:
      'Runs the test suites of an AI agent several times, compares with the base branch and reports in the pull request',
    author: 'agent-test contributors',
    branding: { icon: 'check-circle', color: 'purple' },
    inputs: Object.fromEntries<object>(inputs),
    outputs: Object.fromEntries<object>(outputs),
    runs: { using: 'node24', main: 'dist/index.js' },
  }
  return NOTICE + stringify(action, { lineWidth: 0, singleQuote: true })
}

/** The README with the tables between `<!-- inputs -->`, `<!-- outputs -->` and their ends written anew. */
export function withTables(readme: string): string {
  const inputs = OPTION_NAMES.map((name) => [inputName(name), flagName(name), defaults(name), optionOf(name).help])
  const outputs = OUTPUT_NAMES.map((name) => [code(name), OUTPUTS[name]])
  return replaceBlock(
    replaceBlock(readme, 'inputs', table(['input', 'command line', 'default', 'what'], inputs)),
    'outputs',
    table(['output', 'what'], outputs),
  )
}

function replaceBlock(text: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [from, to] = [text.indexOf(start), text.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`README.md needs the lines ${start} and ${end}, in this order`)
  return `${text.slice(0, from + start.length)}\n\n${content}\n\n${text.slice(to)}`
}

function inputName(name: OptionName): string {
  return optionOf(name).on === 'cli' ? '' : code(name)
}

function flagName(name: OptionName): string {
  const { on, short, argument } = optionOf(name)
  if (on === 'action') return ''
  const flags = [...(short === undefined ? [] : [`-${short}`]), `--${name}`].join(', ')
  return code(argument === undefined ? flags : `${flags} ${argument}`)
}

/** One default where both surfaces agree, else the action's and then the command line's. */
function defaults(name: OptionName): string {
  const [action, cli] = [defaultOf(name, 'action'), defaultOf(name, 'cli')]
  if (optionOf(name).on !== 'both' || action === cli) return code((optionOf(name).on === 'cli' ? cli : action) ?? '')
  return `${code(action ?? '') || 'none'}; command line ${code(cli ?? '') || 'none'}`
}

function code(text: string): string {
  return text === '' ? '' : `\`${text}\``
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
