import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { configFromInputs } from '../../src/config/config.ts'
import { ALL_RIGHTS, addRun, startWorld } from '../github/world.ts'
import { createFork, onComment, type Trigger } from '../support/github/events.ts'
import type { GitHub } from '../support/github/server.ts'
import type { Actor, Pull } from '../support/github/state.ts'
import { type Serving, serveBot } from './bot-world.ts'

const MALLORY: Actor = { id: 666, login: 'mallory', type: 'User' }

let github: GitHub
let pull: Pull

beforeEach(async () => {
  github = await startWorld()
  github.state.collaborators.set('dev', 'write')
  const [first] = github.state.pulls
  if (!first) throw new Error('the world has a pull request')
  pull = first
})

afterEach(async () => {
  expect(github.violations).toEqual([])
  await github.close()
})

const serve = (trigger: Trigger, serving?: Serving) => serveBot(github, trigger, serving)

const replies = () => github.state.comments.filter(({ author }) => author.type === 'Bot').map(({ body }) => body)
const reactions = () => github.state.reactions.map(({ content }) => content)
const writes = () => github.requests.filter(({ method }) => method !== 'GET')

function addPullRun(conclusion = 'failure', headSha = 'head') {
  return addRun(github, headSha, { event: 'pull_request', conclusion })
}

describe('help', () => {
  test('is answered in place, with a reaction before and after', async () => {
    const trigger = onComment(github, pull, '/agent-test help')
    const { outcome } = await serve(trigger)
    expect(reactions()).toEqual(['eyes', '+1'])
    expect(replies()).toHaveLength(1)
    expect(replies()[0]).toContain('`/agent-test accept <case> <reason>`')
    expect(outcome).toMatchObject({
      exitReason: 'passed',
      outputs: { 'comment-url': expect.stringContaining('#issuecomment-') },
    })
  })

  test('is given with what was not understood, which is quoted without its teeth', async () => {
    await serve(onComment(github, pull, '/agent-test <img src=x onerror=alert(1)>@everyone\nplease'))
    expect(reactions()).toEqual(['eyes', 'confused'])
    expect(replies()[0]).toContain('Not understood: there is no command &lt;img.')
    expect(replies()[0]).not.toContain('<img')
  })

  test('is given once, however often the event is delivered', async () => {
    const trigger = onComment(github, pull, '/agent-test help')
    for (let n = 0; n < 3; n += 1) await serve(trigger)
    expect(replies()).toHaveLength(1)
    await serve(onComment(github, pull, '/agent-test help'))
    expect(replies()).toHaveLength(2)
  })
})

describe('nothing is done and nothing is written', () => {
  test.each([
    { situation: 'for a comment without a command', comment: 'what does /agent-test rerun do?' },
    { situation: 'for a comment that quotes one', comment: '> /agent-test rerun' },
    { situation: 'for an edited comment', comment: '/agent-test rerun', options: { action: 'edited' as const } },
    { situation: 'for a deleted comment', comment: '/agent-test rerun', options: { action: 'deleted' as const } },
    { situation: 'on an issue', comment: '/agent-test rerun', options: { isIssue: true } },
    {
      situation: 'for a bot',
      comment: '/agent-test rerun',
      options: { author: { id: 5, login: 'renovate[bot]', type: 'Bot' as const } },
    },
  ])('$situation', async ({ comment, options = {} }) => {
    const run = addPullRun()
    const { outcome, host } = await serve(onComment(github, pull, comment, options))
    expect(outcome.exitReason).toBe('passed')
    expect(host.infos).toEqual([expect.stringMatching(/^Nothing to do: /)])
    expect(writes()).toEqual([])
    expect(run.attempt).toBe(1)
  })
})

describe('who may not write', () => {
  test.each(['read', 'none', undefined] as const)('gets a reaction and no word (%s)', async (access) => {
    if (access !== undefined) github.state.collaborators.set('mallory', access)
    const run = addPullRun()
    const trigger = onComment(github, pull, '/agent-test rerun', { author: MALLORY })
    const comment = (trigger.payload as { comment: { author_association: string } }).comment
    comment.author_association = 'OWNER'
    await serve(trigger)
    expect(reactions()).toEqual(['-1'])
    expect(replies()).toEqual([])
    expect(run.attempt).toBe(1)
  })

  test('is everybody while GitHub does not say who may', async () => {
    const run = addPullRun()
    github.fail({ path: /\/permission$/, times: 9, failure: { status: 503 } })
    await expect(serve(onComment(github, pull, '/agent-test rerun'))).rejects.toThrow('GitHub answered 503')
    expect([run.attempt, writes().length]).toEqual([1, 0])
  })
})

