import { afterEach, describe, expect, test } from 'vitest'
import { assessBaseline, type Baseline, type LoadedBaseline } from '../../src/core/baseline.ts'
import type { GitHubContext } from '../../src/github/index.ts'
import { addArtifact, addCommit, addRun, shaOf, startWorld } from '../github/world.ts'
import { createFork } from '../support/github/events.ts'
import type { GitHub } from '../support/github/server.ts'
import { lettersOf } from '../support/windows.ts'
import { loadBaseline, storeWindow, windowOf } from './stored.ts'

let github: GitHub

afterEach(async () => {
  expect(github.violations).toEqual([])
  expect(apiCalls()).toBeLessThanOrEqual(10)
  await github.close()
})

const apiCalls = () => github.requests.filter(({ path }) => path.startsWith('/repos/')).length

function found(loaded: LoadedBaseline): Extract<LoadedBaseline, { kind: 'ok' }> {
  if (loaded.kind !== 'ok') throw new Error(`${loaded.kind}: ${loaded.detail}`)
  return loaded
}

const sessionsOf = ({ sessions }: Baseline) => sessions.map(({ id }) => id.replace('session of ', ''))
const runsOf = ({ cases }: Baseline) => lettersOf(cases[0]?.runs ?? [])

describe('several artifacts are one window', () => {
  test('two runs that end in the same second lose nothing', async () => {
    github = await startWorld()
    const before = { 'main-3': 'ppp', 'main-4': 'ppf' }
    storeWindow(github, 'main-5', windowOf({ ...before, 'main-5': 'fff' }))
    storeWindow(github, 'main-6', windowOf({ ...before, 'main-6': 'ppp' }))
    const { baseline, missing } = found(await loadBaseline(github))
    expect(sessionsOf(baseline)).toEqual(['main-3', 'main-4', 'main-5', 'main-6'])
    expect(runsOf(baseline)).toBe('ppp ppf fff ppp')
    expect(baseline.commit).toBe(shaOf('main-6'))
    expect(missing).toBeUndefined()
  })

  test('two runs of the same commit are both in it', async () => {
    github = await startWorld()
    const one = windowOf({ 'main-6': 'ppp' })
    const [session] = one.sessions
    storeWindow(github, 'main-6', one)
    storeWindow(github, 'main-6', { ...one, sessions: session ? [{ ...session, id: 'nightly' }] : [] })
    const { baseline } = found(await loadBaseline(github))
    expect(sessionsOf(baseline).sort()).toEqual(['main-6', 'nightly'])
    expect(runsOf(baseline)).toBe('ppp ppp')
  })

  test('ordered as the commits are, though the older one ended later', async () => {
    github = await startWorld()
    const late = windowOf({ 'main-5': 'fff' })
    const createdAt = new Date(Date.now()).toISOString()
    storeWindow(github, 'main-6', windowOf({ 'main-6': 'ppp' }))
    storeWindow(github, 'main-5', { ...late, createdAt, sessions: late.sessions.map((one) => ({ ...one, createdAt })) })
    const { baseline } = found(await loadBaseline(github))
    expect(sessionsOf(baseline)).toEqual(['main-5', 'main-6'])
    expect(baseline.commit).toBe(shaOf('main-6'))
  })

  test('a second attempt that stored under its own name is among them', async () => {
    github = await startWorld()
    storeWindow(github, 'main-6', windowOf({ 'main-6': 'ppp' }))
    storeWindow(github, 'main-5', windowOf({ 'main-5': 'ppf' }), {
      run: { attempt: 2 },
      artifact: { name: 'agent-test-baseline-attempt-2' },
    })
    expect(sessionsOf(found(await loadBaseline(github)).baseline)).toEqual(['main-5', 'main-6'])
  })
})

