import { isJsonObject } from '../../core/json.ts'
import type { EmittedEvent, SessionRef } from '../../core/trace.ts'
import { type MessageInfo, type Part, timeOfId } from './raw.ts'
import { textWithoutRoot, withoutRoot } from './relative-paths.ts'

/** An event with its place in the order of a session's family. */
export interface Placed {
  readonly key: string
  readonly event: EmittedEvent & { readonly timestamp: number }
  /** Of two at one time: a request comes before its reply, and that before the rest; figures come last. */
  readonly rank: 0 | 1 | 2 | 3
  /** It will not change any more. */
  readonly settled: boolean
}

/** What is known of the leave that a call needed. */
export interface Leave {
  readonly askedAt: number
  readonly reply?: { readonly at: number; readonly accepted: boolean }
}

interface Surroundings {
  readonly session: SessionRef
  /** Folder of the session, which paths are made relative to. */
  readonly root: string | undefined
  /** Leave that the message's calls needed, by call. */
  leaveOf(callId: string): readonly Leave[]
}

/** Agents that write titles and summaries for the program itself: nobody said what they say. */
const HOUSEKEEPING = new Set(['compaction', 'title', 'summary'])

/** Of a call that its own leave, or a rule, has stopped. Source: spec opencode-server 0.4. */
const REFUSED = /^The user rejected permission|prevents you from using this specific tool call/

/** What one message says and does, in its order. Times of parts are the server's. */
export function eventsOfMessage(info: MessageInfo, parts: readonly Part[], around: Surroundings): Placed[] {
  if (info.role === 'user') return userMessage(info, parts, around)
  const speaker = agentOf(info) ?? ''
  const said = HOUSEKEEPING.has(speaker) || info['summary'] === true ? [] : spoken(info, parts, around)
  return [...said, ...usageOf(info, around)]
}

/** Joins a call with its approval, also where a model uses the same id for calls of several messages. */
export function callKey(messageId: string, callId: string): string {
  return `${messageId}/${callId}`
}

function userMessage(info: MessageInfo, parts: readonly Part[], { session }: Surroundings): Placed[] {
  const texts = parts.filter(isSaid).map((part) => part.text ?? '')
  if (texts.length === 0) return []
  const event = { type: 'user_message' as const, text: texts.join('\n'), session, timestamp: info.time.created }
  return [{ key: info.id, event, rank: 2, settled: true }]
}

function isSaid({ type, synthetic, ignored }: Part): boolean {
  return type === 'text' && synthetic !== true && ignored !== true
}

function spoken(info: MessageInfo, parts: readonly Part[], around: Surroundings): Placed[] {
  const isOver = info.time.completed !== undefined || info.error !== undefined
  const placed: Placed[] = []
  let texts: Part[] = []
  const say = (settled: boolean) => {
    const [first] = texts
    // The text of one that is being said comes at its end; till then it holds the place.
    const event = first && textOf([first, ...texts.slice(1)], info, around)
    if (event && (!settled || event.text !== '')) placed.push({ key: first.id, event, rank: 2, settled })
    texts = []
  }
  for (const part of parts) {
    if (isSaid(part)) texts.push(part)
    const action = part.type === 'tool' ? toolCall(part, info, around) : patch(part, info, around)
    if (!action) continue
    say(texts.every(({ time }) => time?.end !== undefined))
    placed.push(action)
  }
  say(isOver)
  return placed
}

/** Texts that nothing was done between are one. */
function textOf(texts: readonly [Part, ...Part[]], info: MessageInfo, { session }: Surroundings) {
  const [first] = texts
  const text = texts.map((part) => part.text ?? '').join('\n')
  const timestamp = timeOf(first, info)
  const end = texts.at(-1)?.time?.end
  return {
    type: 'assistant_message' as const,
    text,
    ...speakerOf(info, session),
    timestamp,
    ...(end === undefined ? {} : { durationMs: Math.max(0, end - timestamp) }),
  }
}

function timeOf(part: Part, { time: { created } }: MessageInfo): number {
  return part.state?.time?.start ?? part.time?.start ?? timeOfId(part.id, created) ?? created
}

function agentOf({ agent, mode }: MessageInfo): string | undefined {
  return agent ?? mode
}

