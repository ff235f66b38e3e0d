import { readFile, realpath, stat } from 'node:fs/promises'
import { extname, isAbsolute, relative, sep } from 'node:path'
import type { Problem } from '../core/errors.ts'
import type { ParsedScript } from './parse-script.ts'

/** A script of the application, read. */
export interface ScriptFile extends ParsedScript {
  /** Relative to the working directory, with `/`: how stacks and messages name it. */
  readonly path: string
}

export type ReadScript =
  | { readonly kind: 'script'; readonly script: ScriptFile }
  | { readonly kind: 'broken'; readonly problem: Problem }

/** The scripts below one root, each read once. */
export interface ScriptFiles {
  /** By absolute path; undefined when there is no such file below the root, links followed. */
  read(file: string): Promise<ReadScript | undefined>
  /** The first of the files that is there. */
  firstOf(files: readonly string[]): Promise<string | undefined>
}

const EXTENSIONS = ['.ts', '.js', '.json']
/** Far more than anybody writes by hand; a parser must not get a gigabyte. */
const MAX_BYTES = 4 * 1024 * 1024

/** `root` is absolute. */
export function scriptFiles(root: string, cwd: string): ScriptFiles {
  const known = new Map<string, Promise<ReadScript | undefined>>()
  const realRoot = realpath(root).catch(() => root)
  const isOurs = async (file: string): Promise<boolean> => {
    const found = await realpath(file).catch(() => undefined)
    return found !== undefined && isBelow(found, await realRoot) && (await isFile(found))
  }
  return {
    async firstOf(files) {
      for (const file of files) if (await isOurs(file)) return file
      return undefined
    },
    read(file) {
      const earlier = known.get(file)
      if (earlier) return earlier
      const reading = isOurs(file).then((isThere) => (isThere ? readScript(file, shownPath(file, cwd)) : undefined))
      known.set(file, reading)
      return reading
    },
  }
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

export function shownPath(file: string, cwd: string): string {
  return relative(cwd, file).replaceAll(sep, '/')
}

async function readScript(file: string, path: string): Promise<ReadScript> {
  const problem = (message: string): ReadScript => ({ kind: 'broken', problem: { file: path, message } })
  if (!EXTENSIONS.includes(extname(file).toLowerCase())) return problem('not a script: scripts end in .ts or .js')
  const { size } = await stat(file)
  if (size > MAX_BYTES) return problem(`${size} bytes are too many for a script, the limit is ${MAX_BYTES}`)
  // The compiler takes long to load, and most runs have no scripts.
  const { parseScript } = await import('./parse-script.ts')
  const parsed = parseScript(decode(await readFile(file)), path)
  return 'problem' in parsed ? { kind: 'broken', ...parsed } : { kind: 'script', script: { ...parsed, path } }
}

/** Without a byte order mark. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false
}
