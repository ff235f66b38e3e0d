import { copyFile, cp, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { problemsError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { findBinary } from './binary.ts'
import type { Client } from './client.ts'
import { startServer } from './server.ts'

/** A session as the server lists it, with those that it called for. */
interface ListedSession {
  readonly info: JsonObject
  readonly messages: readonly Json[]
  readonly children: readonly ListedSession[]
}

/** The sessions in a folder of OpenCode's data. */
export interface StoredData {
  /** Undefined for a session that is not in it. Throws a TargetError when the server fails. */
  read(sessionId: string): Promise<ListedSession | undefined>
  close(): Promise<void>
}

/** Sessions lie in a database, which only OpenCode itself can be trusted to read. Source: spec opencode-server 5. */
const DATABASE = /^opencode[\w.-]*\.db(?:-wal|-shm)?$/
/** Where versions before the database kept them. */
const OLD_STORAGE = 'storage'

/**
 * Starts a server on a copy of the folder, so that the user's own stays as it is. Logins are not copied: nothing is asked
 * of a model. Throws a UserError when there is no program or no data.
 */
export async function openStoredData(
  { path, shown, bin }: { readonly path: string; readonly shown: string; readonly bin?: string },
  host: Host,
): Promise<StoredData> {
  const found = await findBinary(bin, host)
  const names = await readdir(path).catch(() => undefined)
  const files = (names ?? []).filter((name) => DATABASE.test(name))
  const isOld = files.length === 0 && names?.includes(OLD_STORAGE) === true
  const problems = 'problem' in found ? [{ ...found.problem, field: '--bin' }] : []
  if (files.length === 0 && !isOld) {
    const message = names ? `${shown} holds no sessions of OpenCode` : `there is no folder ${shown}`
    problems.push({ field: '--data-dir', message, hint: 'it is the folder with opencode.db' })
  }
  if ('problem' in found || problems.length > 0) throw problemsError('INVALID_OPTIONS', problems)
  const settings = { file: found.file, env: [], network: false, programs: [] }
  const server = await startServer(
    {
      ...settings,
      async fillData(folder) {
        const target = join(folder, 'opencode')
        await mkdir(target)
        for (const name of files) await copyFile(join(path, name), join(target, name))
        if (isOld) await cp(join(path, OLD_STORAGE), join(target, OLD_STORAGE), { recursive: true })
      },
    },
    host,
  )
  const client = await server.client(server.folder)
  return { read: (id) => readFamily(client, id), close: server.stop }
}

/** Of sessions that called for each other. */
const MOST_DEPTH = 20

async function readFamily(client: Client, id: string, depth = 0): Promise<ListedSession | undefined> {
  const info = await client.findSession(id)
  if (!isJsonObject(info)) return undefined
  const messages = await client.messages(id)
  const children: ListedSession[] = []
  for (const child of depth < MOST_DEPTH ? await client.children(id) : []) {
    const childId = isJsonObject(child) ? child['id'] : undefined
    const read = typeof childId === 'string' ? await readFamily(client, childId, depth + 1) : undefined
    if (read) children.push(read)
  }
  return { info, messages: messages as readonly Json[], children }
}