function speakerOf(info: MessageInfo, session: SessionRef) {
  const { providerID, modelID } = info
  const agent = agentOf(info)
  return {
    session,
    ...(agent === undefined ? {} : { agent }),
    ...(providerID === undefined || modelID === undefined ? {} : { model: `${providerID}/${modelID}` }),
  }
}

function toolCall(part: Part, info: MessageInfo, around: Surroundings): Placed | undefined {
  const { state, callID } = part
  // Its input has not even arrived.
  if (!state || state.status === 'pending') return undefined
  const leave = callID === undefined ? [] : around.leaveOf(callID)
  const timestamp = actedAt(part, info, leave)
  const { end } = state.time ?? {}
  const event = {
    type: 'tool_call' as const,
    ...requestOf(part, around),
    ...outcomeOf(part, leave, around),
    ...speakerOf(info, around.session),
    timestamp,
    ...(callID === undefined ? {} : { callId: callKey(info.id, callID) }),
    ...(end === undefined ? {} : { durationMs: Math.max(0, end - timestamp) }),
  }
  // An answer that was given is always told of, be it late.
  const isAnswered = leave.every(({ reply }) => reply !== undefined)
  const isOver = state.status === 'completed' || state.status === 'error'
  return { key: part.id, event, rank: 2, settled: isOver && isAnswered }
}

/** The server renames calls of unknown tools and of broken input; the name that was meant is in the input. */
function requestOf({ tool = 'unknown', state }: Part, { root }: Surroundings) {
  const input = state?.input ?? {}
  const meant = tool === 'invalid' && isJsonObject(input) ? input['tool'] : undefined
  return { tool: typeof meant === 'string' ? meant : tool, parameters: withoutRoot(input, root) }
}

function outcomeOf(part: Part, leave: readonly Leave[], { root }: Surroundings) {
  const { output, error: said, metadata } = part.state ?? {}
  const status = statusOf(part, leave)
  const exit = metadata?.['exit']
  const error = part.tool === 'invalid' && typeof output === 'string' ? output : said
  return {
    ...(output === undefined ? {} : { result: withoutRoot(output, root) }),
    ...(error === undefined ? {} : { error: textWithoutRoot(error, root) }),
    ...(status === undefined ? {} : { status }),
    ...(typeof exit === 'number' ? { exitCode: exit } : {}),
  }
}

function statusOf({ tool, state }: Part, leave: readonly Leave[]): 'failed' | 'denied' | 'running' | undefined {
  if (state?.status === 'error') {
    const wasStopped = leave.some(({ reply }) => reply?.accepted !== true)
    return wasStopped || REFUSED.test(state.error ?? '') ? 'denied' : 'failed'
  }
  if (state?.status !== 'completed') return 'running'
  return tool === 'invalid' ? 'failed' : undefined
}

/** A call is shown as running before it has leave: it acts from the last reply on. Source: spec opencode-server 0.4. */
function actedAt(part: Part, info: MessageInfo, leave: readonly Leave[]): number {
  return Math.max(timeOf(part, info), ...leave.map(({ askedAt, reply }) => reply?.at ?? askedAt))
}

function patch(part: Part, info: MessageInfo, { session, root }: Surroundings): Placed | undefined {
  if (part.type !== 'patch' || part.files === undefined) return undefined
  const files = part.files.map((file) => textWithoutRoot(file, root))
  const event = { type: 'patch' as const, files, ...speakerOf(info, session), timestamp: timeOf(part, info) }
  return { key: part.id, event, rank: 2, settled: true }
}

/** Tokens read from the cache and spent on thinking are counted in, as providers do. Source: spec opencode-server 2. */
function usageOf(info: MessageInfo, { session }: Surroundings): Placed[] {
  const { tokens, cost, time } = info
  if (!tokens) return []
  const inputTokens = tokens.input + tokens.cache.read + tokens.cache.write
  const outputTokens = tokens.output + tokens.reasoning
  if (inputTokens + outputTokens === 0 && (cost ?? 0) === 0) return []
  const event = {
    type: 'usage' as const,
    inputTokens,
    outputTokens,
    ...(cost === undefined ? {} : { costUsd: cost }),
    ...speakerOf(info, session),
    timestamp: time.completed ?? time.created,
  }
  return [
    { key: `${info.id} usage`, event, rank: 3, settled: time.completed !== undefined || info.error !== undefined },
  ]
}
