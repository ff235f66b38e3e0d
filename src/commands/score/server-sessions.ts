import { lstat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { TargetError, UserError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { findSessions, readDump, readSession } from '../../sessions/index.ts'
import { openStoredData, type StoredData } from '../../targets/index.ts'
import type { Options } from './options.ts'
import { opened } from './stored.ts'
import type { Found, Opened, Reading, Subject } from './subject.ts'

type Settings = Pick<Options, 'sessions' | 'dataDir' | 'bin'>

/**
 * Sessions of OpenCode itself by their ids: from `sessions/<id>` where the folder has that, else from a server that is
 * started on a copy of the folder. One that is in neither is skipped.
 */
export async function* sessionsOf(settings: Settings, host: Host, reading: Reading): AsyncGenerator<Found> {
  const { sessions, bin } = settings
  const folder = folderOf(settings, host)
  let data: StoredData | undefined
  try {
    for (const id of sessions) {
      const own = await onDisk(folder, id, reading)
      if (!own) data ??= await started(openStoredData({ ...folder, ...(bin === undefined ? {} : { bin }) }, host))
      yield { subject: own ?? (await onServer(id, { folder, reading, data })) }
    }
  } finally {
    await data?.close()
  }
}

async function started(opening: Promise<StoredData>): Promise<StoredData> {
  return await opening.catch((cause: unknown) => {
    throw cause instanceof TargetError ? new UserError(cause.message, { code: 'INVALID_OPTIONS', cause }) : cause
  })
}

interface Folder {
  readonly path: string
  readonly shown: string
}

/** Source: spec opencode-server 5. */
function folderOf({ dataDir }: Settings, { cwd, env }: Host): Folder {
  if (dataDir !== undefined) return { path: resolve(cwd, dataDir), shown: dataDir }
  const base = env['XDG_DATA_HOME'] ?? join(env['HOME'] ?? env['USERPROFILE'] ?? cwd, '.local', 'share')
  const path = join(base, 'opencode')
  return { path, shown: path }
}

/** In the layout of the seed, which is a folder for each session. */
async function onDisk({ path, shown }: Folder, id: string, { config }: Reading): Promise<Subject | undefined> {
  if (!/^[\w-]+$/.test(id)) return undefined
  const folder = join(path, 'sessions', id)
  if (!(await lstat(folder).catch(() => undefined))?.isDirectory()) return undefined
  const { sessions } = await findSessions(folder, `${shown}/sessions/${id}`)
  const [session] = sessions
  if (!session) return undefined
  const open = async (warn: (message: string) => void) => opened(await readSession(session, warn))
  return { id, shown: session.shown, plan: config.planFor(), open }
}

interface Source {
  readonly folder: Folder
  readonly reading: Reading
  readonly data: StoredData | undefined
}

async function onServer(id: string, { folder, reading, data }: Source): Promise<Subject> {
  const name = { id, shown: `${folder.shown}: ${id}` }
  try {
    const session = await data?.read(id)
    const agent = session?.info['agent']
    const plan = reading.config.planFor(typeof agent === 'string' ? agent : undefined)
    if (session) return { ...name, plan, open: async (warn) => opened(await readDump(session, name.shown, warn)) }
    return { ...name, plan, open: () => Promise.resolve(skipped('session not found')) }
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    const failed: Opened = { ...EMPTY, error: error.message }
    return { ...name, plan: reading.config.planFor(), open: () => Promise.resolve(failed) }
  }
}

const EMPTY = { kind: 'timeline', trace: { events: [] }, metadata: { skipped: 0, partial: [] } } as const

function skipped(reason: string): Opened {
  return { kind: 'skipped', reason }
}
