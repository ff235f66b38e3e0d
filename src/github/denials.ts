import { type RestrictedOrigin, UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { GitHubContext } from './context.ts'
import { describeFailure, isDenied, PERMISSIONS } from './failure.ts'
import { restrictedOrigin } from './restricted.ts'

/** Collects what did not get to GitHub: a read-only token's refusals are told once and not for every destination. */
export interface Denials {
  /** `what` in the plural, such as "comments"; `needs` such as "checks: write". */
  add(what: string, needs: string): void
  /** Lost for another reason, which was told already. */
  lose(what: string, why: string): void
  /** One sentence with the cure; undefined when nothing was refused. */
  describe(): string | undefined
  /** What is missing and why, a clause each. */
  missing(): readonly string[]
}

export function createDenials(context: GitHubContext): Denials {
  const refused = new Map<string, string>()
  const lost = new Map<string, string>()
  return {
    add: (what, needs) => void refused.set(what, needs),
    lose: (what, why) => void lost.set(what, why),
    describe() {
      if (refused.size === 0) return undefined
      const what = [...refused.keys()].join(' and ')
      const rest = 'Job summary, outputs and exit code are not affected.'
      const origin = restrictedOrigin(context)
      if (origin !== undefined) {
        return `GitHub gives ${ORIGINS[origin]} a read-only token, so it may not write ${what}. ${rest} To have them all the same, report from a second workflow (on: workflow_run).`
      }
      return `The token may not write ${what} (Resource not accessible by integration). ${rest} Give the job "permissions:" with ${cure([...refused.values()])}.`
    },
    missing: () => [
      ...[...refused].map(([what, needs]) => `${what} (the token lacks ${needs})`),
      ...[...lost].map(([what, why]) => `${what} (${why})`),
    ],
  }
}

const ORIGINS: Readonly<Record<RestrictedOrigin, string>> = {
  fork: 'a pull request from a fork',
  dependabot: 'a run that Dependabot started',
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
  if (isDenied(error)) {
    denials.add(what, needs)
    return
  }
  const why = describeFailure(error)
  host.log.warn(`GitHub did not take the ${what}: ${why}`)
  denials.lose(what, why)
}

/** A `permissions` block takes every right away that it does not name, so all are listed. */
function cure(needs: readonly string[]): string {
  const lines = [...new Set([...PERMISSIONS, ...needs])]
  return lines.map((line) => `"${line}"`).join(', ')
}
