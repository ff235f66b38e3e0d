import { Octokit } from '@octokit/rest'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFork, onMain, onPull, openPull, push, pushToPull } from '../support/github/events.ts'
import { createRepository, type GitRepository } from '../support/github/repository.ts'
import { type GitHub, startGitHub } from '../support/github/server.ts'
import type { Pull } from '../support/github/state.ts'
import type { Permissions } from '../support/github/tokens.ts'

const WRITE_ALL: Permissions = {
  contents: 'read',
  actions: 'read',
  checks: 'write',
  'pull-requests': 'write',
}

const HERE = { owner: 'octo', repo: 'agent' }

let github: GitHub
let repository: GitRepository
let pull: Pull

beforeEach(async () => {
  github = await startGitHub({ owner: 'octo', name: 'agent' })
  repository = await createRepository(github, { 'README.md': 'An agent.\n' })
  pull = await openPull(github, repository, { branch: 'feature/x', files: { 'agent.txt': 'new' } })
})

afterEach(async () => {
  await Promise.all([github.close(), repository.remove()])
})

function client(permissions: Permissions = WRITE_ALL): Octokit {
  const silent = () => undefined
  return new Octokit({
    auth: github.issueToken(permissions),
    baseUrl: github.url,
    log: { debug: silent, info: silent, warn: silent, error: silent },
  })
}

function outcome(request: Promise<unknown>): Promise<{ status: number; message: string }> {
  return request.then(
    () => ({ status: 200, message: '' }),
    (error: { status: number; message: string }) => ({ status: error.status, message: error.message }),
  )
}

describe('comments', () => {
  test('a comment is created by the bot, read back, changed and deleted', async () => {
    const { issues } = client().rest
    const { data } = await issues.createComment({ ...HERE, issue_number: 1, body: 'first' })
    await issues.updateComment({ ...HERE, comment_id: data.id, body: 'second' })
    const { data: read } = await issues.getComment({ ...HERE, comment_id: data.id })
    expect(read).toMatchObject({ body: 'second', user: { login: 'github-actions[bot]', type: 'Bot' } })
    await issues.deleteComment({ ...HERE, comment_id: data.id })
    expect(github.state.comments).toEqual([])
    expect(github.violations).toEqual([])
  })

  test('250 comments come in pages that Link headers join', async () => {
    const now = github.state.now()
    for (let id = 1; id <= 250; id += 1) {
      github.state.comments.push({ id, issue: 1, body: `${id}`, author: pull.author, createdAt: now, updatedAt: now })
    }
    const octokit = client()
    const first = await octokit.rest.issues.listComments({ ...HERE, issue_number: 1 })
    expect(first.data).toHaveLength(30)
    expect(first.headers.link).toContain('rel="last"')
    const large = await octokit.rest.issues.listComments({ ...HERE, issue_number: 1, per_page: 500 })
    expect(large.data).toHaveLength(100)
    const all = await octokit.paginate(octokit.rest.issues.listComments, { ...HERE, issue_number: 1, per_page: 100 })
    expect(all.map((comment) => comment.id)).toEqual(Array.from({ length: 250 }, (_, index) => index + 1))
    expect(github.violations).toEqual([])
  })

  test.each([
    [65_536, 200, ''],
    [65_537, 422, 'Body is too long (maximum is 65536 characters)'],
  ])('a body of %i characters gives %i', async (length, status, reason) => {
    const request = client().rest.issues.createComment({ ...HERE, issue_number: 1, body: 'x'.repeat(length) })
    const result = await outcome(request)
    expect(result).toMatchObject({ status, message: expect.stringContaining(reason) })
    expect(github.violations).toEqual([])
  })
})