describe('rerun', () => {
  test.each([
    { conclusion: 'failure', text: 'The failed jobs of [run 1](https://github.com/acme/bot/actions/runs/' },
    { conclusion: 'success', text: 'All jobs, because none has failed, of [run 1](' },
  ])('repeats the newest run of the head that ended in $conclusion', async ({ conclusion, text }) => {
    const run = addPullRun(conclusion)
    addPullRun('failure', 'main-3')
    await serve(onComment(github, pull, '/agent-test rerun'))
    expect(run).toMatchObject({ attempt: 2, status: 'queued' })
    expect(replies()[0]).toContain(text)
    expect(replies()[0]).toContain('as attempt 2')
    expect(reactions()).toEqual(['eyes', '+1'])
  })

  test.each([
    { situation: 'a run that goes on', run: { status: 'in_progress' as const }, text: 'is still running' },
    { situation: 'no run', run: undefined, text: 'has no run for' },
  ])('says so where there is $situation', async ({ run, text }) => {
    if (run) addRun(github, 'head', { event: 'pull_request', ...run })
    else addRun(github, 'main-2')
    await serve(onComment(github, pull, '/agent-test rerun'))
    expect(replies()[0]).toContain(text)
    expect(reactions()).toEqual(['eyes', '-1'])
  })

  test('of single cases starts the workflow on the branch with a pattern of their ids', async () => {
    addPullRun()
    await serve(onComment(github, pull, '/agent-test rerun refund-03 `a.b (c)`'))
    expect(github.state.dispatches).toEqual([
      { workflow: 'agent.yml', ref: 'feature', inputs: { cases: '^(?:refund-03|a\\.b \\(c\\))$' } },
    ])
    expect(reactions()).toEqual(['eyes', '+1'])
  })

  test('of single cases repeats the failed jobs where the workflow takes no cases, and says why', async () => {
    const run = addPullRun()
    github.fail({
      method: 'POST',
      path: /dispatches$/,
      failure: { status: 422, message: 'Unexpected inputs provided' },
    })
    await serve(onComment(github, pull, '/agent-test rerun refund-03'))
    expect(run.attempt).toBe(2)
    expect(replies()[0]).toContain('has no `workflow_dispatch` with the input `cases`')
  })

  test('of single cases never starts a workflow for a fork', async () => {
    pull.head = { ...pull.head, repository: createFork(github, 'mallory') }
    const run = addPullRun()
    await serve(onComment(github, pull, '/agent-test rerun refund-03'))
    expect(github.state.dispatches).toEqual([])
    expect(run.attempt).toBe(2)
  })

  test('without the right answers with the right that is missing', async () => {
    addPullRun()
    await serve(onComment(github, pull, '/agent-test rerun'), { rights: ALL_RIGHTS })
    expect(replies()[0]).toContain('actions: write')
    expect(reactions()).toEqual(['eyes', '-1'])
  })
})

describe('accept', () => {
  test('answers with the lines to commit and sets the label; it pushes nothing', async () => {
    addPullRun()
    await serve(onComment(github, pull, '/agent-test accept refund-03 we no longer "refund": see #12'))
    expect(pull.labels).toEqual(['agent-test:accept'])
    const until = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
    expect(replies()[0]).toContain(
      `- case: "refund-03"\n  reason: "we no longer \\"refund\\": see #12"\n  until: ${until}\n`,
    )
    expect(replies()[0]).toContain('`agent-test.accept.yml`')
    expect(writes().map(({ path }) => path.replace(/\/\d+/g, ''))).toEqual([
      '/repos/acme/bot/issues/comments/reactions',
      '/repos/acme/bot/issues/labels',
      '/repos/acme/bot/issues/comments',
      '/repos/acme/bot/issues/comments/reactions',
    ])
  })

  test('needs a reason', async () => {
    await serve(onComment(github, pull, '/agent-test accept refund-03'))
    expect(pull.labels).toBeUndefined()
    expect(reactions()).toEqual(['eyes', 'confused'])
  })
})

describe('baseline refresh', () => {
  test('starts the workflow on the default branch', async () => {
    await serve(onComment(github, pull, '/agent-test baseline refresh'))
    expect(github.state.dispatches).toEqual([{ workflow: 'agent.yml', ref: 'main', inputs: {} }])
    expect(replies()[0]).toContain('`agent.yml` was started on `main`')
  })

  test('says what the workflow lacks', async () => {
    github.fail({ method: 'POST', path: /dispatches$/, failure: { status: 422, message: 'no trigger' } })
    await serve(onComment(github, pull, '/agent-test baseline refresh'))
    expect(replies()[0]).toContain('`workflow_dispatch`')
    expect(reactions()).toEqual(['eyes', '-1'])
  })
})

test('several commands get one answer, as bad as the worst', async () => {
  addPullRun()
  await serve(onComment(github, pull, '/agent-test rerun\n/agent-test what\nthanks'))
  expect(replies()).toHaveLength(1)
  expect(replies()[0]).toContain('as attempt 2')
  expect(replies()[0]).toContain('Not understood')
  expect(reactions()).toEqual(['eyes', 'confused'])
})

test('a reply that was taken but answered badly is not repeated', async () => {
  github.fail({ method: 'POST', path: /\/1\/comments$/, failure: { status: 502 }, carriedOut: true })
  await serve(onComment(github, pull, '/agent-test help'))
  expect(replies()).toHaveLength(1)
})

describe('a workflow that is set up wrongly is a mistake', () => {
  test('another event', async () => {
    const trigger = { ...onComment(github, pull, '/agent-test help'), event: 'pull_request' }
    await expect(serve(trigger)).rejects.toThrow('mode bot answers comments, and another event started this run')
  })

  test('no workflow to act on', async () => {
    const trigger = onComment(github, pull, '/agent-test help')
    await expect(serve(trigger, { inputs: { 'bot-workflow': '' } })).rejects.toThrow('input bot-workflow')
  })

  test('a workflow that is a path', () => {
    const inputs: Record<string, string> = { 'bot-workflow': '../agent.yml' }
    const { problems } = configFromInputs((name) => inputs[name] ?? '')
    expect(problems).toMatchObject([{ message: 'expected the file name of a workflow, such as agent-test.yml' }])
  })
})
