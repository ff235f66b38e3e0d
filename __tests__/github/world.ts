import { createHash } from 'node:crypto'
import { strToU8, zipSync } from 'fflate'
import { type GitHubClient, type GitHubContext, openGitHub } from '../../src/github/index.ts'
import { type FakeHost, fakeHost } from '../support/fake-host.ts'
import { startRun, WORKFLOW } from '../support/github/events.ts'
import { type GitHub, startGitHub } from '../support/github/server.ts'
import { type Actor, type Artifact, formatTime, type Pull, type WorkflowRun } from '../support/github/state.ts'

export const ALL_RIGHTS = { contents: 'read', actions: 'read', checks: 'write', 'pull-requests': 'write' } as const
export const READ_ONLY = { contents: 'read', actions: 'read', checks: 'read', 'pull-requests': 'read' } as const

/** Commit number `n` of main; the pull request branches off somewhere and has commits of its own. */
export function shaOf(name: string): string {
  return createHash('sha1').update(name).digest('hex')
}

/** Our GitHub with `main` of the given length and pull request 1, which branched off at commit `from`. */
export async function startWorld({
  commits = 6,
  from = commits,
}: {
  commits?: number
  from?: number
} = {}): Promise<GitHub> {
  const github = await startGitHub({ owner: 'acme', name: 'bot' })
  for (let n = 1; n <= commits; n += 1) addCommit(github, `main-${n}`, n === 1 ? [] : [`main-${n - 1}`])
  github.state.branches.set('main', shaOf(`main-${commits}`))
  addCommit(github, 'head', [`main-${from}`])
  github.state.branches.set('feature', shaOf('head'))
  const { repository } = github.state
  const pull: Pull = {
    number: 1,
    title: 'A change',
    state: 'open',
    head: { branch: 'feature', sha: shaOf('head'), repository },
    base: { branch: 'main', sha: shaOf(`main-${commits}`), repository },
    author: { id: 99, login: 'dev', type: 'User' },
    createdAt: github.state.now(),
  }
  github.state.pulls.push(pull)
  return github
}

export function addCommit({ state }: GitHub, name: string, parents: readonly string[]): void {
  state.commits.set(shaOf(name), { sha: shaOf(name), parents: parents.map(shaOf), message: name, date: state.now() })
}

/** The context of a run on pull request 1. */
export function pullContext(github: GitHub, overrides: Partial<GitHubContext> = {}): GitHubContext {
  const { repository, pulls } = github.state
  return {
    owner: repository.owner,
    repo: repository.name,
    repositoryId: repository.id,
    serverUrl: 'https://github.com',
    apiUrl: github.url,
    eventName: 'pull_request',
    runId: 900_000,
    runAttempt: 1,
    workflowPath: WORKFLOW.path,
    headSha: shaOf('head'),
    defaultBranch: 'main',
    prNumber: 1,
    baseBranch: 'main',
    ...(pulls[0] ? { baseSha: pulls[0].base.sha } : {}),
    isFork: false,
    isDependabot: false,
    ...overrides,
  }
}

/** A host whose GitHub client neither spaces writes nor waits before it repeats. */
export function quickHost(env: Readonly<Record<string, string>> = {}): FakeHost {
  return fakeHost({
    env: { PATH: process.env['PATH'], AGENT_TEST_GITHUB_PACE: 'instant', ...env },
    sleep: async () => {},
  })
}

interface Opened {
  readonly client: GitHubClient
  readonly context: GitHubContext
  readonly host: FakeHost
}

export async function open(
  github: GitHub,
  {
    rights = ALL_RIGHTS,
    actor,
    context = {},
    host = quickHost(),
  }: {
    rights?: Parameters<GitHub['issueToken']>[0]
    actor?: Actor
    context?: Partial<GitHubContext>
    host?: FakeHost
  } = {},
): Promise<Opened> {
  const full = pullContext(github, context)
  return { client: await openGitHub(full, github.issueToken(rights, actor), host), context: full, host }
}

/** A completed run of our workflow on main at commit `at`, unless told otherwise. */
export function addRun(github: GitHub, at: string, overrides: Partial<WorkflowRun> = {}): WorkflowRun {
  const run = startRun(github, {
    event: 'push',
    headBranch: 'main',
    headSha: shaOf(at),
    headRepository: github.state.repository,
    pulls: [],
  })
  const changed: WorkflowRun = { ...run, status: 'completed', conclusion: 'failure', ...overrides }
  github.state.runs.splice(github.state.runs.indexOf(run), 1, changed)
  return changed
}

/** What `run` stored: `content` is the text of baseline.json, or the zip itself. */
export function addArtifact(
  github: GitHub,
  run: WorkflowRun,
  content: string | Uint8Array,
  overrides: Partial<Artifact> = {},
): Artifact {
  const zip = typeof content === 'string' ? zipSync({ 'baseline.json': strToU8(content) }) : content
  const artifact: Artifact = {
    id: github.state.nextId(),
    name: 'agent-test-baseline',
    run,
    createdAt: github.state.now(),
    expiresAt: formatTime(Date.now() + 86_400_000),
    expired: false,
    mimeType: 'application/zip',
    content: Buffer.from(zip),
    digest: `sha256:${createHash('sha256').update(zip).digest('hex')}`,
    finalized: true,
    ...overrides,
  }
  github.state.artifacts.push(artifact)
  return artifact
}
