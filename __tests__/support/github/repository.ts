import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { GitHub } from './server.ts'
import type { Commit } from './state.ts'

/** Path to content; null removes the file. */
export type Files = Readonly<Record<string, string | null>>

/** A real git repository whose commits our GitHub knows. */
export interface GitRepository {
  readonly directory: string
  /** Commits on a branch, which is made from `from` (default: main) where it does not exist. */
  commit(branch: string, files: Files, from?: string): Promise<string>
  /** Sha of the commit GitHub makes to try a pull request: head merged into base. */
  merge(base: string, head: string): Promise<string>
  remove(): Promise<void>
}

const run = promisify(execFile)

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Dev',
  GIT_AUTHOR_EMAIL: 'dev@example.com',
  GIT_COMMITTER_NAME: 'Dev',
  GIT_COMMITTER_EMAIL: 'dev@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
}

/** Runs git without the user's own settings; returns its output. */
export async function git(directory: string, ...words: string[]): Promise<string> {
  const { stdout } = await run('git', words, { cwd: directory, env: { PATH: process.env['PATH'], ...IDENTITY } })
  return stdout.trim()
}

export async function createRepository(github: GitHub, files: Files): Promise<GitRepository> {
  const directory = await mkdtemp(join(tmpdir(), 'agent-test-repository-'))
  await git(directory, 'init', '--quiet', '--initial-branch', 'main')
  // actions/checkout asks for commits by their sha.
  await git(directory, 'config', 'uploadpack.allowAnySHA1InWant', 'true')
  const repository: GitRepository = {
    directory,
    async commit(branch, changed, from = 'main') {
      const exists = await git(directory, 'branch', '--list', branch)
      await git(directory, 'checkout', '--quiet', ...(exists === '' ? ['-B', branch, from] : [branch]))
      await write(directory, changed)
      return commitAll(github, directory, `Change ${branch}`)
    },
    async merge(base, head) {
      await git(directory, 'checkout', '--quiet', '--detach', base)
      await git(directory, 'merge', '--quiet', '--no-ff', '-m', `Merge ${head} into ${base}`, head)
      return remember(github, directory)
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  }
  await write(directory, files)
  github.state.branches.set('main', await commitAll(github, directory, 'First commit'))
  return repository
}

async function write(directory: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name)
    await mkdir(dirname(path), { recursive: true })
    await (content === null ? rm(path) : writeFile(path, content))
  }
}

async function commitAll(github: GitHub, directory: string, message: string): Promise<string> {
  await git(directory, 'add', '--all')
  await git(directory, 'commit', '--quiet', '--allow-empty', '-m', message)
  return remember(github, directory)
}

async function remember(github: GitHub, directory: string): Promise<string> {
  const line = await git(directory, 'log', '-1', '--format=%H%x00%P%x00%s%x00%cI')
  const [sha = '', parents = '', message = '', date = ''] = line.split('\0')
  const commit: Commit = { sha, parents: parents.split(' ').filter((parent) => parent !== ''), message, date }
  github.state.commits.set(sha, commit)
  return sha
}