describe('what came after the merge base does not count', () => {
  test('although main has moved on and newer artifacts hold it', async () => {
    github = await startWorld({ commits: 8, from: 5 })
    storeWindow(github, 'main-5', windowOf({ 'main-4': 'ppp', 'main-5': 'ppf' }))
    storeWindow(github, 'main-7', windowOf({ 'main-4': 'ppp', 'main-5': 'ppf', 'main-6': 'fff', 'main-7': 'fff' }))
    const { baseline, source } = found(await loadBaseline(github))
    expect(sessionsOf(baseline)).toEqual(['main-4', 'main-5'])
    expect(source).toBe('run 1 on main (merge base, 0 min old)')
  })

  test('but a later artifact is good for the sessions before it', async () => {
    github = await startWorld({ commits: 8, from: 5 })
    addArtifact(github, addRun(github, 'main-5'), 'x', { expired: true })
    storeWindow(github, 'main-7', windowOf({ 'main-3': 'ppp', 'main-4': 'ppf', 'main-7': 'fff' }))
    const { baseline, source, missing } = found(await loadBaseline(github))
    expect(sessionsOf(baseline)).toEqual(['main-3', 'main-4'])
    expect(baseline.commit).toBe(shaOf('main-4'))
    expect(source).toMatch(/^earlier runs that run 2 on main knows of \(1 commit before the merge base, \d+ min old\)$/)
    expect(missing).toEqual(['the artifact of run 1 on main has expired'])
  })

  test('unless there is nothing else, which is said', async () => {
    github = await startWorld({ commits: 8, from: 5 })
    storeWindow(github, 'main-7', windowOf({ 'main-6': 'ppp', 'main-7': 'ppf' }))
    const { baseline, source } = found(await loadBaseline(github))
    expect(sessionsOf(baseline)).toEqual(['main-6', 'main-7'])
    expect(source).toContain('because neither the merge base nor a commit before it has one')
  })

  test('where the history is too long to be listed, the nearest artifact vouches for what is older', async () => {
    github = await startWorld({ commits: 130, from: 120 })
    storeWindow(github, 'main-119', windowOf({ 'main-2': 'ppp', 'main-119': 'ppp' }))
    storeWindow(github, 'main-125', windowOf({ 'main-3': 'fff', 'main-119': 'ppp', 'main-125': 'fff' }))
    expect(sessionsOf(found(await loadBaseline(github)).baseline)).toEqual(['main-2', 'main-119'])
  })

  test('nor what ran on commits that main has no more', async () => {
    github = await startWorld()
    addCommit(github, 'rewritten', ['main-2'])
    storeWindow(github, 'main-6', windowOf({ 'main-2': 'ppp', rewritten: 'fff', 'main-6': 'ppp' }))
    expect(sessionsOf(found(await loadBaseline(github)).baseline)).toEqual(['main-2', 'main-6'])
  })
})

describe('a run on main', () => {
  const onMain: Partial<GitHubContext> = { eventName: 'schedule', branch: 'main', headSha: shaOf('main-6') }

  test('is compared with the commits before, its own earlier nights left out', async () => {
    github = await startWorld()
    storeWindow(github, 'main-5', windowOf({ 'main-4': 'ppp', 'main-5': 'ppf' }))
    storeWindow(github, 'main-6', windowOf({ 'main-4': 'ppp', 'main-5': 'ppf', 'main-6': 'fff' }))
    const loaded = await loadBaseline(github, { context: onMain, without: ['baseSha'] })
    expect(sessionsOf(found(loaded).baseline)).toEqual(['main-4', 'main-5'])
  })

  test('whose own nights are all there is, is not compared', async () => {
    github = await startWorld()
    storeWindow(github, 'main-6', windowOf({ 'main-6': 'fff' }))
    const loaded = await loadBaseline(github, { context: onMain, without: ['baseSha'] })
    expect(assessBaseline(loaded, { cases: [], commit: shaOf('main-6') })).toMatchObject({ kind: 'self' })
  })
})

