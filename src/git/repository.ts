import { realpath, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { type BareRepository, makeBareRepository, type Shared } from './bare-repository.ts'
import { changedFilesOf } from './changed-files.ts'
import { mergeBaseOf } from './merge-base.ts'
import { isBranchName, isSafeName, isSha, shortSha } from './names.ts'
import { makeOwnFolder, type OwnFolder } from './own-folder.ts'
import { type Credentials, remoteOf } from './remote.ts'
import { type GitHost, runGit } from './run-git.ts'

/** Something of git, or a clause that says why there is none. */
export type Found<T> = T | { readonly reason: string }

/**
 * The checkout that a folder lies in. Nothing of it is changed: what has to be made (a worktree, commits that were
 * fetched) lies in a temporary folder that goes with `dispose`.
 */
export interface Repository {
  /** Root of the checkout, absolute and without links. */
  readonly top: string
  /** The commit that is checked out. */
  readonly head: string
  readonly isShallow: boolean
  /** As the commit itself names them: a shallow clone hides them from everything else. */
  parentsOf(commit: string): Promise<readonly string[]>
  /** The commit of a name that is known here. */
  resolve(name: string): Promise<string | undefined>
  /** Makes sure that a commit is here, with its files. */
  fetchCommit(commit: string): Promise<Found<{ readonly commit: string }>>
  /** The newest commit of a branch of `origin`. */
  fetchBranch(branch: string): Promise<Found<{ readonly commit: string }>>
  /** Where the history of two commits parts; looks for it at `origin` when too little of it is here. */
  mergeBase(one: string, other: string): Promise<Found<{ readonly commit: string }>>
  /** Absolute path of a checkout of this commit, with nothing of submodules and large files. */
  addWorktree(commit: string): Promise<Found<{ readonly path: string }>>
  removeWorktree(path: string): Promise<void>
  /** Paths from the root, with `/`, of what is different between this commit and the folder as it is now. */
  changedFiles(base: string): Promise<Found<{ readonly files: readonly string[] }>>
  /** Removes everything that was made. Never rejects. */
  dispose(): Promise<void>
}

interface Options {
  readonly credentials?: Credentials | undefined
}

export async function openRepository(
  cwd: string,
  host: GitHost,
  { credentials }: Options = {},
): Promise<Found<Repository>> {
  const found = await locate(cwd, host)
  if ('reason' in found) return found
  const { top, head, isShallow, format, shared, gitDirectory } = found
  const remote = await remoteOf({ top, host, credentials })
  const folder = await makeOwnFolder(host)
  const make = (name: string, share?: Shared) =>
    makeBareRepository(
      { directory: join(folder.path, name), format, remote, ...(share ? { shared: share } : {}) },
      { folder: folder.path, host },
    )
  const mirror = await make('repository.git', shared)
  if ('reason' in mirror) {
    await folder.remove()
    return mirror
  }
  const sources = { mirror, isShallow }
  const fetchCommit = (commit: string) => fetchMissing(commit, sources)
  return {
    top,
    head,
    isShallow,
    parentsOf: (commit) => parentsOf(commit, mirror),
    resolve: (name) => resolveName(name, top, host),
    fetchCommit,
    fetchBranch: (branch) => fetchBranch(branch, sources),
    mergeBase: (one, other) => mergeBaseOf([one, other], { ...sources, makeScratch: () => make('history.git') }),
    addWorktree: (commit) => addWorktree(commit, { ...sources, top, folder, makeFresh: () => make('fresh.git') }),
    async removeWorktree(path) {
      await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch(() => undefined)
      await mirror.run(['worktree', 'prune'])
    },
    async changedFiles(base) {
      const here = await fetchCommit(base)
      return 'reason' in here ? here : await changedFilesOf(base, { mirror, head, top, gitDirectory })
    },
    dispose: () => folder.remove(),
  }
}

interface Located {
  readonly top: string
  readonly head: string
  readonly isShallow: boolean
  readonly format: string
  readonly shared: Shared
  /** Absolute path of what belongs to this checkout alone, such as its index. */
  readonly gitDirectory: string
}

/** The one thing that is asked of the checkout itself; none of it starts a program. */
async function locate(cwd: string, host: GitHost): Promise<Found<Located>> {
  const asked = ['--is-shallow-repository', '--show-object-format', '--show-toplevel', '--git-dir']
  const paths = ['--git-path', 'objects', '--git-path', 'shallow']
  const ran = await runGit(['rev-parse', ...asked, ...paths], { cwd, host })
  if (ran.kind === 'failed') return { reason: `the folder is no checkout of git that can be read: ${ran.reason}` }
  const [shallow = '', format = '', top = '', gitDirectory = '', objects = '', list = ''] = ran.text.split('\n')
  const head = await runGit(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { cwd, host })
  if (head.kind === 'failed' || !isSha(head.text.trim())) return { reason: 'there is no commit yet' }
  const real = await realpath(top).catch(() => undefined)
  if (real === undefined) return { reason: 'its folder cannot be found' }
  return {
    top: real,
    head: head.text.trim(),
    isShallow: shallow === 'true',
    format,
    gitDirectory: resolve(cwd, gitDirectory),
    shared: { objects: resolve(cwd, objects), shallow: resolve(cwd, list), head: head.text.trim() },
  }
}

async function parentsOf(commit: string, mirror: BareRepository): Promise<readonly string[]> {
  if (!isSha(commit)) return []
  const ran = await mirror.run(['cat-file', 'commit', commit])
  if (ran.kind === 'failed') return []
  const [header = ''] = ran.text.split('\n\n')
  return header.split('\n').flatMap((line) => {
    const [word, parent = ''] = line.split(' ')
    return word === 'parent' && isSha(parent) ? [parent] : []
  })
}

async function resolveName(name: string, top: string, host: GitHost): Promise<string | undefined> {
  if (!isSafeName(name)) return undefined
  // What a server calls main is newer than what this machine does.
  for (const known of [`refs/remotes/origin/${name}`, name]) {
    const ran = await runGit(['rev-parse', '--verify', '--quiet', `${known}^{commit}`], { cwd: top, host })
    if (ran.kind === 'done' && isSha(ran.text.trim())) return ran.text.trim()
  }
  return undefined
}

interface Sources {
  readonly mirror: BareRepository
  readonly isShallow: boolean
}

async function fetchMissing(
  commit: string,
  { mirror, isShallow }: Sources,
): Promise<Found<{ readonly commit: string }>> {
  if (!isSha(commit)) return { reason: 'it is no commit id' }
  // A commit without its files is as good as none.
  const here = await mirror.run(['cat-file', '-e', `${commit}^{tree}`])
  if (here.kind === 'done') return { commit }
  const fetched = await mirror.fetch([commit], depthOf(isShallow))
  return fetched.kind === 'done' ? { commit } : { reason: `it cannot be fetched: ${fetched.reason}` }
}

/** A whole clone stays one: what is missing of its history is little, and what is cut off would hide where it parts. */
function depthOf(isShallow: boolean): { readonly depth?: number } {
  return isShallow ? { depth: 1 } : {}
}

async function fetchBranch(
  branch: string,
  { mirror, isShallow }: Sources,
): Promise<Found<{ readonly commit: string }>> {
  if (!isBranchName(branch)) return { reason: 'it is no name of a branch' }
  const fetched = await mirror.fetch([`refs/heads/${branch}`], depthOf(isShallow))
  return fetched.kind === 'done'
    ? { commit: fetched.text.trim() }
    : { reason: `it cannot be fetched: ${fetched.reason}` }
}

interface WorktreeParts extends Sources {
  readonly top: string
  readonly folder: OwnFolder
  /** A repository that has nothing yet. */
  makeFresh(): Promise<Found<BareRepository>>
}

const CHECKOUT_LIMIT_MS = 300_000

async function addWorktree(commit: string, parts: WorktreeParts): Promise<Found<{ readonly path: string }>> {
  const { mirror, top, folder, makeFresh } = parts
  const here = await fetchMissing(commit, parts)
  if ('reason' in here) return here
  // The last name is that of the checkout: an agent may tell the name of the project it is in.
  const path = join(folder.path, shortSha(commit), basename(top))
  const add = async (repository: BareRepository) => {
    await rm(path, { recursive: true, force: true })
    const args = ['worktree', 'add', '--quiet', '--force', '--detach', '--', path, commit]
    return await repository.run(args, { limitMs: CHECKOUT_LIMIT_MS })
  }
  const added = await add(mirror)
  if (added.kind === 'done') return { path }
  // A partial clone has the commit and not all of its files.
  const fresh = await makeFresh()
  if ('reason' in fresh) return fresh
  const fetched = await fresh.fetch([commit], { depth: 1 })
  const again = fetched.kind === 'done' ? await add(fresh) : added
  return again.kind === 'done' ? { path } : { reason: again.reason }
}
