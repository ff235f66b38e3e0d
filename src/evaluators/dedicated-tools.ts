import type { Severity } from '../core/evaluation.ts'
import { commandsOf, hasOption, type NamedCommand, operandsOf } from './shell-commands.ts'
import type { ToolCall } from './tools.ts'

/** A command for which the agent has a tool. */
export interface DedicatedTool {
  readonly command: string
  readonly tool: 'read' | 'write' | 'edit' | 'list' | 'glob'
  readonly severity: Severity
  readonly example: string
}

/** The first command of a call that a tool of the agent's would do; a pipeline has none. Source: spec C.4. */
export function dedicatedToolFor(call: ToolCall): DedicatedTool | undefined {
  for (const command of commandsOf(call)) {
    const found = command.isPiped ? undefined : RULES.get(command.name)?.(command)
    if (found) return found
  }
  return undefined
}

type Rule = (command: NamedCommand) => DedicatedTool | undefined

const RULES = new Map<string, Rule>([
  ['cat', catRule],
  ['head', fileRule],
  ['tail', (command) => (hasOption(command, 'fF', '--follow', '--retry') ? undefined : fileRule(command))],
  ['ls', lsRule],
  ['find', findRule],
  ['echo', echoRule],
  ['printf', echoRule],
  ['sed', (command) => editing(command, 'warning')],
  ['awk', (command) => editing(command, 'info')],
  ['gawk', (command) => editing(command, 'info')],
])

function catRule(command: NamedCommand): DedicatedTool | undefined {
  const isDocument = command.redirections.some(({ operator }) => operator === '<<')
  if (isDocument)
    return { command: command.name, tool: 'write', severity: 'warning', example: 'write with filePath and content' }
  const input = command.redirections.find(({ operator }) => operator === '<')?.target ?? ''
  return fileRule(command) ?? (input === '' ? undefined : reading(command, input))
}

function fileRule(command: NamedCommand): DedicatedTool | undefined {
  const [file] = operandsOf(command).filter(({ text }) => !/^\d+$/.test(text))
  return file && reading(command, file.text)
}

function reading(command: NamedCommand, file: string): DedicatedTool {
  return {
    command: command.name,
    tool: 'read',
    severity: 'warning',
    example: `read with filePath ${JSON.stringify(file)}`,
  }
}

/** Plain `ls` and the long and hidden listings are fine: the tool has no such form. */
function lsRule(command: NamedCommand): DedicatedTool | undefined {
  if (command.args.length === 0 || hasOption(command, 'al', '--all', '--almost-all')) return undefined
  const [folder] = operandsOf(command)
  return {
    command: command.name,
    tool: 'list',
    severity: 'info',
    example: `list with path ${JSON.stringify(folder?.text ?? '.')}`,
  }
}

function findRule(command: NamedCommand): DedicatedTool | undefined {
  const at = command.args.findIndex(({ text }) => text === '-name' || text === '-iname')
  if (at === -1) return undefined
  const pattern = command.args[at + 1]?.text ?? '*'
  return {
    command: command.name,
    tool: 'glob',
    severity: 'warning',
    example: `glob with pattern ${JSON.stringify(`**/${pattern}`)}`,
  }
}

function echoRule(command: NamedCommand): DedicatedTool | undefined {
  const target = command.redirections.find(({ operator, target }) => {
    return (operator === '>' || operator === '>>' || operator === '&>') && !target.startsWith('/dev/')
  })?.target
  if (target === undefined || target === '') return undefined
  return {
    command: command.name,
    tool: 'write',
    severity: 'warning',
    example: `write with filePath ${JSON.stringify(target)}`,
  }
}

function editing(command: NamedCommand, severity: Severity): DedicatedTool {
  return { command: command.name, tool: 'edit', severity, example: 'read to see a part of a file, edit to change it' }
}
