import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { TargetError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { quote } from '../../core/kind.ts'
import type { SessionPlan, SetupStep } from '../../core/session.ts'
import { confinedPath } from './confined.ts'
import { copyFiles, filesBelow } from './copy.ts'
import { git, gitRootOf, trackedFiles } from './git.ts'

/** What of the tested project is laid over a fixture. */
const AGENT_FILES = ['.opencode', 'opencode.json', 'opencode.jsonc', 'AGENTS.md']

/** The copy that one run works in. */
export interface Workspace {
  /** Absolute and without links. */
  readonly path: string
  /** What is different from the start, as a unified diff. */
  diff(): Promise<string>
  remove(): Promise<void>
}

/** What a workspace is made of; two equal ones come out the same. */
export interface WorkspaceSource {
  /** Absolute path of the tested project; absent where there is none. */
  readonly directory?: string
  /** Absolute path of the fixture to copy, in place of what git tracks. */
  readonly fixture?: string
  readonly inherit: boolean
  readonly setup: readonly SetupStep[]
}

/** The project is the setting, else the git root of the suite. Source: issue 4, point 1. */
export async function sourceOf(
  plan: SessionPlan,
  { suite, directory, workspace }: { suite: string; directory: string | undefined; workspace: string | undefined },
): Promise<WorkspaceSource> {
  const project = directory ?? (await gitRootOf(dirname(suite)))
  const fixture = plan.workspace ?? workspace
  return {
    ...(project === undefined ? {} : { directory: project }),
    ...(fixture === undefined ? {} : { fixture }),
    inherit: plan.inherit,
    setup: plan.setup,
  }
}

/** Why there can be no copy, before it is tried. */
export async function sourceFault({ fixture, directory }: WorkspaceSource): Promise<string | undefined> {
  for (const [what, path] of [['workspace', fixture] as const, ['directory', directory] as const]) {
    if (path === undefined) continue
    const found = await stat(path).catch(() => undefined)
    if (!found) return `the ${what} ${quote(path)} does not exist`
    if (!found.isDirectory()) return `the ${what} ${quote(path)} is no folder`
  }
  return undefined
}

/** A folder of its own with git in it: otherwise OpenCode would look for agents and rules in the folders above. */
export async function makeWorkspace(
  source: WorkspaceSource,
  { folder, host }: { folder: string; host: Host },
): Promise<Workspace> {
  const base = await mkdtemp(join(folder, 'w-'))
  const path = join(base, 'project')
  const history = join(base, 'history')
  const remove = () => rm(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  try {
    await mkdir(path)
    await fill(path, source, host)
    for (const step of source.setup) await take(step, path)
    await commit([], path, host)
    // Our own history of the copy: the agent may do to its own what it likes.
    const ours = ['--git-dir', history, '--work-tree', path]
    await commit(ours, path, host)
    return {
      path,
      remove: () => remove().catch(() => undefined),
      async diff() {
        await git([...ours, 'add', '--all', '--force', '--', '.', ...IGNORED], path, host)
        return await git([...ours, 'diff', '--cached', '--no-color', '--no-ext-diff'], path, host)
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Written by OpenCode itself. Source: spec opencode-server 3. */
const IGNORED = [
  '.git',
  '.opencode/.gitignore',
  '.opencode/node_modules',
  '.opencode/package.json',
  '.opencode/package-lock.json',
  '.opencode/bun.lock',
].map((file) => `:(exclude)${file}`)

async function commit(where: readonly string[], path: string, host: Host): Promise<void> {
  await git([...where, 'init', '--quiet', '--initial-branch=main'], path, host)
  await git([...where, 'add', '--all', '--', '.', ...(where.length === 0 ? [] : IGNORED)], path, host)
  await git([...where, 'commit', '--quiet', '--allow-empty', '--no-verify', '--message', 'Initial commit'], path, host)
}

async function fill(path: string, { directory, fixture, inherit }: WorkspaceSource, host: Host): Promise<void> {
  const leftOut: string[] = []
  if (fixture !== undefined) {
    leftOut.push(...(await copyFiles(await filesBelow(fixture), { from: fixture, to: path })))
    if (directory !== undefined && inherit) {
      leftOut.push(...(await copyFiles(await agentFiles(directory, host), { from: directory, to: path })))
    }
  } else if (directory !== undefined && (await gitRootOf(directory)) !== undefined) {
    leftOut.push(...(await copyFiles(await trackedFiles(directory, host), { from: directory, to: path })))
  }
  if (leftOut.length > 0) {
    const [first = ''] = leftOut
    const more = leftOut.length === 1 ? '' : ` and ${leftOut.length - 1} more`
    host.log.warn(`not copied to the workspace, for they lead out of it: ${quote(first)}${more}`)
  }
}

async function agentFiles(directory: string, host: Host): Promise<string[]> {
  if ((await gitRootOf(directory)) !== undefined)
    return await trackedFiles(directory, host, { under: AGENT_FILES, also: true })
  const all = await Promise.all(
    AGENT_FILES.map(async (name) => {
      const found = await stat(join(directory, name)).catch(() => undefined)
      if (found?.isDirectory() !== true) return found ? [name] : []
      return await filesBelow(directory, name)
    }),
  )
  return all.flat()
}

async function take(step: SetupStep, root: string): Promise<void> {
  const path = await confinedPath(root, step.file)
  if (path === undefined)
    throw new TargetError(`setup: ${quote(step.file)} leads out of the workspace`, { code: 'BAD_REQUEST' })
  switch (step.action) {
    case 'mkdir':
      await mkdir(path, { recursive: true })
      return
    case 'delete':
      await rm(path, { recursive: true, force: true })
      return
    case 'write':
      await mkdir(dirname(path), { recursive: true })
      await writeFile(resolve(path), step.content)
  }
}
