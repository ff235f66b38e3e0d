import { existsSync, realpathSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Host } from '../../core/host.ts'
import { quote } from '../../core/kind.ts'
import { shortSha } from '../../git/index.ts'
import type { Checkout } from '../../targets/index.ts'

interface Trees {
  /** Roots of the tested checkout and of the other one, without links. */
  readonly top: string
  readonly tree: string
  /** Of the other one. */
  readonly commit: string
}

/** The folder of the other checkout that corresponds to the working directory; or why there is none. */
export async function folderIn(
  { top, tree, commit }: Trees,
  cwd: string,
): Promise<{ readonly folder: string } | { readonly reason: string }> {
  const way = relative(top, realpathSync(cwd))
  const folder = join(tree, way)
  const found = await stat(folder).catch(() => undefined)
  // A link of that commit may lead anywhere.
  if (found?.isDirectory() === true && isBelow(realpathSync(folder), tree)) return { folder }
  return { reason: `there is no folder ${quote(way)} in ${shortSha(commit)}` }
}

/** Where things of the tested checkout lie in the other one. */
export function pathsBetween({ top, tree }: Trees, cwd: string): Checkout['pathOf'] {
  // The working directory may have been reached through a link.
  const asGiven = resolve(cwd, relative(realpathSync(cwd), top))
  return (path) => {
    const root = [top, asGiven].find((folder) => isBelow(path, folder))
    return root === undefined ? undefined : join(tree, relative(root, path))
  }
}

/** Below the folder, or the folder itself. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

interface Moving {
  readonly folder: string
  readonly pathOf: Checkout['pathOf']
  readonly commit: string
}

/**
 * The host of the tested agent in the other checkout. Variables that name a place in the tested one, such as PYTHONPATH,
 * name the same place there, if there is one.
 */
export function hostIn(host: Host, { folder, pathOf, commit }: Moving): Host {
  const moved = (value: string) =>
    value
      .split(delimiter)
      .map((part) => {
        const there = isAbsolute(part) ? pathOf(part) : undefined
        return there !== undefined && existsSync(there) ? there : part
      })
      .join(delimiter)
  const env = Object.entries(host.env).map(([name, value]) => {
    return [name, value === undefined || name === 'HOME' ? value : moved(value)] as const
  })
  // What the tested one has said is not said again as if it were new.
  const tell = (message: string) => host.log.info(`base commit ${shortSha(commit)}: ${message}`)
  return { ...host, cwd: folder, env: Object.fromEntries(env), log: { info: tell, warn: tell } }
}
