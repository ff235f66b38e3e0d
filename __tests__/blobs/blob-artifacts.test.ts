import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { loadEarlierRuns, loadResultsOf, mergeBlobs, storeBlob } from '../../src/blobs/index.ts'
import { READ_ONLY, shaOf, startWorld } from '../github/world.ts'
import type { GitHub } from '../support/github/server.ts'
import type { WorkflowRun } from '../support/github/state.ts'
import { problemsOf } from '../support/problems-of.ts'
import { addResults, forkRun, jobOf, pullRun } from './kept.ts'
import { aBlob, MANIFEST, OTHER_MANIFEST, runsOf, STARTED_AT, storedCase } from './results.ts'

const KEY = 'tests/support.jsonl/a'
const wanted = { manifest: MANIFEST, maxRuns: 15 }

let github: GitHub

beforeEach(async () => {
  // The artifact client tells every step on standard output.
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  github = await startWorld()
})

afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  expect(github.violations).toEqual([])
  await github.close()
})

/** Results of case `a`, gathered `hours` after the first. */
function resultsOf(letters: string, hours = 0, overrides: object = {}) {
  const startedAt = STARTED_AT + hours * 3_600_000
  const cases = [storedCase('a', '', { runs: runsOf(KEY, letters, startedAt) })]
  return aBlob({ cases, startedAt: new Date(startedAt).toISOString(), ...overrides })
}

async function earlier(run: WorkflowRun, options: Partial<Parameters<typeof jobOf>[1]> = {}, more: object = {}) {
  const { place, host } = await jobOf(github, { run, ...options })
  const known = await loadEarlierRuns(place, { ...wanted, ...more }, host)
  return { letters: (known?.runs.get(KEY) ?? []).map(({ status }) => status[0]).join(''), host }
}

