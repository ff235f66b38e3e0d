import type { Problem, RestrictedOrigin } from '../core/errors.ts'
import type { GitHubContext } from './context.ts'

/** Events whose runs have the base repository's own rights and secrets, whoever caused them. */
const RUNS_OF_THE_BASE: readonly string[] = ['pull_request_target', 'workflow_run', 'issue_comment']

/**
 * Whose run this is, where GitHub withholds secrets and makes the token read-only, whatever the workflow asks for.
 * Dependabot's branch is in this repository, so it is no fork. Source: GitHub's docs, "Troubleshooting Dependabot on
 * GitHub Actions".
 */
export function restrictedOrigin({ eventName, isFork, isDependabot }: GitHubContext): RestrictedOrigin | undefined {
  if (RUNS_OF_THE_BASE.includes(eventName)) return undefined
  if (isFork) return 'fork'
  return isDependabot ? 'dependabot' : undefined
}

/**
 * Whether the tests are skipped for want of secrets: this run gets none, and nothing else is wrong. Everywhere else a
 * missing secret is a mistake, and so is whatever is wrong besides.
 */
export function withheldFrom(problems: readonly Problem[], context: GitHubContext): RestrictedOrigin | undefined {
  const onlySecrets = problems.length > 0 && problems.every(({ unset }) => unset !== undefined)
  return onlySecrets ? restrictedOrigin(context) : undefined
}
