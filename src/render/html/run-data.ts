import type { ConversationRecord } from '../../core/conversation.ts'
import type { Evaluation } from '../../core/evaluation.ts'
import type { Json } from '../../core/json.ts'
import { formatScore } from '../../core/percent.ts'
import { type Check, failureText, type RunRecord, type RunResult } from '../../core/result.ts'
import type { TraceEvent } from '../../core/trace.ts'
import { plainText, terminalBlock } from '../../lib/escape.ts'
import { transcript } from '../conversation.ts'
import { resultStatus } from '../results.ts'
import { formatCount, jsonText } from '../words.ts'
import type { PageCheck, PageRun, Titled } from './page-data.ts'

/** Of one text, and of all texts of a run together: characters. */
const LONGEST_TEXT = 20_000
const LONGEST_RUN = 200_000
const SHORTEST_TEXT = 200
const LONGEST_NAME = 200
const LONGEST_EXPECTATION = 160
const MOST_STEPS = 300

/** Cuts texts for people, shorter and shorter once `LONGEST_RUN` is used up. */
type Take = (text: string) => string

/** One run as the page shows it: everything that was kept of it, cut where it is too long to read. */
export function pageRun(run: RunResult | RunRecord): PageRun {
  const take = taker()
  const isJudged = run.status === 'passed' || run.status === 'failed'
  const checks = isJudged ? run.checks : []
  const told = new Set<string>()
  const isPlain = ({ passed, details }: Check) => passed && details === undefined
  const telling = checks.filter((check) => !isPlain(check)).map((check) => pageCheck(check, take, told))
  const held = checks.filter(isPlain).map((check): Titled => [nameOf(check), expectationOf(check)])
  const events = 'trace' in run ? run.trace.events : []
  const sections = sectionsOf(run, { events, take, told })
  const steps = stepsOf(events, run.output, take)
  const note = noteOf(run)
  return {
    run: run.run,
    status: resultStatus(run),
    ms: tenths(run.durationMs),
    ...(note === '' ? {} : { note }),
    ...(isJudged ? {} : { error: take(failureText(run)) }),
    ...(telling.length === 0 ? {} : { checks: telling }),
    ...(held.length === 0 ? {} : { held }),
    ...(sections.length === 0 ? {} : { sections }),
    ...(steps.length === 0 ? {} : { steps }),
  }
}

/** Milliseconds as precise as anybody reads them. */
export function tenths(ms: number): number {
  return Math.round(ms * 10) / 10
}

function taker(): Take {
  let left = LONGEST_RUN
  return (text) => {
    const shown = terminalBlock(text, { maxLength: Math.max(SHORTEST_TEXT, Math.min(LONGEST_TEXT, left)) })
    left -= shown.length
    return shown
  }
}

function noteOf({ attempts, usage, ...run }: RunResult | RunRecord): string {
  const parts = [
    run.status === 'errored' ? run.code : undefined,
    typeof run.score === 'number' ? `score ${formatScore(run.score)}` : undefined,
    attempts > 1 ? `${attempts} attempts` : undefined,
    usage && `${formatCount(usage.inputTokens)} tokens in, ${formatCount(usage.outputTokens)} out`,
  ]
  return parts.filter((part) => part !== undefined).join(' · ')
}

/** `told` are values that the run has shown: what nearly every check of a run got is its output, told once. */
function pageCheck(check: Check, take: Take, told: Set<string>): PageCheck {
  const { passed, expected, actual, details } = check
  const name = nameOf(check)
  const more = details === undefined ? {} : { details: take(jsonText(details)) }
  if (passed) return { name, passed, message: expectationOf(check), ...more }
  const got = actual === undefined ? undefined : jsonText(actual)
  const isNew = got !== undefined && !told.has(got)
  if (isNew) told.add(got)
  return {
    name,
    passed,
    message: take(check.message),
    ...(expected === undefined ? {} : { expected: take(jsonText(expected)) }),
    ...(isNew ? { got: take(got) } : {}),
    ...more,
  }
}

function nameOf({ name }: Check): string {
  return plainText(name, { maxLength: LONGEST_NAME })
}

/** What a check that held wanted, in a line. */
function expectationOf({ expected }: Check): string {
  return expected === undefined ? '' : plainText(jsonText(expected), { maxLength: LONGEST_EXPECTATION })
}

interface Surroundings {
  readonly events: readonly TraceEvent[]
  readonly take: Take
  readonly told: ReadonlySet<string>
}

