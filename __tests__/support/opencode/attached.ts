import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { OPENCODE } from './testbed.ts'

export interface RunningServer {
  readonly url: string
  readonly password: string
  /** What the server answers to a GET. */
  get(path: string): Promise<unknown>
  stop(): Promise<void>
}

/** A server that somebody else has started. */
export async function startOwnServer(folder: string, catalogue: string): Promise<RunningServer> {
  for (const name of ['home', 'tmp']) mkdirSync(join(folder, name), { recursive: true })
  const password = 'password-of-the-owner'
  const child = spawn(OPENCODE, ['serve', '--hostname', '127.0.0.1', '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: process.env['PATH'],
      HOME: join(folder, 'home'),
      TMPDIR: join(folder, 'tmp'),
      OPENCODE_SERVER_PASSWORD: password,
      OPENCODE_MODELS_PATH: catalogue,
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      npm_config_offline: 'true',
    },
  })
  const url = await urlOf(child)
  const authorization = `Basic ${Buffer.from(`opencode:${password}`).toString('base64')}`
  return {
    url,
    password,
    get: async (path) => (await fetch(url + path, { headers: { authorization } })).json(),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.kill('SIGTERM')
      }),
  }
}

function urlOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const url = /listening on (http\S+)/.exec(text)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.once('exit', () => reject(new Error(`the server ended: ${text}`)))
  })
}
