import { z } from 'zod'
import { type Prices, priceOf } from './budget.ts'
import { isJsonObject, isTooDeep, type Json, type JsonObject, MAX_DEPTH } from './json.ts'

interface EventBase {
  /** Milliseconds since the epoch. */
  readonly timestamp: number
  readonly agent?: string
  readonly model?: string
  /** The session it belongs to, where the target has sessions; a subagent's names its parent. */
  readonly session?: SessionRef
  /** Joins a tool call with its approval events, where the target knows. */
  readonly callId?: string
  /** How long it took, where the target knows. */
  readonly durationMs?: number
}

export interface SessionRef {
  readonly id: string
  readonly parentId?: string
  /** 0 for the session that was prompted. */
  readonly depth: number
}

/** What an agent did, flat inside the program; `toSeed` and `fromSeed` are its form in files. */
export type TraceEvent = EventBase & TraceEventBody

type TraceEventBody =
  | UserMessageBody
  | { readonly type: 'assistant_message'; readonly text: string }
  | ToolCallBody
  | { readonly type: 'patch'; readonly files: readonly string[] }
  | { readonly type: 'approval_request'; readonly id: string; readonly tool: string; readonly parameters: Json }
  | { readonly type: 'approval_response'; readonly id: string; readonly approved: boolean }
  | { readonly type: 'usage'; readonly inputTokens: number; readonly outputTokens: number; readonly costUsd?: number }
  | { readonly type: 'output'; readonly value: Json }
  | CheckBody
  | { readonly type: 'skip'; readonly reason: string }
  | { readonly type: 'log'; readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly text: string }

interface UserMessageBody {
  readonly type: 'user_message'
  readonly text: string
  /** From 1: it begins a turn of a conversation with a simulated user. */
  readonly turn?: number
}

/** A check that the target itself made, as a script test does. */
interface CheckBody {
  readonly type: 'check'
  readonly name: string
  readonly passed: boolean
  /** Why it failed; empty when it passed. */
  readonly message: string
  readonly expected?: Json
  readonly actual?: Json
  /** What else is known of it, such as the `stack` of what was thrown. */
  readonly details?: JsonObject
  /** Settings of the `agent` assertion that decides it after the run, by `actual`; `passed` says nothing then. */
  readonly decidedBy?: JsonObject
}

interface ToolCallBody {
  readonly type: 'tool_call'
  readonly tool: string
  readonly parameters: Json
  readonly result?: Json
  /** The MCP server it belongs to, where the target knows. */
  readonly server?: string
  /** Why the call failed. */
  readonly error?: string
  /** `denied`: it was stopped by its approval and did nothing; `running`: it had not ended. Absent: it ended well. */
  readonly status?: 'failed' | 'denied' | 'running'
  /** Of a command. */
  readonly exitCode?: number
}

/** What a target yields: the runner adds the time where the target gives none. */
export type EmittedEvent = Partial<EventBase> & TraceEventBody

export interface Trace {
  readonly events: readonly TraceEvent[]
}

export type TraceEventType = TraceEvent['type']

/** The events of one type, in order. */
export function eventsOf<T extends TraceEventType>(trace: Trace, type: T): Extract<TraceEvent, { type: T }>[] {
  return trace.events.filter((event): event is Extract<TraceEvent, { type: T }> => event.type === type)
}

export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Of the whole run; absent where the price of a part of it is not known. Unknown is never 0. */
  readonly costUsd?: number
}

/** Undefined where nothing says what was used. `prices` stand in where the agent does not know what it cost. */
export function usageOf(trace: Trace, prices?: Prices): Usage | undefined {
  const events = eventsOf(trace, 'usage')
  if (events.length === 0) return undefined
  const costs = events.map((event) => costOf(event, prices))
  return {
    inputTokens: events.reduce((sum, event) => sum + event.inputTokens, 0),
    outputTokens: events.reduce((sum, event) => sum + event.outputTokens, 0),
    ...(costs.includes(undefined) ? {} : { costUsd: costs.reduce<number>((sum, cost = 0) => sum + cost, 0) }),
  }
}

