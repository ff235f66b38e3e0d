import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BareRepository } from './bare-repository.ts'

interface Parts {
  readonly mirror: BareRepository
  readonly head: string
  /** Root of the checkout. */
  readonly top: string
  /** Where its index lies. */
  readonly gitDirectory: string
}

/**
 * What is different between `base` and the folder as it is now: committed or not, tracked or not, unless git is told to
 * ignore it. Both names of a file that was moved.
 */
export async function changedFilesOf(
  base: string,
  { mirror, head, top, gitDirectory }: Parts,
): Promise<{ readonly files: readonly string[] } | { readonly reason: string }> {
  const plain = ['--no-renames', '--no-ext-diff', '--no-textconv', '--name-only']
  const committed = await mirror.run(['diff-tree', '-r', '-z', ...plain, base, head])
  if (committed.kind === 'failed') return committed
  // With its index files need not be read again; the copy is our own, for looking may write to it.
  const hasIndex = await copyFile(join(gitDirectory, 'index'), join(mirror.directory, 'index')).then(
    () => true,
    () => false,
  )
  if (!hasIndex) {
    const read = await mirror.run(['read-tree', head])
    if (read.kind === 'failed') return read
  }
  const flags = ['--porcelain=v1', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=dirty']
  const local = await mirror.run([`--work-tree=${top}`, 'status', ...flags], { cwd: top })
  if (local.kind === 'failed') return local
  // Two letters and a blank come before the path.
  const uncommitted = pathsOf(local.text).map((entry) => entry.slice(3))
  return { files: [...new Set([...pathsOf(committed.text), ...uncommitted])].sort() }
}

function pathsOf(listed: string): string[] {
  return listed.split('\0').filter((path) => path !== '')
}
