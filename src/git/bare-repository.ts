import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Remote } from './remote.ts'
import { type GitHost, type Ran, runGit } from './run-git.ts'

/** What a checkout shares with a repository of ours. */
export interface Shared {
  /** Absolute path of its objects. */
  readonly objects: string
  /** Absolute path of the list of commits whose parents it does not have; the file may be absent. */
  readonly shallow: string
  readonly head: string
}

interface Settings {
  /** Absolute; is made. */
  readonly directory: string
  /** `sha1` or `sha256`. */
  readonly format: string
  readonly shared?: Shared
  /** What it fetches from, as its own `origin`. */
  readonly remote: Remote | undefined
}

interface FetchOptions {
  /** Commits of history that come along; all of them where absent. */
  readonly depth?: number
  /** Leaves out what only a checkout needs. */
  readonly historyOnly?: boolean
}

/** A repository of ours, with none of the settings, hooks and filters of the checkout. */
export interface BareRepository {
  readonly directory: string
  run(args: readonly string[], more?: { readonly limitMs?: number; readonly cwd?: string }): Promise<Ran>
  /** Fetches what each of `wanted` names at `origin`; gives the commit of the last one. */
  fetch(wanted: readonly string[], options?: FetchOptions): Promise<Ran>
}

const FETCH_LIMIT_MS = 300_000

export async function makeBareRepository(
  { directory, format, shared, remote }: Settings,
  { folder, host }: { readonly folder: string; readonly host: GitHost },
): Promise<BareRepository | { readonly reason: string }> {
  const init = ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, '--', directory]
  const made = await runGit(init, { cwd: folder, host })
  if (made.kind === 'failed') return { reason: made.reason }
  if (shared) await share(directory, shared)
  const run: BareRepository['run'] = (args, more = {}) =>
    runGit([`--git-dir=${directory}`, ...args], { cwd: folder, host, ...more })
  // By name: git knows no partial clone of an address.
  if (remote) await run(['config', 'remote.origin.url', remote.url])
  return {
    directory,
    run,
    async fetch(wanted, { depth, historyOnly = false } = {}) {
      if (!remote) return { kind: 'failed', reason: 'the checkout has no remote "origin"' }
      const args = [
        `--git-dir=${directory}`,
        'fetch',
        '--quiet',
        '--no-tags',
        '--no-recurse-submodules',
        ...(depth === undefined ? [] : [`--depth=${depth}`]),
        ...(historyOnly ? ['--filter=tree:0'] : []),
        '--',
        'origin',
        ...wanted.map((name, index) => `+${name}:refs/fetched/${index}`),
      ]
      const limits = { limitMs: FETCH_LIMIT_MS, mayFetch: true, secretSettings: remote.secretSettings }
      const fetched = await runGit(args, { cwd: folder, host, ...limits })
      if (fetched.kind === 'failed') return fetched
      return await run(['rev-parse', '--verify', '--quiet', `refs/fetched/${wanted.length - 1}^{commit}`])
    },
  }
}

async function share(directory: string, { objects, shallow, head }: Shared): Promise<void> {
  await mkdir(join(directory, 'objects', 'info'), { recursive: true })
  await writeFile(join(directory, 'objects', 'info', 'alternates'), `${quoted(objects)}\n`)
  const cutOff = await readFile(shallow, 'utf8').catch(() => '')
  if (cutOff !== '') await writeFile(join(directory, 'shallow'), cutOff)
  await writeFile(join(directory, 'HEAD'), `${head}\n`)
}

/** A path that begins with a quote or holds a newline is read as a C string. Source: gitrepository-layout, alternates. */
function quoted(path: string): string {
  return /^["#]|\n/.test(path) ? JSON.stringify(path) : path
}