describe('tokens', () => {
  test('a read-only token reads and does not write', async () => {
    const { issues, checks } = client({ contents: 'read', 'pull-requests': 'read', checks: 'read' }).rest
    expect(await outcome(issues.listComments({ ...HERE, issue_number: 1 }))).toMatchObject({ status: 200 })
    const refused = { status: 403, message: expect.stringContaining('Resource not accessible by integration') }
    expect(await outcome(issues.createComment({ ...HERE, issue_number: 1, body: 'x' }))).toEqual(refused)
    expect(await outcome(checks.create({ ...HERE, name: 'x', head_sha: pull.head.sha }))).toEqual(refused)
    expect(github.violations).toEqual([])
  })

  test('a private repository is read only with the permission', async () => {
    const secret = await startGitHub({ owner: 'octo', name: 'agent', private: true })
    const octokit = new Octokit({ auth: secret.issueToken({ contents: 'read' }), baseUrl: secret.url })
    const status = await outcome(octokit.rest.actions.listArtifactsForRepo(HERE))
    expect(status.status).toBe(403)
    expect(secret.violations).toEqual([])
    await secret.close()
  })

  test.each([
    ['no token', undefined],
    ['an unknown token', 'ghs_nobody'],
  ])('%s gives 401', async (_, auth) => {
    const octokit = new Octokit({ ...(auth === undefined ? {} : { auth }), baseUrl: github.url })
    expect(await outcome(octokit.rest.repos.get(HERE))).toMatchObject({ status: 401 })
  })

  test('a workflow token is no user, a personal one is', async () => {
    const personal = new Octokit({ auth: github.issueToken({}, pull.author), baseUrl: github.url })
    expect(await outcome(client().rest.users.getAuthenticated())).toMatchObject({ status: 403 })
    expect(await personal.rest.users.getAuthenticated()).toMatchObject({ data: { login: 'dev' } })
    expect(github.violations).toEqual([])
  })
})

describe('check runs', () => {
  const note = (line: number) => ({
    path: 'suite.jsonl',
    start_line: line,
    end_line: line,
    annotation_level: 'failure' as const,
    message: `line ${line}`,
  })
  const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => note(from + index))

  test('annotations of updates are added to those of the creation', async () => {
    const octokit = client()
    const output = { title: 'Agent tests', summary: 'so far' }
    const { data } = await octokit.rest.checks.create({
      ...HERE,
      name: 'Agent tests',
      head_sha: pull.head.sha,
      status: 'in_progress',
      output: { ...output, annotations: lines(1, 50) },
    })
    await octokit.rest.checks.update({
      ...HERE,
      check_run_id: data.id,
      conclusion: 'failure',
      output: { ...output, annotations: lines(51, 60) },
    })
    const annotations = await octokit.paginate(octokit.rest.checks.listAnnotations, { ...HERE, check_run_id: data.id })
    expect(annotations.map((annotation) => annotation.start_line)).toEqual(lines(1, 60).map((item) => item.start_line))
    const { data: found } = await octokit.rest.checks.listForRef({
      ...HERE,
      ref: pull.head.sha,
      check_name: 'Agent tests',
    })
    expect(found).toMatchObject({
      total_count: 1,
      check_runs: [{ id: data.id, status: 'completed', conclusion: 'failure' }],
    })
    expect(github.violations).toEqual([])
  })

  test('51 annotations in one request are refused and are a violation', async () => {
    const { checks } = client().rest
    const output = { title: 'x', summary: 'x', annotations: lines(1, 51) }
    const request = checks.create({ ...HERE, name: 'x', head_sha: pull.head.sha, output })
    expect(await outcome(request)).toMatchObject({ status: 422 })
    expect(github.violations).toMatchObject([{ reason: expect.stringContaining('must NOT have more than 50 items') }])
  })

  test.each([
    ['columns over several lines', { ...note(1), end_line: 2, start_column: 1, end_column: 2 }],
    ['an end before the start', { ...note(5), end_line: 4 }],
    ['a title of 256 characters', { ...note(1), title: 'x'.repeat(256) }],
  ])('an annotation with %s is refused', async (_, annotation) => {
    const output = { title: 'x', summary: 'x', annotations: [annotation] }
    const request = client().rest.checks.create({ ...HERE, name: 'x', head_sha: pull.head.sha, output })
    expect(await outcome(request)).toMatchObject({ status: 422 })
    expect(github.violations).toEqual([])
  })

  test('a commit that GitHub does not know is refused', async () => {
    const request = client().rest.checks.create({ ...HERE, name: 'x', head_sha: 'f'.repeat(40) })
    expect(await outcome(request)).toMatchObject({ status: 422 })
  })
})

