import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEPENDABOT, type Trigger } from '../github/events.ts'
import type { GitHub } from '../github/server.ts'
import type { Permissions } from '../github/tokens.ts'
import { githubContext, githubVariables, runnerContext, runnerVariables, writeEvent } from './contexts.ts'
import { type Contexts, interpolate, isMet, type JobStatus } from './expressions.ts'
import type { ActionUnderTest } from './manifest.ts'
import { createMasks } from './masks.ts'
import { type PostStep, runPostStep, runStep, type StepRun } from './run-step.ts'
import type { StepAnnotation } from './step-log.ts'
import { type Job, readJob, type Step, type Values } from './workflow.ts'

export interface JobOptions {
  readonly github: GitHub
  readonly trigger: Trigger
  /** Folder of the git repository that actions/checkout fetches from. */
  readonly remote: string
  /** Text of the workflow file. */
  readonly workflow: string
  /** First job of the file unless given. */
  readonly job?: string
  readonly matrix?: Values
  readonly secrets?: Values
  readonly action: ActionUnderTest
  /** Node that runs the action; this process's own unless given. */
  readonly node?: string
  /** Cancels the job. */
  readonly signal?: AbortSignal
  /** Told of every line as it is logged. */
  readonly onLine?: (line: string) => void
}

export interface StepResult {
  readonly id: string
  /** Before `continue-on-error`. */
  readonly outcome: JobStatus | 'skipped'
  readonly conclusion: JobStatus | 'skipped'
  readonly outputs: Values
  readonly summary: string
  readonly annotations: readonly StepAnnotation[]
  /** Names of the workflow commands that were obeyed, in order. */
  readonly commands: readonly string[]
  readonly log: string
}

export interface JobResult {
  readonly conclusion: JobStatus | 'skipped'
  readonly steps: readonly StepResult[]
  readonly outputs: Values
  /** Every step's log. */
  readonly log: string
}

/** Runs one job of a workflow on this machine by the rules of GitHub's runner, and ends its workflow run. */
export async function runJob(options: JobOptions): Promise<JobResult> {
  const directory = await mkdtemp(join(tmpdir(), 'agent-test-job-'))
  try {
    const result = await runSteps(options, directory)
    Object.assign(options.trigger.run, { status: 'completed', conclusion: result.conclusion })
    return result
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** What a fork or Dependabot started gets no secrets, unless the event is one of the base repository. */
function isRestricted({ isFork, actor, event }: Trigger): boolean {
  return isFork || (actor.login === DEPENDABOT.login && !['workflow_run', 'issue_comment'].includes(event))
}

/** A restricted run's token: every write becomes a read. */
function grantedTo({ permissions }: Job, trigger: Trigger): Permissions {
  if (!isRestricted(trigger)) return permissions
  return Object.fromEntries(
    Object.entries(permissions).map(([name, access]) => [name, access === 'write' ? 'read' : access]),
  )
}

async function runSteps(options: JobOptions, directory: string): Promise<JobResult> {
  const { github, trigger, matrix = {}, secrets = {} } = options
  const job = readJob(options.workflow, trigger.event, options.job)
  const [workspace, temp, home] = ['work', 'temp', 'home'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ]
  await Promise.all([workspace, home, join(temp, '_github_workflow')].map((path) => mkdir(path, { recursive: true })))
  const token = github.issueToken(grantedTo(job, trigger))
  const context = githubContext(github, trigger, job, { workspace, temp }, token)
  await writeEvent(String(context['event_path']), trigger.payload)
  const runner = runnerContext({ workspace, temp })
  const shared = { ...(isRestricted(trigger) ? {} : secrets), GITHUB_TOKEN: token }
  const run: StepRun = {
    options,
    workspace,
    temp,
    masks: createMasks(Object.values(shared)),
    signal: options.signal ?? new AbortController().signal,
    variables: {
      HOME: home,
      LANG: 'C.UTF-8',
      ...runnerVariables(runner, workspace),
      ...githubVariables(context),
    },
    path: [process.env['PATH'] ?? ''],
    environment: { ...job.env },
    post: [],
  }
  const done: StepResult[] = []
  const contextsOf = (): Contexts => ({
    github: context,
    runner,
    matrix,
    secrets: shared,
    env: run.environment,
    steps: stepsContext(done),
    inputs: {},
  })
  if (!isMet(job.if ?? 'success()', contextsOf(), statusOf(done, run.signal))) {
    return { conclusion: 'skipped', steps: [], outputs: {}, log: '' }
  }
  for (const step of job.steps) done.push(await attempt(step, run, contextsOf(), statusOf(done, run.signal)))
  const outputs = Object.entries(job.outputs).map(([name, value]) => [name, interpolate(value, contextsOf())])
  for (const post of run.post.toReversed()) done.push(await attemptPost(post, run))
  const log = done.map((step) => step.log).join('\n')
  return { conclusion: statusOf(done, run.signal), steps: done, outputs: Object.fromEntries(outputs) as Values, log }
}

async function attempt(step: Step, run: StepRun, contexts: Contexts, status: JobStatus): Promise<StepResult> {
  const id = step.id ?? ''
  const env = Object.fromEntries(
    Object.entries(step.env ?? {}).map(([name, value]) => [name, interpolate(value, contexts)]),
  )
  const local: Contexts = { ...contexts, env: { ...run.environment, ...env } }
  if (!isMet(step.if ?? 'success()', local, status)) {
    return {
      id,
      outcome: 'skipped',
      conclusion: 'skipped',
      outputs: {},
      summary: '',
      annotations: [],
      commands: [],
      log: '',
    }
  }
  const { succeeded, ...rest } = await runStep(step, { ...run, environment: { ...run.environment, ...env } }, local)
  Object.assign(run.environment, rest.environment)
  const outcome = run.signal.aborted && status !== 'cancelled' ? 'cancelled' : succeeded ? 'success' : 'failure'
  const isTolerated = interpolate(String(step['continue-on-error'] ?? 'false'), local) === 'true'
  return { id, outcome, conclusion: outcome === 'failure' && isTolerated ? 'success' : outcome, ...rest }
}

async function attemptPost(post: PostStep, run: StepRun): Promise<StepResult> {
  const { succeeded, ...rest } = await runPostStep(post, run)
  const outcome = succeeded ? 'success' : 'failure'
  return { id: `post ${post.id}`, outcome, conclusion: outcome, ...rest }
}

function statusOf(done: readonly StepResult[], signal: AbortSignal): JobStatus {
  if (signal.aborted) return 'cancelled'
  return done.some((step) => step.conclusion === 'failure') ? 'failure' : 'success'
}

function stepsContext(done: readonly StepResult[]): Contexts {
  const named = done.filter((step) => step.id !== '')
  return Object.fromEntries(named.map(({ id, outputs, outcome, conclusion }) => [id, { outputs, outcome, conclusion }]))
}
