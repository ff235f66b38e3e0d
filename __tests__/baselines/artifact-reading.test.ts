import { strToU8, zipSync } from 'fflate'
import { afterEach, describe, expect, test } from 'vitest'
import { addArtifact, addRun, shaOf, startWorld } from '../github/world.ts'
import type { GitHub } from '../support/github/server.ts'
import { loadBaseline, storeAt, textOf } from './stored.ts'

let github: GitHub

afterEach(async () => {
  expect(github.violations).toEqual([])
  const calls = github.requests.filter(({ path }) => path.startsWith('/repos/'))
  expect(calls.length).toBeLessThanOrEqual(10)
  await github.close()
})

describe('an expired baseline', () => {
  test('of the merge base is passed over for an older one that is alive', async () => {
    github = await startWorld()
    storeAt(github, 'main-4')
    addArtifact(github, addRun(github, 'main-6'), 'x', { expired: true })
    expect(await loadBaseline(github)).toMatchObject({ kind: 'ok', baseline: { commit: shaOf('main-4') } })
  })

  test.each(['main-6', 'main-3'])('at %s is named when there is no other', async (at) => {
    github = await startWorld()
    addArtifact(github, addRun(github, at), 'x', { expired: true, expiresAt: '2026-01-02T03:04:05Z' })
    expect(await loadBaseline(github)).toEqual({
      kind: 'expired',
      detail: 'the artifact of run 1 on main was kept until 2026-01-02',
    })
  })

  test('that goes while it is looked for', async () => {
    github = await startWorld()
    storeAt(github, 'main-6')
    github.fail({ path: /\/zip$/, failure: { status: 410, message: 'Artifact has expired' } })
    expect(await loadBaseline(github)).toEqual({ kind: 'expired', detail: 'the artifact of run 1 on main is gone' })
  })
})

