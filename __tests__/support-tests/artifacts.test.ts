import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFork, onMain, onPull, openPull, push, type Trigger } from '../support/github/events.ts'
import { createRepository, type GitRepository } from '../support/github/repository.ts'
import { type GitHub, startGitHub } from '../support/github/server.ts'
import { type JobResult, runJob } from '../support/runner/mini-runner.ts'
import { standIn, workflowOf } from './stand-in.ts'

let github: GitHub
let repository: GitRepository

beforeEach(async () => {
  github = await startGitHub({ owner: 'octo', name: 'agent' })
  repository = await createRepository(github, { 'README.md': 'An agent.\n' })
})

afterEach(async () => {
  await Promise.all([github.close(), repository.remove()])
})

/** Runs a script with the real client, as an action of its own workflow run. */
function withClient(trigger: Trigger, script: string): Promise<JobResult> {
  const prelude = `
    const { DefaultArtifactClient } = await import('@actions/artifact')
    const fs = await import('node:fs/promises')
    const client = new DefaultArtifactClient()
    const folder = await fs.mkdtemp(process.env.RUNNER_TEMP + '/a-')
    const upload = async (name, content) => {
      await fs.writeFile(folder + '/data.json', content)
      return client.uploadArtifact(name, [folder + '/data.json'], folder, { retentionDays: 7 })
    }
    const findBy = (run) => ({
      token: process.env['INPUT_GITHUB-TOKEN'], workflowRunId: run, repositoryOwner: 'octo', repositoryName: 'agent' })`
  const workflow = workflowOf(`${prelude}\n${script}`, { permissions: { actions: 'read' } })
  return runJob({ github, trigger, remote: repository.directory, workflow, action: standIn })
}

test('the real client uploads once per name, and finds, downloads and deletes in its own run', async () => {
  const result = await withClient(
    onMain(github, 'push'),
    `const { id, digest, size } = await upload('baseline', '{"a":1}')
     set('GITHUB_OUTPUT', 'digest', 'sha256:' + digest)
     set('GITHUB_OUTPUT', 'size', size)
     set('GITHUB_OUTPUT', 'again', await upload('baseline', 'x').then(() => 'accepted', (error) => error.message))
     const found = await client.getArtifact('baseline')
     await client.downloadArtifact(found.artifact.id, { path: folder + '/down' })
     set('GITHUB_OUTPUT', 'content', await fs.readFile(folder + '/down/data.json', 'utf8'))
     await upload('other', 'y')
     set('GITHUB_OUTPUT', 'deleted', (await client.deleteArtifact('other')).id)
     set('GITHUB_OUTPUT', 'left', (await client.listArtifacts()).artifacts.map((item) => item.name).join())`,
  )
  const [artifact] = github.state.artifacts
  expect(result).toMatchObject({ conclusion: 'success' })
  expect(result.steps[0]?.outputs).toMatchObject({
    digest: artifact?.digest,
    size: `${artifact?.content.length}`,
    again: expect.stringContaining('(409) Conflict'),
    content: '{"a":1}',
    left: 'baseline',
  })
  const keptDays = (Date.parse(artifact?.expiresAt ?? '') - Date.now()) / 86_400_000
  expect(keptDays).toBeCloseTo(7, 1)
  expect(github.violations).toEqual([])
})

test('another run finds and downloads it by REST, with its digest checked, and not without', async () => {
  const first = onMain(github, 'push')
  await withClient(first, `await upload('baseline', '{"a":1}')`)
  const second = await push(github, repository)
  const result = await withClient(
    second,
    `const { artifact } = await client.getArtifact('baseline', { findBy: findBy(${first.run.id}) })
     const options = { path: folder + '/down', findBy: findBy(${first.run.id}), expectedHash: artifact.digest }
     const { digestMismatch } = await client.downloadArtifact(artifact.id, options)
     set('GITHUB_OUTPUT', 'mismatch', digestMismatch)
     set('GITHUB_OUTPUT', 'content', await fs.readFile(folder + '/down/data.json', 'utf8'))
     set('GITHUB_OUTPUT', 'without', await client.getArtifact('baseline').then(() => 'found', (error) => error.name))`,
  )
  expect(result.steps[0]?.outputs).toEqual({ mismatch: 'false', content: '{"a":1}', without: 'ArtifactNotFoundError' })
  expect(github.violations).toEqual([])
})

test('20 MB go up in blocks and come down the same', async () => {
  const result = await withClient(
    onMain(github, 'push'),
    `const { randomBytes, createHash } = await import('node:crypto')
     const content = randomBytes(20 * 1024 * 1024)
     const { id } = await upload('large', content)
     await client.downloadArtifact(id, { path: folder + '/down' })
     set('GITHUB_OUTPUT', 'same', content.equals(await fs.readFile(folder + '/down/data.json')))`,
  )
  expect(result.steps[0]?.outputs).toEqual({ same: 'true' })
  const blocks = github.requests.filter(({ query }) => query.includes('comp=block&'))
  expect(blocks).toHaveLength(3)
  expect(github.violations).toEqual([])
})

test('an upload survives one 503 of the storage', async () => {
  github.fail({ method: 'PUT', path: /^\/blobs\//, failure: { status: 503 } })
  await withClient(onMain(github, 'push'), `await upload('baseline', 'x')`)
  expect(github.requests.filter((request) => request.method === 'PUT').map((request) => request.status)).toContain(503)
  expect(github.state.artifacts).toMatchObject([{ name: 'baseline', finalized: true }])
})

test('the artifact of a fork names the fork, also when its branch is called main', async () => {
  const fork = createFork(github, 'mallory')
  const pull = await openPull(github, repository, { branch: 'main', files: { 'README.md': 'Mine.\n' }, fork })
  const trigger = await onPull(github, repository, pull)
  await withClient(trigger, `await upload('baseline', '{"poisoned":true}')`)
  const response = await fetch(`${github.url}/repos/octo/agent/actions/artifacts?name=baseline`, {
    headers: { authorization: `token ${github.issueToken({ actions: 'read' })}` },
  })
  expect(await response.json()).toMatchObject({
    artifacts: [
      {
        name: 'baseline',
        expired: false,
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        workflow_run: { head_branch: 'main', repository_id: github.state.repository.id, head_repository_id: fork.id },
      },
    ],
  })
  expect(github.violations).toEqual([])
})

test('an expired artifact is listed and cannot be downloaded', async () => {
  const first = onMain(github, 'push')
  await withClient(first, `await upload('baseline', 'x')`)
  for (const artifact of github.state.artifacts) artifact.expired = true
  const result = await withClient(
    onMain(github, 'push'),
    `const { artifact } = await client.getArtifact('baseline', { findBy: findBy(${first.run.id}) })
     const download = client.downloadArtifact(artifact.id, { path: folder, findBy: findBy(${first.run.id}) })
     set('GITHUB_OUTPUT', 'download', await download.then(() => 'done', (error) => error.message))`,
  )
  expect(result.steps[0]?.outputs['download']).toContain('Artifact has expired')
  expect(github.violations).toEqual([])
})

test('an address without its signature opens nothing', async () => {
  await withClient(onMain(github, 'push'), `await upload('baseline', 'x')`)
  const response = await fetch(`${github.url}/blobs/artifacts/${github.state.artifacts[0]?.id}.zip`)
  expect(response.status).toBe(403)
})
