import { type FileHandle, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Problem, UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { isJsonObject, isTooDeep, type Json, type JsonObject } from '../core/json.ts'
import { redactDeep } from '../core/redact.ts'
import type { SessionKeeper, SessionRecorder } from '../core/session-keeper.ts'
import type { Case } from '../core/suite.ts'
import { distinctFileNames, fileNameOf, sameFile } from '../lib/file-name.ts'
import { jsonLine } from '../lib/json-line.ts'
import { type Appender, createAppender } from '../lib/spool.ts'
import {
  EVENTS_FILE,
  MESSAGES_FILE,
  PARTS_FOLDER,
  partFiles,
  RUN_FILE,
  RUN_VERSION,
  SESSION_FILE,
  SESSIONS_FOLDER,
} from './layout.ts'

/** Where sessions are kept. */
export interface KeptFolder {
  /** Absolute path. */
  readonly path: string
  /** As the user knows it. */
  readonly shown: string
}

type Named = Pick<Case, 'key' | 'id' | 'suite'>

/** What of the folder is somebody else's and would be written over; nothing is touched. */
export async function checkKeptFolder(folder: KeptFolder, cases: readonly Named[]): Promise<Problem[]> {
  const field = '--keep-sessions'
  const entries = await readdir(folder.path).catch((error: NodeJS.ErrnoException) => error)
  if (entries instanceof Error) {
    if (entries.code === 'ENOENT') return []
    const message = `${folder.shown} ${entries.code === 'ENOTDIR' ? 'is not a folder' : `cannot be read: ${entries.message}`}`
    return [{ field, message, hint: 'name another folder' }]
  }
  const wanted = new Set([...namesOf(cases).values()].map(sameFile))
  const foreign: Problem[] = []
  for (const name of entries) {
    if (!wanted.has(sameFile(name)) || (await isOurs(join(folder.path, name)))) continue
    const message = `${folder.shown}/${name} would be written over, and holds no sessions that agent-test kept`
    foreign.push({ field, message, hint: 'name another folder' })
  }
  return foreign
}

/**
 * Keeps the sessions of each run in `<case>/run-<number>/`: `run.json`, `events.jsonl` and a folder for each session below
 * `sessions/`. Nothing is made before the first session; what an earlier command kept in the folder is then gone.
 */
export function keepSessions(
  folder: KeptFolder,
  { cases, host }: { readonly cases: readonly Named[]; readonly host: Pick<Host, 'secrets' | 'now'> },
): SessionKeeper {
  let names: ReadonlyMap<string, string> | undefined
  let cleared: Promise<void> | undefined
  const attempt = async <T>(action: () => Promise<T>): Promise<T> => {
    try {
      return await action()
    } catch (error) {
      if (error instanceof UserError) throw error
      const detail = error instanceof Error ? error.message : String(error)
      throw new UserError(`${folder.shown} cannot be written: ${detail}`, { code: 'OUTPUT_NOT_WRITABLE', cause: error })
    }
  }
  return {
    open: ({ case: item, run }) =>
      attempt(async () => {
        cleared ??= clear(folder.path)
        await cleared
        names ??= namesOf(cases)
        const path = join(folder.path, names.get(item.key) ?? fileNameOf(item.key), `run-${run}`)
        await rm(path, { recursive: true, force: true })
        await mkdir(join(path, SESSIONS_FOLDER), { recursive: true })
        const about = aboutRun(item, run)
        await writeJson(join(path, RUN_FILE), { ...about, complete: false }, host)
        const events = await open(join(path, EVENTS_FILE), 'wx')
        return recorder({ path, about, events, appender: createAppender(events), host, attempt })
      }),
  }
}

function namesOf(cases: readonly Named[]): Map<string, string> {
  const wanted = cases.map(({ id, suite }) => ({ name: id, longName: `${suite}-${id}` }))
  const names = distinctFileNames(wanted, '')
  return new Map(cases.map(({ key }, index) => [key, names[index] ?? fileNameOf(key)]))
}

/** All folders in it that hold nothing but runs that were kept here. */
async function clear(path: string): Promise<void> {
  await mkdir(path, { recursive: true })
  for (const name of await readdir(path)) {
    if (await isOurs(join(path, name))) await rm(join(path, name), { recursive: true, force: true })
  }
}

async function isOurs(path: string): Promise<boolean> {
  const runs = await readdir(path, { withFileTypes: true }).catch(() => [])
  if (runs.length === 0) return false
  for (const run of runs) {
    if (!run.isDirectory() || !/^run-\d+$/.test(run.name)) return false
    const text = await readFile(join(path, run.name, RUN_FILE), 'utf8').catch(() => '')
    if (!text.includes('"kept_by": "agent-test"')) return false
  }
  return true
}

function aboutRun(item: Case, run: number): JsonObject {
  const { id, suite, evaluations } = item
  return {
    kept_by: 'agent-test',
    schemaVersion: RUN_VERSION,
    suite,
    id,
    run,
    ...(evaluations === undefined ? {} : { evaluations: evaluations as unknown as JsonObject }),
  }
}

interface Parts {
  readonly path: string
  readonly about: JsonObject
  readonly events: FileHandle
  readonly appender: Appender
  readonly host: Pick<Host, 'secrets' | 'now'>
  attempt<T>(action: () => Promise<T>): Promise<T>
}

function recorder({ path, about, events, appender, host, attempt }: Parts): SessionRecorder {
  const taken = new Set<string>()
  return {
    event(event, at) {
      const kept = isTooDeep(event) ? undefined : keptEvent(event)
      if (kept === undefined) return undefined
      const full = appender.append(jsonLine({ at, event: redactDeep(kept, host.secrets) }))
      return full && attempt(() => full)
    },
    session: (info, messages) =>
      attempt(async () => {
        if (!isJsonObject(info) || typeof info['id'] !== 'string') throw new Error('a session without an id')
        const name = fileNameOf(info['id'])
        if (taken.has(sameFile(name))) return
        taken.add(sameFile(name))
        await writeSession(join(path, SESSIONS_FOLDER, name), { info, messages, host })
      }),
    close: (facts = {}) =>
      attempt(async () => {
        try {
          await appender.flush()
        } finally {
          await events.close()
        }
        await writeJson(join(path, RUN_FILE), { ...about, ...facts, complete: true }, host)
      }),
  }
}

/**
 * Text that comes in pieces is left out: it comes whole in the messages, and a secret that two pieces share could not be
 * found and redacted. So is what a tool has said so far while it runs.
 */
function keptEvent(event: unknown): JsonObject | undefined {
  if (!isJsonObject(event) || event['type'] === 'message.part.delta') return undefined
  const { properties } = event
  const part = isJsonObject(properties) ? properties['part'] : undefined
  const state = isJsonObject(part) ? part['state'] : undefined
  if (!isJsonObject(properties) || !isJsonObject(part) || !isJsonObject(state)) return event
  if (state['status'] !== 'running' || !isJsonObject(state['metadata'])) return event
  const { output: _output, ...metadata } = state['metadata']
  return { ...event, properties: { ...properties, part: { ...part, state: { ...state, metadata } } } }
}

interface SessionContents {
  readonly info: JsonObject
  readonly messages: Iterable<unknown>
  readonly host: Pick<Host, 'secrets'>
}

async function writeSession(path: string, { info, messages, host }: SessionContents): Promise<void> {
  await mkdir(join(path, PARTS_FOLDER), { recursive: true })
  await writeJson(join(path, SESSION_FILE), info, host)
  const file = await open(join(path, MESSAGES_FILE), 'wx')
  try {
    const appender = createAppender(file)
    const taken = new Set<string>()
    for (const message of messages) {
      if (!isJsonObject(message) || isTooDeep(message)) continue
      const { parts = [], ...rest } = redactDeep(message, host.secrets)
      const stubs: Json[] = []
      for (const part of Array.isArray(parts) ? (parts as readonly Json[]) : []) {
        stubs.push(await writePart(join(path, PARTS_FOLDER), part, taken))
      }
      await appender.append(jsonLine({ ...rest, parts: stubs }))
    }
    await appender.flush()
  } finally {
    await file.close()
  }
}

/** Marks of steps say nothing that is worth a file. */
function isStep({ type }: JsonObject): boolean {
  return type === 'step-start' || type === 'step-finish'
}

/** What of a part stays with its message: of a text all but the text, of the rest its name. */
async function writePart(path: string, part: Json, taken: Set<string>): Promise<Json> {
  if (!isJsonObject(part) || typeof part['id'] !== 'string' || isStep(part)) return part
  const { id } = part
  const files = partFiles(id)
  if (!files || taken.has(sameFile(id))) return part
  taken.add(sameFile(id))
  const { text, ...rest } = part
  if (typeof text === 'string' && (part['type'] === 'text' || part['type'] === 'reasoning')) {
    await writeFile(join(path, files.text), text, { flag: 'wx' })
    return rest
  }
  await writeFile(join(path, files.json), `${JSON.stringify(part, null, 2)}\n`, { flag: 'wx' })
  return { id, type: part['type'] ?? null }
}

async function writeJson(path: string, value: JsonObject, { secrets }: Pick<Host, 'secrets'>): Promise<void> {
  await writeFile(path, `${JSON.stringify(redactDeep(value, secrets), null, 2)}\n`)
}
