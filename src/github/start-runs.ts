import { UserError } from '../core/errors.ts'
import type { GitHubClient } from './client.ts'
import { type Attempt, statusOf } from './failure.ts'

/** The newest run of a workflow for a commit. */
export interface FoundRun {
  readonly id: number
  /** As GitHub shows it. */
  readonly number: number
  readonly attempt: number
  readonly isRunning: boolean
  readonly hasFailed: boolean
}

const READING: Attempt = { action: 'read the runs of the workflow', needs: 'actions: read' }
const RERUNNING: Attempt = { action: 'run the jobs again', needs: 'actions: write' }
const DISPATCHING: Attempt = { action: 'start the workflow', needs: 'actions: write' }

/** Of pull requests alone: other events test another thing of the same commit. `workflow` is a file name. */
export async function newestRunOf(
  client: GitHubClient,
  workflow: string,
  headSha: string,
): Promise<FoundRun | undefined> {
  const { data } = await client.ask(READING, () =>
    client.rest.actions.listWorkflowRuns({
      ...client.repository,
      workflow_id: workflow,
      head_sha: headSha,
      exclude_pull_requests: true,
      per_page: 100,
    }),
  )
  const runs = data.workflow_runs.filter(({ event }) => event.startsWith('pull_request'))
  const newest = runs.sort((left, right) => right.id - left.id)[0]
  if (!newest) return undefined
  const { id, run_number: number, run_attempt: attempt = 1, status, conclusion } = newest
  return { id, number, attempt, isRunning: status !== 'completed', hasFailed: conclusion !== 'success' }
}

/** Its failed jobs; all of them where none has failed. A repeated request would start one attempt too many. */
export async function rerun(client: GitHubClient, { id, hasFailed }: FoundRun): Promise<void> {
  const request = { ...client.repository, run_id: id, enable_debug_logging: false, request: { retries: 0 } }
  await client.ask(RERUNNING, () =>
    hasFailed ? client.rest.actions.reRunWorkflowFailedJobs(request) : client.rest.actions.reRunWorkflow(request),
  )
}

interface Start {
  /** File name. */
  readonly workflow: string
  readonly branch: string
  readonly inputs?: Readonly<Record<string, string>>
}

/** Whether the workflow can be started so: it may have no `workflow_dispatch`, or no such input. */
export async function startWorkflow(client: GitHubClient, { workflow, branch, inputs }: Start): Promise<boolean> {
  try {
    await client.ask(DISPATCHING, () =>
      client.rest.actions.createWorkflowDispatch({
        ...client.repository,
        workflow_id: workflow,
        ref: branch,
        ...(inputs ? { inputs } : {}),
        request: { retries: 0 },
      }),
    )
    return true
  } catch (error) {
    if (error instanceof UserError && statusOf(error) === 422) return false
    throw error
  }
}
