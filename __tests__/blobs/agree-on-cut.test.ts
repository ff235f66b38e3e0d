import { strToU8, zipSync } from 'fflate'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { agreeOnCut } from '../../src/blobs/index.ts'
import { addArtifact, startWorld } from '../github/world.ts'
import type { GitHub } from '../support/github/server.ts'
import type { WorkflowRun } from '../support/github/state.ts'
import { problemsOf } from '../support/problems-of.ts'
import { jobOf, pullRun } from './kept.ts'
import { MANIFEST, OTHER_MANIFEST } from './results.ts'

const cut = { count: 2, manifest: MANIFEST, cases: 3 }
const NAME = `agent-test-results.cut-of-2-${MANIFEST.slice(0, 12)}`
const fallback = () => [1, 1, 1]

let github: GitHub
let run: WorkflowRun

beforeEach(async () => {
  // The artifact client tells every step on standard output.
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  github = await startWorld()
  run = pullRun(github)
})

afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  expect(github.violations).toEqual([])
  await github.close()
})

async function agree(
  proposal: readonly number[],
  options: Partial<Parameters<typeof jobOf>[1]> = {},
): Promise<readonly number[]> {
  const { place, host } = await jobOf(github, { run, ...options })
  return await agreeOnCut(place, cut, { propose: () => Promise.resolve(proposal), fallback }, host)
}

function store(value: unknown, name = NAME) {
  return addArtifact(github, run, zipSync({ 'cut.json': strToU8(JSON.stringify(value)) }), { name })
}

test('the first to propose a cut is followed by all others, in all attempts', async () => {
  expect(await agree([1, 2, 1])).toEqual([1, 2, 1])
  expect(await agree([2, 2, 1])).toEqual([1, 2, 1])
  run.attempt = 2
  expect(await agree([2, 1, 2])).toEqual([1, 2, 1])
  expect(github.state.artifacts.map(({ name }) => name)).toEqual([NAME])
})

test('of several that propose at the same time one wins', async () => {
  const proposals = [
    [1, 1, 2],
    [1, 2, 2],
    [2, 2, 1],
    [2, 1, 1],
  ]
  const agreed = await Promise.all(proposals.map((proposal) => agree(proposal)))
  expect(new Set(agreed.map((one) => one.join(''))).size).toBe(1)
  expect(proposals).toContainEqual(agreed[0])
})

test('one that knows of a cut asks for no history', async () => {
  store({ manifest: MANIFEST, shards: [2, 1, 1] })
  const { place, host } = await jobOf(github, { run })
  const propose = () => Promise.reject(new Error('asked'))
  expect(await agreeOnCut(place, cut, { propose, fallback }, host)).toEqual([2, 1, 1])
})

test.each([
  ['without a token', { place: { client: undefined } }],
  ['where the token may not look', { rights: { contents: 'read' } as const }],
  ['where nothing can be stored', { isAction: false }],
])('%s every shard cuts by what it knows alone', async (_situation, options) => {
  Object.assign(github.state.repository, { private: true })
  expect(await agree([1, 2, 1], options)).toEqual([1, 1, 1])
})

test.each([
  ['of another plan', { manifest: OTHER_MANIFEST, shards: [1, 2, 1] }, 'another plan'],
  ['of another length', { manifest: MANIFEST, shards: [1, 2] }, 'cuts 2 cases'],
  ['with a shard that is none of ours', { manifest: MANIFEST, shards: [1, 3, 1] }, 'beyond 2'],
  ['of another shape', { shards: 'all' }, 'no cut'],
])('a cut %s is refused', async (_situation, value, reason) => {
  store(value)
  const [problem] = await problemsOf(agree([1, 2, 1]))
  expect(problem?.message).toContain(reason)
})

test('a winner that never finishes is told of', async () => {
  store({}, NAME)
  Object.assign(github.state.artifacts[0] ?? {}, { finalized: false })
  const [problem] = await problemsOf(agree([1, 2, 1]))
  expect(problem?.message).toContain('could not agree')
})
