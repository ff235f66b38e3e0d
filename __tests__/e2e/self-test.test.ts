import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { ROOT } from '../support/bundle.ts'
import { onMain, onPull, openPull } from '../support/github/events.ts'
import { createRepository, type Files, type GitRepository } from '../support/github/repository.ts'
import { type GitHub, startGitHub } from '../support/github/server.ts'
import { runJob } from '../support/runner/mini-runner.ts'

/** The project's own workflow, run here as GitHub would, without the pauses between writes. */
async function readWorkflow(): Promise<string> {
  const text = await readFile(join(ROOT, '.github/workflows/self-test.yml'), 'utf8')
  return text.replace('\njobs:\n', '\nenv:\n  AGENT_TEST_GITHUB_PACE: instant\n\njobs:\n')
}

async function filesOf(directory: string, as: string): Promise<Files> {
  const names = await readdir(directory)
  const read = async (name: string): Promise<[string, string]> => [
    `${as}/${name}`,
    await readFile(join(directory, name), 'utf8'),
  ]
  return Object.fromEntries(await Promise.all(names.map(read)))
}

let github: GitHub
let repository: GitRepository

beforeEach(async () => {
  github = await startGitHub({ owner: 'octo', name: 'agent-test' })
  repository = await createRepository(github, {
    'package.json': '{"type":"module"}',
    ...(await filesOf(join(ROOT, '.github/self-test'), '.github/self-test')),
    ...(await filesOf(join(inject('bundles').directory, 'cli'), 'dist/cli')),
  })
})

afterEach(async () => {
  const { violations } = github
  await Promise.all([github.close(), repository.remove()])
  expect(violations).toEqual([])
})

describe.each(['pull_request', 'push'])('the self-test on a %s', (event) => {
  test.each(['passes', 'fails', 'regression', 'fork'])('job %s finds what it looks for', async (job) => {
    const trigger =
      event === 'push'
        ? onMain(github, 'push')
        : await onPull(github, repository, await openPull(github, repository, { branch: 'change', files: {} }))
    const result = await runJob({
      github,
      trigger,
      remote: repository.directory,
      workflow: await readWorkflow(),
      job,
      action: { manifest: join(ROOT, 'action.yml'), bundle: inject('bundles').directory },
    })
    expect(result.steps.filter((step) => step.conclusion !== 'success').map((step) => step.log)).toEqual([])
    expect(result.conclusion).toBe('success')
  })
})
