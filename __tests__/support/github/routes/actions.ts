import { type Answer, ApiError, type Call, pageOf, type Route, required } from '../route.ts'
import type { Artifact, WorkflowRun } from '../state.ts'

const ACTIONS = '/repos/{owner}/{repo}/actions'
const READ = ['actions:read'] as const
const WRITE = ['actions:write'] as const

export const actionsRoutes: readonly Route[] = [
  { on: `GET ${ACTIONS}/runs`, needs: READ, handle: (call) => listRuns(call, call.state.runs) },
  {
    on: `GET ${ACTIONS}/workflows/{workflow_id}/runs`,
    needs: READ,
    handle: (call) => listRuns(call, runsOfWorkflow(call)),
  },
  {
    on: `GET ${ACTIONS}/runs/{run_id}`,
    needs: READ,
    handle: (call) => ({ status: 200, body: call.views.run(findRun(call)) }),
  },
  { on: `GET ${ACTIONS}/runs/{run_id}/attempts/{attempt_number}`, needs: READ, handle: getAttempt },
  { on: `POST ${ACTIONS}/runs/{run_id}/rerun`, needs: WRITE, handle: (call) => rerun(findRun(call)) },
  { on: `POST ${ACTIONS}/runs/{run_id}/rerun-failed-jobs`, needs: WRITE, handle: rerunFailedJobs },
  { on: `POST ${ACTIONS}/workflows/{workflow_id}/dispatches`, needs: WRITE, handle: dispatchWorkflow },
  {
    on: `GET ${ACTIONS}/runs/{run_id}/artifacts`,
    needs: READ,
    handle: (call) => listArtifacts(call, artifactsOfRun(call)),
  },
  { on: `GET ${ACTIONS}/artifacts`, needs: READ, handle: (call) => listArtifacts(call, call.state.artifacts) },
  {
    on: `GET ${ACTIONS}/artifacts/{artifact_id}`,
    needs: READ,
    handle: (call) => ({ status: 200, body: call.views.artifact(findArtifact(call)) }),
  },
  { on: `DELETE ${ACTIONS}/artifacts/{artifact_id}`, needs: WRITE, handle: deleteArtifact },
  { on: `GET ${ACTIONS}/artifacts/{artifact_id}/{archive_format}`, needs: READ, handle: downloadArtifact },
]

function listRuns(call: Call, runs: readonly WorkflowRun[]): Answer {
  const { query, views } = call
  const status = query.get('status')
  const found = runs.filter(
    (run) =>
      (query.get('branch') ?? run.headBranch) === run.headBranch &&
      (query.get('event') ?? run.event) === run.event &&
      (query.get('head_sha') ?? run.headSha) === run.headSha &&
      (status === null || status === run.status || status === run.conclusion),
  )
  const { items, headers } = pageOf(call, found.toReversed())
  return { status: 200, body: { total_count: found.length, workflow_runs: items.map(views.run) }, headers }
}

/** By number or by file name. */
function runsOfWorkflow({ state, parameters }: Call): WorkflowRun[] {
  const wanted = parameters['workflow_id'] ?? ''
  const found = state.runs.filter(({ workflow }) => `${workflow.id}` === wanted || workflow.path.endsWith(`/${wanted}`))
  if (found.length === 0) throw new ApiError(404, 'Not Found')
  return found
}

function findRun({ state, parameters }: Call): WorkflowRun {
  return required(state.runs.find((run) => run.id === Number(parameters['run_id'])))
}

function getAttempt(call: Call): Answer {
  const run = findRun(call)
  const attempt = Number(call.parameters['attempt_number'])
  if (attempt < 1 || attempt > run.attempt) throw new ApiError(404, 'Not Found')
  return { status: 200, body: call.views.run({ ...run, attempt }) }
}

/** The next attempt of a run that has ended. */
function rerun(run: WorkflowRun): Answer {
  if (run.status !== 'completed') throw new ApiError(403, 'This workflow is already running')
  Object.assign(run, { attempt: run.attempt + 1, status: 'queued', conclusion: null })
  return { status: 201, body: {} }
}

function rerunFailedJobs(call: Call): Answer {
  const run = findRun(call)
  if (run.status === 'completed' && run.conclusion === 'success') {
    throw new ApiError(403, 'This workflow run cannot be retried')
  }
  return rerun(run)
}

function dispatchWorkflow({ state, parameters, body }: Call): Answer {
  const { inputs = {}, ref } = body
  const branch = String(ref).replace(/^refs\/heads\//, '')
  if (!state.branches.has(branch)) throw new ApiError(422, `No ref found for: ${String(ref)}`)
  const workflow = parameters['workflow_id'] ?? ''
  state.dispatches.push({ workflow, ref: branch, inputs: inputs as Record<string, unknown> })
  return { status: 204 }
}

function artifactsOfRun(call: Call): Artifact[] {
  const run = findRun(call)
  return call.state.artifacts.filter((artifact) => artifact.run === run)
}

function listArtifacts(call: Call, artifacts: readonly Artifact[]): Answer {
  const { query, views } = call
  const found = artifacts.filter(
    (artifact) => artifact.finalized && (query.get('name') ?? artifact.name) === artifact.name,
  )
  const { items, headers } = pageOf(call, query.get('direction') === 'asc' ? found : found.toReversed())
  return { status: 200, body: { total_count: found.length, artifacts: items.map(views.artifact) }, headers }
}

function findArtifact({ state, parameters }: Call): Artifact {
  return required(
    state.artifacts.find((artifact) => artifact.finalized && artifact.id === Number(parameters['artifact_id'])),
  )
}

function deleteArtifact(call: Call): Answer {
  const { artifacts } = call.state
  artifacts.splice(artifacts.indexOf(findArtifact(call)), 1)
  return { status: 204 }
}

function downloadArtifact(call: Call): Answer {
  const artifact = findArtifact(call)
  if (artifact.expired) throw new ApiError(410, 'Artifact has expired')
  return { status: 302, headers: { location: call.signedUrl(artifact) } }
}
