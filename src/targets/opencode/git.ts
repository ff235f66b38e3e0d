import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { TargetError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'

const MOST_BYTES = 64 * 1024 * 1024

/** Nothing of the developer's settings, and nobody's name: commits of copies are not to be told apart by them. */
const SETTINGS = [
  ['user.name', 'Developer'],
  ['user.email', 'developer@example.com'],
  ['commit.gpgsign', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.autocrlf', 'false'],
  ['gc.auto', '0'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`])

/** What git prints. Throws a TargetError when it fails. */
export async function git(args: readonly string[], cwd: string, host: Pick<Host, 'env'>): Promise<string> {
  const env = {
    PATH: host.env['PATH'] ?? '/usr/bin:/bin',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
  }
  try {
    const done = promisify(execFile)('git', [...SETTINGS, ...args], { cwd, env, maxBuffer: MOST_BYTES })
    return (await done).stdout
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause)
    throw new TargetError(`git ${args[0] ?? ''} failed: ${said}`, { code: 'PROCESS_FAILED', cause })
  }
}

/** The nearest folder with a `.git`, from `folder` up. */
export async function gitRootOf(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if ((await stat(join(at, '.git')).catch(() => undefined)) !== undefined) return at
    if (dirname(at) === at) return undefined
  }
}

/** Files below `folder` that git tracks, relative to it. `under` narrows them; untracked ones count with `also`. */
export async function trackedFiles(
  folder: string,
  host: Pick<Host, 'env'>,
  { under = [], also = false }: { readonly under?: readonly string[]; readonly also?: boolean } = {},
): Promise<string[]> {
  const which = also ? ['--cached', '--others', '--exclude-standard'] : ['--cached']
  // Another user's checkout, as in a container, is read all the same: nothing of its settings is run by this.
  const args = ['-c', `safe.directory=${folder}`, '-c', 'safe.directory=*', 'ls-files', '-z', ...which, '--', ...under]
  const listed = await git(args, folder, host)
  return [...new Set(listed.split('\0').filter((file) => file !== ''))]
}
