import { execFile } from 'node:child_process'
import type { Host } from '../core/host.ts'
import { plainText } from '../lib/escape.ts'

/** What a command of git came to; never thrown: whoever asked goes on without. */
export type Ran =
  | { readonly kind: 'done'; readonly text: string }
  /** `reason` is a clause, without secrets and fit for a terminal. */
  | { readonly kind: 'failed'; readonly reason: string }

export type GitHost = Pick<Host, 'env' | 'signal' | 'secrets'>

interface Call {
  readonly cwd: string
  readonly host: GitHost
  /** Of the whole command. */
  readonly limitMs?: number
  /** Settings that must not stand among the arguments, which other users of the machine can read. */
  readonly secretSettings?: readonly Setting[]
  /** May ask a server; no other call may. */
  readonly mayFetch?: boolean
  readonly env?: Readonly<Record<string, string>>
}

/** Name and value. */
export type Setting = readonly [string, string]

const LIMIT_MS = 60_000
const MOST_BYTES = 64 * 1024 * 1024
const LONGEST_REASON = 300

/**
 * What a repository says in its config is not obeyed where it would start a program: it may have been written by the
 * code of a pull request. Large files stay the pointers that are committed.
 */
const SETTINGS: readonly Setting[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['submodule.recurse', 'false'],
  ['filter.lfs.smudge', ''],
  ['filter.lfs.process', ''],
  ['filter.lfs.clean', ''],
  ['filter.lfs.required', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['advice.detachedHead', 'false'],
  // Another user's checkout, as in a container.
  ['safe.directory', '*'],
]

/** The user's own: where git is, whose settings it has, how the network is reached. Nothing that names a repository. */
const PASSED =
  /^(?:PATH|HOME|USER|LOGNAME|USERPROFILE|APPDATA|SYSTEMROOT|TEMP|TMP|TMPDIR|XDG_CONFIG_HOME|SSH_AUTH_SOCK|SSL_CERT_FILE|SSL_CERT_DIR|GIT_CONFIG_GLOBAL|GIT_CONFIG_SYSTEM|GIT_CONFIG_NOSYSTEM|GIT_SSH|GIT_SSH_COMMAND|GIT_SSL_CAINFO|GIT_EXEC_PATH|(?:https?|all|no)_proxy)$/i

/** Runs git with a list of arguments, without a shell. Never rejects. */
export function runGit(args: readonly string[], call: Call): Promise<Ran> {
  const { cwd, host, limitMs = LIMIT_MS } = call
  const given = SETTINGS.flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const options = {
    cwd,
    env: environmentOf(call),
    timeout: limitMs,
    maxBuffer: MOST_BYTES,
    signal: host.signal,
    windowsHide: true,
  }
  return new Promise((resolve) => {
    const child = execFile('git', [...given, ...args], options, (error, stdout, stderr) => {
      if (!error) return resolve({ kind: 'done', text: stdout })
      const wasKilled = error.killed === true
      const said = host.secrets.redact(stderr.trim() === '' ? error.message : stderr)
      const why = wasKilled ? `git ${args[0] ?? ''} took longer than ${limitMs / 1_000}s` : lastWords(said)
      resolve({ kind: 'failed', reason: plainText(why, { maxLength: LONGEST_REASON }) })
    })
    child.stdin?.end()
  })
}

function environmentOf({ host, secretSettings = [], mayFetch = false, env = {} }: Call): Record<string, string> {
  const passed = Object.entries(host.env).flatMap(([name, value]) =>
    value !== undefined && PASSED.test(name) ? [[name, value] as const] : [],
  )
  const secret = secretSettings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ])
  return {
    ...Object.fromEntries(passed),
    ...Object.fromEntries(secret),
    GIT_CONFIG_COUNT: String(secretSettings.length),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GCM_INTERACTIVE: 'never',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    // `ext::` and helpers of the user's own would run a program that the address names.
    GIT_ALLOW_PROTOCOL: mayFetch ? 'file:git:http:https:ssh' : '',
    ...env,
  }
}

/** What git says last is the cause; what comes before it is how far it got. */
function lastWords(text: string): string {
  const lines = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
  const cause = lines.findLast((line) => /^(?:fatal|error):/.test(line)) ?? lines.at(-1) ?? 'git failed'
  return cause.replace(/^(?:fatal|error): /, '')
}
