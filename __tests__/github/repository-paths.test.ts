import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type GitHubContext, repositoryPaths, runLinks } from '../../src/github/index.ts'

const context: GitHubContext = {
  owner: 'acme',
  repo: 'bot',
  serverUrl: 'https://github.com',
  apiUrl: 'https://api.github.com',
  eventName: 'push',
  runId: 812,
  runAttempt: 1,
  headSha: 'a'.repeat(40),
  isFork: false,
  isDependabot: false,
}

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-test-paths-'))
  await mkdir(join(folder, 'checkout/agents/bot'), { recursive: true })
  await symlink(join(folder, 'checkout'), join(folder, 'link'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

describe('the path in the repository', () => {
  test.each([
    { cwd: 'checkout', file: 'tests/a.jsonl', expected: 'tests/a.jsonl' },
    { cwd: 'checkout/agents/bot', file: 'tests/a.jsonl', expected: 'agents/bot/tests/a.jsonl' },
    { cwd: 'checkout/agents/bot', file: '../../shared/a.jsonl', expected: 'shared/a.jsonl' },
    { cwd: 'checkout/agents/bot', file: '..a.jsonl', expected: 'agents/bot/..a.jsonl' },
    { cwd: 'checkout', file: '../elsewhere/a.jsonl', expected: undefined },
    { cwd: 'checkout', file: '/etc/passwd', expected: undefined },
    { cwd: '.', file: 'a.jsonl', expected: undefined },
    { cwd: 'checkout', file: '.', expected: undefined },
    { cwd: 'link/agents', file: 'a.jsonl', expected: 'agents/a.jsonl' },
  ])('of $file in $cwd is $expected', async ({ cwd, file, expected }) => {
    const pathOf = await repositoryPaths({ ...context, workspace: join(folder, 'checkout') }, join(folder, cwd))
    expect(pathOf(file)).toBe(expected)
  })

  test('is the same when the workspace is behind a symbolic link', async () => {
    const pathOf = await repositoryPaths(
      { ...context, workspace: join(folder, 'link') },
      join(folder, 'checkout/agents'),
    )
    expect(pathOf('a.jsonl')).toBe('agents/a.jsonl')
  })

  test('starts at the working directory when there is no workspace', async () => {
    const pathOf = await repositoryPaths(context, folder)
    expect(pathOf('a/b.jsonl')).toBe('a/b.jsonl')
  })
})

describe('links', () => {
  test('lead to the tested commit, at the line, with every part encoded', () => {
    const links = runLinks(context, (file) => file)
    expect(links.runUrl).toBe('https://github.com/acme/bot/actions/runs/812')
    expect(links.fileUrl?.({ file: 'a b/(c)?#d.jsonl', line: 3 })).toBe(
      `https://github.com/acme/bot/blob/${'a'.repeat(40)}/a%20b/(c)%3F%23d.jsonl#L3`,
    )
  })

  test('of a file outside of the checkout lead to the run', () => {
    const links = runLinks(context, () => undefined)
    expect(links.fileUrl?.({ file: '../a.jsonl', line: 3 })).toBe(links.runUrl)
  })

  test('of files do not exist while the commit is not known', () => {
    const { headSha: _headSha, ...unknown } = context
    expect(runLinks(unknown, (file) => file)).toEqual({ runUrl: 'https://github.com/acme/bot/actions/runs/812' })
  })
})
