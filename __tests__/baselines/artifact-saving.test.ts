import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { artifactBaseline, type BaselineStore, baselineOrigin } from '../../src/baselines/index.ts'
import { saveDecision } from '../../src/baselines/save-decision.ts'
import type { GitHubContext } from '../../src/github/index.ts'
import { open, quickHost, shaOf, startWorld } from '../github/world.ts'
import { aBaseline, aCaseReport } from '../support/builders.ts'
import type { FakeHost } from '../support/fake-host.ts'
import { startRun } from '../support/github/events.ts'
import type { GitHub } from '../support/github/server.ts'

const onMain: Partial<GitHubContext> = {
  eventName: 'push',
  branch: 'main',
  defaultBranch: 'main',
  headSha: shaOf('main-6'),
}

describe('a baseline is saved', () => {
  const context = { eventName: 'push', branch: 'main', defaultBranch: 'main', headSha: shaOf('main-6'), isFork: false }
  const whole = { isInterrupted: false, cases: 3 }
  test.each([
    { situation: 'after a push to the default branch', change: {}, run: {}, reason: undefined },
    { situation: 'after a schedule', change: { eventName: 'schedule' }, run: {}, reason: undefined },
    { situation: 'after a start by hand', change: { eventName: 'workflow_dispatch' }, run: {}, reason: undefined },
    { situation: 'never from a fork', change: { isFork: true }, run: {}, reason: 'fork' },
    { situation: 'never from a pull request', change: { eventName: 'pull_request' }, run: {}, reason: 'pull_request' },
    {
      situation: 'never from a pull request with our rights, though its branch reads main',
      change: { eventName: 'pull_request_target' },
      run: {},
      reason: 'pull_request_target',
    },
    { situation: 'never from a merge queue', change: { eventName: 'merge_group' }, run: {}, reason: 'merge_group' },
    {
      situation: 'never from a run about another',
      change: { eventName: 'workflow_run' },
      run: {},
      reason: 'workflow_run',
    },
    {
      situation: 'never from another branch',
      change: { branch: 'feature' },
      run: {},
      reason: 'feature is not the default',
    },
    { situation: 'never from a tag', change: { branch: undefined }, run: {}, reason: 'no branch' },
    {
      situation: 'never while the default branch is not known',
      change: { defaultBranch: undefined },
      run: {},
      reason: 'default',
    },
    { situation: 'never for an unknown commit', change: { headSha: undefined }, run: {}, reason: 'commit' },
    { situation: 'never after an interruption', change: {}, run: { isInterrupted: true }, reason: 'interrupted' },
    { situation: 'never without a case', change: {}, run: { cases: 0 }, reason: 'no case' },
  ])('$situation', ({ change, run, reason }) => {
    const decision = saveDecision({ ...context, ...change } as GitHubContext, { ...whole, ...run })
    if (reason === undefined) expect(decision).toEqual({ isDue: true })
    else expect(decision).toEqual({ isDue: false, reason: expect.stringContaining(reason) })
  })
})