function sectionsOf(run: RunResult | RunRecord, { events, take, told }: Surroundings): Titled[] {
  const { output, conversation, evaluations = [] } = run
  const text = output === undefined || output === null ? '' : jsonText(output)
  const logs = run.logs ?? events.filter((event) => event.type === 'log')
  const log = logs.map((line) => `[${line.level}] ${line.text}`)
  return [
    ...(text === '' || told.has(text) ? [] : [['Output', take(text)] as const]),
    ...(evaluations.length === 0 ? [] : [['Scores', take(evaluations.map(scoreText).join('\n'))] as const]),
    ...(log.length === 0 ? [] : [['Log', take(log.join('\n'))] as const]),
    ...(conversation ? conversationSections(conversation, take) : []),
  ]
}

/** One evaluator: its score, and below it what it found wrong. */
function scoreText(evaluation: Evaluation): string {
  const { evaluator } = evaluation
  switch (evaluation.status) {
    case 'scored': {
      const { score, violations, informational } = evaluation
      const told = violations.map(({ severity, type, message }) => `  ${severity}: ${type}: ${message}`)
      return [`${evaluator} ${informational ? 'measured' : formatScore(score)}`, ...told].join('\n')
    }
    case 'not_applicable':
      return `${evaluator} does not apply: ${evaluation.reason}`
    case 'errored':
      return `${evaluator} failed itself: ${evaluation.message}`
  }
}

function conversationSections(record: ConversationRecord, take: Take): Titled[] {
  const lines = record.checkpoints.map(({ id, description, required, reachedInTurn, message }) => {
    const outcome = reachedInTurn === undefined ? 'not reached' : `reached in turn ${reachedInTurn}`
    const parts = [description, required ? undefined : 'optional', message === '' ? undefined : message]
    return [`${id}: ${outcome}`, ...parts.filter((part) => part !== undefined)].join(' · ')
  })
  return [
    ['Checkpoints', take(lines.join('\n'))],
    ['Conversation', take(transcript(record))],
  ]
}

/** Told elsewhere: tokens in the note, logs and checks under their own titles, the output as what came of it. */
const TOLD_ELSEWHERE: ReadonlySet<TraceEvent['type']> = new Set(['usage', 'log', 'check', 'output'])

function stepsOf(events: readonly TraceEvent[], output: Json | undefined, take: Take): Titled[] {
  const telling = events.filter(({ type }) => !TOLD_ELSEWHERE.has(type))
  const [only] = telling
  // An agent that only said what is its output anyway.
  if (telling.length === 1 && only?.type === 'assistant_message' && only.text === output) return []
  const steps = telling.slice(0, MOST_STEPS).map((event): Titled => [titleOf(event), take(textOf(event))])
  return telling.length > MOST_STEPS ? [...steps, ['…', `${telling.length - MOST_STEPS} more steps`]] : steps
}

function titleOf(event: TraceEvent): string {
  const depth = event.session?.depth ?? 0
  const names = [event.agent, depth === 0 ? undefined : 'subagent'].filter((name) => name !== undefined)
  const speaker = names.length === 0 ? '' : ` (${names.join(', ')})`
  return plainText(`${event.type.replace('_', ' ')}${speaker}`, { maxLength: LONGEST_NAME })
}

/** The words of an event, or its own members as JSON. */
function textOf(event: TraceEvent): string {
  const { timestamp: _timestamp, agent: _agent, model: _model, ...other } = event
  const { session: _session, callId: _callId, durationMs: _durationMs, type, ...data } = other
  if (type === 'tool_call' && 'tool' in data && 'parameters' in data) return toolText(data)
  const members = Object.entries(data)
  const [first] = members
  return members.length === 1 && typeof first?.[1] === 'string' ? first[1] : JSON.stringify(data, null, 2)
}

interface ToolCall {
  readonly tool: string
  readonly parameters: Json
  readonly server?: string
  readonly result?: Json
  readonly error?: string
}

function toolText({ tool, server, parameters, result, error }: ToolCall): string {
  const name = server === undefined ? tool : `${server}.${tool}`
  return [
    `${name} ${JSON.stringify(parameters, null, 2)}`,
    ...(result === undefined ? [] : [`→ ${jsonText(result)}`]),
    ...(error === undefined ? [] : [`✗ ${error}`]),
  ].join('\n')
}
