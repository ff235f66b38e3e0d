import type { GitHubClient } from './client.ts'
import type { GitHubContext } from './context.ts'
import { type Attempt, isNotFound } from './failure.ts'

/** A completed run of this workflow on a branch of this very repository: what it stored may be compared with. */
export interface TrustedRun {
  readonly id: number
  /** As GitHub shows it. */
  readonly number: number
  readonly attempt: number
  readonly branch: string
  readonly headSha: string
  /** RFC 3339. */
  readonly finishedAt: string
}

export interface StoredArtifact {
  readonly id: number
  readonly name: string
  readonly runId: number
  readonly isExpired: boolean
  /** RFC 3339. */
  readonly expiresAt: string | undefined
  readonly sizeBytes: number
  /** `sha256:` and hex; absent for artifacts of old clients. */
  readonly digest: string | undefined
}

/** The part of GitHub's answer that trust is decided on. */
interface RunFacts {
  readonly path: string
  readonly event: string
  readonly status: string | null
  readonly head_branch: string | null
  readonly repository: { readonly id: number }
  /** null once a fork is deleted. */
  readonly head_repository: { readonly id: number } | null
}

/** Events that run the code of the branch itself. A pull request runs somebody's proposal, also under our workflow. */
const TRUSTED_EVENTS: readonly string[] = ['push', 'schedule', 'workflow_dispatch']

const READING_RUNS: Attempt = { action: 'read the runs of this workflow', needs: 'actions: read' }
const READING_ARTIFACTS: Attempt = { action: 'read the artifacts of earlier runs', needs: 'actions: read' }
const READING_COMMITS: Attempt = { action: 'read the commits of the base branch', needs: 'contents: read' }

/**
 * Whether a run may serve as a baseline. A fork's branch may be called `main` too, so names prove nothing: the
 * repository ids, the workflow file and the event do.
 */
function isTrusted(
  run: RunFacts,
  { repositoryId, workflowPath }: Pick<GitHubContext, 'repositoryId' | 'workflowPath'>,
  branches: readonly string[],
): boolean {
  return (
    run.status === 'completed' &&
    TRUSTED_EVENTS.includes(run.event) &&
    run.path.replace(/@.*$/s, '') === workflowPath &&
    run.head_repository?.id === run.repository.id &&
    (repositoryId === undefined || run.repository.id === repositoryId) &&
    run.head_branch !== null &&
    branches.includes(run.head_branch)
  )
}

interface RunQuery {
  readonly branches: readonly string[]
  readonly headSha?: string
  /** Only runs of pushes: no pull request can crowd these out. */
  readonly event?: 'push'
}

/** The trusted among the newest 100 runs; `isCrowded` when GitHub had more than it showed. */
interface TrustedRuns {
  readonly runs: readonly TrustedRun[]
  readonly isCrowded: boolean
}

/** Runs of a commit, else of the first branch; none when no branch has had this workflow yet. */
export async function trustedRuns(
  client: GitHubClient,
  context: GitHubContext,
  { branches, headSha, event }: RunQuery,
): Promise<TrustedRuns> {
  const file = context.workflowPath?.split('/').at(-1) ?? ''
  const scope = headSha === undefined ? { branch: branches[0] ?? '' } : { head_sha: headSha }
  const answer = await orNothing(() =>
    client.ask(READING_RUNS, () =>
      client.rest.actions.listWorkflowRuns({
        ...client.repository,
        workflow_id: file,
        ...scope,
        ...(event === undefined ? {} : { event }),
        status: 'completed',
        exclude_pull_requests: true,
        per_page: 100,
      }),
    ),
  )
  // 404 is also what a token gets that cannot see the repository at all: that must not pass for "no baseline yet".
  if (!answer) await client.ask(READING_RUNS, () => client.rest.repos.get(client.repository))
  const { workflow_runs: found = [], total_count: total = 0 } = answer?.data ?? {}
  const runs = found.flatMap((run): TrustedRun[] => {
    if (run.id === context.runId || !isTrusted(run, context, branches)) return []
    const { id, run_number: number, run_attempt: attempt = 1, head_branch, head_sha, updated_at } = run
    return [{ id, number, attempt, branch: head_branch ?? '', headSha: head_sha, finishedAt: updated_at }]
  })
  return { runs, isCrowded: total > found.length }
}

