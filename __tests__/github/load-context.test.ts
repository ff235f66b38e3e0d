import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadGitHubContext } from '../../src/github/index.ts'
import { fakeHost } from '../support/fake-host.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-test-event-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const env = { GITHUB_REPOSITORY: 'acme/bot', GITHUB_EVENT_NAME: 'merge_group', GITHUB_SHA: 'a'.repeat(40) }

test('the payload comes from the event file', async () => {
  const path = join(folder, 'event.json')
  await writeFile(path, JSON.stringify({ merge_group: { head_sha: 'b'.repeat(40), base_ref: 'refs/heads/main' } }))
  const host = fakeHost({ env: { ...env, GITHUB_EVENT_PATH: path } })
  expect(await loadGitHubContext(host)).toMatchObject({ headSha: 'b'.repeat(40), baseBranch: 'main' })
  expect(host.warnings).toEqual([])
})

test.each([
  ['is missing', undefined],
  ['is no JSON', '{"pull_request":'],
])('an event file that %s is one warning', async (_situation, content) => {
  const path = join(folder, 'event.json')
  if (content !== undefined) await writeFile(path, content)
  const host = fakeHost({ env: { ...env, GITHUB_EVENT_PATH: path } })
  expect(await loadGitHubContext(host)).toMatchObject({ headSha: 'a'.repeat(40) })
  expect(host.warnings).toEqual([expect.stringContaining('The event of this workflow run could not be read')])
})

test('without an event file the environment is all there is, with a warning', async () => {
  const host = fakeHost({ env })
  expect(await loadGitHubContext(host)).toMatchObject({ owner: 'acme', eventName: 'merge_group' })
  expect(host.warnings).toEqual([expect.stringContaining('GITHUB_EVENT_PATH is not set')])
})