/** 0 for tokens is what programs say that know no price. */
function costOf(
  { model = '', inputTokens, outputTokens, costUsd }: Extract<TraceEvent, { type: 'usage' }>,
  prices: Prices = new Map(),
): number | undefined {
  if (costUsd !== undefined && (costUsd > 0 || inputTokens + outputTokens === 0)) return costUsd
  const price = priceOf(model, prices)
  return price && (inputTokens * price.input + outputTokens * price.output) / 1_000_000
}

/**
 * What assertions look at. Source: spec yao 4.1: structured data unless empty, else the last text, else what the
 * tools said, else null. An empty structured value stands when nothing else was said.
 */
export function outputOf(trace: Trace): Json {
  const structured = eventsOf(trace, 'output')
  const telling = structured.findLast((event) => !isEmptyOutput(event.value))
  if (telling) return telling.value
  const text = eventsOf(trace, 'assistant_message').findLast((event) => event.text !== '')?.text
  return text ?? toolSummary(eventsOf(trace, 'tool_call')) ?? structured.at(-1)?.value ?? null
}

/** `{}`, `[]`, `""` and null say nothing; `0` and `false` do. */
function isEmptyOutput(value: Json): boolean {
  if (value === null || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return isJsonObject(value) && Object.keys(value).length === 0
}

/** What the results of tools say in words, in order: their `message` members that are not empty. */
export function toolMessagesOf(trace: Trace): string[] {
  return messagesOf(eventsOf(trace, 'tool_call').map(resultObject))
}

function messagesOf(results: readonly JsonObject[]): string[] {
  return results.flatMap(({ message }) => (typeof message === 'string' && message !== '' ? [message] : []))
}

function resultObject({ result }: ToolCallBody): JsonObject {
  return isJsonObject(result) ? result : {}
}

function toolSummary(calls: readonly ToolCallBody[]): string | undefined {
  const results = calls.map(resultObject)
  const [message] = messagesOf(results)
  if (message !== undefined) return message
  if (calls.length === 0) return undefined
  return calls.map((call, index) => `[${call.tool}${outcome(results[index] ?? {})}]`).join(' ')
}

function outcome(result: JsonObject): string {
  if (typeof result['action'] === 'string') return `: ${result['action']}`
  return result['success'] === true ? ': success' : ''
}

/** The documented shape of an event in files, reports and the command protocol. Source: seed 001, "Event Schema". */
export interface SeedEvent {
  readonly timestamp: number
  readonly type: TraceEventType
  readonly agent?: string
  readonly model?: string
  readonly session?: SessionRef
  readonly callId?: string
  readonly durationMs?: number
  readonly data: JsonObject
}

const json = z.custom<Json>((value) => value !== undefined && !isTooDeep(value), {
  error: ({ input }) => (input === undefined ? 'expected a JSON value' : `nested deeper than ${MAX_DEPTH} levels`),
})
const count = z.number().min(0)
const dataSchemas = {
  user_message: z.object({ text: z.string(), turn: z.int().min(1).optional() }),
  assistant_message: z.object({ text: z.string() }),
  tool_call: z.object({
    tool: z.string(),
    parameters: json.default({}),
    result: json.optional(),
    server: z.string().optional(),
    error: z.string().optional(),
    status: z.enum(['failed', 'denied', 'running']).optional(),
    exitCode: z.number().optional(),
  }),
  patch: z.object({ files: z.array(z.string()) }),
  approval_request: z.object({ id: z.string().optional(), tool: z.string(), parameters: json.default({}) }),
  approval_response: z.object({
    id: z.string().optional(),
    approved: z.boolean(),
    requestTimestamp: z.number().nullish(),
  }),
  usage: z.object({
    inputTokens: count.default(0),
    outputTokens: count.default(0),
    costUsd: count.optional(),
  }),
  output: z.object({ value: json }),
  check: z.object({
    name: z.string(),
    passed: z.boolean(),
    message: z.string().default(''),
    expected: json.optional(),
    actual: json.optional(),
    details: z.record(z.string(), json).optional(),
    decidedBy: z.record(z.string(), json).optional(),
  }),
  skip: z.object({ reason: z.string().default('') }),
  log: z.object({ level: z.enum(['debug', 'info', 'warn', 'error']).default('info'), text: z.string() }),
} satisfies Record<TraceEventType, z.ZodType>

const sessionRef = z.object({ id: z.string(), parentId: z.string().optional(), depth: count.default(0) })

const seedEvent = z.looseObject({
  timestamp: z.number().optional(),
  type: z.string(),
  agent: z.string().optional(),
  model: z.string().optional(),
  session: sessionRef.optional(),
  callId: z.string().optional(),
  durationMs: count.optional(),
  data: z.looseObject({}).default({}),
})

export type ParsedEvent =
  | { readonly ok: true; readonly event: EmittedEvent }
  | { readonly ok: false; readonly problem: string }

/** Reads one event in the documented shape; says what is wrong with anything else. */
export function fromSeed(value: unknown): ParsedEvent {
  const outer = seedEvent.safeParse(value)
  if (!outer.success) {
    const issue = outer.error.issues[0]
    const detail = issue && issue.path.length > 0 ? ` (${issue.path.join('.')}: ${issue.message})` : ''
    return { ok: false, problem: `expected {"type", "data"}${detail}` }
  }
  const { type, data, timestamp, agent, model, session, callId, durationMs } = outer.data
  if (!Object.hasOwn(dataSchemas, type))
    return { ok: false, problem: `unknown event type ${JSON.stringify(type.slice(0, 80))}` }
  const inner = dataSchemas[type as TraceEventType].safeParse(data)
  if (!inner.success) {
    const issue = inner.error.issues[0]
    return { ok: false, problem: `data.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'wrong shape'}` }
  }
  const base = {
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    ...(session === undefined ? {} : { session: session as SessionRef }),
    ...(callId === undefined ? {} : { callId }),
    ...(durationMs === undefined ? {} : { durationMs }),
  }
  return { ok: true, event: { ...base, ...bodyOf(type as TraceEventType, inner.data, timestamp) } }
}

function bodyOf(type: TraceEventType, data: Record<string, unknown>, timestamp: number | undefined): TraceEventBody {
  // Without ids a request is known by its time, as in the seed's `requestTimestamp`.
  if (type === 'approval_request') return { type, ...data, id: data['id'] ?? String(timestamp ?? '') } as TraceEventBody
  if (type === 'approval_response') {
    const { requestTimestamp: askedAt, ...rest } = data
    return { type, ...rest, id: data['id'] ?? (typeof askedAt === 'number' ? String(askedAt) : '') } as TraceEventBody
  }
  return { type, ...data } as TraceEventBody
}

/** Writes a trace in the documented shape; an approval's answer points at its request by time, as the seed does. */
export function toSeed({ events }: Trace): SeedEvent[] {
  const askedAt = new Map(eventsOf({ events }, 'approval_request').map((event) => [event.id, event.timestamp]))
  return events.map((event) => {
    const { timestamp, agent, model, session, callId, durationMs, type, ...data } = event
    const link = type === 'approval_response' ? { requestTimestamp: askedAt.get(event.id) ?? null } : {}
    return {
      timestamp,
      type,
      ...(agent === undefined ? {} : { agent }),
      ...(model === undefined ? {} : { model }),
      ...(session === undefined ? {} : { session }),
      ...(callId === undefined ? {} : { callId }),
      ...(durationMs === undefined ? {} : { durationMs }),
      data: { ...data, ...link },
    }
  })
}