describe('a baseline cannot be read', () => {
  const sha = shaOf('main-6')
  const good = strToU8(textOf(sha))
  const broken: readonly {
    situation: string
    content: () => string | Uint8Array
    digest?: string | null
    detail: string
  }[] = [
    {
      situation: 'when the digest differs',
      content: () => textOf(sha),
      digest: `sha256:${'0'.repeat(64)}`,
      detail: 'artifact of run 1 on main: what was downloaded does not match the digest that GitHub has of it',
    },
    {
      situation: 'when the digest is of an unknown kind',
      content: () => textOf(sha),
      digest: 'md5:abc',
      detail: 'artifact of run 1 on main: its digest is of a kind not known here ("md5:abc")',
    },
    {
      situation: 'when it is no zip',
      content: () => strToU8('hello'),
      detail: 'artifact of run 1 on main: it is no zip archive, or a broken one',
    },
    {
      situation: 'when the zip is cut off',
      content: () => zipSync({ 'baseline.json': good }).slice(0, -30),
      detail: 'artifact of run 1 on main: it is no zip archive, or a broken one',
    },
    {
      situation: 'when the zip is empty',
      content: () => zipSync({}),
      detail: 'artifact of run 1 on main: it holds nothing instead of just baseline.json',
    },
    {
      situation: 'when an entry leads out of the folder',
      content: () => zipSync({ '../baseline.json': good }),
      detail: 'artifact of run 1 on main: it holds "../baseline.json" instead of just baseline.json',
    },
    {
      situation: 'when an entry is absolute',
      content: () => zipSync({ '/etc/passwd': good, 'baseline.json': good }),
      detail: 'artifact of run 1 on main: it holds "/etc/passwd", "baseline.json" instead of just baseline.json',
    },
    {
      situation: 'when there is more than the baseline',
      content: () => zipSync({ 'baseline.json': good, 'x.sh': good }),
      detail: 'artifact of run 1 on main: it holds "baseline.json", "x.sh" instead of just baseline.json',
    },
    {
      situation: 'when it is not UTF-8',
      content: () => zipSync({ 'baseline.json': new Uint8Array([0xff, 0xfe]) }),
      detail: 'artifact of run 1 on main: baseline.json is not UTF-8',
    },
    { situation: 'when it is no JSON', content: () => '{"schemaVersion":1,', detail: 'run 1 on main: not JSON: ' },
    {
      situation: 'when it is another document',
      content: () => '{"schemaVersion":1}',
      detail: 'run 1 on main: createdAt: ',
    },
    {
      situation: 'when it was written by a newer version',
      content: () => textOf(sha, { schemaVersion: 3 }),
      detail: 'run 1 on main: schemaVersion 3 is newer than this agent-test reads (2)',
    },
  ]
  test.each(broken)('$situation', async ({ content, digest, detail }) => {
    github = await startWorld()
    addArtifact(github, addRun(github, 'main-6'), content(), digest === undefined ? {} : { digest })
    const loaded = await loadBaseline(github)
    expect(loaded.kind).toBe('unreadable')
    expect(loaded.kind === 'unreadable' && loaded.detail.slice(0, detail.length)).toBe(detail)
  })

  test('when it unpacks to more than the limit', async () => {
    github = await startWorld()
    const zip = zipSync({ 'baseline.json': good })
    // The size that the central directory claims; a reader that believes it would allocate 4 GiB.
    const central = Buffer.from(zip).indexOf(Buffer.from('PK\u0001\u0002', 'latin1'))
    new DataView(zip.buffer).setUint32(central + 24, 0xfffffff0, true)
    addArtifact(github, addRun(github, 'main-6'), zip)
    expect(await loadBaseline(github)).toMatchObject({
      kind: 'unreadable',
      detail: expect.stringContaining('more than 400 MiB'),
    })
  })

  test('when it is larger than the limit: nothing is downloaded', async () => {
    github = await startWorld()
    const artifact = addArtifact(github, addRun(github, 'main-6'), textOf(sha))
    Object.defineProperty(artifact.content, 'length', { value: 101 * 1024 * 1024 })
    expect(await loadBaseline(github)).toMatchObject({
      kind: 'unreadable',
      detail: expect.stringContaining('larger than 100 MiB'),
    })
    expect(github.requests.some(({ path }) => path.endsWith('/zip'))).toBe(false)
  })

  test('without a digest it is read all the same: old clients send none', async () => {
    github = await startWorld()
    addArtifact(github, addRun(github, 'main-6'), textOf(sha), { digest: null })
    expect(await loadBaseline(github)).toMatchObject({ kind: 'ok' })
  })

  test.each([
    {
      situation: 'the token is bad',
      failure: { status: 401, message: 'Bad credentials' },
      times: 1,
      detail:
        'could not read the runs of this workflow: GitHub answered 401 (Bad credentials); github-token is not valid or has expired',
    },
    {
      situation: 'the token may not',
      failure: { status: 403, message: 'Resource not accessible by integration' },
      times: 1,
      detail:
        'could not read the runs of this workflow: GitHub answered 403 (Resource not accessible by integration); give the job "permissions:" with "actions: read"',
    },
    {
      situation: 'GitHub is down',
      failure: { status: 500, message: 'Server Error' },
      times: 4,
      detail: 'could not read the runs of this workflow: GitHub answered 500 (Server Error)',
    },
  ])('when $situation: that is not "no baseline yet"', async ({ failure, times, detail }) => {
    github = await startWorld()
    storeAt(github, 'main-6')
    github.fail({ path: /\/workflows\//, times, failure })
    expect(await loadBaseline(github)).toEqual({ kind: 'unreadable', detail })
  })

  test('when the token sees no such repository', async () => {
    github = await startWorld()
    github.fail({ path: /^\/repos\//, times: 9, failure: { status: 404, message: 'Not Found' } })
    expect(await loadBaseline(github)).toMatchObject({
      kind: 'unreadable',
      detail: expect.stringContaining('GitHub answered 404'),
    })
  })

  test('when the job may not read actions', async () => {
    github = await startWorld()
    Object.assign(github.state.repository, { private: true })
    storeAt(github, 'main-6')
    expect(await loadBaseline(github, { rights: { contents: 'read' } })).toMatchObject({
      kind: 'unreadable',
      detail: expect.stringContaining('"actions: read"'),
    })
  })

  test.each([
    {
      situation: 'refuses',
      failure: { status: 403 },
      detail: 'artifact of run 1 on main: its download failed: the store answered 403',
    },
    { situation: 'stays away', failure: 'reset' as const, detail: 'artifact of run 1 on main: its download failed: ' },
  ])('when the store $situation', async ({ failure, detail }) => {
    github = await startWorld()
    storeAt(github, 'main-6')
    github.fail({ path: /^\/blobs\//, times: 9, failure })
    const loaded = await loadBaseline(github)
    expect(loaded).toMatchObject({ kind: 'unreadable', detail: expect.stringContaining(detail) })
  })

  test('a transfer that breaks off is tried again', async () => {
    github = await startWorld()
    storeAt(github, 'main-6')
    github.fail({ path: /^\/blobs\//, failure: 'reset' })
    github.fail({ path: /^\/blobs\//, failure: { status: 503 } })
    expect(await loadBaseline(github)).toMatchObject({ kind: 'ok' })
  })

  test.each([
    { situation: 'which workflow this is', without: ['workflowPath'] as const, detail: 'GITHUB_WORKFLOW_REF' },
    {
      situation: 'which branch this goes into',
      without: ['baseBranch', 'defaultBranch'] as const,
      detail: 'which branch',
    },
  ])('when nothing says $situation', async ({ without, detail }) => {
    github = await startWorld()
    expect(await loadBaseline(github, { without })).toMatchObject({
      kind: 'unreadable',
      detail: expect.stringContaining(detail),
    })
  })
})
