import { constants } from 'node:fs'
import { access, type FileHandle, open, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Problem, UserError } from '../core/errors.ts'
import { type Appender, createAppender } from '../lib/spool.ts'

/** A file the user asked for. */
export interface OutputPath {
  /** As the user wrote it. */
  readonly shown: string
  /** Absolute. */
  readonly path: string
}

/** What keeps the file from being written, as far as that can be seen without touching it. */
export async function checkOutput({ shown, path }: OutputPath): Promise<Problem | undefined> {
  const problem = (message: string, hint?: string): Problem => ({
    field: '--output',
    message: `${shown}: ${message}`,
    ...(hint === undefined ? {} : { hint }),
  })
  const existing = await statOf(path)
  if (existing?.isDirectory()) return problem('is a folder', 'name a file in it')
  const elsewhere = 'name another file with -o'
  if (existing) return (await isWritable(path)) ? undefined : problem('is not writable', elsewhere)
  const folder = dirname(shown)
  const parent = await statOf(dirname(path))
  if (!parent) return problem(`there is no folder ${folder}`, 'make it first')
  if (!parent.isDirectory()) return problem(`${folder} is not a folder`)
  return (await isWritable(dirname(path))) ? undefined : problem(`the folder ${folder} is not writable`, elsewhere)
}

/** The file behind the path, so that one file under two names is seen as one; it need not exist yet. */
export async function identityOf(path: string): Promise<string> {
  const folder = async () => join(await realpath(dirname(path)), basename(path))
  return await realpath(path)
    .catch(folder)
    .catch(() => path)
}

async function statOf(path: string) {
  return await stat(path).catch(() => undefined)
}

async function isWritable(path: string): Promise<boolean> {
  return await access(path, constants.W_OK).then(
    () => true,
    () => false,
  )
}

/** An open output file. Every failure is a UserError that names it. */
export interface OutputFile {
  append: Appender['append']
  /** Writes what is left and closes. */
  close(): Promise<void>
}

/** Empties the file at once: what an earlier run left there must not be taken for this one's. */
export async function openOutput(output: OutputPath): Promise<OutputFile> {
  const file = await attempt(output, () => open(output.path, 'w'))
  const appender = createAppender(file)
  return {
    append(text) {
      const full = appender.append(text)
      return full && attempt(output, () => full.catch((error: unknown) => giveUp(file, error)))
    },
    close: () => attempt(output, () => finish(file, appender)),
  }
}

async function finish(file: FileHandle, appender: Appender): Promise<void> {
  try {
    await appender.flush()
  } finally {
    await file.close()
  }
}

/** Nobody writes to it any more, and whoever failed may never get to the end. */
async function giveUp(file: FileHandle, error: unknown): Promise<never> {
  await file.close()
  throw error
}

async function attempt<T>({ shown }: OutputPath, action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    throw new UserError(`${shown} could not be written: ${detail}`, { code: 'OUTPUT_NOT_WRITABLE', cause: error })
  }
}
