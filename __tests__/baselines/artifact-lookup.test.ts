import { afterEach, describe, expect, test } from 'vitest'
import { assessBaseline, type LoadedBaseline } from '../../src/core/baseline.ts'
import type { GitHubContext } from '../../src/github/index.ts'
import { addArtifact, addCommit, addRun, shaOf, startWorld } from '../github/world.ts'
import { createFork } from '../support/github/events.ts'
import type { GitHub } from '../support/github/server.ts'
import type { WorkflowRun } from '../support/github/state.ts'
import { loadBaseline, storeAt, textOf } from './stored.ts'

let github: GitHub

afterEach(async () => {
  expect(github.violations).toEqual([])
  const calls = github.requests.filter(({ path }) => path.startsWith('/repos/'))
  expect(calls.length).toBeLessThanOrEqual(10)
  await github.close()
})

const sourceOf = (loaded: LoadedBaseline) => (loaded.kind === 'ok' ? loaded.source : loaded)

describe('a pull request is compared with', () => {
  test('its merge base, although main has moved on', async () => {
    github = await startWorld({ commits: 8, from: 5 })
    for (const n of [3, 5, 7, 8]) storeAt(github, `main-${n}`)
    const loaded = await loadBaseline(github)
    expect(loaded).toMatchObject({ kind: 'ok', baseline: { commit: shaOf('main-5') } })
    expect(sourceOf(loaded)).toBe('run 2 on main (merge base, 0 min old)')
    // Four to find them, and each of the three is downloaded from an address that is asked for.
    expect(github.requests).toHaveLength(10)
  })

  test.each([
    { stored: [1, 3, 7], expected: 'run 2 on main (2 commits before the merge base, 0 min old)', commit: 'main-3' },
    { stored: [4, 8], expected: 'run 1 on main (1 commit before the merge base, 0 min old)', commit: 'main-4' },
  ])('the nearest ancestor of the merge base that has one ($stored)', async ({ stored, expected, commit }) => {
    github = await startWorld({ commits: 8, from: 5 })
    for (const n of stored) storeAt(github, `main-${n}`)
    const loaded = await loadBaseline(github)
    expect(sourceOf(loaded)).toBe(expected)
    expect(loaded).toMatchObject({ baseline: { commit: shaOf(commit) } })
  })

  test('the newest run of main, and says so, when nothing before the merge base has one', async () => {
    github = await startWorld({ commits: 8, from: 5 })
    for (const n of [6, 7, 8]) storeAt(github, `main-${n}`)
    expect(sourceOf(await loadBaseline(github))).toBe(
      'run 3 on main (the newest run, because neither the merge base nor a commit before it has one, 0 min old)',
    )
  })

  test('the same when it shares no commit with main', async () => {
    github = await startWorld({ commits: 3 })
    storeAt(github, 'main-3')
    addCommit(github, 'orphan', [])
    expect(sourceOf(await loadBaseline(github, { context: { headSha: shaOf('orphan') } }))).toContain('the newest run')
  })

  test('an ancestor beyond many runs that stored nothing', async () => {
    github = await startWorld({ commits: 40, from: 40 })
    storeAt(github, 'main-2')
    for (let n = 3; n <= 40; n += 1) addRun(github, `main-${n}`)
    expect(sourceOf(await loadBaseline(github))).toBe('run 1 on main (38 commits before the merge base, 0 min old)')
  })

  test('what a red, a scheduled or a hand-started run stored: every complete run counts', async () => {
    for (const [event, conclusion] of [
      ['push', 'failure'],
      ['schedule', 'success'],
      ['workflow_dispatch', 'cancelled'],
    ] as const) {
      github = await startWorld()
      storeAt(github, 'main-6', { event, conclusion })
      expect(await loadBaseline(github)).toMatchObject({ kind: 'ok' })
      if (event !== 'workflow_dispatch') await github.close()
    }
  })

  test('the highest attempt of a run', async () => {
    github = await startWorld()
    const run = addRun(github, 'main-6', { attempt: 10 })
    for (const name of [
      'agent-test-baseline',
      'agent-test-baseline-attempt-10',
      'agent-test-baseline-attempt-9',
      'agent-test-baseline-attempt-x',
    ]) {
      addArtifact(github, run, textOf(shaOf('main-6'), { branch: name }), { name })
    }
    expect(await loadBaseline(github)).toMatchObject({
      kind: 'ok',
      baseline: { branch: 'agent-test-baseline-attempt-10' },
    })
  })

  test('an ancestor whose second attempt alone stored one', async () => {
    github = await startWorld()
    storeAt(github, 'main-1')
    const run = addRun(github, 'main-4', { attempt: 2 })
    addArtifact(github, run, textOf(shaOf('main-4')), { name: 'agent-test-baseline-attempt-2' })
    expect(await loadBaseline(github)).toMatchObject({ kind: 'ok', baseline: { commit: shaOf('main-4') } })
  })

  test('the second run of the merge base when the first stored nothing', async () => {
    github = await startWorld()
    storeAt(github, 'main-6')
    addRun(github, 'main-6', { event: 'schedule' })
    expect(sourceOf(await loadBaseline(github))).toBe('run 1 on main (merge base, 0 min old)')
  })

  test('the default branch where its own base branch stores nothing', async () => {
    github = await startWorld({ commits: 6, from: 5 })
    github.state.branches.set('release', shaOf('main-5'))
    storeAt(github, 'main-4')
    const context = { baseBranch: 'release', baseSha: shaOf('main-5') }
    expect(sourceOf(await loadBaseline(github, { context }))).toBe(
      'run 1 on main (1 commit before the merge base, 0 min old)',
    )
  })
})

