import { isJsonObject, isTooDeep, type Json, type JsonObject } from './json.ts'
import { readToolCall } from './timeline-tool.ts'
import { type EmittedEvent, fromSeed, type Trace, type TraceEvent } from './trace.ts'

export interface ReadTimeline {
  readonly trace: Trace
  readonly skipped: readonly SkippedRow[]
}

/** A row that says nothing that could be understood. */
interface SkippedRow {
  /** From 0. */
  readonly index: number
  readonly problem: string
}

/**
 * Recorded timelines of any age as a trace: events of the seed, of the project it comes from (`text`, `data.input`) and
 * parts as the server's SDK gives them (`data.state`). Ordered by time, and by place where times are equal; what cannot
 * be read is skipped. Source: spec opencode-evals D.2, F.
 */
export function readTimeline(rows: readonly unknown[]): ReadTimeline {
  const speakers = speakersOf(rows)
  const events: TraceEvent[] = []
  const skipped: SkippedRow[] = []
  let clock = 0
  for (const [index, row] of rows.entries()) {
    const read = isJsonObject(row) && !isTooDeep(row) ? readRow(row, speakers) : 'expected an object with a type'
    if (typeof read === 'string') skipped.push({ index, problem: read })
    else if (read) {
      clock = read.timestamp ?? clock
      events.push({ ...read, timestamp: clock })
    }
  }
  return { trace: { events: events.toSorted((left, right) => left.timestamp - right.timestamp) }, skipped }
}

/** Who said a message, and whether its text also comes in parts: then the message itself says nothing new. */
interface Speakers {
  readonly users: ReadonlySet<string>
  readonly inParts: ReadonlySet<string>
}

function speakersOf(rows: readonly unknown[]): Speakers {
  const idsOf = (type: string) =>
    rows.flatMap((row) =>
      isJsonObject(row) && row['type'] === type && typeof row['messageId'] === 'string' ? [row['messageId']] : [],
    )
  return { users: new Set(idsOf('user_message')), inParts: new Set(idsOf('text')) }
}

/** The event of one row; a text why there is none; undefined where there is nothing new in it. */
function readRow(row: JsonObject, { users, inParts }: Speakers): EmittedEvent | string | undefined {
  const id = typeof row['messageId'] === 'string' ? row['messageId'] : ''
  const data = isJsonObject(row['data']) ? row['data'] : {}
  const type = typeof row['type'] === 'string' ? row['type'] : ''
  switch (type) {
    case 'user_message':
      return said(row, 'user_message', data)
    case 'assistant_message':
      return inParts.has(id) ? undefined : said(row, 'assistant_message', data)
    case 'text':
      return users.has(id) || isHidden(data) ? undefined : said(row, 'assistant_message', data)
    // What a model thinks it has not said.
    case 'reasoning':
      return undefined
    case 'tool_call':
      return seedCall(row, data) ?? { ...baseOf(row, data), ...readToolCall(data) }
    case 'approval_request':
    case 'approval_response':
      return gateEvent(row, data)
    default: {
      const parsed = fromSeed(row)
      return parsed.ok ? parsed.event : parsed.problem
    }
  }
}

