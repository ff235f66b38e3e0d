import { resolve } from 'node:path'
import { type GitHost, runGit, type Setting } from './run-git.ts'

/** A token and the one server it is for. */
export interface Credentials {
  /** Such as `https://github.com`. */
  readonly serverUrl: string
  readonly token: string
}

/** Where the checkout came from, and what is sent along when it is asked. */
export interface Remote {
  readonly url: string
  readonly secretSettings: readonly Setting[]
}

interface Place {
  /** Root of the checkout. */
  readonly top: string
  readonly host: GitHost
  readonly credentials?: Credentials | undefined
}

/** The remote `origin`; undefined where there is none. */
export async function remoteOf({ top, host, credentials }: Place): Promise<Remote | undefined> {
  const written = await configOf(['--get', 'remote.origin.url'], { top, host })
  if (written === undefined || written.startsWith('-')) return undefined
  const url = credentials ? (asHttps(written, credentials) ?? absolute(written, top)) : absolute(written, top)
  host.secrets.add(passwordIn(url))
  const header = (await keptHeader(url, { top, host })) ?? headerOf(url, credentials, host)
  if (header === undefined) return { url, secretSettings: [] }
  const server = `http.${new URL(url).origin}/`
  return {
    url,
    // A redirect would carry the header to where it is not meant for.
    secretSettings: [
      [`${server}.extraheader`, header],
      ['http.followRedirects', 'false'],
    ],
  }
}

async function configOf(args: readonly string[], { top, host }: Place): Promise<string | undefined> {
  const ran = await runGit(['config', '--includes', ...args], { cwd: top, host })
  const text = ran.kind === 'done' ? ran.text.replace(/\n$/, '') : ''
  return text === '' ? undefined : text
}

/** What actions/checkout leaves in the settings of the repository, unless it is told not to. */
async function keptHeader(url: string, place: Place): Promise<string | undefined> {
  if (!isHttp(url)) return undefined
  const header = await configOf(['--get-urlmatch', 'http.extraheader', url], place)
  if (header === undefined || /[\r\n]/.test(header)) return undefined
  place.host.secrets.add(header.replace(/^.*\s/, ''))
  return header
}

function headerOf(url: string, credentials: Credentials | undefined, host: GitHost): string | undefined {
  if (!credentials || !isHttp(url) || passwordIn(url) !== undefined) return undefined
  if (!URL.canParse(credentials.serverUrl) || new URL(url).origin !== new URL(credentials.serverUrl).origin)
    return undefined
  const basic = Buffer.from(`x-access-token:${credentials.token}`).toString('base64')
  host.secrets.add(credentials.token)
  host.secrets.add(basic)
  return `AUTHORIZATION: basic ${basic}`
}

/** A checkout by SSH keeps its key for itself; the token opens the same repository. */
function asHttps(url: string, { serverUrl }: Credentials): string | undefined {
  const [, host, path] = /^(?:ssh:\/\/)?git@([\w.-]+)(?::\/?|\/)([\w./-]+)$/.exec(url) ?? []
  if (host === undefined || path === undefined || !URL.canParse(serverUrl)) return undefined
  return new URL(serverUrl).hostname === host ? `${new URL(serverUrl).origin}/${path}` : undefined
}

/** A path is relative to the checkout; an address and `host:path` are what they are. */
function absolute(url: string, top: string): string {
  return /^[\w.+-]+:\/\/|^[^/]+:/.test(url) ? url : resolve(top, url)
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

function passwordIn(url: string): string | undefined {
  const { password, username } = URL.canParse(url) ? new URL(url) : { password: '', username: '' }
  if (!isHttp(url)) return undefined
  return (password === '' ? username : decodeURIComponent(password)) || undefined
}