describe('what is missing shrinks the window, and is said', () => {
  const base = { 'main-4': 'ppp', 'main-6': 'ppp' }

  test.each([
    { situation: 'nothing', add: () => undefined, missing: undefined },
    {
      situation: 'another artifact that is broken',
      add: () => addArtifact(github, addRun(github, 'main-5'), 'no JSON'),
      missing: [expect.stringMatching(/^run 2 on main: not JSON/)],
    },
    {
      situation: 'another artifact of another commit than its run',
      add: () => addArtifact(github, addRun(github, 'main-5'), JSON.stringify(windowOf({ 'main-3': 'fff' }))),
      missing: [expect.stringContaining('but its artifact names')],
    },
    {
      situation: 'another artifact whose digest differs',
      add: () =>
        addArtifact(github, addRun(github, 'main-5'), JSON.stringify(windowOf({ 'main-5': 'fff' })), {
          digest: `sha256:${'0'.repeat(64)}`,
        }),
      missing: [expect.stringContaining('does not match the digest')],
    },
    {
      situation: 'another artifact that reaches for the prototype and for sessions that are not there',
      add: () => {
        const text = JSON.stringify({ ...windowOf({ 'main-5': 'fff' }), cases: 'X' })
        const runs = '[{"session":7,"status":"passed","durationMs":1,"fingerprint":"f"}]'
        const poisoned = text.replace('"X"', `[{"__proto__":{"polluted":1},"key":"k","target":"t","runs":${runs}}]`)
        addArtifact(github, addRun(github, 'main-5'), poisoned)
      },
      missing: [expect.stringContaining('there is no such session')],
    },
    {
      situation: 'another artifact with more values than memory holds',
      add: () => addArtifact(github, addRun(github, 'main-5'), `[${'[],'.repeat(9_000_000)}0]`),
      missing: [expect.stringContaining('more than 8000000 values')],
    },
  ])('$situation', async ({ add, missing }) => {
    github = await startWorld()
    storeWindow(github, 'main-6', windowOf(base))
    add()
    const loaded = found(await loadBaseline(github))
    expect(sessionsOf(loaded.baseline)).toEqual(['main-4', 'main-6'])
    expect(loaded.missing).toEqual(missing)
    expect('polluted' in {}).toBe(false)
  })

  test('a nearer run whose artifact has expired, and nearer ones that stored none', async () => {
    github = await startWorld({ commits: 9, from: 9 })
    storeWindow(github, 'main-4', windowOf({ 'main-4': 'ppp' }))
    addRun(github, 'main-5')
    addArtifact(github, addRun(github, 'main-6'), 'x', { expired: true })
    addArtifact(github, addRun(github, 'main-7'), 'x', { expired: true })
    addRun(github, 'main-8')
    addRun(github, 'main-9')
    expect(found(await loadBaseline(github)).missing).toEqual([
      'the artifacts of 2 runs on main have expired',
      '3 runs on main have stored no baseline',
    ])
  })

  test('but not what another artifact still knows of, nor what is too old to count', async () => {
    github = await startWorld()
    const window = windowOf({ 'main-4': 'ppp', 'main-6': 'ppp' })
    const run = addRun(github, 'main-6')
    addArtifact(github, run, 'x', { expired: true })
    const known = window.sessions.map((one) => (one.commit === shaOf('main-6') ? { ...one, runId: run.id } : one))
    const old = addRun(github, 'main-5', { createdAt: new Date(Date.now() - 40 * 86_400_000).toISOString() })
    addArtifact(github, old, 'x', { expired: true })
    storeWindow(github, 'main-4', { ...window, sessions: known })
    expect(found(await loadBaseline(github)).missing).toBeUndefined()
  })

  test('the artifact of the merge base that goes while it is looked for', async () => {
    github = await startWorld()
    storeWindow(github, 'main-6', windowOf({ 'main-6': 'ppp' }))
    storeWindow(github, 'main-5', windowOf({ 'main-4': 'ppp', 'main-5': 'ppf' }))
    github.fail({ path: /\/zip$/, failure: { status: 410, message: 'Artifact has expired' } })
    const loaded = found(await loadBaseline(github))
    expect(sessionsOf(loaded.baseline)).toEqual(['main-4', 'main-5'])
    expect(loaded.source).toBe('run 2 on main (1 commit before the merge base, 0 min old)')
    expect(loaded.missing).toEqual(['the artifact of run 1 on main is gone'])
  })

  test('the artifact of the merge base that is broken: that is no baseline at all', async () => {
    github = await startWorld()
    addArtifact(github, addRun(github, 'main-6'), 'no JSON')
    storeWindow(github, 'main-5', windowOf({ 'main-5': 'ppf' }))
    expect(await loadBaseline(github)).toMatchObject({ kind: 'unreadable' })
  })
})

describe('ten calls are enough', () => {
  test.each(['main', 'release'])(
    'into %s, where the list of runs and that of artifacts are crowded by forks, and every run has two attempts',
    async (base) => {
      github = await startWorld({ commits: 8, from: 6 })
      github.state.branches.set('release', shaOf('main-6'))
      const context = base === 'main' ? {} : { baseBranch: base, baseSha: shaOf('main-6') }
      for (const n of [3, 4, 5]) {
        storeWindow(github, `main-${n}`, windowOf({ [`main-${n}`]: 'ppp' }), {
          run: { attempt: 2 },
          artifact: { name: 'agent-test-baseline-attempt-2' },
        })
      }
      addRun(github, 'main-6', { attempt: 2 })
      addCommit(github, 'evil', ['main-6'])
      const fork = createFork(github, 'mallory')
      for (let n = 0; n < 101; n += 1) {
        const run = { headRepository: fork, event: 'pull_request' } as const
        storeWindow(github, 'evil', windowOf({ evil: 'fff' }), { run })
      }
      const one = found(await loadBaseline(github, { context }))
      expect(sessionsOf(one.baseline)).toContain('main-5')
      expect(apiCalls()).toBeLessThanOrEqual(10)
    },
  )
})
