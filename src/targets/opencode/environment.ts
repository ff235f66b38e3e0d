import { delimiter, join } from 'node:path'
import type { Problem } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { MARK } from './processes.ts'

/** Keys of the providers that most people use; more are named by the setting `env`. */
const PROVIDER_KEYS = [
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'OPENROUTER_API_KEY',
  'OPENCODE_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'XAI_API_KEY',
  'MISTRAL_API_KEY',
  'GROQ_API_KEY',
  'DEEPSEEK_API_KEY',
]

/** Tokens and inputs of the workflow: an agent runs commands, and every command sees what the server sees. */
const WITHHELD = /^(?:GITHUB_|GH_TOKEN$|ACTIONS_|RUNNER_|[Ii][Nn][Pp][Uu][Tt]_|NODE_AUTH_TOKEN$|NPM_TOKEN$)/

/** What makes the server ours stays as we set it. */
const OWN = /^(?:HOME|PATH|TMPDIR|XDG_.*|OPENCODE_.*)$/

export function envProblems(names: readonly string[] | undefined, { env }: Pick<Host, 'env'>): Problem[] {
  return (names ?? []).flatMap((name): Problem[] => {
    const field = 'target.env'
    if (WITHHELD.test(name)) return [{ field, message: `${name} belongs to the workflow and is not given to agents` }]
    if (OWN.test(name)) return [{ field, message: `${name} is set by agent-test itself` }]
    if (env[name] !== undefined) return []
    return [{ field, message: `the environment variable ${name} is not set`, hint: 'in a workflow pass it with env' }]
  })
}

interface Surroundings {
  /** Folder that is the server's alone. */
  readonly root: string
  readonly id: string
  readonly password: string
  readonly names: readonly string[] | undefined
  readonly network: boolean
  /** Absolute path. */
  readonly catalogue?: string
  /** Folders with programs the server needs, such as ripgrep. */
  readonly programs: readonly string[]
}

/** Folders below the root that the environment names; they must exist before the server starts. */
export const FOLDERS = ['home', 'tmp', 'config', 'data', 'state', 'cache'] as const

/**
 * Everything a server sees. Source: spec opencode-server 2, "What touches the network" and "Isolation env". Its own home
 * keeps the developer's settings, sessions and logins out, and the agent's deeds out of the developer's home.
 */
export function serverEnvironment(host: Host, around: Surroundings): Record<string, string> {
  const { root, id, password, names = PROVIDER_KEYS, network, catalogue, programs } = around
  const passed = ['LANG', 'LC_ALL', 'TZ', ...names].flatMap((name) => {
    const value = host.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  for (const name of names) host.secrets.add(host.env[name])
  host.secrets.add(password)
  return {
    ...Object.fromEntries(passed),
    PATH: [...programs, host.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'].join(delimiter),
    HOME: join(root, 'home'),
    TMPDIR: join(root, 'tmp'),
    XDG_CONFIG_HOME: join(root, 'config'),
    XDG_DATA_HOME: join(root, 'data'),
    XDG_STATE_HOME: join(root, 'state'),
    XDG_CACHE_HOME: join(root, 'cache'),
    [MARK]: id,
    OPENCODE_SERVER_PASSWORD: password,
    OPENCODE_DISABLE_CLAUDE_CODE: '1',
    OPENCODE_DISABLE_EXTERNAL_SKILLS: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_EMBEDDED_WEB_UI: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_SHARE: '1',
    // Beats every file of the project; whatever else these say stands.
    OPENCODE_CONFIG_CONTENT: JSON.stringify({ autoupdate: false, share: 'disabled' }),
    ...(network
      ? {}
      : { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1', npm_config_offline: 'true' }),
    ...(catalogue === undefined ? {} : { OPENCODE_MODELS_PATH: catalogue }),
  }
}
