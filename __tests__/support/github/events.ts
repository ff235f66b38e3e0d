import { randomUUID } from 'node:crypto'
import type { Files, GitRepository } from './repository.ts'
import type { GitHub } from './server.ts'
import type { Actor, Comment, Pull, Repository, Workflow, WorkflowRun } from './state.ts'
import { createViews, user } from './views.ts'

/** What starts a workflow: an event with its payload, and the run that GitHub made for it. */
export interface Trigger {
  readonly event: string
  readonly payload: object
  /** GITHUB_SHA: the tried merge for a pull request, else the commit itself. */
  readonly sha: string
  readonly ref: string
  readonly headRef: string
  readonly baseRef: string
  readonly isFork: boolean
  readonly run: WorkflowRun
  readonly actor: Actor
}

export const WORKFLOW: Workflow = { id: 4711, name: 'Agent tests', path: '.github/workflows/agent.yml' }

const DEV: Actor = { id: 99, login: 'dev', type: 'User' }
export const DEPENDABOT: Actor = { id: 49_699_333, login: 'dependabot[bot]', type: 'Bot' }

interface PullOptions {
  readonly branch: string
  readonly files: Files
  readonly title?: string
  readonly author?: Actor
  readonly fork?: Repository
  /** Commit or branch it starts from; main unless given. */
  readonly from?: string
}

/** Commits to main and starts a run. */
export async function push(github: GitHub, repository: GitRepository, files: Files = {}): Promise<Trigger> {
  const { state } = github
  const before = state.branches.get('main')
  const sha = await repository.commit('main', files)
  state.branches.set('main', sha)
  return onMain(github, 'push', {
    ref: 'refs/heads/main',
    before,
    after: sha,
    forced: false,
    created: false,
    deleted: false,
  })
}

/** Starts a run on the tip of main for an event such as `push`, `schedule` or `workflow_dispatch`. */
export function onMain(github: GitHub, event: string, payload: object = {}): Trigger {
  const { state } = github
  const { repository } = state
  const sha = state.branches.get('main') ?? ''
  const run = startRun(github, { event, headBranch: 'main', headSha: sha, headRepository: repository, pulls: [] })
  const common = { repository: createViews(state, github.url).repository(repository), sender: user(DEV) }
  return {
    event,
    payload: { ...payload, ...common },
    sha,
    ref: 'refs/heads/main',
    headRef: '',
    baseRef: '',
    isFork: false,
    run,
    actor: DEV,
  }
}

export async function openPull(github: GitHub, repository: GitRepository, options: PullOptions): Promise<Pull> {
  const { state } = github
  const { branch, files, title = `Change ${branch}`, author = DEV, fork, from } = options
  // In the one git repository, a fork's branch must not move ours of the same name.
  const local = fork ? `fork-${fork.id}/${branch}` : branch
  const sha = await repository.commit(local, files, from)
  if (!fork) state.branches.set(branch, sha)
  const pull: Pull = {
    number: state.pulls.length + 1,
    title,
    state: 'open',
    head: { branch, sha, repository: fork ?? state.repository },
    base: { branch: 'main', sha: state.branches.get('main') ?? '', repository: state.repository },
    author,
    createdAt: state.now(),
  }
  state.pulls.push(pull)
  return pull
}

/** Another commit on the pull request's branch. */
export async function pushToPull(github: GitHub, repository: GitRepository, pull: Pull, files: Files): Promise<void> {
  const { repository: home, branch } = pull.head
  const isFork = home.id !== github.state.repository.id
  const sha = await repository.commit(isFork ? `fork-${home.id}/${branch}` : branch, files)
  pull.head = { ...pull.head, sha }
  if (!isFork) github.state.branches.set(branch, sha)
}

/** The event of a pull request as it stands now, against main as it stands now. */
export async function onPull(
  github: GitHub,
  repository: GitRepository,
  pull: Pull,
  action = 'opened',
): Promise<Trigger> {
  const { state } = github
  const { head } = pull
  pull.base = { ...pull.base, sha: state.branches.get('main') ?? '' }
  const sha = await repository.merge(pull.base.sha, head.sha)
  const run = startRun(github, {
    event: 'pull_request',
    headBranch: head.branch,
    headSha: head.sha,
    headRepository: head.repository,
    pulls: [pull.number],
  })
  const views = createViews(state, github.url)
  return {
    event: 'pull_request',
    payload: {
      action,
      number: pull.number,
      pull_request: views.pull(pull),
      repository: views.repository(state.repository),
      sender: user(pull.author),
    },
    sha,
    ref: `refs/pull/${pull.number}/merge`,
    headRef: head.branch,
    baseRef: pull.base.branch,
    isFork: head.repository.id !== state.repository.id,
    run,
    actor: pull.author,
  }
}

const REPORT_WORKFLOW: Workflow = { id: 4712, name: 'Agent report', path: '.github/workflows/agent-report.yml' }

/** The end of a run starts another one, of the default branch and with all its rights, whoever's code was tested. */
export function onRunEnd(github: GitHub, ended: WorkflowRun): Trigger {
  const { state } = github
  const views = createViews(state, github.url)
  const told = views.run(ended)
  // Of a fork GitHub names no pull request.
  const pulls = ended.headRepository.id === state.repository.id ? {} : { pull_requests: [] }
  const trigger = onMain(github, 'workflow_run', { action: 'completed', workflow_run: { ...told, ...pulls } })
  Object.assign(trigger.run, { workflow: REPORT_WORKFLOW })
  return trigger
}

interface CommentOptions {
  readonly author?: Actor
  readonly action?: 'created' | 'edited' | 'deleted'
  /** The comment as the event tells of it; another one than that of an earlier event unless given. */
  readonly comment?: Comment
  /** A comment on an issue that is no pull request. */
  readonly isIssue?: boolean
}

/** Somebody comments on a pull request: the run is one of the default branch, whoever comments. */
export function onComment(github: GitHub, pull: Pull, body: string, options: CommentOptions = {}): Trigger {
  const { state } = github
  const { author = DEV, action = 'created', isIssue = false } = options
  const now = state.now()
  const comment = options.comment ?? {
    id: state.nextId(),
    issue: pull.number,
    body,
    author,
    createdAt: now,
    updatedAt: now,
  }
  if (!options.comment) state.comments.push(comment)
  const views = createViews(state, github.url)
  const { number, title, state: pullState } = pull
  const url = `${github.url}/repos/${state.repository.owner}/${state.repository.name}/pulls/${number}`
  const issue = {
    number,
    title,
    state: pullState,
    user: user(pull.author),
    ...(isIssue ? {} : { pull_request: { url } }),
  }
  const payload = { action, issue, comment: views.comment(comment) }
  return { ...onMain(github, 'issue_comment', payload), actor: author }
}

export function createFork(github: GitHub, owner: string): Repository {
  const { state } = github
  return { ...state.repository, id: state.nextId(), owner, fork: true }
}

type RunFields = Pick<WorkflowRun, 'event' | 'headBranch' | 'headSha' | 'headRepository' | 'pulls'>

export function startRun({ state }: GitHub, fields: RunFields): WorkflowRun {
  const run: WorkflowRun = {
    ...fields,
    id: state.nextId(),
    number: state.runs.length + 1,
    attempt: 1,
    workflow: WORKFLOW,
    status: 'in_progress',
    conclusion: null,
    createdAt: state.now(),
    backendId: randomUUID(),
    jobBackendId: randomUUID(),
  }
  state.runs.push(run)
  return run
}
