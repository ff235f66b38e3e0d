import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { StoredParts } from './read-parts.ts'

/** A message as the server lists it. */
export interface ListedMessage {
  readonly info: JsonObject
  readonly parts: readonly JsonObject[]
}

interface Context {
  readonly sessionId: string
  /** Of the message in its session, from 1: names what has no name. */
  readonly number: number
  readonly parts: StoredParts
  missing(what: string): void
}

/**
 * One line of a message stream: `{info, parts}`, or the message alone with its parts beside it or in files; a part is
 * given whole or by its id. Says what is wrong with anything else.
 */
export function readMessage(line: JsonObject, context: Context): ListedMessage | { readonly fault: string } {
  const given = 'info' in line ? line['info'] : line
  if (!isJsonObject(given)) return { fault: 'it has no info' }
  const { id = `message-${context.number}`, role } = given
  if (typeof id !== 'string') return { fault: 'its id is no text' }
  if (role !== 'user' && role !== 'assistant') return { fault: 'its role is neither user nor assistant' }
  const created = createdAt(given)
  if (created === undefined) return { fault: 'it has no time' }
  const time = isJsonObject(given['time']) ? given['time'] : {}
  // Whoever wrote it: it lies in the folder of this session.
  const info = { ...given, id, role, sessionID: context.sessionId, time: { ...time, created } }
  const parts = partsOf(line, given, id, context).map((part, index) => named(part, `${id}-part-${index + 1}`, info))
  return { info, parts }
}

function createdAt({ time, timestamp, createdAt }: JsonObject): number | undefined {
  const given = isJsonObject(time) ? time['created'] : time
  const found = [given, timestamp, createdAt].find((value) => value !== undefined)
  if (typeof found === 'number') return Number.isFinite(found) ? found : undefined
  const parsed = typeof found === 'string' ? Date.parse(found) : Number.NaN
  return Number.isNaN(parsed) ? undefined : parsed
}

function partsOf(line: JsonObject, info: JsonObject, id: string, context: Context): JsonObject[] {
  const { parts, missing } = context
  const listed = line['parts'] ?? info['parts'] ?? line['partIDs'] ?? line['partIds']
  if (listed === undefined) {
    const said = textParts(info['content'] ?? info['text'])
    if (said) return said
  }
  if (listed !== undefined && !Array.isArray(listed)) missing(`the parts of the message ${id} are no list`)
  const found: readonly Json[] = Array.isArray(listed) ? listed : parts.ofMessage(id)
  return found.flatMap((given) => {
    const part = parts.complete(given, missing)
    if (isJsonObject(part)) return [part]
    missing(`a part of the message ${id} is no object`)
    return []
  })
}

/** Messages of other programs say their text themselves. */
function textParts(content: Json | undefined): JsonObject[] | undefined {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter((item: Json) => isJsonObject(item)) : undefined
}

function named(part: JsonObject, fallback: string, info: JsonObject): JsonObject {
  const { id } = part
  return {
    ...withTimes(part),
    id: typeof id === 'string' ? id : fallback,
    type: part['type'] ?? 'unknown',
    messageID: info['id'] ?? '',
    sessionID: info['sessionID'] ?? '',
  }
}

/** A start at zero is none, and what older recordings call `created` is one. */
function withTimes(part: JsonObject): JsonObject {
  const { time, state } = part
  const created = isJsonObject(time) && time['start'] === undefined ? time['created'] : undefined
  const started = typeof created === 'number' ? { ...part, time: { ...(time as JsonObject), start: created } } : part
  if (!isJsonObject(state) || !isJsonObject(state['time']) || state['time']['start'] !== 0) return started
  const { time: _time, ...rest } = state
  return { ...started, state: rest }
}
