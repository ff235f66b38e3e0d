import type { GitHubClient } from './client.ts'
import type { GitHubContext } from './context.ts'
import { type Attempt, isNotFound } from './failure.ts'
import { type StoredArtifact, storedArtifact } from './workflow-runs.ts'

/** A run of a workflow, as GitHub itself tells of it. */
export interface TestedRun {
  readonly id: number
  /** As GitHub shows it. */
  readonly number: number
  readonly attempt: number
  /** Such as `.github/workflows/eval.yml`. */
  readonly workflowPath: string
  readonly event: string
  /** Such as `success` or `skipped`; absent before its end. */
  readonly conclusion: string | undefined
  readonly headSha: string
  readonly headBranch: string | undefined
  /** Where the tested commit is; absent once a fork is deleted. */
  readonly headRepository: { readonly id: number; readonly owner: string } | undefined
  /** The tested commit comes from another repository, or from one that cannot be told. */
  readonly isFork: boolean
}

const READING_RUNS: Attempt = { action: 'read the runs of a workflow', needs: 'actions: read' }
const READING_ARTIFACTS: Attempt = { action: 'read the artifacts of a workflow run', needs: 'actions: read' }

/** Other runs of this workflow on the commit under test, newest first; never one whose commit is a fork's. */
export async function runsOfCommit(client: GitHubClient, context: GitHubContext): Promise<TestedRun[]> {
  const { headSha, workflowPath, runId } = context
  if (headSha === undefined || workflowPath === undefined) return []
  const { data } = await client.ask(READING_RUNS, () =>
    client.rest.actions.listWorkflowRuns({
      ...client.repository,
      workflow_id: workflowPath.split('/').at(-1) ?? '',
      head_sha: headSha,
      exclude_pull_requests: true,
      per_page: 30,
    }),
  )
  const runs = data.workflow_runs.map(asRun)
  const own = runs.filter((run) => run.workflowPath === workflowPath && run.headSha === headSha && !run.isFork)
  return own.filter(({ id }) => id !== runId).sort((left, right) => right.id - left.id)
}

/** Undefined where there is none of this number. */
export async function workflowRun(client: GitHubClient, runId: number): Promise<TestedRun | undefined> {
  try {
    const { data } = await client.ask(READING_RUNS, () =>
      client.rest.actions.getWorkflowRun({ ...client.repository, run_id: runId, exclude_pull_requests: true }),
    )
    return asRun(data)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Of a matrix with many legs and attempts; more are not looked at. */
const MOST_PAGES = 10

/** Every artifact of one run, of all its attempts, whoever's commit it tested: what they hold must not be trusted. */
export async function storedInRun(client: GitHubClient, runId: number): Promise<StoredArtifact[]> {
  const found: StoredArtifact[] = []
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { data } = await client.ask(READING_ARTIFACTS, () =>
      client.rest.actions.listWorkflowRunArtifacts({ ...client.repository, run_id: runId, per_page: 100, page }),
    )
    const ofRun = data.artifacts.filter((artifact) => artifact.workflow_run?.id === runId)
    found.push(...ofRun.map((artifact) => storedArtifact(artifact, runId)))
    if (page * 100 >= data.total_count) break
  }
  return found
}

interface RunAnswer {
  readonly id: number
  readonly run_number: number
  readonly run_attempt?: number
  readonly path: string
  readonly event: string
  readonly conclusion: string | null
  readonly head_sha: string
  readonly head_branch: string | null
  readonly repository: { readonly id: number }
  /** null once a fork is deleted. */
  readonly head_repository: { readonly id: number; readonly owner: { readonly login: string } | null } | null
}

function asRun(run: RunAnswer): TestedRun {
  const { head_repository: home, repository } = run
  return {
    id: run.id,
    number: run.run_number,
    attempt: run.run_attempt ?? 1,
    workflowPath: run.path.replace(/@.*$/s, ''),
    event: run.event,
    conclusion: run.conclusion ?? undefined,
    headSha: run.head_sha,
    headBranch: run.head_branch ?? undefined,
    headRepository: home?.owner ? { id: home.id, owner: home.owner.login } : undefined,
    isFork: home?.id !== repository.id,
  }
}
