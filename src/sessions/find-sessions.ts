import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { JsonObject } from '../core/json.ts'
import { EVENTS_FILE, MESSAGES_FILE, PARTS_FOLDER, RUN_FILE, SESSION_FILE, SESSIONS_FOLDER } from './layout.ts'
import { parseObject, readSmallFile } from './read-file.ts'

/** A session on disk; its messages are read when it is judged. */
export interface StoredSession {
  readonly id: string
  /** The session that called for it; absent for one that was prompted. */
  readonly parentId?: string
  /** Absolute path of its folder. */
  readonly folder: string
  /** As the user knows it. */
  readonly shown: string
  /** What `session.json` says. */
  readonly info: JsonObject
  readonly children: readonly StoredSession[]
  /** Absolute path of the recorded events, where they do not lie in the folder. */
  readonly events?: string
  /** What `run.json` says of the run that it belongs to. */
  readonly run?: JsonObject
  readonly notes: readonly string[]
}

/** A recorded timeline, which may have what is expected of it beside it. */
interface StoredTimeline {
  readonly kind: 'timeline'
  /** Absolute path of `timeline.json`, and as the user knows it. */
  readonly path: string
  readonly shown: string
}

export interface Found {
  readonly sessions: readonly StoredSession[]
  readonly timelines: readonly StoredTimeline[]
}

const TIMELINE_FILE = 'timeline.json'

/** Deeper folders are no place that sessions are kept in. */
const MOST_LEVELS = 12
/** Of sessions that called for each other. */
const MOST_DEPTH = 50
const NEVER = new Set(['node_modules', '.git', PARTS_FOLDER])

/** All sessions and recorded timelines in a folder and below it, in the order of their paths. Links are not followed. */
export async function findSessions(folder: string, shown: string): Promise<Found> {
  const found: FoundFolders = { sessions: [], timelines: [] }
  await walk({ path: folder, shown, levels: 0 }, found)
  const isOne = found.sessions.length === 1 && found.sessions[0]?.path === folder
  const read = found.sessions.map(readFolder)
  // A session that is named alone brings its subagents' along.
  const beside = isOne && basename(dirname(folder)) === SESSIONS_FOLDER ? await besides(folder, shown) : []
  const containers = new Map<string, FolderContents[]>()
  for (const one of [...read, ...beside]) {
    const container = dirname(one.folder)
    const members = containers.get(container) ?? []
    if (members.length === 0) containers.set(container, members)
    members.push(one)
  }
  const sessions = [...containers].flatMap(([container, members]) => families(members, runOf(container)))
  const wanted = isOne ? sessions.filter((session) => session.folder === folder) : sessions
  return { sessions: wanted.length > 0 ? wanted : sessions, timelines: found.timelines }
}

interface Place {
  readonly path: string
  readonly shown: string
}

interface FoundFolders {
  readonly sessions: Place[]
  readonly timelines: StoredTimeline[]
}

async function walk({ path, shown, levels }: Place & { readonly levels: number }, found: FoundFolders): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
    // The folder that was named must be there; of those below it some may not be ours to see.
    if (levels === 0) throw error
    return []
  })
  const files = new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name))
  if (files.has(SESSION_FILE) || files.has(MESSAGES_FILE)) found.sessions.push({ path, shown })
  if (files.has(TIMELINE_FILE)) {
    found.timelines.push({ kind: 'timeline', path: join(path, TIMELINE_FILE), shown: `${shown}/${TIMELINE_FILE}` })
  }
  if (levels === MOST_LEVELS) return
  const folders = entries.filter((entry) => entry.isDirectory() && !NEVER.has(entry.name)).map(({ name }) => name)
  for (const name of folders.sort()) {
    await walk({ path: join(path, name), shown: `${shown}/${name}`, levels: levels + 1 }, found)
  }
}

interface FolderContents {
  readonly id: string
  readonly parentId?: string
  readonly folder: string
  readonly shown: string
  readonly info: JsonObject
  readonly notes: readonly string[]
}

function readFolder({ path, shown }: Place): FolderContents {
  const file = readSmallFile(join(path, SESSION_FILE))
  const parsed = file.kind === 'text' ? parseObject(file.text) : undefined
  const info = parsed && 'value' in parsed ? parsed.value : {}
  const { id = basename(path), parentID, parentId = parentID } = info
  return {
    id: typeof id === 'string' ? id : basename(path),
    ...(typeof parentId === 'string' ? { parentId } : {}),
    folder: path,
    shown,
    info,
    notes: noteOf(file, parsed),
  }
}

function noteOf(file: ReturnType<typeof readSmallFile>, parsed: ReturnType<typeof parseObject> | undefined): string[] {
  if (file.kind === 'missing') return [`${SESSION_FILE} is missing`]
  if (file.kind === 'unreadable') return [`${SESSION_FILE} ${file.why}`]
  return parsed && 'fault' in parsed ? [`${SESSION_FILE} ${parsed.fault}`] : []
}

async function besides(folder: string, shown: string): Promise<FolderContents[]> {
  const entries = await readdir(dirname(folder), { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory() && entry.name !== basename(folder))
  return names.map(({ name }) => readFolder({ path: join(dirname(folder), name), shown: `${dirname(shown)}/${name}` }))
}

/** What lies beside a folder of sessions, where it is that of a run. */
function runOf(container: string): Pick<StoredSession, 'events' | 'run'> {
  if (basename(container) !== SESSIONS_FOLDER) return {}
  const file = readSmallFile(join(dirname(container), RUN_FILE))
  const parsed = file.kind === 'text' ? parseObject(file.text) : undefined
  if (!parsed || !('value' in parsed)) return {}
  return { run: parsed.value, events: join(dirname(container), EVENTS_FILE) }
}

/** Sessions of one folder by whom they were called for. Where parents lead in a circle, the first of it is the root. */
function families(members: readonly FolderContents[], run: Pick<StoredSession, 'events' | 'run'>): StoredSession[] {
  const known = new Map(members.map((member) => [member.id, member]))
  const byParent = new Map<string, FolderContents[]>()
  for (const member of members) {
    const { parentId = '' } = member
    const siblings = byParent.get(parentId) ?? []
    if (siblings.length === 0) byParent.set(parentId, siblings)
    siblings.push(member)
  }
  const placed = new Set<FolderContents>()
  const build = (member: FolderContents, parent?: FolderContents, depth = 0): StoredSession => {
    placed.add(member)
    const isParent = depth < MOST_DEPTH && known.get(member.id) === member
    const children = isParent ? (byParent.get(member.id) ?? []).filter((child) => !placed.has(child)) : []
    for (const child of children) placed.add(child)
    const { parentId: _parentId, ...contents } = member
    return {
      ...contents,
      ...(parent === undefined ? {} : { parentId: parent.id }),
      children: children.map((child) => build(child, member, depth + 1)),
      ...run,
    }
  }
  const isRoot = ({ parentId }: FolderContents) => parentId === undefined || !known.has(parentId)
  const roots = members.filter(isRoot).map((member) => build(member))
  const lost = members.flatMap((member) => {
    if (placed.has(member)) return []
    const session = build(member)
    return [{ ...session, notes: [...session.notes, 'the sessions above it lead in a circle, or are too many'] }]
  })
  return [...roots, ...lost]
}