describe('saving through the real client', () => {
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
    expect(await readdir(temporary)).toEqual([])
    await rm(temporary, { recursive: true, force: true })
    await github.close()
  })

  /** A run on main that may upload; the client reads the process's own environment. */
  async function save(
    append: Parameters<BaselineStore['save']>[0],
    {
      context = {},
      days = 90,
      hostEnv = {},
      hasToken = true,
      signal,
    }: {
      context?: Partial<GitHubContext>
      days?: number
      hostEnv?: Record<string, string>
      hasToken?: boolean
      signal?: AbortSignal
    } = {},
  ): Promise<{ host: FakeHost; saved: number[] }> {
    const { repository } = github.state
    const fields = {
      event: 'push',
      headBranch: 'main',
      headSha: shaOf('main-6'),
      headRepository: repository,
      pulls: [],
    }
    const run = github.state.runs[0] ?? startRun(github, fields)
    const runtime = { ACTIONS_RUNTIME_TOKEN: github.runtimeToken(run), ACTIONS_RESULTS_URL: github.url }
    Object.assign(process.env, hasToken ? runtime : {})
    const quick = quickHost({ RUNNER_TEMP: temporary, ...(hasToken ? runtime : {}), ...hostEnv })
    const host = signal === undefined ? quick : { ...quick, signal }
    const opened = await open(github, { host, context: { ...onMain, runId: run.id, ...context } })
    const saved: number[] = []
    const place = {
      name: 'agent-test-baseline',
      retentionDays: days,
      ...opened,
      onSaved: (id: number) => saved.push(id),
    } as const
    await artifactBaseline(place, host).save(append)
    return { host, saved }
  }

  const baseline = aBaseline([aCaseReport()])

  test('stores exactly one file, with the origin that the lookup checks', async () => {
    const { host, saved } = await save(() => ({ ...baseline, commit: 'abc' }))
    const [artifact] = github.state.artifacts
    expect(artifact).toMatchObject({ name: 'agent-test-baseline', finalized: true, id: saved[0] })
    const files = unzipSync(artifact?.content ?? new Uint8Array())
    expect(Object.keys(files)).toEqual(['baseline.json'])
    const stored = JSON.parse(strFromU8(files['baseline.json'] ?? new Uint8Array()))
    expect(stored).toEqual({ ...baseline, commit: shaOf('main-6'), branch: 'main', runId: github.state.runs[0]?.id })
    expect(host.warnings).toEqual([])
  })

  test('is what the next pull request is compared with', async () => {
    await save(() => baseline)
    const [run] = github.state.runs
    if (run) Object.assign(run, { status: 'completed', conclusion: 'failure' })
    const { host, client, context } = await open(github)
    const place = { name: 'agent-test-baseline', retentionDays: 90, client, context } as const
    expect(await artifactBaseline(place, host).load()).toMatchObject({
      kind: 'ok',
      source: 'run 1 on main (merge base, 0 min old)',
      baseline: { commit: shaOf('main-6'), cases: [{ key: 'tests/support.jsonl/greet-01' }] },
    })
  })

  test('a window that cannot be read is begun anew, which is said', async () => {
    github.fail({ path: /\/workflows\//, times: 9, failure: { status: 401, message: 'Bad credentials' } })
    const { host, saved } = await save(() => baseline)
    expect(saved).toHaveLength(1)
    expect(host.infos[0]).toMatch(/^The saved baseline holds this run alone: .*Bad credentials.*\.$/)
  })

  test('a second attempt has a name of its own', async () => {
    await save(() => baseline)
    const { host } = await save(() => baseline, { context: { runAttempt: 2 } })
    expect(github.state.artifacts.map(({ name }) => name)).toEqual([
      'agent-test-baseline',
      'agent-test-baseline-attempt-2',
    ])
    expect(host.warnings).toEqual([])
  })

  test.each([
    { situation: 'as asked', days: 7, hostEnv: {}, expected: 7 },
    {
      situation: "no longer than the repository's limit",
      days: 90,
      hostEnv: { GITHUB_RETENTION_DAYS: '30' },
      expected: 30,
    },
  ])('it is kept $situation', async ({ days, hostEnv, expected }) => {
    const { host } = await save(() => baseline, { days, hostEnv })
    const expires = Date.parse(github.state.artifacts[0]?.expiresAt ?? '')
    expect(Math.round((expires - Date.now()) / 86_400_000)).toBe(expected)
    expect(host.warnings).toEqual([])
  })

  test('a refusal is one warning, never the verdict', async () => {
    await save(() => baseline)
    const { host, saved } = await save(() => baseline)
    expect(host.warnings).toEqual([
      expect.stringMatching(/^The baseline could not be saved: .*409.*its own artifact-name\.$/),
    ])
    expect(saved).toEqual([])
  })

  test('a missing runtime token is one warning', async () => {
    const { host } = await save(() => baseline, { hasToken: false })
    expect(host.warnings).toEqual([
      'The baseline was not saved: ACTIONS_RUNTIME_TOKEN or ACTIONS_RESULTS_URL is missing, so this does not run as an action.',
    ])
    expect(github.requests).toEqual([])
  })

  test('an Enterprise Server is one warning', async () => {
    const { host } = await save(() => baseline, { context: { serverUrl: 'https://github.example.com' } })
    expect(host.warnings).toEqual([expect.stringContaining('Enterprise Server')])
    expect(github.state.artifacts).toEqual([])
  })

  test.each([
    {
      situation: 'a pull request',
      context: { eventName: 'pull_request' },
      expected: 'No baseline is saved: the event is pull_request, and only push, schedule, workflow_dispatch save.',
    },
    {
      situation: 'a branch with a hostile name',
      context: { branch: 'x\n::error::pwned\u001b[31m' },
      expected: 'No baseline is saved: x ::error::pwned is not the default branch main.',
    },
  ])('$situation stores nothing and says why in one line', async ({ context, expected }) => {
    const { host } = await save(() => baseline, { context })
    expect(host.infos).toEqual([expected])
    expect(host.warnings).toEqual([])
    expect(github.state.artifacts).toEqual([])
  })

  test('an interrupted run stores nothing', async () => {
    const { host } = await save(() => baseline, { signal: AbortSignal.abort() })
    expect(host.infos).toEqual(['No baseline is saved: the run was interrupted.'])
    expect(github.state.artifacts).toEqual([])
  })
})

test('the origin leaves out what is not known, and tells attempts and jobs apart', () => {
  const context = { runId: 812, runAttempt: 1 } as GitHubContext
  expect(baselineOrigin(context, 'evals')).toEqual({ id: '812.1.evals', runId: 812, attempt: 1 })
  expect(baselineOrigin({ ...context, runAttempt: 2, headSha: 'abc', branch: 'main' }, 'evals')).toEqual({
    id: '812.2.evals',
    commit: 'abc',
    branch: 'main',
    runId: 812,
    attempt: 2,
  })
})
