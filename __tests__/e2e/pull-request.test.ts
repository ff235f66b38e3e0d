import { existsSync } from 'node:fs'
import { strFromU8, unzipSync } from 'fflate'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { onMain, onPull, openPull, push, pushToPull } from '../support/github/events.ts'
import type { Artifact } from '../support/github/state.ts'
import { NODE_24 } from '../support/runner/node-24.ts'
import { answering, type Story, SUITE, suiteOf, tell } from './story.ts'

const CASES = ['greeting', 'refund', 'opening-hours'].map((id) => ({ id }))

let story: Story

/** Runs enough to compare with, and nothing of main is run again: it has no clone to be had from. */
const COMPARED = { inputs: { runs: '10', control: 'off', 'max-latency-increase': '1000' } }

const baselines = () => story.github.state.artifacts.filter(({ name }) => name === 'agent-test-baseline')

beforeEach(async () => {
  story = await tell({ [SUITE]: suiteOf(CASES) })
})

afterEach(async () => {
  const { violations } = story.github
  await story.end()
  expect(violations).toEqual([])
})

function baselineIn(artifact: Artifact | undefined): unknown {
  const files = unzipSync(artifact?.content ?? new Uint8Array())
  return JSON.parse(strFromU8(files['baseline.json'] ?? new Uint8Array()))
}

/** A first run on main, then a pull request whose agent answers otherwise. */
async function mainThenPull(answers: Record<string, string>, node = process.execPath) {
  const { github, repository } = story
  const main = onMain(github, 'push')
  const before = await story.run(main, { ...COMPARED, node })
  const pull = await openPull(github, repository, { branch: 'change', files: answering(answers) })
  const after = await story.run(await onPull(github, repository, pull), { ...COMPARED, node })
  return { main, before, pull, after }
}

describe('the first run on main', () => {
  test('is green, says that there is no baseline yet, and saves one', async () => {
    const { github } = story
    const trigger = onMain(github, 'push')
    const { conclusion, agent } = await story.run(trigger)
    expect(conclusion).toBe('success')
    expect(agent.outputs).toMatchObject({
      status: 'passed',
      total: '3',
      passed: '3',
      failed: '0',
      errors: '0',
      regressions: '0',
      'pass-rate': '100',
      'gate-status': 'open',
      'baseline-state': 'none',
      'exit-reason': 'passed',
      'comment-url': '',
    })
    expect(agent.summary).toContain('no baseline yet')
    expect(github.state.checkRuns).toMatchObject([{ headSha: trigger.sha, conclusion: 'neutral', annotations: [] }])
    expect(github.state.comments).toEqual([])
    expect(baselines()).toMatchObject([{ finalized: true }])
    expect(baselineIn(baselines()[0])).toMatchObject({
      schemaVersion: 2,
      commit: trigger.sha,
      branch: 'main',
      runId: trigger.run.id,
      cases: CASES.map(({ id }) => ({ key: `${SUITE}/${id}`, runs: [{ status: 'passed' }] })),
    })
  })

  test('saves its results too when cases fail: the next run compares with what main does, not with what it once did', async () => {
    const { github, repository } = story
    const red = await story.run(await push(github, repository, answering({ refund: 'no' })))
    expect(red.conclusion).toBe('failure')
    expect(red.agent.outputs).toMatchObject({ 'exit-reason': 'failed', failed: '1' })
    const pull = await openPull(github, repository, { branch: 'docs', files: { 'README.md': 'Hello.\n' } })
    const { agent } = await story.run(await onPull(github, repository, pull))
    expect(agent.outputs).toMatchObject({ 'baseline-state': 'ok', regressions: '0', 'exit-reason': 'failed' })
  })
})

