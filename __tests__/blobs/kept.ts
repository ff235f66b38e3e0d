import { strToU8, zipSync } from 'fflate'
import { vi } from 'vitest'
import type { BlobArtifacts } from '../../src/blobs/index.ts'
import type { RunBlob } from '../../src/core/run-blob.ts'
import type { GitHubContext } from '../../src/github/index.ts'
import { addArtifact, open, quickHost, shaOf } from '../github/world.ts'
import type { FakeHost } from '../support/fake-host.ts'
import { createFork, startRun } from '../support/github/events.ts'
import type { GitHub } from '../support/github/server.ts'
import type { Artifact, WorkflowRun } from '../support/github/state.ts'
import { documentOf } from './results.ts'

/** What a job of the workflow has at hand to keep its results with. */
export interface KeepingJob {
  readonly place: BlobArtifacts
  readonly host: FakeHost
}

interface JobOptions {
  readonly run: WorkflowRun
  readonly place?: Partial<BlobArtifacts>
  readonly context?: Partial<GitHubContext>
  readonly rights?: Parameters<GitHub['issueToken']>[0]
  readonly isAction?: boolean
}

/** A run on the head of pull request 1, unless told otherwise. */
export function pullRun(github: GitHub, overrides: Partial<WorkflowRun> = {}): WorkflowRun {
  const { repository } = github.state
  const fields = { headBranch: 'feature', headSha: shaOf('head'), headRepository: repository, pulls: [1] }
  const run = startRun(github, { event: 'pull_request', ...fields })
  const changed = { ...run, ...overrides }
  github.state.runs.splice(github.state.runs.indexOf(run), 1, changed)
  return changed
}

/** The same by somebody whose code is elsewhere. */
export function forkRun(github: GitHub, overrides: Partial<WorkflowRun> = {}): WorkflowRun {
  return pullRun(github, { headRepository: createFork(github, 'mallory'), pulls: [], ...overrides })
}

/** The artifact client reads the process's own environment. */
export async function jobOf(github: GitHub, options: JobOptions): Promise<KeepingJob> {
  const { run, isAction = true } = options
  const runtime = { ACTIONS_RUNTIME_TOKEN: github.runtimeToken(run), ACTIONS_RESULTS_URL: github.url }
  if (isAction) for (const [name, value] of Object.entries(runtime)) vi.stubEnv(name, value)
  const host = quickHost({ GITHUB_JOB: 'tests', ...(isAction ? runtime : {}) })
  const isFork = run.headRepository.id !== github.state.repository.id
  const { client, context } = await open(github, {
    host,
    context: { runId: run.id, runAttempt: run.attempt, headSha: run.headSha, isFork, ...options.context },
    ...(options.rights ? { rights: options.rights } : {}),
  })
  const names = { artifactName: 'agent-test-baseline', commentKey: 'default', retentionDays: 90 }
  return { place: { client, context, ...names, ...options.place }, host }
}

/** What a run has stored under `name`, as its own word or as `text`. */
export function addResults(
  github: GitHub,
  run: WorkflowRun,
  { name = 'agent-test-results', blob, text, ...overrides }: Partial<Artifact> & { blob?: RunBlob; text?: string },
): Artifact {
  const workflow = { runId: run.id, attempt: run.attempt, headSha: run.headSha, eventName: run.event }
  const document = blob === undefined ? '' : JSON.stringify({ workflow, ...documentOf(blob) })
  const zip = zipSync({ 'results.json': strToU8(text ?? document) })
  return addArtifact(github, run, zip, { name, ...overrides })
}
