import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFork, onMain, onPull, openPull, pushToPull } from '../support/github/events.ts'
import { type Story, SUITE, suiteOf, tell } from './story.ts'

let story: Story

beforeEach(async () => {
  story = await tell({ [SUITE]: suiteOf([{ id: 'greeting' }, { id: 'refund' }]) })
})

afterEach(async () => {
  const { violations } = story.github
  await story.end()
  expect(violations).toEqual([])
})

const BROKEN = `${suiteOf([{ id: 'greeting' }])}{"id": "refund", "input": "x", "assert": {"type": "contians", "value": "ok"}}\n`

describe('a green pull request whose next push cannot be run', () => {
  test.each([
    {
      situation: 'because of its suite',
      files: { [SUITE]: BROKEN },
      inputs: {},
      named: [`\`${SUITE}:2\``, 'contians'],
      place: { file: SUITE, line: 2 },
    },
    { situation: 'because of an input', files: {}, inputs: { runs: '0' }, named: ['`input runs`'], place: {} },
    {
      situation: 'because of a folder that is not there',
      files: {},
      inputs: { 'working-directory': 'agents/none' },
      named: ['there is no folder'],
      place: {},
    },
  ])('does not keep its old verdict: $situation', async ({ files, inputs, named, place }) => {
    const { github, repository } = story
    const pull = await openPull(github, repository, { branch: 'change', files: { 'README.md': 'Hello.\n' } })
    await story.run(await onPull(github, repository, pull))
    const [own] = github.state.comments
    expect(own?.body).toContain('Passed')

    await pushToPull(github, repository, pull, { 'more.md': 'More.\n', ...files })
    const { conclusion, agent } = await story.run(await onPull(github, repository, pull, 'synchronize'), { inputs })
    expect(conclusion).toBe('failure')
    expect(agent.outputs).toMatchObject({ status: 'failed', 'gate-status': 'closed', 'exit-reason': 'configuration' })
    expect(agent.annotations).toMatchObject([{ level: 'error', ...place }])

    expect(github.state.comments).toEqual([own])
    expect(agent.outputs['comment-url']).toContain(`#issuecomment-${own?.id}`)
    const check = github.state.checkRuns.find((item) => item.headSha === pull.head.sha)
    expect(check).toMatchObject({ conclusion: 'failure', title: expect.stringMatching(/^Not run: 1 mistake /) })
    for (const text of [own?.body, check?.summary, agent.summary]) {
      expect(text).toMatch(/> \[!WARNING\]\n> \*\*Not run:\*\* 1 mistake /)
      expect(text).not.toContain('Passed')
      expect(text).toContain(`updated for \`${pull.head.sha.slice(0, 7)}\``)
      for (const word of named) expect(text).toContain(word)
    }
  })
})

test.each([
  { comment: 'always', posted: 1 },
  { comment: 'changes', posted: 1 },
  { comment: 'failures', posted: 1 },
  { comment: 'off', posted: 0 },
])('without a comment yet, in mode $comment $posted is posted', async ({ comment, posted }) => {
  const { github, repository } = story
  const pull = await openPull(github, repository, { branch: 'change', files: { [SUITE]: BROKEN } })
  await story.run(await onPull(github, repository, pull), { inputs: { comment } })
  expect(github.state.comments).toHaveLength(posted)
})

test('on a fork the mistakes are in summary, annotations and outputs, and what the token may not do is one warning', async () => {
  const { github, repository } = story
  const fork = createFork(github, 'mallory')
  const pull = await openPull(github, repository, { branch: 'change', files: { [SUITE]: BROKEN }, fork })
  const { conclusion, agent } = await story.run(await onPull(github, repository, pull))
  expect(conclusion).toBe('failure')
  expect(agent.annotations.map(({ level }) => level).toSorted()).toEqual(['error', 'warning'])
  expect(agent.summary).toContain('contians')
  expect(agent.outputs['gate-message']).toContain('contians')
})

test('a dry run with nothing wrong calls nothing, posts nothing and saves nothing', async () => {
  const { github } = story
  const { conclusion, agent } = await story.run(onMain(github, 'push'), { inputs: { 'dry-run': 'true' } })
  expect(conclusion).toBe('success')
  expect(agent.log).toContain('"id":"refund"')
  expect([github.requests, github.state.artifacts]).toEqual([[], []])
})
