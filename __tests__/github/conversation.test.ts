import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  addLabel,
  contextOfPull,
  mayWrite,
  newestRunOf,
  pullLabels,
  react,
  rerun,
  startWorkflow,
} from '../../src/github/index.ts'
import { WORKFLOW } from '../support/github/events.ts'
import type { GitHub } from '../support/github/server.ts'
import { ALL_RIGHTS, addRun, open, READ_ONLY, shaOf, startWorld } from './world.ts'

const FILE = WORKFLOW.path.split('/').at(-1) ?? ''
const BOT_RIGHTS = { ...ALL_RIGHTS, actions: 'write' } as const

let github: GitHub

beforeEach(async () => {
  github = await startWorld()
})

afterEach(async () => {
  expect(github.violations).toEqual([])
  await github.close()
})

function addComment(): number {
  const { state } = github
  const [id, now] = [state.nextId(), state.now()]
  const author = { id: 99, login: 'dev', type: 'User' } as const
  state.comments.push({ id, issue: 1, body: '/agent-test help', author, createdAt: now, updatedAt: now })
  return id
}

describe('who may command', () => {
  test.each([
    ['admin', true],
    ['write', true],
    ['read', false],
    ['none', false],
  ] as const)('%s: %s', async (permission, expected) => {
    github.state.collaborators.set('dev', permission)
    expect(await mayWrite((await open(github)).client, 'dev')).toBe(expected)
  })

  test('nobody who is no collaborator', async () => {
    expect(await mayWrite((await open(github)).client, 'mallory')).toBe(false)
  })

  test('nobody whom GitHub does not know', async () => {
    github.fail({ path: /\/permission$/, failure: { status: 404, message: 'Not Found' } })
    expect(await mayWrite((await open(github)).client, 'ghost')).toBe(false)
  })

  test('nobody as long as GitHub does not answer', async () => {
    github.state.collaborators.set('dev', 'admin')
    github.fail({ path: /\/permission$/, times: 9, failure: { status: 500 } })
    await expect(mayWrite((await open(github)).client, 'dev')).rejects.toThrow('GitHub answered 500')
  })
})

test('a reaction is there once, however often it is asked for', async () => {
  const comment = addComment()
  const { client } = await open(github)
  for (let n = 0; n < 2; n += 1) await react(client, comment, 'eyes')
  await react(client, comment, '+1')
  expect(github.state.reactions.map(({ content }) => content)).toEqual(['eyes', '+1'])
})

describe('labels of the pull request', () => {
  test("are the API's, which knows more than the event", async () => {
    const { client } = await open(github)
    await addLabel(client, 1, 'agent-test:accept')
    const { context } = await open(github, { context: { prLabels: ['old'] } })
    expect(await pullLabels(client, context)).toEqual(['agent-test:accept'])
  })

  test.each([
    { situation: 'GitHub fails', failure: { status: 500 } },
    { situation: 'the token may not ask', failure: { status: 403, message: 'Resource not accessible by integration' } },
  ])("are the event's where $situation", async ({ failure }) => {
    const { client, context } = await open(github, { context: { prLabels: ['of the event'] } })
    github.fail({ path: /\/labels$/, times: 9, failure })
    expect(await pullLabels(client, context)).toEqual(['of the event'])
    expect(await pullLabels(undefined, context)).toEqual(['of the event'])
  })

  test('are none without a pull request', async () => {
    const { client, context } = await open(github)
    const { prNumber: _prNumber, ...elsewhere } = context
    expect(await pullLabels(client, elsewhere)).toEqual([])
    expect(github.requests).toEqual([])
  })
})

test('the context of a pull request is that of now, whatever started the run', async () => {
  const { client, context } = await open(github, {
    context: { eventName: 'issue_comment', headSha: shaOf('main-1'), branch: 'main', isFork: true },
  })
  expect(await contextOfPull(client, context, 1)).toMatchObject({
    prNumber: 1,
    headSha: shaOf('head'),
    headBranch: 'feature',
    baseBranch: 'main',
    isFork: false,
  })
  expect(await contextOfPull(client, context, 1)).not.toHaveProperty('branch')
})

describe('the newest run of a pull request', () => {
  test('is the newest of a pull request event, of this workflow and commit', async () => {
    const { client } = await open(github)
    const event = 'pull_request'
    addRun(github, 'head', { event, conclusion: 'failure' })
    const newest = addRun(github, 'head', { event, conclusion: 'success' })
    addRun(github, 'main-6', { event })
    addRun(github, 'head', { event: 'push' })
    expect(await newestRunOf(client, FILE, shaOf('head'))).toEqual({
      id: newest.id,
      number: newest.number,
      attempt: 1,
      isRunning: false,
      hasFailed: false,
    })
  })

  test('is none where there is none yet', async () => {
    addRun(github, 'main-6')
    expect(await newestRunOf((await open(github)).client, FILE, shaOf('head'))).toBeUndefined()
  })
})

describe('running again', () => {
  test.each([
    { conclusion: 'failure', path: /rerun-failed-jobs$/ },
    { conclusion: 'success', path: /rerun$/ },
  ])('a run that ended in $conclusion', async ({ conclusion, path }) => {
    const run = addRun(github, 'head', { event: 'pull_request', conclusion })
    const { client } = await open(github, { rights: BOT_RIGHTS })
    const found = await newestRunOf(client, FILE, shaOf('head'))
    if (found) await rerun(client, found)
    expect(run).toMatchObject({ attempt: 2, status: 'queued' })
    expect(github.requests.at(-1)?.path).toMatch(path)
  })

  test('needs a right of its own, which is named', async () => {
    addRun(github, 'head', { event: 'pull_request' })
    const { client } = await open(github)
    const found = await newestRunOf(client, FILE, shaOf('head'))
    const attempt = found ? rerun(client, found) : undefined
    await expect(attempt).rejects.toMatchObject({
      problems: [{ hint: 'give the job "permissions:" with "actions: write"' }],
    })
  })

  test('is asked for once, also where GitHub fails to say that it did it', async () => {
    const run = addRun(github, 'head', { event: 'pull_request' })
    const { client } = await open(github, { rights: BOT_RIGHTS })
    const found = await newestRunOf(client, FILE, shaOf('head'))
    github.fail({ method: 'POST', path: /rerun/, failure: { status: 502 }, carriedOut: true })
    await expect(found ? rerun(client, found) : undefined).rejects.toThrow('GitHub answered 502')
    expect(run.attempt).toBe(2)
  })
})

describe('starting a workflow', () => {
  test('hands its inputs over', async () => {
    const { client } = await open(github, { rights: BOT_RIGHTS })
    expect(await startWorkflow(client, { workflow: FILE, branch: 'feature', inputs: { cases: '^a$' } })).toBe(true)
    expect(github.state.dispatches).toEqual([{ workflow: FILE, ref: 'feature', inputs: { cases: '^a$' } }])
  })

  test('that cannot be started so is no error', async () => {
    const { client } = await open(github, { rights: BOT_RIGHTS })
    const message = "Workflow does not have 'workflow_dispatch' trigger"
    github.fail({ method: 'POST', path: /dispatches$/, failure: { status: 422, message } })
    expect(await startWorkflow(client, { workflow: FILE, branch: 'main' })).toBe(false)
  })

  test('needs a right', async () => {
    const { client } = await open(github, { rights: READ_ONLY })
    await expect(startWorkflow(client, { workflow: FILE, branch: 'main' })).rejects.toMatchObject({
      code: 'GITHUB_PERMISSION',
    })
  })
})
