import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** A script that can be named. */
export interface ScriptModule {
  /** Absolute. */
  readonly file: string
  /** Below its folder, without the extension: `tools/dates`. */
  readonly name: string
}

/** Enough for any application, and an end for a folder that is none. */
const MAX_ENTRIES = 20_000

/** Every `.ts` and `.js` below a folder, sorted; of two that differ by that only, `.ts`. */
export async function modulesIn(folder: string): Promise<readonly ScriptModule[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries
    .slice(0, MAX_ENTRIES)
    .filter((entry) => !entry.isDirectory() && /(?<!\.d)\.(?:ts|js)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes(`${sep}node_modules${sep}`))
    // The extension `.ts` comes last in the alphabet and so wins in the map.
    .sort()
  const byName = new Map(files.map((file) => [nameOf(file, folder), file]))
  return [...byName].map(([name, file]) => ({ file, name }))
}

function nameOf(file: string, folder: string): string {
  return relative(folder, file)
    .replaceAll(sep, '/')
    .replace(/\.(?:ts|js)$/, '')
}
