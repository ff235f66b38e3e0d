import { randomUUID } from 'node:crypto'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { RunBlob } from '../core/run-blob.ts'
import { parseBlob } from './parse-blob.ts'
import { blobPieces } from './write-blob.ts'

const MEBIBYTE = 1024 * 1024
const MOST_BYTES = 400 * MEBIBYTE

/** Reads a file of results; `path` is relative to the working directory. Throws a UserError that names it as given. */
export async function readBlobFile(path: string, { cwd }: Pick<Host, 'cwd'>): Promise<RunBlob> {
  const absolute = resolve(cwd, path)
  let text: string
  try {
    const found = await stat(absolute)
    if (!found.isFile()) throw problem(path, 'is not a file')
    if (found.size > MOST_BYTES) throw problem(path, `is larger than ${MOST_BYTES / MEBIBYTE} MiB`)
    text = await readFile(absolute, 'utf8')
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw problem(path, error.code === 'ENOENT' ? 'does not exist' : reasonOf(error), error)
  }
  return parseBlob(text, path)
}

function problem(file: string, message: string, cause?: unknown): UserError {
  return new UserError(`${file} ${message}`, { code: 'ARTIFACT_UNREADABLE', problems: [{ file, message }], cause })
}

/** Whoever reads the file meanwhile sees the old one or the new one, never a part. Throws a UserError. */
export async function saveBlobFile(path: string, blob: RunBlob, host: Pick<Host, 'cwd' | 'secrets'>): Promise<void> {
  const absolute = resolve(host.cwd, path)
  const temporary = `${absolute}.${randomUUID()}.tmp`
  try {
    const file = await open(temporary, 'wx')
    try {
      for (const piece of blobPieces(blob, host.secrets)) await file.writeFile(piece)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, absolute)
  } catch (error) {
    await rm(temporary, { force: true })
    if (!isSystemError(error)) throw error
    const why = error.code === 'ENOENT' ? `there is no folder ${dirname(path)}` : reasonOf(error)
    throw new UserError(`the results could not be written to ${path}: ${why}`, {
      code: 'OUTPUT_NOT_WRITABLE',
      cause: error,
    })
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error
}

/** Without the path and the system call that Node adds: the message names the path as the user wrote it. */
function reasonOf(error: Error): string {
  return error.message.replace(/, \w+ '.*$/s, '')
}
