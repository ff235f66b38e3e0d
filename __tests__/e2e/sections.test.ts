import { afterEach, beforeEach, expect, test } from 'vitest'
import { onMain, onPull, openPull, pushToPull } from '../support/github/events.ts'
import { answering, type Story, SUITE, suiteOf, tell } from './story.ts'

const OTHER_SUITE = 'tests/billing.jsonl'

let story: Story

beforeEach(async () => {
  story = await tell({
    [SUITE]: suiteOf([{ id: 'greeting' }, { id: 'refund' }]),
    [OTHER_SUITE]: suiteOf([{ id: 'bill' }]),
  })
})

afterEach(async () => {
  const { violations } = story.github
  await story.end()
  expect(violations).toEqual([])
})

const comments = () => story.github.state.comments.map(({ body }) => body)

async function pullTrigger() {
  const { github, repository } = story
  const pull = await openPull(github, repository, { branch: 'change', files: answering({ refund: 'no' }) })
  return { pull, trigger: await onPull(github, repository, pull) }
}

test('the legs of a matrix that end in the same second share one comment, and all stay visible', async () => {
  const { trigger } = await pullTrigger()
  const matrices = ['small', 'medium', 'large'].map((model) => ({ model, os: 'linux' }))
  const jobs = await Promise.all(matrices.map((matrix) => story.run(trigger, { matrix })))
  expect(jobs.map(({ conclusion }) => conclusion)).toEqual(['failure', 'failure', 'failure'])
  const [comment = '', ...others] = comments()
  expect(others).toEqual([])
  for (const { model } of matrices) expect(comment).toContain(`${model}, linux`)
  expect(comment).toContain('3 of 3 sections failed')
  const urls = new Set(jobs.map(({ agent }) => agent.outputs['comment-url']))
  expect(urls.size).toBe(1)
  expect(story.github.state.checkRuns.map(({ name }) => name).sort()).toEqual([
    'Agent tests (large, linux)',
    'Agent tests (medium, linux)',
    'Agent tests (small, linux)',
  ])
})

test('two suites in two jobs share it without a matrix, and a green one stays beside a red one', async () => {
  const { trigger } = await pullTrigger()
  await story.run(trigger)
  await story.run(trigger, { inputs: { input: OTHER_SUITE } })
  const [comment = '', ...others] = comments()
  expect(others).toEqual([])
  expect(comment).toContain('1 of 2 sections failed')
  expect(comment).toContain(SUITE)
  expect(comment).toContain(OTHER_SUITE)
})

test('an older run that ends later does not cover a newer one', async () => {
  const { github, repository } = story
  const { pull, trigger: older } = await pullTrigger()
  await pushToPull(github, repository, pull, answering({}))
  const newer = await onPull(github, repository, pull, 'synchronize')
  await story.run(newer)
  const before = comments()
  const late = await story.run(older)
  expect(late.conclusion).toBe('failure')
  expect(comments()).toEqual(before)
  expect(before[0]).not.toContain('[!CAUTION]')
})

test('what could not be posted is in the job summary, and the verdict stands', async () => {
  const { github } = story
  const { trigger } = await pullTrigger()
  github.fail({ path: /\/comments$/, times: 99, failure: { status: 500 } })
  github.fail({ path: /\/check-runs$/, times: 99, failure: { status: 503 } })
  const { conclusion, agent } = await story.run(trigger)
  expect(conclusion).toBe('failure')
  expect(agent.outputs).toMatchObject({ status: 'failed', failed: '1', 'comment-url': '', 'check-url': '' })
  expect(agent.summary).toContain('refund')
  expect(agent.summary).toMatch(/\*\*Not posted:\*\* check runs \(.*503.*\); comments \(.*500.*\)/)
})

test('a token that has expired costs the comment and nothing else', async () => {
  const { trigger } = await pullTrigger()
  const { agent } = await story.run(trigger, { inputs: { 'github-token': 'ghs_expired', 'require-baseline': 'false' } })
  expect(agent.outputs).toMatchObject({ failed: '1', total: '2' })
  expect(agent.summary).toContain('**Not posted:**')
  expect(comments()).toEqual([])
})

test('a run on main has no pull request and needs no comment', async () => {
  const { conclusion } = await story.run(onMain(story.github, 'push'))
  expect(conclusion).toBe('success')
  expect(comments()).toEqual([])
})
