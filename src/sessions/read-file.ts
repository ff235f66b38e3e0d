import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { isJsonObject, isTooDeep, type JsonObject, MAX_DEPTH } from '../core/json.ts'
import { LONGEST_BYTES } from './layout.ts'

export type ReadFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly why: string }

// A link could lead out of the folder, and opening a pipe would wait for somebody to write to it. Where there are no such
// flags they are undefined, which counts as 0.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** A small file of a session. At once, because there are very many of them. */
export function readSmallFile(path: string): ReadFile {
  let file: number
  try {
    file = openSync(path, FLAGS)
  } catch (error) {
    return whyUnopened(error)
  }
  try {
    const stats = fstatSync(file)
    const { size } = stats
    if (!stats.isFile()) return { kind: 'unreadable', why: 'is no plain file' }
    if (size > LONGEST_BYTES) return { kind: 'unreadable', why: `has more than ${LONGEST_BYTES / 1024 ** 2} MiB` }
    const bytes = Buffer.allocUnsafe(size)
    let filled = 0
    while (filled < size) {
      const count = readSync(file, bytes, filled, size - filled, filled)
      if (count === 0) break
      filled += count
    }
    return { kind: 'text', text: bytes.toString('utf8', 0, filled) }
  } catch (error) {
    return whyUnopened(error)
  } finally {
    closeSync(file)
  }
}

/** For reading line by line; undefined when there is no such file. */
export async function openLines(path: string): Promise<FileHandle | { readonly why: string } | undefined> {
  let handle: FileHandle
  try {
    handle = await open(path, FLAGS)
  } catch (error) {
    const told = whyUnopened(error)
    return told.kind === 'unreadable' ? { why: told.why } : undefined
  }
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  return { why: 'is no plain file' }
}

function whyUnopened(error: unknown): Exclude<ReadFile, { readonly kind: 'text' }> {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' }
  return { kind: 'unreadable', why: code === 'ELOOP' ? 'is a link' : `cannot be read: ${message}` }
}

/** The JSON object in a text, or what is wrong with it. */
export function parseObject(text: string): { readonly value: JsonObject } | { readonly fault: string } {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return { fault: 'is not JSON' }
  }
  if (!isJsonObject(value)) return { fault: 'is no JSON object' }
  return isTooDeep(value) ? { fault: `is nested deeper than ${MAX_DEPTH} levels` } : { value }
}