test.each([
  { ago: 5 * 60_000, expected: '5 min old' },
  { ago: 3 * 3_600_000, expected: '3 h old' },
  { ago: 9 * 86_400_000, expected: '9 days old' },
  { ago: -60_000, expected: '0 min old' },
])('the age is shown: $expected', async ({ ago, expected }) => {
  github = await startWorld()
  storeAt(github, 'main-6', { createdAt: new Date(Date.now() - ago).toISOString() })
  expect(sourceOf(await loadBaseline(github))).toContain(expected)
})

describe('main itself is compared with', () => {
  const onMain: Partial<GitHubContext> = { eventName: 'push', branch: 'main', headSha: shaOf('main-6') }

  test('the run of the commit before a push', async () => {
    github = await startWorld()
    storeAt(github, 'main-4')
    storeAt(github, 'main-6')
    const context = { ...onMain, baseSha: shaOf('main-4') }
    expect(sourceOf(await loadBaseline(github, { context }))).toBe('run 1 on main (the commit before, 0 min old)')
  })

  test('the nearest earlier one, when that commit has none', async () => {
    github = await startWorld()
    storeAt(github, 'main-2')
    expect(sourceOf(await loadBaseline(github, { context: { ...onMain, baseSha: shaOf('main-5') } }))).toBe(
      'run 1 on main (3 commits before the previous one, 0 min old)',
    )
  })

  test('the run before, on a schedule: never with the same commit', async () => {
    github = await startWorld()
    storeAt(github, 'main-3')
    storeAt(github, 'main-6')
    const context = { ...onMain, eventName: 'schedule' }
    expect(await loadBaseline(github, { context, without: ['baseSha'] })).toMatchObject({
      baseline: { commit: shaOf('main-3') },
    })
  })
})

test('a commit whose own earlier run is all there is, is told so: state self, not none', async () => {
  github = await startWorld()
  storeAt(github, 'main-6')
  const context: Partial<GitHubContext> = { eventName: 'workflow_dispatch', branch: 'main', headSha: shaOf('main-6') }
  const loaded = await loadBaseline(github, { context, without: ['baseSha'] })
  expect(sourceOf(loaded)).toBe('run 1 on main (0 min old)')
  expect(assessBaseline(loaded, { cases: [], commit: shaOf('main-6') })).toMatchObject({ kind: 'self' })
})