describe('a pull request that makes the agent worse', () => {
  test('turns red and names the regression in comment, check run, summary, outputs and log', async () => {
    const { github } = story
    const { main, pull, before, after } = await mainThenPull({ refund: 'I cannot help.' })
    expect([before.conclusion, after.conclusion]).toEqual(['success', 'failure'])
    expect(after.agent.outputs).toMatchObject({
      status: 'failed',
      passed: '2',
      failed: '1',
      regressions: '1',
      'gate-status': 'closed',
      'gate-message': expect.stringContaining('refund'),
      'baseline-state': 'ok',
      'baseline-sha': main.sha,
      'exit-reason': 'regression',
    })

    const [comment, ...others] = github.state.comments
    expect(others).toEqual([])
    expect(comment).toMatchObject({ issue: pull.number, author: { login: 'github-actions[bot]' } })
    expect(comment?.body).toContain('[!CAUTION]')
    expect(comment?.body).toContain('refund')
    expect(comment?.body).toContain(main.sha.slice(0, 7))
    expect(comment?.body).toContain('I cannot help.')
    expect(after.agent.outputs['comment-url']).toContain(`#issuecomment-${comment?.id}`)

    const check = github.state.checkRuns.find((item) => item.headSha === pull.head.sha)
    expect(check).toMatchObject({ name: 'Agent tests', status: 'completed', conclusion: 'failure' })
    expect(check?.annotations).toMatchObject([
      {
        path: SUITE,
        start_line: 2,
        end_line: 2,
        annotation_level: 'failure',
        title: expect.stringContaining('refund'),
      },
    ])
    expect(after.agent.outputs['check-url']).toContain(`/runs/${check?.id}`)

    expect(after.agent.summary).toContain('refund')
    expect(after.agent.annotations.map(({ level }) => level)).toEqual(['error'])
    expect(after.log).toContain('refund')
  })

  test('leaves no baseline of its own', async () => {
    await mainThenPull({ refund: 'no' })
    expect(baselines()).toHaveLength(1)
  })

  test('is judged against the commit it branched off, though main has gone on', async () => {
    const { github, repository } = story
    const first = onMain(github, 'push')
    await story.run(first)
    const pull = await openPull(github, repository, { branch: 'change', files: { 'README.md': 'Hello.\n' } })
    // Somebody else makes main fail: that is no regression of this pull request, but the merge will contain it.
    await story.run(await push(github, repository, answering({ greeting: 'no' })))
    const { agent } = await story.run(await onPull(github, repository, pull))
    expect(agent.outputs).toMatchObject({ 'baseline-state': 'ok', 'baseline-sha': first.sha })
    expect(agent.summary).toContain('(merge base, ')
  })
})

test('a pull request that changes nothing is green and says so in its comment', async () => {
  const { github } = story
  const { after, main, pull } = await mainThenPull({})
  expect(after.conclusion).toBe('success')
  expect(after.agent.outputs).toMatchObject({ status: 'passed', regressions: '0', 'baseline-sha': main.sha })
  expect(after.agent.annotations).toEqual([])
  expect(github.state.comments).toHaveLength(1)
  expect(github.state.comments[0]?.body).toContain('[!TIP]')
  expect(github.state.checkRuns.find((item) => item.headSha === pull.head.sha)).toMatchObject({ conclusion: 'success' })
})

describe('a second push to a pull request', () => {
  test('updates the one comment among 250 others, also beside one that imitates it', async () => {
    const { github, repository } = story
    const { pull } = await mainThenPull({ refund: 'no' })
    const [own] = github.state.comments
    const now = github.state.now()
    const imitation = {
      id: 7,
      issue: pull.number,
      body: own?.body ?? '',
      author: pull.author,
      createdAt: now,
      updatedAt: now,
    }
    const chatter = Array.from({ length: 249 }, (_, index) => ({
      ...imitation,
      id: 10_000 + index,
      body: `remark ${index}`,
    }))
    github.state.comments.unshift(imitation, ...chatter)

    await pushToPull(github, repository, pull, answering({}))
    const again = await story.run(await onPull(github, repository, pull, 'synchronize'), COMPARED)
    expect(again.conclusion).toBe('success')
    const bots = github.state.comments.filter((comment) => comment.author.type === 'Bot')
    expect(bots.map((comment) => comment.id)).toEqual([own?.id])
    expect(bots[0]?.body).toContain(pull.head.sha.slice(0, 7))
    expect(bots[0]?.body).toContain('[!TIP]')
    expect(imitation.body).toContain('[!CAUTION]')
    expect(github.state.comments).toHaveLength(251)
    expect(again.agent.outputs['comment-url']).toContain(`#issuecomment-${own?.id}`)
  })

  test('finds it again although GitHub failed to say that it was posted', async () => {
    const { github, repository } = story
    const pull = await openPull(github, repository, { branch: 'change', files: {} })
    github.fail({ method: 'POST', path: /\/comments$/, failure: { status: 502 }, carriedOut: true })
    github.fail({ method: 'POST', path: /\/check-runs$/, failure: { status: 502 }, carriedOut: true })
    const { conclusion } = await story.run(await onPull(github, repository, pull))
    expect(conclusion).toBe('success')
    expect([github.state.comments.length, github.state.checkRuns.length]).toEqual([1, 1])
  })
})

test('two jobs with keys of their own keep a comment each', async () => {
  const { github, repository } = story
  const pull = await openPull(github, repository, { branch: 'change', files: {} })
  const trigger = await onPull(github, repository, pull)
  const keys = ['small model', 'large model', 'small model']
  for (const key of keys) await story.run(trigger, { inputs: { 'comment-key': key, 'check-run': 'false' } })
  expect(
    github.state.comments.map(({ body }) => keys.filter((key) => body.includes(`### Agent tests · ${key}`))),
  ).toEqual([['small model', 'small model'], ['large model']])
  expect(github.state.checkRuns).toEqual([])
})

test.skipIf(!existsSync(NODE_24))('the whole way on Node 24: saved on main, compared in the pull request', async () => {
  const { after, main } = await mainThenPull({ refund: 'no' }, NODE_24)
  expect(after.agent.outputs).toMatchObject({ 'exit-reason': 'regression', 'baseline-sha': main.sha })
  expect(story.github.state.comments).toHaveLength(1)
})
