import { z } from 'zod'
import { isJsonObject, isTooDeep, type Json, type JsonObject } from '../../core/json.ts'

/**
 * What an OpenCode server sends, as far as we read it. Only what every part of the program needs is required; the rest
 * is taken where it has the known form and otherwise left out, for servers differ. Source: spec opencode-server 4.
 */
const text = z.string().optional().catch(undefined)
const number = z.number().optional().catch(undefined)
const flag = z.boolean().optional().catch(undefined)
const json = z.custom<Json>((value) => value !== undefined && !isTooDeep(value))
const record = z.custom<JsonObject>((value) => isJsonObject(value) && !isTooDeep(value))
const modelRef = z.looseObject({ providerID: z.string(), modelID: z.string() }).optional().catch(undefined)
const tokens = z
  .looseObject({
    input: z.number(),
    output: z.number(),
    reasoning: z.number().catch(0),
    cache: z.looseObject({ read: z.number().catch(0), write: z.number().catch(0) }).catch({ read: 0, write: 0 }),
  })
  .optional()
  .catch(undefined)

const sessionInfo = z.looseObject({
  id: z.string(),
  parentID: text,
  directory: text,
  time: z.looseObject({ created: z.number() }).optional().catch(undefined),
})
export type SessionInfo = z.infer<typeof sessionInfo>

const failure = z.looseObject({
  name: z.string(),
  data: z.looseObject({ message: text, statusCode: number, responseBody: text }).catch({}),
})
export type Failure = z.infer<typeof failure>

const messageInfo = z.looseObject({
  id: z.string(),
  sessionID: z.string(),
  role: z.enum(['user', 'assistant']),
  time: z.looseObject({ created: z.number(), completed: number }),
  agent: text,
  mode: text,
  modelID: text,
  providerID: text,
  model: modelRef,
  parentID: text,
  cost: number,
  tokens,
  finish: text,
  error: failure.optional().catch(undefined),
  path: z.looseObject({ cwd: text, root: text }).optional().catch(undefined),
})
export type MessageInfo = z.infer<typeof messageInfo>

const span = z.looseObject({ start: z.number(), end: number }).optional().catch(undefined)
const toolState = z.looseObject({
  status: z.string(),
  input: json.optional().catch(undefined),
  output: json.optional().catch(undefined),
  error: text,
  title: text,
  metadata: record.optional().catch(undefined),
  time: span,
})
const part = z.looseObject({
  id: z.string(),
  messageID: z.string(),
  sessionID: z.string(),
  type: z.string(),
  text,
  synthetic: flag,
  ignored: flag,
  time: span,
  tool: text,
  callID: text,
  state: toolState.optional().catch(undefined),
  files: z.array(z.string()).optional().catch(undefined),
})
export type Part = z.infer<typeof part>

const serverEvent = z.looseObject({ type: z.string(), id: text })
export interface ServerEvent {
  /** Such as `message.part.updated`. */
  readonly type: string
  /** `evt_…`; its time is in it. */
  readonly id?: string
  readonly properties: JsonObject
}

export function readSession(value: unknown): SessionInfo | undefined {
  return sessionInfo.safeParse(value).data
}

export function readMessageInfo(value: unknown): MessageInfo | undefined {
  return messageInfo.safeParse(value).data
}

export function readPart(value: unknown): Part | undefined {
  return part.safeParse(value).data
}

export function readFailure(value: unknown): Failure | undefined {
  return failure.safeParse(value).data
}

/** Also in its newer form, which says `data` for `properties`. */
export function readServerEvent(value: unknown): ServerEvent | undefined {
  const read = serverEvent.safeParse(value).data
  if (!read || !isJsonObject(value)) return undefined
  const body = value['properties'] ?? value['data']
  const properties = isJsonObject(body) && !isTooDeep(body) ? body : {}
  return { type: read.type, ...(read.id === undefined ? {} : { id: read.id }), properties }
}

const ID = /^(?:evt|msg|prt|per|que)_([0-9a-f]{9})[0-9a-f]{3}/
const CYCLE_MS = 2 ** 36

/**
 * When a thing was made, by its id: 36 bits of the milliseconds since the epoch and a counter of 12 bits. The rest of the
 * time is that of `near`. Undefined for ids of another form, or when that leads further than a day away.
 */
export function timeOfId(id: string | undefined, near: number): number | undefined {
  const digits = ID.exec(id ?? '')?.[1]
  if (digits === undefined) return undefined
  const low = Number.parseInt(digits, 16)
  const time = low + CYCLE_MS * Math.round((near - low) / CYCLE_MS)
  return Math.abs(time - near) <= 86_400_000 ? time : undefined
}
