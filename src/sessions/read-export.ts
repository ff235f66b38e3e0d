import { type FileHandle, open } from 'node:fs/promises'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { readByteLine } from '../lib/byte-lines.ts'
import { type JsonMember, jsonMembers } from '../lib/json-members.ts'
import { buildTimeline, type SessionSource, type SessionTimeline, type SourceMessage } from './build-timeline.ts'
import { LONGEST_BYTES } from './layout.ts'
import { eventsFrom, type StoredEvents, type TimedEvent } from './read-events.ts'
import { parseObject } from './read-file.ts'
import type { StoredParts } from './read-parts.ts'

/** A session as a server lists it, or as `opencode export` prints it, with those of its subagents. */
export interface SessionDump {
  readonly info: JsonObject
  readonly messages: readonly Json[]
  readonly children: readonly SessionDump[]
}

type Warn = (message: string) => void

/** The timeline of a session that is held whole. `shown` names it in warnings. */
export async function readDump(dump: SessionDump, shown: string, warn: Warn): Promise<SessionTimeline> {
  return await buildTimeline(dumpSource(dump, shown), { events: eventsFrom([]), warn })
}

/** Depth of sessions that called for each other; deeper ones are no real ones. */
const MOST_DEPTH = 50

function dumpSource({ info, messages, children }: SessionDump, shown: string, depth = 0): SessionSource {
  return {
    ...identityOf(info, shown),
    notes: [],
    children: depth < MOST_DEPTH ? children.map((child) => dumpSource(child, shown, depth + 1)) : [],
    parts: NO_FILES,
    bytes: () => Promise.resolve(0),
    async *messages() {
      for (const [index, value] of messages.entries()) yield asMessage(value, `${shown}: messages[${index}]`)
    },
  }
}

/** Parts come with their message. */
const NO_FILES: StoredParts = { complete: (part) => part, ofMessage: () => [] }

function identityOf({ id, directory }: JsonObject, fallback: string) {
  return {
    id: typeof id === 'string' ? id : fallback,
    ...(typeof directory === 'string' ? { directory } : {}),
  }
}

function asMessage(value: Json, where: string): SourceMessage {
  return isJsonObject(value)
    ? { kind: 'message', where, value }
    : { kind: 'malformed', where, fault: 'it is no JSON object' }
}

/** A file in the form that `opencode export` prints; `id` is the session's. */
export interface SessionExport {
  readonly id: string
  read(warn: Warn): Promise<SessionTimeline>
  close(): Promise<void>
}

/** Finds the messages of an exported session in a document of any size; undefined when it is none. */
export async function openExport(path: string, shown: string): Promise<SessionExport | undefined> {
  const file = await open(path)
  const found = await index(file)
  if (!found) {
    await file.close()
    return undefined
  }
  const info = found.info ? await readMember(file, found.info) : undefined
  const { id, directory } = identityOf(info && 'value' in info ? info.value : {}, shown)
  return {
    id,
    async read(warn) {
      const source: SessionSource = {
        id,
        ...(directory === undefined ? {} : { directory }),
        notes: info === undefined ? ['info is missing'] : 'fault' in info ? [`info ${info.fault}`] : [],
        children: await childrenIn(file, found, shown),
        parts: NO_FILES,
        bytes: async () => (await file.stat()).size,
        messages: () => messagesIn(file, found.messages, shown),
      }
      return await buildTimeline(source, { events: await eventsIn(file, found.events), warn })
    },
    close: () => file.close(),
  }
}

interface Index {
  info?: JsonMember
  children?: JsonMember
  readonly messages: JsonMember[]
  readonly events: JsonMember[]
}

async function index(file: FileHandle): Promise<Index | undefined> {
  const found: Index = { messages: [], events: [] }
  let isExport = false
  for await (const part of jsonMembers(file)) {
    // What breaks off is read as far as it goes.
    if (part.kind === 'broken') return isExport && part.why === 'ends too early' ? found : undefined
    isExport ||= part.name === 'messages'
    note(part, found)
  }
  return isExport ? found : undefined
}

function note(part: JsonMember, found: Index): void {
  switch (part.name) {
    case 'messages':
    case 'events':
      if (part.index !== undefined) found[part.name].push(part)
      return
    case 'info':
    case 'children':
      found[part.name] = part
  }
}

async function readMember(file: FileHandle, member: JsonMember): Promise<ReturnType<typeof parseObject>> {
  if (member.length > LONGEST_BYTES) return { fault: `has more than ${LONGEST_BYTES / 1024 ** 2} MiB` }
  return parseObject(await readByteLine(file, member))
}

async function* messagesIn(
  file: FileHandle,
  members: readonly JsonMember[],
  shown: string,
): AsyncGenerator<SourceMessage> {
  for (const member of members) {
    const where = `${shown}:${member.line}`
    const parsed = await readMember(file, member)
    if ('value' in parsed) yield { kind: 'message', where, value: parsed.value }
    else yield { kind: 'malformed', where, fault: `it ${parsed.fault}` }
  }
}

/** Ours holds the sessions of subagents by id. */
async function childrenIn(file: FileHandle, { children }: Index, shown: string): Promise<SessionSource[]> {
  const parsed = children ? await readMember(file, children) : undefined
  if (!parsed || !('value' in parsed)) return []
  return Object.values(parsed.value).flatMap((child) => {
    if (!isJsonObject(child)) return []
    const { info, messages } = child
    const dump = {
      info: isJsonObject(info) ? info : {},
      messages: Array.isArray(messages) ? messages : [],
      children: [],
    }
    return [dumpSource(dump, shown)]
  })
}

async function eventsIn(file: FileHandle, members: readonly JsonMember[]): Promise<StoredEvents> {
  const events: TimedEvent[] = []
  for (const member of members) {
    const parsed = await readMember(file, member)
    if (!('value' in parsed)) continue
    const { event = parsed.value, at } = parsed.value
    if (isJsonObject(event)) events.push({ event, ...(typeof at === 'number' ? { at } : {}) })
  }
  return eventsFrom(events)
}
