import { describeProblem, type Problem, UserError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Scripts } from '../../scripts/scripts.ts'
import type { Assistant } from './assistant.ts'
import { loadAssistant } from './assistant.ts'
import { locateAssistant } from './locate.ts'
import { openServers, type Servers } from './mcp/servers.ts'
import type { Models } from './models.ts'

/** What agents of one application have in common; nothing of it changes from run to run. */
export interface Application {
  /** Absolute path. */
  readonly root: string
  readonly host: Host
  readonly timeZone: string
  readonly models: Models
  readonly servers: Servers
  readonly scripts: Scripts
  readonly sandbox: Sandbox
  /** Another agent, by id. Each is read once. */
  assistant(id: string): FoundAssistant
}

type FoundAssistant = { readonly assistant: Assistant } | { readonly problem: string }

export function openApplication(
  parts: Pick<Application, 'root' | 'host' | 'models' | 'scripts' | 'sandbox'>,
): Application {
  const { root, host } = parts
  const known = new Map<string, FoundAssistant>()
  return {
    ...parts,
    // Asking for the zone is slow, and it does not change.
    timeZone: host.env['TZ'] || Intl.DateTimeFormat().resolvedOptions().timeZone,
    servers: openServers(root, host),
    assistant(id) {
      const found = known.get(id) ?? findAssistant(id, root, host)
      known.set(id, found)
      return found
    },
  }
}

function findAssistant(id: string, root: string, host: Host): FoundAssistant {
  const problems: Problem[] = []
  try {
    const assistant = loadAssistant(locateAssistant({ name: id, root }, host), host, problems)
    if (assistant && problems.length === 0) return { assistant }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    problems.push(...error.problems.map(({ message, hint }) => ({ message, ...(hint === undefined ? {} : { hint }) })))
  }
  return { problem: problems.map(describeProblem).join('; ') }
}
