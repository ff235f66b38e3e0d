import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { pullOfRun, workflowRun } from '../../src/github/index.ts'
import { createFork, startRun } from '../support/github/events.ts'
import type { GitHub } from '../support/github/server.ts'
import type { Pull, Repository } from '../support/github/state.ts'
import { addCommit, open, shaOf, startWorld } from './world.ts'

let github: GitHub
let fork: Repository
let pull: Pull

beforeEach(async () => {
  github = await startWorld()
  fork = createFork(github, 'mallory')
  addCommit(github, 'patch', ['main-6'])
  const [first] = github.state.pulls
  if (!first) throw new Error('the world has a pull request')
  const head = { branch: 'patch', sha: shaOf('patch'), repository: fork }
  pull = { ...first, number: 7, title: 'A patch', head }
  github.state.pulls.splice(0, 1, pull)
})

afterEach(async () => {
  expect(github.violations).toEqual([])
  await github.close()
})

/** What a run of the fork's commit is about. */
async function find(claimed?: number) {
  const { id } = startRun(github, {
    event: 'pull_request',
    headBranch: 'patch',
    headSha: shaOf('patch'),
    headRepository: fork,
    pulls: [],
  })
  const { client } = await open(github)
  const run = await workflowRun(client, id)
  if (!run) throw new Error('the run is there')
  return await pullOfRun(client, run, { defaultBranch: 'main', claimed })
}

const another = (overrides: Partial<Pull>) => void github.state.pulls.push({ ...pull, ...overrides })

describe('the pull request of a run', () => {
  test('is found by its commit, though GitHub names none', async () => {
    expect(await find()).toEqual({
      kind: 'found',
      pull: { number: 7, baseBranch: 'main', baseSha: shaOf('main-6') },
    })
  })

  test.each([
    ['the newest', {}, undefined, 8],
    ['the one that goes into the default branch', { base: { branch: 'stable' } }, undefined, 7],
    ['the one that is claimed', {}, 7, 7],
    ['one of them, where another number is claimed', {}, 1, 8],
  ])('of several of one commit is %s', async (_situation, overrides, claimed, expected) => {
    const base = { ...pull.base, ...('base' in overrides ? overrides.base : {}) }
    another({ number: 8, base })
    expect(await find(claimed)).toMatchObject({ kind: 'found', pull: { number: expected } })
  })

  test('is none of another fork whose branch and commit are called the same', async () => {
    pull.head = { ...pull.head, repository: createFork(github, 'trudy') }
    expect(await find()).toEqual({ kind: 'none' })
  })

  test('that was pushed to since is told apart', async () => {
    addCommit(github, 'later', ['patch'])
    pull.head = { ...pull.head, sha: shaOf('later') }
    expect(await find()).toEqual({ kind: 'moved_on' })
  })

  test('that was closed is told apart', async () => {
    pull.state = 'closed'
    expect(await find()).toEqual({ kind: 'closed' })
  })

  test('is none where there never was one', async () => {
    github.state.pulls.splice(0)
    expect(await find()).toEqual({ kind: 'none' })
  })
})

test('a run that GitHub does not know is undefined', async () => {
  const { client } = await open(github)
  expect(await workflowRun(client, 123)).toBeUndefined()
})
