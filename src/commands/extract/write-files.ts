import { lstat, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Problem, problemsError, UserError } from '../../core/errors.ts'
import { sameFile } from '../../lib/file-name.ts'

/** Where the files go. */
export interface Destination {
  /** Absolute path of the folder. */
  readonly path: string
  /** As the user knows it. */
  readonly shown: string
}

/** A folder that is ready for the files; what an earlier extraction left in it is gone. */
export interface ReadyFolder {
  write(name: string, text: string): Promise<void>
}

/** Foreign files named before the rest is only counted. */
const MOST_NAMED = 10

/**
 * Makes the folder, or empties it of what an earlier extraction wrote, known by `marks` at its beginning. Throws a
 * UserError when a file of somebody else has one of the `names`, before anything is touched.
 */
export async function prepareFolder(
  { path, shown }: Destination,
  { names, marks }: { readonly names: readonly string[]; readonly marks: readonly string[] },
): Promise<ReadyFolder> {
  const attempt = async <T>(action: () => Promise<T>): Promise<T> => {
    try {
      return await action()
    } catch (error) {
      if (error instanceof UserError) throw error
      const detail = error instanceof Error ? error.message : String(error)
      throw new UserError(`${shown} cannot be written: ${detail}`, { code: 'OUTPUT_NOT_WRITABLE', cause: error })
    }
  }
  await attempt(async () => {
    await mkdir(path, { recursive: true })
    const { ours, foreign } = await sort(path, marks)
    refuse(shown, names, foreign)
    for (const name of ours) await rm(join(path, name))
  })
  // Never over a file that came meanwhile, nor through a link.
  return { write: (name, text) => attempt(() => writeFile(join(path, name), text, { flag: 'wx' })) }
}

async function sort(path: string, marks: readonly string[]) {
  const ours: string[] = []
  const foreign: string[] = []
  for (const name of await readdir(path)) {
    const isOurs = /\.(?:md|json)$/.test(name) && (await startsWith(join(path, name), marks))
    const list = isOurs ? ours : foreign
    list.push(name)
  }
  return { ours, foreign }
}

async function startsWith(path: string, marks: readonly string[]): Promise<boolean> {
  if (!(await lstat(path)).isFile()) return false
  const handle = await open(path)
  try {
    const length = Math.max(...marks.map((mark) => Buffer.byteLength(mark)))
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0)
    const beginning = buffer.toString('utf8', 0, bytesRead)
    return marks.some((mark) => beginning.startsWith(mark))
  } finally {
    await handle.close()
  }
}

function refuse(shown: string, names: readonly string[], foreign: readonly string[]): void {
  const wanted = new Set(names.map(sameFile))
  const hit = foreign.filter((name) => wanted.has(sameFile(name)))
  const problems = hit.slice(0, MOST_NAMED).map(
    (name): Problem => ({
      field: '--output',
      message: `${shown}/${name} would be written over, and is no file of an earlier extraction`,
      hint: 'name another folder with -o',
    }),
  )
  if (hit.length > MOST_NAMED)
    problems.push({ field: '--output', message: `… and ${hit.length - MOST_NAMED} other files` })
  if (problems.length > 0) throw problemsError('OUTPUT_NOT_WRITABLE', problems)
}
