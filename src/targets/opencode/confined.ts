import { lstat, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize, sep } from 'node:path'

/** Why a path of a suite cannot be one inside of a workspace; undefined when it can. */
export function pathFault(file: string): string | undefined {
  if (file.trim() === '' || file.includes('\0')) return 'names no file'
  if (isAbsolute(file) || /^[A-Za-z]:[\\/]/.test(file)) return 'must be relative to the workspace'
  const parts = normalize(file).split(/[\\/]/)
  if (parts.includes('..')) return 'leads out of the workspace'
  if (parts[0] === '.git') return 'lies in .git'
  return undefined
}

/**
 * Absolute path of a file below `root`, which is absolute and without links. Undefined when a link on the way, or the
 * file itself, leads elsewhere: then it must be neither read nor written.
 */
export async function confinedPath(root: string, file: string): Promise<string | undefined> {
  if (pathFault(file) !== undefined) return undefined
  const path = join(root, file)
  const found = await lstat(path).catch(() => undefined)
  if (found?.isSymbolicLink() === true) return undefined
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const real = await realpath(folder).catch(() => undefined)
    if (real !== undefined) return real === folder ? path : undefined
    // A link to nowhere is one all the same.
    if ((await lstat(folder).catch(() => undefined)) !== undefined) return undefined
    if (!folder.startsWith(root + sep)) return undefined
  }
}