/** The commit where `head` left `base`; undefined when they share none. */
export async function mergeBaseOf(client: GitHubClient, base: string, head: string): Promise<string | undefined> {
  const answer = await orNothing(() =>
    client.ask(READING_COMMITS, () =>
      client.rest.repos.compareCommitsWithBasehead({
        ...client.repository,
        basehead: `${base}...${head}`,
        per_page: 1,
      }),
    ),
  )
  return answer?.data.merge_base_commit.sha
}

/** `sha` and the commits before it, nearest first, 100 at most. */
export async function historyOf(client: GitHubClient, sha: string): Promise<string[]> {
  const answer = await orNothing(() =>
    client.ask(READING_COMMITS, () => client.rest.repos.listCommits({ ...client.repository, sha, per_page: 100 })),
  )
  return answer?.data.map((commit) => commit.sha) ?? []
}

/** The newest 100 artifacts of exactly this name in the repository, those of forks left out. */
export async function artifactsNamed(
  client: GitHubClient,
  name: string,
): Promise<{ readonly artifacts: readonly StoredArtifact[]; readonly isCrowded: boolean }> {
  const { data } = await client.ask(READING_ARTIFACTS, () =>
    client.rest.actions.listArtifactsForRepo({ ...client.repository, name, per_page: 100 }),
  )
  return { artifacts: data.artifacts.flatMap(asStored), isCrowded: data.total_count > data.artifacts.length }
}

/** Artifacts of one run, in any of its attempts; `name` narrows to exactly that one. */
export async function artifactsOfRun(client: GitHubClient, runId: number, name?: string): Promise<StoredArtifact[]> {
  const filter = name === undefined ? {} : { name }
  const answer = await orNothing(() =>
    client.ask(READING_ARTIFACTS, () =>
      client.rest.actions.listWorkflowRunArtifacts({ ...client.repository, run_id: runId, per_page: 100, ...filter }),
    ),
  )
  return answer?.data.artifacts.flatMap(asStored).filter((artifact) => artifact.runId === runId) ?? []
}

export interface ArtifactAnswer {
  readonly id: number
  readonly name: string
  readonly size_in_bytes: number
  readonly expired: boolean
  readonly expires_at: string | null
  readonly digest?: string | null
  readonly workflow_run?: {
    readonly id?: number
    readonly repository_id?: number
    readonly head_repository_id?: number
  } | null
}

function asStored(answer: ArtifactAnswer): StoredArtifact[] {
  const run = answer.workflow_run ?? {}
  if (run.id === undefined || run.repository_id === undefined || run.head_repository_id !== run.repository_id) return []
  return [storedArtifact(answer, run.id)]
}

export function storedArtifact(
  { id, name, size_in_bytes: sizeBytes, expired: isExpired, expires_at, digest }: ArtifactAnswer,
  runId: number,
): StoredArtifact {
  return { id, name, runId, isExpired, expiresAt: expires_at ?? undefined, sizeBytes, digest: digest ?? undefined }
}

/** The address of an artifact's zip, good for a minute and without the token. */
export async function artifactAddress(client: GitHubClient, artifactId: number): Promise<string> {
  const { headers } = await client.ask({ action: 'download an artifact', needs: 'actions: read' }, () =>
    client.rest.actions.downloadArtifact({
      ...client.repository,
      artifact_id: artifactId,
      archive_format: 'zip',
      // Followed by hand, so that the size can be bounded and the token stays here.
      request: { redirect: 'manual' },
    }),
  )
  return headers.location ?? ''
}

async function orNothing<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request()
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
