import { isJsonObject, type Json } from '../core/json.ts'
import { shellCommands } from '../lib/shell.ts'
import { trimEdges } from '../lib/trim-edges.ts'
import { commandNameOf } from './shell-commands.ts'
import { commandOf, isShell, type ToolCall, wasExecuted } from './tools.ts'

/** Why a command counts as failed. */
export interface CommandFailure {
  readonly by: 'state' | 'exit code' | 'output'
  readonly detail: string
}

/** Lines of output that are looked at; what a command says last tells how it ended. */
const MOST_LINES = 4_000
/** They end with 1 to say "no", which is no failure. */
const SAYING_NO = new Set([
  'grep',
  'rg',
  'egrep',
  'fgrep',
  'diff',
  'cmp',
  'test',
  '[',
  'which',
  'command',
  'pgrep',
  'find',
])

/**
 * How a command failed: its exit code, else its state, else what it wrote. A command that ended with 0 is taken at its
 * word. Source: spec opencode-evals C.5, "ours".
 */
export function failureOf(call: ToolCall): CommandFailure | undefined {
  const { status, error = '', exitCode, result } = call
  if (!isShell(call) || !wasExecuted(call) || status === 'running') return undefined
  if (exitCode !== undefined && exitCode !== 0)
    return saysNo(call, exitCode) ? undefined : { by: 'exit code', detail: `exit code ${exitCode}` }
  if (status === 'failed' || error !== '') return { by: 'state', detail: error === '' ? 'the call failed' : error }
  if (exitCode === 0) return undefined
  const line = failingLine(outputText(result))
  return line === undefined ? undefined : { by: 'output', detail: line }
}

function saysNo(call: ToolCall, exitCode: number): boolean {
  const last = shellCommands(commandOf(call)).at(-1)
  return exitCode === 1 && last !== undefined && SAYING_NO.has(commandNameOf(last).name)
}

function outputText(result: Json | undefined): string {
  if (typeof result === 'string') return result
  if (!isJsonObject(result)) return ''
  return ['output', 'stdout', 'stderr']
    .flatMap((name) => (typeof result[name] === 'string' ? [result[name]] : []))
    .join('\n')
}

function failingLine(output: string): string | undefined {
  const lines = output.split('\n')
  return lines.slice(-MOST_LINES).find(saysFailure)
}

const FAILING = new Set(['fail', 'fails', 'failed', 'failure', 'failures', 'failing'])
const NOTHING = new Set(['0', 'no', 'zero', 'without', 'not', 'never', 'none', 'didnt', 'if', 'any'])
const ERRORS = new Set(['typeerror', 'referenceerror', 'syntaxerror', 'assertionerror', 'rangeerror'])

/** Words, not parts of words: `FailureReport.md` and "0 failed" are no failures. */
export function saysFailure(line: string): boolean {
  const tokens = line
    .slice(0, 2_000)
    .toLowerCase()
    .split(/\s+/)
    .filter((token) => token !== '')
  const words = tokens.map((token) => trimEdges(token, ']'))
  return words.some((word, at) => isFailureAt(words, tokens, { word, at })) || expectedGot(words)
}

interface At {
  readonly word: string
  readonly at: number
}

function isFailureAt(words: readonly string[], tokens: readonly string[], { word, at }: At): boolean {
  const next = words[at + 1] ?? ''
  const isLabel = word.endsWith('error') && (tokens[at] ?? '').includes('error:')
  if (FAILING.has(word) || ERRORS.has(word) || isLabel) return !countsNothing(words, at) && next !== '0'
  return word.startsWith('error[') || isCompilerError(words, at) || exitsBadly(words, at)
}

/** `npm ERR!`, `compilation error`, `error TS2304`. */
function isCompilerError(words: readonly string[], at: number): boolean {
  const word = words[at]
  const before = words[at - 1]
  if (word === 'err') return before === 'npm'
  if (word !== 'error') return false
  return before === 'npm' || before === 'compilation' || /^(ts|cs|e)\d+$/.test(words[at + 1] ?? '')
}

/** `0 failed`, `no tests failed`: the number or the word stands one or two before. */
function countsNothing(words: readonly string[], at: number): boolean {
  const [second = '', first = ''] = [words[at - 2], words[at - 1]]
  if (NOTHING.has(first)) return true
  return NOTHING.has(second) && !/^\d+$/.test(first)
}

/** `exit code 1`, `exited with code 2`, `exit status 3`. */
function exitsBadly(words: readonly string[], at: number): boolean {
  if (words[at] !== 'exit' && words[at] !== 'exited') return false
  const rest = words.slice(at + 1, at + 4)
  const mark = rest.findIndex((word) => word === 'code' || word === 'status')
  return mark !== -1 && /^[1-9]\d*$/.test(rest[mark + 1] ?? '')
}

/** `expected 3 but got 4`. */
function expectedGot(words: readonly string[]): boolean {
  const expected = words.indexOf('expected')
  if (expected === -1) return false
  const but = words.indexOf('but', expected)
  return but !== -1 && ['got', 'was', 'received', 'found'].includes(words[but + 1] ?? '')
}
