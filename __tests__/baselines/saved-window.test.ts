import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { artifactBaseline, baselineOrigin } from '../../src/baselines/index.ts'
import { toBaseline } from '../../src/core/make-baseline.ts'
import type { GitHubContext } from '../../src/github/index.ts'
import { open, quickHost, shaOf, startWorld } from '../github/world.ts'
import { aCaseReport } from '../support/builders.ts'
import { startRun } from '../support/github/events.ts'
import type { GitHub } from '../support/github/server.ts'
import { lettersOf } from '../support/windows.ts'

const onMain: Partial<GitHubContext> = { eventName: 'push', branch: 'main', defaultBranch: 'main' }

describe('a window that runs of main hand on, through the real client', () => {
  let github: GitHub
  let temporary: string

  beforeEach(async () => {
    // The client tells every step on standard output.
    vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    github = await startWorld()
    temporary = await mkdtemp(join(tmpdir(), 'agent-test-runner-temp-'))
  })

  afterEach(async () => {
    vi.restoreAllMocks()
    for (const name of ['ACTIONS_RUNTIME_TOKEN', 'ACTIONS_RESULTS_URL']) delete process.env[name]
    expect(github.violations).toEqual([])
    await rm(temporary, { recursive: true, force: true })
    await github.close()
  })

  /** A run of main at this commit, whose store has looked for its baseline. */
  async function startOnMain(at: string) {
    const run = startRun(github, {
      event: 'push',
      headBranch: 'main',
      headSha: shaOf(at),
      headRepository: github.state.repository,
      pulls: [],
    })
    const runtime = { ACTIONS_RUNTIME_TOKEN: github.runtimeToken(run), ACTIONS_RESULTS_URL: github.url }
    const host = quickHost({ RUNNER_TEMP: temporary, ...runtime })
    const own = { ...onMain, runId: run.id, headSha: shaOf(at), baseSha: shaOf('main-4') }
    const opened = await open(github, { host, context: own })
    const store = artifactBaseline({ name: 'agent-test-baseline', retentionDays: 90, ...opened }, host)
    return {
      store,
      async end(createdAt: string) {
        Object.assign(process.env, runtime)
        await store.save((earlier) =>
          toBaseline([aCaseReport()], createdAt, baselineOrigin(opened.context), { runsPerCase: 3, earlier }),
        )
        expect(host.warnings).toEqual([])
        github.state.runs.splice(github.state.runs.indexOf(run), 1, {
          ...run,
          status: 'completed',
          conclusion: 'success',
        })
      },
    }
  }

  test('two runs that end in the same second lose nothing, and the next one carries both on', async () => {
    const now = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()
    const first = await startOnMain('main-3')
    await first.end(now(-30))
    const [one, other] = [await startOnMain('main-4'), await startOnMain('main-5')]
    // Both have looked before either of them saves.
    await Promise.all([one.store.load(), other.store.load()])
    const second = now(-10)
    await one.end(second)
    await other.end(second)
    const next = await startOnMain('main-6')
    await next.end(now(0))
    const calls = github.requests.length
    const { host, client, context } = await open(github)
    const place = { name: 'agent-test-baseline', retentionDays: 90, client, context } as const
    const loaded = await artifactBaseline(place, host).load()
    if (loaded.kind !== 'ok') throw new Error(loaded.detail)
    expect(loaded.baseline.sessions.map(({ commit }) => commit)).toEqual(
      ['main-3', 'main-4', 'main-5', 'main-6'].map(shaOf),
    )
    expect(lettersOf(loaded.baseline.cases[0]?.runs ?? [])).toBe('ppp ppp ppp ppp')
    expect(github.requests.length - calls).toBeLessThanOrEqual(10)
    const [newest] = github.state.artifacts.slice(-1)
    const stored = JSON.parse(
      strFromU8(unzipSync(newest?.content ?? new Uint8Array())['baseline.json'] ?? new Uint8Array()),
    )
    expect(stored.sessions).toHaveLength(4)
  })

  test('looks for the window that it adds to once, whether or not it was compared with', async () => {
    await (await startOnMain('main-3')).end(new Date().toISOString())
    const next = await startOnMain('main-4')
    const before = github.requests.filter(({ path }) => path.startsWith('/repos/')).length
    await next.store.load()
    const after = github.requests.filter(({ path }) => path.startsWith('/repos/')).length
    await next.end(new Date().toISOString())
    expect(after - before).toBeGreaterThan(0)
    expect(github.requests.filter(({ path }) => path.startsWith('/repos/'))).toHaveLength(after)
  })
})