describe('there is no baseline', () => {
  test('before the workflow has ever run', async () => {
    github = await startWorld()
    expect(await loadBaseline(github)).toEqual({
      kind: 'none',
      detail: 'this workflow has not completed a run on main',
    })
  })

  test('while no run has stored one', async () => {
    github = await startWorld()
    addRun(github, 'main-6')
    addArtifact(github, addRun(github, 'main-5'), 'x', { name: 'coverage' })
    expect(await loadBaseline(github)).toEqual({ kind: 'none', detail: 'no run of main has stored one' })
  })

  const distrusted: readonly { situation: string; overrides: () => Partial<WorkflowRun> }[] = [
    { situation: 'a run that has not ended', overrides: () => ({ status: 'in_progress', conclusion: null }) },
    { situation: 'a pull request', overrides: () => ({ event: 'pull_request' }) },
    { situation: 'a pull request that runs with our rights', overrides: () => ({ event: 'pull_request_target' }) },
    { situation: 'a run that another run started', overrides: () => ({ event: 'workflow_run' }) },
    { situation: 'another branch', overrides: () => ({ headBranch: 'feature' }) },
    {
      situation: "a fork's branch that is called main",
      overrides: () => ({ headRepository: createFork(github, 'mallory') }),
    },
    {
      situation: "a fork's pull request from a branch that is called main",
      overrides: () => ({ headRepository: createFork(github, 'mallory'), event: 'pull_request' }),
    },
    {
      situation: 'another workflow file',
      overrides: () => ({ workflow: { id: 4712, name: 'Other', path: '.github/workflows/other.yml' } }),
    },
    {
      situation: 'a workflow file of the same name elsewhere',
      overrides: () => ({ workflow: { id: 4712, name: 'Other', path: '.github/workflows/old/agent.yml' } }),
    },
  ]
  test.each(distrusted)('in $situation', async ({ overrides }) => {
    github = await startWorld()
    storeAt(github, 'main-6', overrides())
    storeAt(github, 'main-5', overrides())
    expect(await loadBaseline(github)).toMatchObject({ kind: 'none' })
    expect(github.requests.some(({ path }) => path.endsWith('/zip'))).toBe(false)
  })

  test('in the run that asks', async () => {
    github = await startWorld()
    const run = storeAt(github, 'main-6')
    expect(await loadBaseline(github, { context: { runId: run.id } })).toMatchObject({ kind: 'none' })
  })

  test('in another repository that answers under this name', async () => {
    github = await startWorld()
    storeAt(github, 'main-6')
    expect(await loadBaseline(github, { context: { repositoryId: 4 } })).toMatchObject({ kind: 'none' })
  })
})

describe('a poisoned store', () => {
  test.each(['main-6', 'main-4'])(
    'of many runs and artifacts of forks does not hide the real one at %s',
    async (at) => {
      github = await startWorld()
      storeAt(github, at)
      addCommit(github, 'evil', ['main-6'])
      const fork = createFork(github, 'mallory')
      for (let n = 0; n < 101; n += 1) storeAt(github, 'evil', { headRepository: fork, event: 'pull_request' })
      expect(await loadBaseline(github)).toMatchObject({ kind: 'ok', baseline: { commit: shaOf(at) } })
    },
  )

  test('whose artifact names another commit is not believed', async () => {
    github = await startWorld()
    addArtifact(github, addRun(github, 'main-6'), textOf(shaOf('main-1')))
    expect(await loadBaseline(github)).toEqual({
      kind: 'unreadable',
      detail: `run 1 on main tested ${shaOf('main-6')}, but its artifact names ${shaOf('main-1')}`,
    })
  })

  test('whose artifact names no commit is not believed', async () => {
    github = await startWorld()
    addArtifact(github, addRun(github, 'main-6'), textOf('x', { commit: undefined }))
    expect(await loadBaseline(github)).toMatchObject({
      kind: 'unreadable',
      detail: expect.stringContaining('names no commit'),
    })
  })
})