describe('results are stored', () => {
  test('under the name of their attempt, with what they come from', async () => {
    const run = pullRun(github, { attempt: 2 })
    const { place, host } = await jobOf(github, { run, place: { leg: 'gpt-5' } })
    expect(await storeBlob(resultsOf('pf'), place, host)).toEqual({ kind: 'stored', id: github.state.artifacts[0]?.id })
    const [artifact] = github.state.artifacts
    expect(artifact?.name).toBe('agent-test-results.leg-gpt-5.attempt-2')
    const files = unzipSync(artifact?.content ?? new Uint8Array())
    expect(Object.keys(files)).toEqual(['results.json'])
    expect(JSON.parse(strFromU8(files['results.json'] ?? new Uint8Array()))).toMatchObject({
      workflow: { runId: run.id, attempt: 2, job: 'tests', leg: 'gpt-5', headSha: shaOf('head'), prNumber: 1 },
      cases: [{ key: KEY }],
    })
    expect(host.warnings).toEqual([])
  })

  test('no longer than a run can be repeated', async () => {
    const { place, host } = await jobOf(github, { run: pullRun(github) })
    await storeBlob(resultsOf('p'), place, host)
    const days = (Date.parse(github.state.artifacts[0]?.expiresAt ?? '') - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(30)
  })

  test('once: a second job of the same name is told what to do', async () => {
    const { place, host } = await jobOf(github, { run: pullRun(github) })
    await storeBlob(resultsOf('p'), place, host)
    expect(await storeBlob(resultsOf('p'), place, host)).toMatchObject({
      kind: 'not_stored',
      why: expect.stringMatching(/^The results artifact .*409.* Give every job .* its own artifact-name\.$/) as string,
    })
  })

  test('by the action alone', async () => {
    const { place, host } = await jobOf(github, { run: pullRun(github), isAction: false })
    expect(await storeBlob(resultsOf('p'), place, host)).toMatchObject({
      kind: 'impossible',
      why: expect.stringContaining('does not run as an action') as string,
    })
    expect(github.state.artifacts).toEqual([])
  })
})

describe('what is known of a commit before it is run', () => {
  test('nothing in a first attempt of a first run, which costs one request', async () => {
    const before = github.requests.length
    expect((await earlier(pullRun(github))).letters).toBe('')
    expect(github.requests.length - before).toBe(1)
  })

  test('what the first attempt of this run gathered', async () => {
    const run = pullRun(github, { attempt: 2 })
    addResults(github, run, { blob: resultsOf('pfe') })
    const { letters, host } = await earlier(run)
    expect(letters).toBe('pf')
    expect(host.warnings).toEqual([])
  })

  test('what another run of this workflow gathered on the same commit', async () => {
    addResults(github, pullRun(github, { status: 'completed' }), { blob: resultsOf('ff') })
    expect((await earlier(pullRun(github))).letters).toBe('ff')
  })

  test('all attempts together, and the first to be run stands', async () => {
    const other = pullRun(github, { status: 'completed' })
    addResults(github, other, { blob: resultsOf('fe') })
    const run = pullRun(github, { attempt: 3 })
    addResults(github, run, { blob: resultsOf('pp', 1) })
    addResults(github, run, { name: 'agent-test-results.attempt-2', blob: resultsOf('ppp', 2) })
    expect((await earlier(run)).letters).toBe('fpp')
  })

  test.each([
    ['of another commit', () => pullRun(github, { headSha: shaOf('main-6') })],
    ['of another workflow', () => pullRun(github, { workflow: { id: 9, name: 'x', path: '.github/workflows/x.yml' } })],
    ['of a fork, though its commit is the same', () => forkRun(github)],
  ])('nothing %s', async (_situation, start) => {
    addResults(github, start(), { blob: resultsOf('ppp') })
    expect((await earlier(pullRun(github))).letters).toBe('')
  })

  test.each([
    ['of another plan', {}, { manifest: OTHER_MANIFEST }],
    ['of another job', { name: 'other-results' }, {}],
    ['of another leg', { name: 'agent-test-results.leg-gpt' }, {}],
    ['of a shard', { name: 'agent-test-results.shard-1-of-2' }, {}],
    ['that has expired', { expired: true }, {}],
    ['that names another run', {}, { workflow: { runId: 5, attempt: 1, eventName: 'x', headSha: shaOf('head') } }],
    ['that names another commit', {}, { workflow: { runId: 1001, attempt: 1, eventName: 'x', headSha: shaOf('x') } }],
  ])('nothing %s', async (_situation, artifact, blob) => {
    addResults(github, pullRun(github, { status: 'completed' }), { blob: resultsOf('ppp', 0, blob), ...artifact })
    const { letters, host } = await earlier(pullRun(github))
    expect(letters).toBe('')
    expect(host.warnings).toEqual([])
  })

  test('of a shard what that shard gathered', async () => {
    const run = pullRun(github, { attempt: 2 })
    addResults(github, run, { name: 'agent-test-results.shard-1-of-2', blob: resultsOf('f') })
    addResults(github, run, { name: 'agent-test-results.shard-2-of-2', blob: resultsOf('p') })
    const shard = { index: 1, count: 2 }
    expect((await earlier(run, {}, { shard })).letters).toBe('f')
  })

  test('on the default branch only attempts: every run there adds to what others are compared with', async () => {
    const onMain = { event: 'push', headBranch: 'main', headSha: shaOf('main-6'), pulls: [] }
    addResults(github, pullRun(github, { ...onMain, status: 'completed' }), { blob: resultsOf('ppp') })
    const run = pullRun(github, { ...onMain, attempt: 2 })
    addResults(github, run, { blob: resultsOf('f') })
    expect((await earlier(run, { context: { branch: 'main', eventName: 'push' } })).letters).toBe('f')
  })

  test('in the run of a fork its own attempts, and nothing that we gathered', async () => {
    addResults(github, pullRun(github, { status: 'completed' }), { blob: resultsOf('ppp') })
    const run = forkRun(github, { attempt: 2 })
    addResults(github, run, { blob: resultsOf('f') })
    expect((await earlier(run, { rights: READ_ONLY })).letters).toBe('f')
  })

  test.each([
    ['is no JSON', { text: '{' }, 'not JSON'],
    ['is not what was stored', { blob: resultsOf('p'), digest: `sha256:${'0'.repeat(64)}` }, 'digest'],
    [
      'holds something else',
      { content: Buffer.from(zipSync({ 'x.json': strToU8('{}') })), digest: null },
      'instead of just',
    ],
    [
      'would be unpacked elsewhere',
      { content: Buffer.from(zipSync({ '../results.json': strToU8('{}') })), digest: null },
      'instead of just',
    ],
  ])('an artifact that %s is a warning, and counts for nothing', async (_situation, artifact, reason) => {
    addResults(github, pullRun(github, { status: 'completed' }), artifact)
    const { letters, host } = await earlier(pullRun(github))
    expect(letters).toBe('')
    expect(host.warnings).toEqual([expect.stringContaining(reason)])
  })

  test('a token that may not look is a warning with the cure', async () => {
    Object.assign(github.state.repository, { private: true })
    const { letters, host } = await earlier(pullRun(github), { rights: { contents: 'read' } })
    expect(letters).toBe('')
    expect(host.warnings).toEqual([expect.stringContaining('actions: read')])
  })
})

describe('what a run has stored', () => {
  const shardOf = (index: 1 | 2, letters: string) =>
    aBlob({
      cases: [storedCase(index === 1 ? 'a' : 'b', letters)],
      shard: { index, count: 2, places: [index - 1], of: 2 },
    })
  const stored = async (run: WorkflowRun, rights?: Parameters<typeof jobOf>[1]['rights']) => {
    const { place, host } = await jobOf(github, { run, ...(rights ? { rights } : {}) })
    return await loadResultsOf(run.id, place, host)
  }

  test('is nothing at first', async () => {
    expect(await stored(pullRun(github))).toEqual([])
  })

  test('are its shards, each of its newest attempt', async () => {
    const run = pullRun(github, { attempt: 2 })
    addResults(github, run, { name: 'agent-test-results.shard-1-of-2', blob: shardOf(1, 'ppp') })
    addResults(github, run, { name: 'agent-test-results.shard-2-of-2', blob: shardOf(2, 'eee') })
    addResults(github, run, { name: 'agent-test-results.shard-2-of-2.attempt-2', blob: shardOf(2, 'pfp') })
    const [only, ...more] = await stored(run)
    expect(more).toEqual([])
    const { cases } = mergeBlobs(only?.found ?? [])
    expect(cases.map(({ runs }) => runs.map(({ status }) => status[0]).join(''))).toEqual(['ppp', 'pfp'])
  })

  test('is found among more artifacts than GitHub shows at once', async () => {
    const run = pullRun(github)
    addResults(github, run, { name: 'agent-test-results.shard-1-of-2', blob: shardOf(1, 'ppp') })
    for (let n = 0; n < 230; n += 1) addResults(github, run, { name: `noise-${n}`, text: 'x' })
    addResults(github, run, { name: 'agent-test-results.shard-2-of-2', blob: shardOf(2, 'ppp') })
    expect((await stored(run))[0]?.found).toHaveLength(2)
  })

  test('is the whole that its merge has stored, unless a shard was run again since', async () => {
    const run = pullRun(github, { attempt: 3 })
    const whole = aBlob()
    addResults(github, run, { name: 'agent-test-results.shard-1-of-2', blob: shardOf(1, 'ppp') })
    addResults(github, run, { name: 'agent-test-results.shard-2-of-2', blob: shardOf(2, 'ppp') })
    addResults(github, run, { blob: whole })
    expect((await stored(run))[0]?.found.map(({ source }) => source)).toEqual(['artifact agent-test-results'])
    addResults(github, run, { name: 'agent-test-results.shard-2-of-2.attempt-2', blob: shardOf(2, 'ppp') })
    expect((await stored(run))[0]?.found.map(({ source }) => source).sort()).toEqual([
      'artifact agent-test-results.shard-1-of-2',
      'artifact agent-test-results.shard-2-of-2.attempt-2',
    ])
  })

  test('are the legs of its matrix, apart', async () => {
    const run = pullRun(github)
    addResults(github, run, { name: 'agent-test-results.leg-a', blob: aBlob() })
    addResults(github, run, { name: 'agent-test-results.leg-b', blob: aBlob() })
    expect(new Set((await stored(run)).map(({ leg }) => leg))).toEqual(new Set(['a', 'b']))
  })

  test('of a fork as well, for whoever reports on it', async () => {
    const run = forkRun(github)
    addResults(github, run, { blob: aBlob() })
    expect((await stored(run))[0]?.found[0]?.blob.cases).toHaveLength(2)
  })

  test.each([
    ['unreadable results', { text: '[]' }, /artifact agent-test-results/],
    ['results of a later version', { text: '{"schemaVersion":99}' }, /newer than this agent-test/],
  ])('%s are refused by name', async (_situation, artifact, reason) => {
    const run = forkRun(github)
    addResults(github, run, artifact)
    const [problem] = await problemsOf(stored(run))
    expect(`${problem?.file ?? ''} ${problem?.message}`).toMatch(reason)
  })

  test('an archive that unpacks to more than it may is refused before it does', async () => {
    const run = forkRun(github)
    const bomb = Buffer.from(zipSync({ 'results.json': strToU8('{}') }))
    // The size that the list of its files gives.
    bomb.writeUInt32LE(401 * 1024 * 1024, bomb.indexOf('PK\u0001\u0002') + 24)
    addResults(github, run, { text: '{}', content: bomb, digest: null })
    expect(await problemsOf(stored(run))).toMatchObject([
      { message: expect.stringContaining('more than 400 MiB') as string },
    ])
  })

  test('without a token nothing can be looked for', async () => {
    const { place, host } = await jobOf(github, { run: pullRun(github) })
    const [problem] = await problemsOf(loadResultsOf(1, { ...place, client: undefined }, host))
    expect(problem?.message).toContain('no token')
  })
})