describe('commits and pull requests', () => {
  test('the merge base stays where the branch left main, though main went on', async () => {
    const base = pull.base.sha
    const moved = await push(github, repository, { 'other.txt': 'more' })
    await pushToPull(github, repository, pull, { 'agent.txt': 'newer' })
    const { repos } = client().rest
    const { data } = await repos.compareCommitsWithBasehead({ ...HERE, basehead: `main...${pull.head.sha}` })
    expect(data).toMatchObject({ status: 'diverged', ahead_by: 2, behind_by: 1, merge_base_commit: { sha: base } })
    expect(data.base_commit.sha).toBe(moved.sha)
    const branches = await repos.compareCommitsWithBasehead({ ...HERE, basehead: 'main...feature/x' })
    expect(branches.data.merge_base_commit.sha).toBe(base)
    const { data: commits } = await repos.listCommits({ ...HERE, sha: 'main' })
    expect(commits.map((commit) => commit.sha)).toEqual([moved.sha, base])
    expect(github.violations).toEqual([])
  })

  test('a pull request is found by number, by state, and by commit', async () => {
    const { pulls, repos } = client().rest
    const { data } = await pulls.get({ ...HERE, pull_number: 1 })
    expect(data).toMatchObject({ head: { ref: 'feature/x', sha: pull.head.sha }, base: { ref: 'main' } })
    const { data: open } = await pulls.list({ ...HERE, head: 'octo:feature/x' })
    const { data: byCommit } = await repos.listPullRequestsAssociatedWithCommit({ ...HERE, commit_sha: pull.head.sha })
    expect([open, byCommit].map((list) => list.map((item) => item.number))).toEqual([[1], [1]])
    expect(github.violations).toEqual([])
  })

  test('the event of a pull request names the tried merge and the head', async () => {
    const trigger = await onPull(github, repository, pull)
    const merge = github.state.commits.get(trigger.sha)
    expect(merge?.parents).toEqual([pull.base.sha, pull.head.sha])
    expect(trigger).toMatchObject({ ref: 'refs/pull/1/merge', headRef: 'feature/x', baseRef: 'main', isFork: false })
  })
})

describe('workflow runs', () => {
  test('runs are filtered by branch, event and status; a fork whose branch is called main is among them', async () => {
    onMain(github, 'push').run.status = 'completed'
    const fork = await openPull(github, repository, { branch: 'main', files: {}, fork: createFork(github, 'mallory') })
    const { run } = await onPull(github, repository, fork)
    const { actions } = client().rest
    const { data } = await actions.listWorkflowRuns({ ...HERE, workflow_id: 'agent.yml', branch: 'main' })
    expect(data.workflow_runs.map((item) => item.event)).toEqual(['pull_request', 'push'])
    expect(data.workflow_runs[0]?.head_repository.id).toBe(fork.head.repository.id)
    const { data: pushes } = await actions.listWorkflowRuns({
      ...HERE,
      workflow_id: 4711,
      branch: 'main',
      event: 'push',
      status: 'completed',
    })
    expect(pushes.total_count).toBe(1)
    expect(await actions.getWorkflowRun({ ...HERE, run_id: run.id })).toMatchObject({
      data: { path: run.workflow.path },
    })
    expect(github.violations).toEqual([])
  })
})

describe('faults', () => {
  test('the next requests that match fail as told, later ones do not', async () => {
    const octokit = client()
    github.fail({
      method: 'GET',
      path: /\/pulls$/,
      times: 2,
      failure: { status: 429, headers: { 'retry-after': '1' } },
    })
    const statuses = []
    for (let count = 0; count < 3; count += 1) statuses.push((await outcome(octokit.rest.pulls.list(HERE))).status)
    expect(statuses).toEqual([429, 429, 200])
    expect(github.requests.map((request) => request.status)).toEqual([429, 429, 200])
    expect(github.violations).toEqual([])
  })

  test('a fault may come after the deed', async () => {
    github.fail({ method: 'POST', path: /\/comments$/, failure: { status: 502 }, carriedOut: true })
    const request = client().rest.issues.createComment({ ...HERE, issue_number: 1, body: 'posted all the same' })
    expect((await outcome(request)).status).toBe(502)
    expect(github.state.comments).toMatchObject([{ body: 'posted all the same' }])
  })

  test('a cut connection gives no answer', async () => {
    github.fail({ path: /\/pulls$/, failure: 'reset' })
    expect((await outcome(client().rest.pulls.list(HERE))).status).toBe(500)
    expect(github.requests).toMatchObject([{ path: '/repos/octo/agent/pulls', status: undefined }])
  })

  test('a request that hangs ends with the client', async () => {
    github.fail({ path: /\/pulls$/, failure: 'hang' })
    const request = { signal: AbortSignal.timeout(50) }
    await expect(client().rest.pulls.list({ ...HERE, request })).rejects.toThrow()
  })
})

test('an operation outside of the description, or one we do not play, is a violation', async () => {
  const octokit = client()
  await outcome(octokit.request('GET /repos/octo/agent/minutes'))
  await outcome(octokit.rest.repos.getContent({ ...HERE, path: 'README.md' }))
  expect(github.violations.map((violation) => violation.reason)).toEqual([
    'path is not in the description',
    'our GitHub does not play this operation',
  ])
})

