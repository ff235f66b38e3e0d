import { UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { GitHubContext } from './context.ts'
import { describeFailure, isDenied, PERMISSIONS } from './failure.ts'

/** Collects what a read-only token was refused, so that it is told once and not for every destination. */
export interface Denials {
  /** `what` in the plural, such as "comments"; `needs` such as "checks: write". */
  add(what: string, needs: string): void
  /** One sentence with the cure; undefined when nothing was refused. */
  describe(): string | undefined
}

export function createDenials(context: GitHubContext): Denials {
  const refused = new Map<string, string>()
  return {
    add: (what, needs) => void refused.set(what, needs),
    describe() {
      if (refused.size === 0) return undefined
      const what = [...refused.keys()].join(' and ')
      const rest = 'Job summary, outputs and exit code are not affected.'
      const origin = readOnlyOrigin(context)
      if (origin !== undefined) {
        return `GitHub gives ${origin} a read-only token, so it may not write ${what}. ${rest} To have them all the same, report from a second workflow (on: workflow_run).`
      }
      return `The token may not write ${what} (Resource not accessible by integration). ${rest} Give the job "permissions:" with ${cure([...refused.values()])}.`
    },
  }
}

interface Destination {
  /** In the plural, such as "comments". */
  readonly what: string
  readonly needs: string
  readonly denials: Denials
  readonly host: Pick<Host, 'log'>
}

/** What GitHub refuses is a warning and never the verdict; a read-only token's refusals are collected. */
export function tellFailure(error: unknown, { what, needs, denials, host }: Destination): void {
  if (!(error instanceof UserError)) throw error
  if (isDenied(error)) denials.add(what, needs)
  else host.log.warn(`GitHub did not take the ${what}: ${describeFailure(error)}`)
}

/** Events whose runs have the base repository's own rights, whoever caused them. */
const RUNS_OF_THE_BASE: readonly string[] = ['pull_request_target', 'workflow_run', 'issue_comment']

/** Runs whose token GitHub makes read-only, whatever the workflow asks for. */
function readOnlyOrigin({ eventName, isFork, isDependabot }: GitHubContext): string | undefined {
  if (RUNS_OF_THE_BASE.includes(eventName)) return undefined
  if (isFork) return 'a pull request from a fork'
  return isDependabot ? 'a run that Dependabot started' : undefined
}

/** A `permissions` block takes every right away that it does not name, so all are listed. */
function cure(needs: readonly string[]): string {
  const lines = [...new Set([...PERMISSIONS, ...needs])]
  return lines.map((line) => `"${line}"`).join(', ')
}
