import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TargetError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { shorten } from '../chat/errors.ts'
import { type Child, startChild } from '../command/child.ts'
import { type Client, type Connection, openClient } from './client.ts'
import { FOLDERS, serverEnvironment } from './environment.ts'
import { type EventFeed, openEventFeed } from './event-feed.ts'
import { endMarked, watchOver } from './processes.ts'

/** Starts took up to 31 s on a busy machine. Source: spec opencode-server 0.2. */
const START_LIMIT_MS = 90_000
const PROGRESS_MS = 5_000

/** A server we can talk to, and a folder of ours beside it. */
export interface Server {
  /** Absolute and without links; workspaces are made in it. */
  readonly folder: string
  readonly feed: EventFeed
  readonly version: string
  client(directory?: string): Promise<Client>
  /** Why it is over, when it is. */
  fault(): string | undefined
  /** Ends it and everything it started, and removes the folder. Never rejects. */
  stop(): Promise<void>
}

export interface StartSettings {
  /** Absolute path. */
  readonly file: string
  readonly env: readonly string[] | undefined
  readonly network: boolean
  readonly catalogue?: string
  readonly programs: readonly string[]
  /** Puts what the server is to find into its folder of data, before it starts. */
  fillData?(folder: string): Promise<void>
}

/** Starts `opencode serve` in a home of its own. Throws a TargetError when it does not come up. */
export async function startServer(settings: StartSettings, host: Host): Promise<Server> {
  const folder = await makeFolder(host)
  const id = randomBytes(12).toString('hex')
  try {
    return await launch(settings, { folder, id, host })
  } catch (error) {
    await endMarked(id)
    await removeFolder(folder)
    throw error
  }
}

/** A server that somebody else runs; it stays as it is. */
export async function attachServer(url: string, host: Host): Promise<Server> {
  const password = host.env['OPENCODE_SERVER_PASSWORD']
  const user = host.env['OPENCODE_SERVER_USERNAME'] ?? 'opencode'
  host.secrets.add(password)
  const headers = password === undefined ? {} : { authorization: basic(user, password) }
  const connection = { url: url.replace(/\/+$/, ''), headers }
  const client = await openClient(connection)
  const version = await client.version()
  const folder = await makeFolder(host)
  const feed = await openEventFeed(client.events, host)
  return {
    folder,
    feed,
    version,
    client: (directory) => openClient(connection, directory),
    fault: () => undefined,
    async stop() {
      feed.close()
      await removeFolder(folder)
    },
  }
}

interface Place {
  readonly folder: string
  readonly id: string
  readonly host: Host
}

async function launch(settings: StartSettings, { folder, id, host }: Place): Promise<Server> {
  for (const name of FOLDERS) await mkdir(join(folder, name))
  await settings.fillData?.(join(folder, 'data'))
  const password = randomBytes(24).toString('base64url')
  const env = serverEnvironment(host, { ...settings, root: folder, id, password, names: settings.env })
  const args = ['serve', '--hostname', '127.0.0.1', '--port', '0']
  const child = await startChild({ file: settings.file, args, cwd: folder, env, input: '' }, host)
  const endWatch = child.pid === undefined ? () => undefined : watchOver({ id, pid: child.pid, folder })
  const state: { fault?: string } = {}
  void child.ended.then((exit) => {
    state.fault = `the OpenCode server ended (${'signal' in exit ? exit.signal : `code ${exit.code}`})`
  })
  const stop = async () => {
    await child.stop()
    await endMarked(id)
    endWatch()
    await removeFolder(folder)
  }
  try {
    const url = await addressOf(child, host)
    const connection: Connection = { url, headers: { authorization: basic('opencode', password) } }
    const client = await openClient(connection)
    const version = await client.version()
    const feed = await openEventFeed(client.events, host)
    return {
      folder,
      feed,
      version,
      client: (directory) => openClient(connection, directory),
      fault: () => state.fault,
      async stop() {
        feed.close()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The URL it prints; its output is read to its end, or it would block one day. */
async function addressOf(child: Child, host: Host): Promise<string> {
  const over = new AbortController()
  const found = new Promise<{ readonly url: string }>((resolve) => {
    void readOutput(child, (url) => resolve({ url }))
  })
  const ended = child.ended.then(() => 'ended' as const)
  const late = host.sleep(START_LIMIT_MS, AbortSignal.any([host.signal, over.signal])).then(() => 'late' as const)
  void host.sleep(PROGRESS_MS, over.signal).then(() => {
    if (!over.signal.aborted) host.log.info('opencode serve is starting …')
  })
  const first = await Promise.race([found, ended, late])
  over.abort()
  if (host.signal.aborted) throw new TargetError('interrupted', { code: 'ABORTED' })
  if (typeof first === 'object') return first.url
  await child.stop()
  const said = shorten(host.secrets.redact(child.errorText()))
  const why = first === 'ended' ? 'ended before it listened' : `did not listen within ${START_LIMIT_MS / 1_000}s`
  throw new TargetError(`opencode serve ${why}${said === '' ? '' : `: ${said}`}`, { code: 'PROCESS_FAILED' })
}

async function readOutput(child: Child, found: (url: string) => void): Promise<void> {
  let text = ''
  for await (const chunk of child.output) {
    if (text.length > 10_000) continue
    text += chunk.toString('utf8')
    const url = /listening on (https?:\/\/\S+)/.exec(text)?.[1]
    if (url !== undefined) found(url.replace(/\/+$/, ''))
  }
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

/** Its name tells an agent nothing of a test. */
async function makeFolder(host: Host): Promise<string> {
  return await realpath(await mkdtemp(join(host.env['RUNNER_TEMP'] ?? tmpdir(), 'opencode-')))
}

async function removeFolder(folder: string): Promise<void> {
  // What is being written while it is removed is removed in the next round.
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch(() => undefined)
}
