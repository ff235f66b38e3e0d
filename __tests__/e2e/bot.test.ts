import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFork, onComment, onPull, openPull } from '../support/github/events.ts'
import { answering, type Story, SUITE, suiteOf, tell } from './story.ts'

let story: Story

beforeEach(async () => {
  story = await tell({ [SUITE]: suiteOf([{ id: 'greeting' }, { id: 'refund' }]) })
  story.github.state.collaborators.set('dev', 'write')
})

afterEach(async () => {
  const { violations } = story.github
  await story.end()
  expect(violations).toEqual([])
})

const BOT = {
  inputs: { mode: 'bot', 'bot-workflow': 'agent.yml' },
  permissions: { contents: 'read', actions: 'write', 'pull-requests': 'write' },
}

const replies = () => story.github.state.comments.filter(({ body }) => body.startsWith('<!-- agent-test-reply:'))

test('a comment repeats the tests of a pull request, and its report stays what it was', async () => {
  const { github, repository } = story
  const pull = await openPull(github, repository, { branch: 'change', files: answering({ refund: 'no' }) })
  const trigger = await onPull(github, repository, pull)
  await story.run(trigger)
  const [report] = github.state.comments.map(({ body }) => body)
  const { conclusion, agent } = await story.run(onComment(github, pull, '/agent-test rerun'), BOT)
  expect(conclusion).toBe('success')
  expect(trigger.run).toMatchObject({ attempt: 2, status: 'queued' })
  expect(replies()).toHaveLength(1)
  expect(agent.outputs['comment-url']).toContain(`#issuecomment-${replies()[0]?.id}`)
  expect(github.state.comments.map(({ body }) => body)).toContain(report)
})

test('a case of a fork is explained from the results that its run stored', async () => {
  const { github, repository } = story
  const fork = createFork(github, 'mallory')
  const pull = await openPull(github, repository, { branch: 'change', files: answering({ refund: 'I refuse.' }), fork })
  await story.run(await onPull(github, repository, pull))
  await story.run(onComment(github, pull, '/agent-test explain refund'), BOT)
  expect(replies()[0]?.body).toContain('I refuse.')
  expect(github.state.reactions.map(({ content }) => content)).toEqual(['eyes', '+1'])
})

test('a bot that fails leaves the report on the pull request alone', async () => {
  const { github, repository } = story
  const pull = await openPull(github, repository, { branch: 'change', files: {} })
  await story.run(await onPull(github, repository, pull))
  const before = github.state.comments.map(({ body }) => body)
  github.fail({ path: /\/permission$/, times: 9, failure: { status: 500 } })
  const comment = onComment(github, pull, '/agent-test rerun')
  const { conclusion, agent } = await story.run(comment, BOT)
  expect(conclusion).toBe('failure')
  expect(agent.annotations).toMatchObject([{ level: 'error', message: expect.stringContaining('500') }])
  expect(github.state.comments.map(({ body }) => body)).toEqual([...before, '/agent-test rerun'])
})