/** A call in the seed's own shape, with all that ours may add to it. */
function seedCall(row: JsonObject, data: JsonObject): EmittedEvent | undefined {
  if (data['parameters'] === undefined && data['result'] === undefined) return undefined
  const parsed = fromSeed(row)
  if (!parsed.ok || parsed.event.type !== 'tool_call') return undefined
  const { callId } = baseOf(row, data)
  const { exitCode, error, status } = readToolCall(data)
  return {
    ...(callId === undefined ? {} : { callId }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(error === undefined ? {} : { error }),
    ...(status === 'denied' ? { status } : {}),
    ...parsed.event,
  }
}

/** How servers answer, and the names of the decisions in suites. */
const REPLIES: ReadonlyMap<string, boolean> = new Map([
  ['once', true],
  ['always', true],
  ['approve', true],
  ['approved', true],
  ['reject', false],
  ['rejected', false],
  ['deny', false],
  ['denied', false],
])

/** A request or an answer of the gate: the seed's, or with the names that servers use. Source: spec opencode-evals 0.2. */
function gateEvent(row: JsonObject, data: JsonObject): EmittedEvent | string {
  const call = isJsonObject(data['tool']) ? data['tool'] : {}
  const { callId = nameOf(call['callID']) } = baseOf(row, data)
  const id = nameOf(data['id']) ?? nameOf(data['requestID']) ?? nameOf(data['permissionID'])
  const tool = nameOf(data['tool']) ?? nameOf(data['permission']) ?? nameOf(data['type'])
  const approved = REPLIES.get(nameOf(data['response']) ?? nameOf(data['reply']) ?? '')
  const parsed = fromSeed({
    ...row,
    data: {
      ...data,
      ...(id === undefined ? {} : { id }),
      ...(tool === undefined ? {} : { tool }),
      ...(data['approved'] === undefined && approved !== undefined ? { approved } : {}),
    },
  })
  if (!parsed.ok) return parsed.problem
  return { ...parsed.event, ...(callId === undefined ? {} : { callId }) }
}

function said(row: JsonObject, type: 'user_message' | 'assistant_message', data: JsonObject): EmittedEvent {
  const turn = data['turn']
  const isTurn = type === 'user_message' && typeof turn === 'number' && Number.isSafeInteger(turn) && turn > 0
  return { ...baseOf(row, data), type, text: textOf(data), ...(isTurn ? { turn } : {}) }
}

function textOf({ text, content, parts }: JsonObject): string {
  if (typeof text === 'string') return text
  if (typeof content === 'string') return content
  const list: readonly Json[] = Array.isArray(parts) ? parts : []
  return list
    .flatMap((part) => {
      const isText = isJsonObject(part) && part['type'] === 'text' && !isHidden(part)
      return isText && typeof part['text'] === 'string' ? [part['text']] : []
    })
    .join('\n')
}

/** Put there by the program, not by who speaks. */
function isHidden({ synthetic, ignored }: JsonObject): boolean {
  return synthetic === true || ignored === true
}

/** What every event may say of itself, from the row or from the message that it carries. */
function baseOf(row: JsonObject, data: JsonObject): Partial<EmittedEvent> {
  const message = isJsonObject(data['message']) ? data['message'] : {}
  const { start, durationMs } = timesOf(row, data)
  const timestamp = numberOf(row['timestamp']) ?? start
  const agent = nameOf(row['agent']) ?? nameOf(message['mode']) ?? nameOf(message['agent'])
  const model = modelOf(row['model'], message)
  const session = fromSeed({ type: 'log', session: row['session'] ?? undefined, data: { text: '' } })
  const callId = nameOf(row['callId']) ?? nameOf(data['callId']) ?? nameOf(data['callID'])
  return {
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    ...(session.ok && session.event.session ? { session: session.event.session } : {}),
    ...(callId === undefined ? {} : { callId }),
    ...(durationMs === undefined || durationMs < 0 ? {} : { durationMs }),
  }
}

/** A part's own time is in its state, a text's beside it. */
function timesOf(row: JsonObject, data: JsonObject) {
  const state = isJsonObject(data['state']) ? data['state'] : data
  const time = isJsonObject(state['time']) ? state['time'] : {}
  const start = numberOf(time['start'])
  const end = numberOf(time['end'])
  const measured = start === undefined || end === undefined ? undefined : end - start
  return { start, durationMs: numberOf(row['durationMs']) ?? measured }
}

/** With its provider where that is known, as `provider/model`. */
function modelOf(written: Json | undefined, { providerID, modelID }: JsonObject): string | undefined {
  const provider = nameOf(providerID)
  const model = nameOf(modelID)
  if (provider !== undefined && model !== undefined) return `${provider}/${model}`
  return nameOf(written) ?? model
}

function nameOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
