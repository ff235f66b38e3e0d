import { isJsonObject, type Json, jsonEquals, sortedJson } from '../core/json.ts'
import type { Trace, TraceEvent } from '../core/trace.ts'
import { callsOf, isEditing, isShell, type ToolCall } from './tools.ts'

/** What the permission gate says of one call. */
export type Permission =
  /** No request is known that is about this call. */
  | { readonly kind: 'none' }
  | { readonly kind: 'approved'; readonly at: number }
  | { readonly kind: 'denied'; readonly at: number }
  /** Asked; no answer is known. */
  | { readonly kind: 'unanswered'; readonly askedAt: number }

export interface Permissions {
  /** By the place of the call in the trace. */
  of(index: number): Permission
  /** Whether an operation of this kind was approved earlier and not refused since. */
  wasApprovedBefore(call: ToolCall, index: number): boolean
}

const NONE: Permission = { kind: 'none' }

/**
 * Requests and answers of the gate, joined to calls: by `callId` wherever they stand, for a server says that a call
 * runs before it asks; without one, to the first later call of that tool. Source: spec opencode-server 4, seed 001.
 */
export function permissionsOf(trace: Trace): Permissions {
  const asks = asksOf(trace)
  const byCall = joined(trace, asks)
  const answers = answersByFamily(asks)
  return {
    of: (index) => byCall.get(index) ?? NONE,
    wasApprovedBefore: (call, index) => lastBefore(answers.get(familyOf(call.tool)) ?? [], index)?.approved === true,
  }
}

type Request = Extract<TraceEvent, { type: 'approval_request' }>

interface Ask {
  readonly request: Request
  readonly askedAt: number
  readonly answer: Answer | undefined
}

interface Answer {
  readonly approved: boolean
  readonly at: number
}

function asksOf({ events }: Trace): Ask[] {
  const answers = new Map<Request, Answer>()
  const byId = new Map<string, Request>()
  let latest: Request | undefined
  for (const [at, event] of events.entries()) {
    if (event.type === 'approval_request') {
      byId.set(event.id, event)
      latest = event
    }
    // An answer that names no request is for the one before it.
    const request = event.type === 'approval_response' ? (byId.get(event.id) ?? latest) : undefined
    if (request && event.type === 'approval_response') answers.set(request, { approved: event.approved, at })
  }
  return events.flatMap((event, askedAt) =>
    event.type === 'approval_request' ? [{ request: event, askedAt, answer: answers.get(event) }] : [],
  )
}

function joined(trace: Trace, asks: readonly Ask[]): ReadonlyMap<number, Permission> {
  const byCallId = grouped(asks, ({ request }) => request.callId)
  const take = waitingAsks(asks.filter(({ request }) => request.callId === undefined))
  return new Map(
    callsOf(trace).map(({ index, event }) => {
      const own = event.callId === undefined ? undefined : byCallId.get(event.callId)
      return [index, verdictOf(own ?? take(event, index))]
    }),
  )
}

function grouped(asks: readonly Ask[], keyOf: (ask: Ask) => string | undefined): Map<string, Ask[]> {
  const groups = new Map<string, Ask[]>()
  for (const ask of asks) {
    const key = keyOf(ask)
    if (key === undefined) continue
    const group = groups.get(key)
    if (group) group.push(ask)
    else groups.set(key, [ask])
  }
  return groups
}

/** Requests tried for one call, so that many that fit none cost little. */
const MOST_TRIED = 8

/** Requests without a call's id, each for the next call that it fits; one with the same parameters first. */
function waitingAsks(asks: readonly Ask[]): (call: ToolCall, index: number) => readonly Ask[] {
  const exact = grouped(asks, ({ request }) => keyOf(request))
  const byFamily = grouped(asks, ({ request }) => familyOf(request.tool))
  const firstOpen = new Map<readonly Ask[], number>()
  const taken = new Set<Ask>()
  const openOf = (queue: readonly Ask[], index: number): readonly Ask[] => {
    let start = firstOpen.get(queue) ?? 0
    while (start < queue.length && taken.has(queue[start] as Ask)) start += 1
    firstOpen.set(queue, start)
    return queue.slice(start, start + MOST_TRIED).filter((ask) => ask.askedAt < index && !taken.has(ask))
  }
  return (call, index) => {
    const same = exact.get(keyOf(call))
    const alike = byFamily.get(familyOf(call.tool))
    const ask =
      (same && openOf(same, index)[0]) ??
      (alike && openOf(alike, index).find(({ request }) => isAbout(request.parameters, call.parameters)))
    if (!ask) return []
    taken.add(ask)
    // Without ids nothing but order says that the answer came before the call.
    const isInTime = ask.answer !== undefined && ask.answer.at < index
    return [isInTime ? ask : { ...ask, answer: undefined }]
  }
}

function keyOf({ tool, parameters }: { readonly tool: string; readonly parameters: Json }): string {
  return `${familyOf(tool)} ${sortedJson(parameters)}`
}

/** A request may show less than the call has, but nothing else. */
function isAbout(shown: Json, actual: Json): boolean {
  if (!isJsonObject(shown) || !isJsonObject(actual)) return shown === null || isJsonObject(shown)
  return Object.entries(shown).every(([name, value]) => {
    return !Object.hasOwn(actual, name) || jsonEquals(value, actual[name] ?? null)
  })
}

function verdictOf(asks: readonly Ask[]): Permission {
  const [first] = asks
  if (!first) return NONE
  const denied = asks.find(({ answer }) => answer?.approved === false)?.answer
  if (denied) return { kind: 'denied', at: denied.at }
  const open = asks.find(({ answer }) => answer === undefined)
  if (open) return { kind: 'unanswered', askedAt: open.askedAt }
  return { kind: 'approved', at: asks.reduce((latest, { answer }) => Math.max(latest, answer?.at ?? 0), 0) }
}

function answersByFamily(asks: readonly Ask[]): ReadonlyMap<string, readonly Answer[]> {
  const byFamily = new Map<string, Answer[]>()
  for (const { request, answer } of asks) {
    if (!answer) continue
    const family = familyOf(request.tool)
    const list = byFamily.get(family)
    if (list) list.push(answer)
    else byFamily.set(family, [answer])
  }
  for (const list of byFamily.values()) list.sort((left, right) => left.at - right.at)
  return byFamily
}

/** The last answer that stands before this place. */
function lastBefore(answers: readonly Answer[], index: number): Answer | undefined {
  let low = 0
  let high = answers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((answers[middle]?.at ?? 0) < index) low = middle + 1
    else high = middle
  }
  return answers[low - 1]
}

/** A server asks "edit" for every tool that changes files. */
function familyOf(tool: string): string {
  const named = { type: 'tool_call', timestamp: 0, tool, parameters: {} } as const
  if (isEditing(named)) return 'edit'
  return isShell(named) ? 'bash' : tool.toLowerCase()
}
