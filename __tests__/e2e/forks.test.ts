import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFork, onMain, onPull, openPull } from '../support/github/events.ts'
import { answering, type Story, SUITE, suiteOf, tell } from './story.ts'

let story: Story

/** Runs enough to compare with, and nothing of main is run again: it has no clone to be had from. */
const COMPARED = { inputs: { runs: '10', control: 'off' } }

beforeEach(async () => {
  story = await tell({ [SUITE]: suiteOf([{ id: 'greeting' }, { id: 'refund' }]) })
})

afterEach(async () => {
  const { violations } = story.github
  await story.end()
  expect(violations).toEqual([])
})

async function fromFork(answers: Record<string, string>, branch = 'patch') {
  const { github, repository } = story
  await story.run(onMain(github, 'push'), COMPARED)
  const checksOfMain = github.state.checkRuns.length
  const fork = createFork(github, 'mallory')
  const pull = await openPull(github, repository, { branch, files: answering(answers), fork })
  const job = await story.run(await onPull(github, repository, pull), COMPARED)
  return { ...job, checksOfFork: github.state.checkRuns.length - checksOfMain }
}

test('a good pull request from a fork is green: its token may not comment, which is one warning with the cure', async () => {
  const { conclusion, agent, checksOfFork } = await fromFork({})
  expect(conclusion).toBe('success')
  expect(agent.outputs).toMatchObject({ status: 'passed', 'baseline-state': 'ok', 'comment-url': '', 'check-url': '' })
  expect(agent.annotations.map(({ level }) => level)).toEqual(['warning'])
  expect(agent.annotations[0]?.message).toContain('fork')
  expect(agent.annotations[0]?.message).toContain('workflow_run')
  expect(agent.summary).toContain('[!TIP]')
  expect([story.github.state.comments.length, checksOfFork]).toEqual([0, 0])
})

test('a bad one is red for what its agent did, marked at the line of the case by workflow commands', async () => {
  const { conclusion, agent } = await fromFork({ refund: 'no' })
  expect(conclusion).toBe('failure')
  expect(agent.outputs).toMatchObject({ status: 'failed', 'exit-reason': 'regression', regressions: '1' })
  const placed = agent.annotations.filter((annotation) => annotation.file !== undefined)
  expect(placed).toMatchObject([{ level: 'error', file: SUITE, line: 2, title: expect.stringContaining('refund') }])
  expect(agent.annotations.filter(({ level }) => level === 'warning')).toHaveLength(1)
  expect(agent.summary).toContain('refund')
})

test('what a fork tested never becomes the baseline, though its branch is called main', async () => {
  const { github } = story
  await fromFork({ refund: 'no' }, 'main')
  const baselines = github.state.artifacts.filter(({ name }) => name === 'agent-test-baseline')
  expect(baselines.map((artifact) => artifact.run.event)).toEqual(['push'])
})

test('a workflow without the permissions gets one warning that names them, and the verdict stays', async () => {
  const { github, repository } = story
  const pull = await openPull(github, repository, { branch: 'change', files: {} })
  const { conclusion, agent } = await story.run(await onPull(github, repository, pull), {
    permissions: { contents: 'read', actions: 'read' },
  })
  expect(conclusion).toBe('success')
  const warnings = agent.annotations.filter(({ level }) => level === 'warning')
  expect(warnings).toHaveLength(1)
  expect(warnings[0]?.message).toContain('pull-requests: write')
  expect(warnings[0]?.message).toContain('checks: write')
})
