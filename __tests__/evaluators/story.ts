import type { Evaluation, Severity } from '../../src/core/evaluation.ts'
import { checkKindConfig } from '../../src/core/kind.ts'
import type { EmittedEvent, Trace, TraceEvent } from '../../src/core/trace.ts'
import { evaluateTrace, evaluators } from '../../src/evaluators/index.ts'

/** `user: …`, `agent: …`, `bash npm ci`, `write a.txt`, `task coder`, or a whole event. */
export type Line = string | EmittedEvent

type ToolCall = Extract<TraceEvent, { type: 'tool_call' }>

/** A trace of lines, a second apart. */
export function story(...lines: readonly Line[]): Trace {
  return {
    events: lines.map((line, index) => ({
      timestamp: index * 1000,
      ...(typeof line === 'string' ? eventOf(line) : line),
    })),
  }
}

function eventOf(line: string): EmittedEvent {
  if (line.startsWith('user: ')) return { type: 'user_message', text: line.slice(6) }
  if (line.startsWith('agent: ')) return { type: 'assistant_message', text: line.slice(7) }
  const space = line.indexOf(' ')
  return space === -1 ? call(line, '') : call(line.slice(0, space), line.slice(space + 1))
}

/** A call with its one parameter and whatever else is known of it. */
export function call(tool: string, argument: string, rest: Partial<ToolCall> = {}): EmittedEvent {
  const name = { bash: 'command', task: 'subagent_type', grep: 'path', glob: 'pattern' }[tool] ?? 'filePath'
  return { type: 'tool_call', tool, parameters: argument === '' ? {} : { [name]: argument }, ...rest }
}

/** What an evaluator says of a story: `n/a`, or its whole score and what it found; a severity where it is no error. */
export async function verdictOf(evaluator: string, lines: readonly Line[], settings: object = {}): Promise<string> {
  const evaluation = await evaluationOf(evaluator, lines, settings)
  if (evaluation.status === 'not_applicable') return 'n/a'
  if (evaluation.status === 'errored') throw new Error(evaluation.message)
  const found = evaluation.violations.map(({ type, severity }) => `${type}${MARKS[severity]}`)
  return [Math.round(evaluation.score), ...found].join(' ')
}

const MARKS: Readonly<Record<Severity, string>> = { error: '', warning: '~', info: '?' }

export async function evaluationOf(
  evaluator: string,
  lines: readonly Line[],
  settings: object = {},
): Promise<Evaluation> {
  const config = { ...settings, type: evaluator }
  const problems = checkKindConfig(evaluators, config, { noun: 'evaluator', field: 'evaluators' })
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  const [evaluation] = await evaluateTrace(story(...lines), [config])
  if (!evaluation) throw new Error('no evaluation')
  return evaluation
}
