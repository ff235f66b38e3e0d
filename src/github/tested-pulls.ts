import type { GitHubClient } from './client.ts'
import { type Attempt, isNotFound } from './failure.ts'
import type { TestedRun } from './tested-runs.ts'

/** An open pull request whose head is the commit that a run tested. */
interface TestedPull {
  readonly number: number
  readonly baseBranch: string
  readonly baseSha: string
}

export type FoundPull =
  | { readonly kind: 'found'; readonly pull: TestedPull }
  /** `moved_on`: its head is another commit by now. `closed`: it was open once. */
  | { readonly kind: 'none' | 'moved_on' | 'closed' }

const READING_PULLS: Attempt = { action: 'find the pull request of a commit', needs: 'pull-requests: read' }

interface PullAnswer {
  readonly number: number
  readonly state: string
  readonly head: { readonly sha: string; readonly repo: { readonly id: number } | null }
  readonly base: { readonly sha: string; readonly ref: string; readonly repo: { readonly id: number } }
}

/**
 * The pull request that a run tested, found by its commit: for a fork GitHub names none in the event. `claimed`, a
 * number that may come from anybody, only chooses among several that GitHub itself names.
 */
export async function pullOfRun(
  client: GitHubClient,
  run: Pick<TestedRun, 'headSha' | 'headBranch' | 'headRepository'>,
  { claimed, defaultBranch }: { readonly claimed?: number | undefined; readonly defaultBranch?: string | undefined },
): Promise<FoundPull> {
  const named = [...(await pullsOfCommit(client, run.headSha)), ...(await pullsOfBranch(client, run))]
  const ours = named.filter(({ head }) => isOf(head.repo, run))
  const tested = ours.filter(({ state, head }) => state === 'open' && head.sha === run.headSha)
  const best = [...tested].sort(
    (left, right) =>
      Number(right.number === claimed) - Number(left.number === claimed) ||
      Number(right.base.ref === defaultBranch) - Number(left.base.ref === defaultBranch) ||
      right.number - left.number,
  )[0]
  if (best) {
    return { kind: 'found', pull: { number: best.number, baseBranch: best.base.ref, baseSha: best.base.sha } }
  }
  if (ours.some(({ state }) => state === 'open')) return { kind: 'moved_on' }
  return { kind: ours.length > 0 ? 'closed' : 'none' }
}

/** A deleted fork has no repository any more, on either side. */
function isOf(repo: { readonly id: number } | null, { headRepository }: Pick<TestedRun, 'headRepository'>): boolean {
  return repo === null || headRepository === undefined || repo.id === headRepository.id
}

async function pullsOfCommit(client: GitHubClient, sha: string): Promise<readonly PullAnswer[]> {
  try {
    const { data } = await client.ask(READING_PULLS, () =>
      client.rest.repos.listPullRequestsAssociatedWithCommit({ ...client.repository, commit_sha: sha, per_page: 100 }),
    )
    return data
  } catch (error) {
    // GitHub does not know every commit of a fork by its sha alone.
    if (isNotFound(error)) return []
    throw error
  }
}

async function pullsOfBranch(
  client: GitHubClient,
  { headRepository, headBranch }: Pick<TestedRun, 'headBranch' | 'headRepository'>,
): Promise<readonly PullAnswer[]> {
  if (headRepository === undefined || headBranch === undefined) return []
  const { data } = await client.ask(READING_PULLS, () =>
    client.rest.pulls.list({
      ...client.repository,
      state: 'all',
      head: `${headRepository.owner}:${headBranch}`,
      per_page: 100,
    }),
  )
  return data
}
