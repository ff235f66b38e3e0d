import type { GitHubContext } from '../github/index.ts'

export type SaveDecision = { readonly isDue: true } | { readonly isDue: false; readonly reason: string }

const SAVING_EVENTS: readonly string[] = ['push', 'schedule', 'workflow_dispatch']

/**
 * Whether this run's results may become the baseline of others: only what the default branch itself contains. Never
 * for a fork or a pull request, whatever its verdict: it would choose what it is measured by.
 */
export function saveDecision(
  { eventName, isFork, branch, defaultBranch, headSha }: GitHubContext,
  { isInterrupted, cases }: { readonly isInterrupted: boolean; readonly cases?: number },
): SaveDecision {
  const no = (reason: string): SaveDecision => ({ isDue: false, reason })
  if (isFork) return no('the tested commit comes from a fork')
  if (!SAVING_EVENTS.includes(eventName))
    return no(`the event is ${eventName || 'not known'}, and only ${SAVING_EVENTS.join(', ')} save`)
  if (branch === undefined) return no('the run belongs to no branch')
  if (defaultBranch === undefined) return no('the event does not name the default branch')
  if (branch !== defaultBranch) return no(`${branch} is not the default branch ${defaultBranch}`)
  if (headSha === undefined) return no('the tested commit is not known')
  if (isInterrupted) return no('the run was interrupted')
  if (cases === 0) return no('no case was run')
  return { isDue: true }
}
