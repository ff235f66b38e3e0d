import { randomUUID } from 'node:crypto'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Baseline, LoadedBaseline } from '../core/baseline.ts'
import { UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { parseBaseline } from '../core/parse-baseline.ts'
import { plainText } from '../lib/escape.ts'
import type { BaselineStore } from './baseline-store.ts'

const MEBIBYTE = 1024 * 1024
const MOST_BYTES = 200 * MEBIBYTE

/** A baseline kept in a file; `path` is relative to the working directory and is named as given in every message. */
export function fileBaseline(path: string, host: Pick<Host, 'cwd' | 'log'>): BaselineStore {
  const absolute = resolve(host.cwd, path)
  return {
    load: () => load(absolute, path),
    async save(append) {
      // Read again: a run takes long, and another one may have saved meanwhile.
      const found = await load(absolute, path)
      if (found.kind === 'unreadable') host.log.warn(`A new baseline is begun: ${plainText(found.detail)}.`)
      await save(absolute, path, append(found.kind === 'ok' ? found.baseline : undefined))
    },
  }
}

async function load(absolute: string, path: string): Promise<LoadedBaseline> {
  try {
    const found = await stat(absolute)
    if (!found.isFile()) return { kind: 'unreadable', detail: `${path} is not a file` }
    if (found.size > MOST_BYTES)
      return { kind: 'unreadable', detail: `${path} is larger than ${MOST_BYTES / MEBIBYTE} MiB` }
    return { kind: 'ok', baseline: parseBaseline(await readFile(absolute, 'utf8'), path), source: path }
  } catch (error) {
    if (error instanceof UserError) return { kind: 'unreadable', detail: error.message }
    if (!isSystemError(error)) throw error
    if (error.code === 'ENOENT') return { kind: 'none', detail: `${path} does not exist` }
    return { kind: 'unreadable', detail: `${path}: ${reasonOf(error)}` }
  }
}

/** Whoever reads the file meanwhile sees the old one or the new one, never a part. */
async function save(absolute: string, path: string, baseline: Baseline): Promise<void> {
  const temporary = `${absolute}.${randomUUID()}.tmp`
  try {
    const file = await open(temporary, 'wx')
    try {
      await file.writeFile(`${JSON.stringify(baseline)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, absolute)
  } catch (error) {
    await rm(temporary, { force: true })
    if (!isSystemError(error)) throw error
    const why = error.code === 'ENOENT' ? `there is no folder ${dirname(path)}` : reasonOf(error)
    throw new UserError(`the baseline could not be saved to ${path}: ${why}`, {
      code: 'OUTPUT_NOT_WRITABLE',
      cause: error,
    })
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}

/** Without the path and the system call that Node adds: the message names the path as the user wrote it. */
function reasonOf(error: NodeJS.ErrnoException): string {
  return error.message.replace(/, \w+ '.*$/s, '')
}
