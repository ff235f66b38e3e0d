import { type Command, parseCommand } from './commands.ts'
import type { Masks } from './masks.ts'

type Level = 'error' | 'warning' | 'notice'

export interface StepAnnotation {
  readonly level: Level
  readonly message: string
  readonly title?: string
  readonly file?: string
  readonly line?: number
  readonly endLine?: number
  readonly col?: number
  readonly endColumn?: number
}

/** Everything a step says on its streams, and what its workflow commands did. */
export interface StepLog {
  /** One line of either stream. */
  write(line: string): void
  error(message: string): void
  warning(message: string): void
  readonly lines: readonly string[]
  /** Names of the commands that were obeyed, in order. */
  readonly commands: readonly string[]
  /** The first ten of each level, as GitHub keeps them. */
  readonly annotations: readonly StepAnnotation[]
  /** From `set-output` and `save-state`, the deprecated commands. */
  readonly outputs: Readonly<Record<string, string>>
  readonly state: Readonly<Record<string, string>>
  /** Whether a command, such as set-env, failed the step. */
  readonly failed: boolean
}

const MOST_PER_LEVEL = 10
const LONGEST_MESSAGE = 4096
const LONGEST_UNMASKED_TOKEN = 6

const COMMANDS =
  'error warning notice debug add-mask stop-commands set-output save-state set-env add-path echo group endgroup add-matcher remove-matcher'

export function createStepLog({ masks, workspace }: { masks: Masks; workspace: string }): StepLog {
  const known = new Set(COMMANDS.split(' '))
  const lines: string[] = []
  const commands: string[] = []
  const annotations: StepAnnotation[] = []
  const outputs: Record<string, string> = {}
  const state: Record<string, string> = {}
  let stopToken: string | undefined
  let failed = false

  const print = (line: string) => void lines.push(masks.apply(line))

  const annotate = (level: Level, message: string, details: Partial<StepAnnotation> = {}) => {
    const short = masks.apply(message).slice(0, LONGEST_MESSAGE)
    print(`##[${level}]${message}`)
    if (annotations.filter((item) => item.level === level).length < MOST_PER_LEVEL)
      annotations.push({ level, message: short, ...details })
  }

  const fail = (message: string) => {
    annotate('error', message)
    failed = true
  }

  const stop = (token: string) => {
    if (token === '' || token === 'pause-logging' || known.has(token.toLowerCase()))
      return fail(`Invalid stop-commands token: ${token}`)
    stopToken = token.toLowerCase()
    known.add(stopToken)
    if (token.length > LONGEST_UNMASKED_TOKEN) masks.add(token)
  }

  const obey = ({ name, properties, data }: Command) => {
    commands.push(name)
    switch (name) {
      case 'error':
      case 'warning':
      case 'notice':
        return annotate(name, data, placeOf(properties, workspace))
      case 'add-mask':
        return data.trim() === '' ? annotate('warning', "Can't add secret mask for empty string.") : masks.add(data)
      case 'set-output':
      case 'save-state': {
        if (!properties['name']) return fail(`Required field 'name' is missing in ##[${name}] command.`)
        annotate('warning', `The \`${name}\` command is deprecated and will be disabled soon.`)
        const target = name === 'set-output' ? outputs : state
        target[properties['name']] = data
        return
      }
      case 'set-env':
      case 'add-path':
        return fail(`The \`${name}\` command is disabled. Please upgrade to using Environment Files.`)
      case 'stop-commands':
        return stop(data)
      case 'debug':
        return undefined
      default:
        return print(`##[${name}]${data}`)
    }
  }

  return {
    lines,
    commands,
    annotations,
    outputs,
    state,
    get failed() {
      return failed
    },
    error: (message) => annotate('error', message),
    warning: (message) => annotate('warning', message),
    write(line) {
      const command = parseCommand(line, known)
      if (stopToken === undefined) return command ? obey(command) : print(line)
      print(line)
      if (command?.name !== stopToken) return
      known.delete(stopToken)
      stopToken = undefined
    },
  }
}

/** Rules of the runner: columns only on one line, no end before the start, paths relative to the workspace. */
function placeOf(properties: Command['properties'], workspace: string): Partial<StepAnnotation> {
  const numberAt = (name: string) => (/^\d+$/.test(properties[name] ?? '') ? Number(properties[name]) : undefined)
  const line = numberAt('line') ?? numberAt('endline')
  const lastLine = numberAt('endline') ?? line
  const endLine = line !== undefined && lastLine !== undefined && lastLine >= line ? lastLine : undefined
  const hasColumns = line !== undefined && (endLine ?? line) === line
  const col = hasColumns ? (numberAt('col') ?? numberAt('endcolumn')) : undefined
  const lastColumn = hasColumns ? numberAt('endcolumn') : undefined
  const endColumn = col !== undefined && lastColumn !== undefined && lastColumn >= col ? lastColumn : undefined
  const file = properties['file']?.replace(`${workspace}/`, '')
  const place = { title: properties['title'], file, line, endLine, col, endColumn }
  return Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined))
}
