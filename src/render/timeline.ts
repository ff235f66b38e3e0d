import { isJsonObject, type Json } from '../core/json.ts'
import { eventsOf, type TraceEvent, usageOf } from '../core/trace.ts'
import { formatDuration } from '../lib/duration.ts'
import { plainText } from '../lib/escape.ts'
import type { Mood, Paint } from './terminal.ts'
import { formatTokens, plural } from './words.ts'

/** The first and the last events say most; what lies between is counted. */
const MOST_FIRST = 120
const MOST_LAST = 40
const LONGEST_TEXT = 100
const LONGEST_NAME = 24
const DEEPEST = 6

/** Without a call, an answer to a question or a second session a timeline says no more than the output. */
export function hasTimeline(events: readonly TraceEvent[]): boolean {
  return events.some(({ type, session }) => ACTIONS.has(type) || (session?.depth ?? 0) > 0)
}

const ACTIONS = new Set<TraceEvent['type']>(['tool_call', 'patch', 'approval_request', 'approval_response'])

/**
 * What happened in a run, a line for each event: its time from the start, who did it and what, subagents' sessions
 * indented below the one that started them. Ends in a newline.
 */
export function timelineText(events: readonly TraceEvent[], paint: Paint, indent = ''): string {
  const shown = events.filter(({ type }) => !UNSHOWN.has(type))
  const start = events[0]?.timestamp ?? 0
  const seen = new Set<string>()
  const lineOf = (event: TraceEvent) => sessionLine(event, seen, paint, indent) + eventLine(event, start, paint, indent)
  const left = shown.length - MOST_FIRST - MOST_LAST
  const lines =
    left <= 0
      ? shown.map(lineOf)
      : [
          ...shown.slice(0, MOST_FIRST).map(lineOf),
          `${indent}${paint('quiet', `          … ${plural(left, 'more event')}`)}\n`,
          ...shown.slice(-MOST_LAST).map(lineOf),
        ]
  return `${indent}${paint('quiet', 'Timeline:')}\n${lines.join('')}${costLine(events, paint, indent)}`
}

/** They are told of elsewhere, or only counted. */
const UNSHOWN = new Set<TraceEvent['type']>(['usage', 'output', 'check', 'log', 'skip'])

/** A subagent's session, where it first appears. */
function sessionLine({ session, agent }: TraceEvent, seen: Set<string>, paint: Paint, indent: string): string {
  if (!session || session.depth === 0 || seen.has(session.id)) return ''
  seen.add(session.id)
  const who = agent === undefined ? '' : ` of ${plainText(agent, { maxLength: LONGEST_NAME })}`
  const name = `↳ session ${plainText(session.id, { maxLength: 40 })}${who}`
  return `${indent}${' '.repeat(10)}${branch(session.depth - 1)}${paint('quiet', name)}\n`
}

function branch(depth: number): string {
  return '  '.repeat(Math.max(0, Math.min(depth, DEEPEST)))
}

function eventLine(event: TraceEvent, start: number, paint: Paint, indent: string): string {
  const { who, what, status, mood } = describe(event)
  const time = `+${formatDuration(Math.max(0, event.timestamp - start))}`.padStart(9)
  const name = plainText(who, { maxLength: LONGEST_NAME }).padEnd(12)
  const took = event.durationMs === undefined ? '' : ` ${formatDuration(event.durationMs)}`
  const end = status === '' ? '' : `  ${paint(mood, status)}`
  const text = plainText(what, { maxLength: LONGEST_TEXT })
  const line = `${branch(event.session?.depth ?? 0)}${paint('strong', name)} ${text}`.trimEnd()
  return `${indent}${paint('quiet', time)} ${line}${end}${paint('quiet', took)}\n`
}

interface Described {
  readonly who: string
  readonly what: string
  readonly status: string
  readonly mood: Mood
}

function describe(event: TraceEvent): Described {
  const told = (who: string, what: string, status = '', mood: Mood = 'quiet'): Described => ({
    who,
    what,
    status,
    mood,
  })
  switch (event.type) {
    case 'user_message':
      return told('user', quoted(event.text))
    case 'assistant_message':
      return told(event.agent ?? 'agent', quoted(event.text))
    case 'tool_call':
      return told(
        event.server === undefined ? event.tool : `${event.server}/${event.tool}`,
        shortly(event.parameters),
        ...callStatus(event),
      )
    case 'patch':
      return told('patch', event.files.slice(0, 20).join(', '))
    case 'approval_request':
      return told('asks', `${event.tool} ${shortly(event.parameters)}`)
    case 'approval_response':
      return event.approved ? told('answer', '', '✓ approved', 'good') : told('answer', '', '✗ denied', 'bad')
    case 'usage':
    case 'output':
    case 'check':
    case 'log':
    case 'skip':
      return told(event.type, '')
  }
}

function callStatus({ status, error = '', exitCode }: Extract<TraceEvent, { type: 'tool_call' }>): [string, Mood] {
  const exit = exitCode === undefined || exitCode === 0 ? '' : ` (exit ${exitCode})`
  if (status === 'denied') return ['✗ denied', 'bad']
  if (status === 'running') return ['! not ended', 'doubtful']
  if (status === 'failed' || error !== '') {
    const why = error === '' ? '' : `: ${plainText(error, { maxLength: 60 })}`
    return [`✗ failed${exit}${why}`, 'bad']
  }
  return exit === '' ? ['✓', 'good'] : [`!${exit}`, 'doubtful']
}

function quoted(text: string): string {
  return text.slice(0, 4 * LONGEST_TEXT)
}

/** The parameter that says most of a call. */
const TELLING = ['command', 'filePath', 'path', 'pattern', 'query', 'url', 'description', 'subagent_type', 'prompt']

/** Parameters in a few words; a long content is not even looked at. */
function shortly(parameters: Json): string {
  if (typeof parameters === 'string') return quoted(parameters)
  if (Array.isArray(parameters)) return plural(parameters.length, 'item')
  if (!isJsonObject(parameters)) return JSON.stringify(parameters)
  const [first] = TELLING.flatMap((name) => {
    const value = parameters[name]
    return typeof value === 'string' ? [value] : []
  })
  if (first !== undefined) return quoted(first)
  return Object.entries(parameters)
    .slice(0, 4)
    .map(([name, value]) => `${name.slice(0, 40)}=${typeof value === 'object' ? '…' : String(value).slice(0, 40)}`)
    .join(' ')
}

function costLine(events: readonly TraceEvent[], paint: Paint, indent: string): string {
  const usage = usageOf({ events })
  if (!usage) return ''
  const costs = eventsOf({ events }, 'usage').flatMap(({ costUsd }) => costUsd ?? [])
  const cost = costs.length === 0 ? '' : `, $${costs.reduce((sum, one) => sum + one, 0).toFixed(4)}`
  const tokens = `${formatTokens(usage.inputTokens)} tokens in, ${formatTokens(usage.outputTokens)} out${cost}`
  return `${indent}${' '.repeat(10)}${paint('quiet', tokens)}\n`
}
