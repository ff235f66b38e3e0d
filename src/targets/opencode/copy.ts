import { constants } from 'node:fs'
import { copyFile, lstat, mkdir, readdir, readlink, realpath, symlink, unlink } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

/** What is never copied: history belongs to the original, and OpenCode installs packages itself. */
const LEFT_OUT = new Set(['.git', '.opencode/node_modules', '.opencode/bun.lock', '.opencode/.gitignore'])

/** Every file below a folder, relative to it. */
export async function filesBelow(folder: string, inside = ''): Promise<string[]> {
  const entries = await readdir(join(folder, inside), { withFileTypes: true })
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`
      if (LEFT_OUT.has(path)) return []
      return entry.isDirectory() ? await filesBelow(folder, path) : [path]
    }),
  )
  return found.flat()
}

/**
 * Copies files into `to`, over what is there. A link is copied as a link where it leads to a place inside of `from`, and
 * is otherwise left out: an agent that writes through it would change what is not its own. Gives what was left out.
 */
export async function copyFiles(
  files: readonly string[],
  { from, to }: Record<'from' | 'to', string>,
): Promise<string[]> {
  const root = await realpath(from)
  const leftOut: string[] = []
  for (const file of files) {
    if (isLeftOut(file)) continue
    if (!(await copyOne(file, { root, to }))) leftOut.push(file)
  }
  return leftOut
}

function isLeftOut(file: string): boolean {
  return [...LEFT_OUT].some((path) => file === path || file.startsWith(`${path}/`))
}

async function copyOne(file: string, { root, to }: Record<'root' | 'to', string>): Promise<boolean> {
  const source = join(root, file)
  const found = await lstat(source).catch(() => undefined)
  // Tracked and deleted, or a repository inside of this one.
  if (!found || found.isDirectory()) return true
  const parent = await realpath(dirname(source))
  if (!isInside(parent, root)) return false
  const target = join(to, file)
  await mkdir(dirname(target), { recursive: true })
  await unlink(target).catch(() => undefined)
  if (found.isSymbolicLink()) {
    const link = await readlink(source)
    if (isAbsolute(link) || !isInside(resolve(parent, link), root)) return false
    await symlink(link, target)
    return true
  }
  if (!found.isFile()) return false
  await copyFile(source, target, constants.COPYFILE_FICLONE)
  return true
}

function isInside(path: string, root: string): boolean {
  const way = relative(root, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}
