import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFork, DEPENDABOT, onPull, openPull, type Trigger } from '../support/github/events.ts'
import { type Story, SUITE, suiteOf, tell } from './story.ts'

let story: Story

beforeEach(async () => {
  story = await tell({ [SUITE]: suiteOf([{ id: 'greeting' }]) })
})

afterEach(async () => {
  const { violations } = story.github
  await story.end()
  expect(violations).toEqual([])
})

async function pullOf(whose: 'fork' | 'dependabot' | 'dev'): Promise<Trigger> {
  const { github, repository } = story
  const pull = await openPull(github, repository, {
    branch: 'change',
    files: {},
    ...(whose === 'fork' ? { fork: createFork(github, 'mallory') } : {}),
    ...(whose === 'dependabot' ? { author: DEPENDABOT } : {}),
  })
  return await onPull(github, repository, pull)
}

/** As GitHub hands over a secret that a run does not get: set, and empty. */
const WITHHELD = { env: { MODEL_KEY: '' }, inputs: { 'required-env': 'MODEL_KEY' } }

describe('without its secret', () => {
  test.each(['fork', 'dependabot'] as const)('a pull request of %s is skipped, visibly and green', async (whose) => {
    const { conclusion, agent } = await story.run(await pullOf(whose), WITHHELD)
    expect(conclusion).toBe('success')
    expect(agent.outputs).toMatchObject({ status: 'skipped', 'gate-status': 'open', 'exit-reason': 'passed' })
    expect(agent.summary).toContain('[!NOTE]')
    expect(agent.summary).toContain('**Skipped:**')
    expect(agent.summary).toContain('MODEL\\_KEY')
    expect(agent.summary).toContain('--record')
    expect(agent.annotations.map(({ level }) => level)).not.toContain('error')
    expect(agent.annotations[0]).toMatchObject({ level: 'warning', message: expect.stringContaining('MODEL_KEY') })
    expect([story.github.state.comments, story.github.state.checkRuns]).toEqual([[], []])
  })

  test('a normal pull request is red, with the cause in comment, check run, summary and annotation', async () => {
    const { conclusion, agent } = await story.run(await pullOf('dev'), WITHHELD)
    expect(conclusion).toBe('failure')
    expect(agent.outputs).toMatchObject({ status: 'failed', 'exit-reason': 'configuration' })
    expect(agent.annotations).toMatchObject([{ level: 'error', message: expect.stringContaining('MODEL_KEY') }])
    expect(agent.summary).toContain('MODEL\\_KEY')
    expect(story.github.state.comments[0]?.body).toContain('MODEL\\_KEY')
    expect(story.github.state.checkRuns).toMatchObject([{ conclusion: 'failure' }])
  })

  test('a fork with a mistake besides is red: only withheld secrets are nobody’s fault', async () => {
    const { conclusion, agent } = await story.run(await pullOf('fork'), {
      ...WITHHELD,
      inputs: { ...WITHHELD.inputs, runs: 'many' },
    })
    expect(conclusion).toBe('failure')
    expect(agent.outputs).toMatchObject({ 'exit-reason': 'configuration' })
  })
})

test('with its secret a pull request of Dependabot runs; its token may not comment', async () => {
  const { conclusion, agent } = await story.run(await pullOf('dependabot'), {
    ...WITHHELD,
    env: { MODEL_KEY: 'k-1234567890' },
  })
  expect(conclusion).toBe('success')
  expect(agent.outputs).toMatchObject({ status: 'passed', total: '1' })
  expect(agent.summary).toMatch(/\*\*Not posted:\*\* .*comments/)
  expect(story.github.state.comments).toEqual([])
})