describe('the talk around a pull request', () => {
  const TALKER: Permissions = { ...WRITE_ALL, actions: 'write' }

  test('a reaction is made once, listed by kind and taken back', async () => {
    const { issues, reactions } = client(TALKER).rest
    const { data: comment } = await issues.createComment({ ...HERE, issue_number: 1, body: 'hello' })
    const on = { ...HERE, comment_id: comment.id }
    const first = await reactions.createForIssueComment({ ...on, content: 'eyes' })
    const second = await reactions.createForIssueComment({ ...on, content: 'eyes' })
    await reactions.createForIssueComment({ ...on, content: '+1' })
    expect([first.status, second.status, second.data.id === first.data.id]).toEqual([201, 200, true])
    const { data: eyes } = await reactions.listForIssueComment({ ...on, content: 'eyes' })
    expect(eyes).toMatchObject([{ content: 'eyes', user: { login: 'github-actions[bot]' } }])
    await reactions.deleteForIssueComment({ ...on, reaction_id: first.data.id })
    expect(github.state.reactions.map(({ content }) => content)).toEqual(['+1'])
    expect(github.violations).toEqual([])
  })

  test('labels are added, listed, told with the pull request and removed', async () => {
    const { issues, pulls } = client(TALKER).rest
    const on = { ...HERE, issue_number: 1 }
    await issues.addLabels({ ...on, labels: ['a', 'b/c'] })
    await issues.addLabels({ ...on, labels: ['a'] })
    expect((await issues.listLabelsOnIssue(on)).data.map(({ name }) => name)).toEqual(['a', 'b/c'])
    expect((await pulls.get({ ...HERE, pull_number: 1 })).data.labels).toMatchObject([{ name: 'a' }, { name: 'b/c' }])
    await issues.removeLabel({ ...on, name: 'b/c' })
    expect(await outcome(issues.removeLabel({ ...on, name: 'b/c' }))).toMatchObject({ status: 404 })
    expect(pull.labels).toEqual(['a'])
    expect(github.violations).toEqual([])
  })

  test('a permission is that of the collaborator, and reading for everybody else', async () => {
    github.state.collaborators.set('dev', 'write')
    const { repos } = client().rest
    const permissionOf = async (username: string) =>
      (await repos.getCollaboratorPermissionLevel({ ...HERE, username })).data.permission
    expect([await permissionOf('dev'), await permissionOf('mallory')]).toEqual(['write', 'read'])
    expect(github.violations).toEqual([])
  })
})

describe('running workflows again', () => {
  const RUNNER: Permissions = { contents: 'read', actions: 'write' }

  test.each([
    { conclusion: 'failure', failedJobs: 201, all: 201 },
    { conclusion: 'success', failedJobs: 403, all: 201 },
    { conclusion: null, failedJobs: 403, all: 403 },
  ])('of a run that ended in $conclusion', async ({ conclusion, failedJobs, all }) => {
    const statusOf = async (verb: 'reRunWorkflow' | 'reRunWorkflowFailedJobs') => {
      const { run } = onMain(github, 'push')
      Object.assign(run, { status: conclusion === null ? 'in_progress' : 'completed', conclusion })
      const request = client(RUNNER).rest.actions[verb]({ ...HERE, run_id: run.id, enable_debug_logging: false })
      const status = await request.then(
        (answer) => answer.status as number,
        (error: { status: number }) => error.status,
      )
      expect(run.attempt).toBe(status === 201 ? 2 : 1)
      return status
    }
    expect(await statusOf('reRunWorkflowFailedJobs')).toBe(failedJobs)
    expect(await statusOf('reRunWorkflow')).toBe(all)
    expect(github.violations).toEqual([])
  })

  test('a workflow starts on a branch of the repository with its inputs', async () => {
    const { actions } = client(RUNNER).rest
    const start = { ...HERE, workflow_id: 'agent.yml', inputs: { cases: '^a$' } }
    await actions.createWorkflowDispatch({ ...start, ref: 'main' })
    expect(github.state.dispatches).toEqual([{ workflow: 'agent.yml', ref: 'main', inputs: { cases: '^a$' } }])
    expect(await outcome(actions.createWorkflowDispatch({ ...start, ref: 'nowhere' }))).toMatchObject({ status: 422 })
    expect(github.violations).toEqual([])
  })
})
