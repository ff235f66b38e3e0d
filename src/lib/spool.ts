import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FLUSH_BYTES = 64 * 1024
const FLUSH_AFTER_MS = 200

/** Appends text to an open file in large pieces; what was appended reaches the file within a fifth of a second. */
export interface Appender {
  /** Bytes appended so far, written or not. */
  readonly bytes: number
  /** A promise when the buffer is full: whoever waits for it cannot outrun the disk. Rejects once a write has failed. */
  append(text: string): Promise<void> | undefined
  flush(): Promise<void>
}

export function createAppender(file: FileHandle): Appender {
  let parts: string[] = []
  let waiting = 0
  let bytes = 0
  let timer: NodeJS.Timeout | undefined
  // One write after the other; after a failed one nothing is written any more and everybody hears of it.
  let written = Promise.resolve()

  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    if (parts.length === 0) return written
    const text = parts.join('')
    parts = []
    waiting = 0
    written = written.then(() => file.appendFile(text))
    written.catch(() => undefined)
    return written
  }
  return {
    get bytes() {
      return bytes
    },
    append(text) {
      const size = Buffer.byteLength(text)
      parts.push(text)
      bytes += size
      waiting += size
      if (waiting >= FLUSH_BYTES) return flush()
      timer ??= setTimeout(() => void flush(), FLUSH_AFTER_MS)
      return undefined
    },
    flush,
  }
}

/** Where a text lies in a spool, in bytes. */
export interface Position {
  readonly offset: number
  readonly length: number
}

/** A temporary file for what is too much to hold: appended once, read back by position. */
export interface Spool {
  /** `full` as an appender's promise. */
  append(text: string): { readonly at: Position; readonly full: Promise<void> | undefined }
  read(at: Position): Promise<string>
  close(): Promise<void>
}

export async function openSpool(): Promise<Spool> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-test-spool-'))
  const file = await open(join(folder, 'spool'), 'wx+', 0o600)
  // Without a name the file vanishes with the process, however it ends; where that cannot be, `close` removes it.
  await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  const appender = createAppender(file)
  const blocks = blockReader(file)
  return {
    append(text) {
      const offset = appender.bytes
      const full = appender.append(text)
      return { at: { offset, length: appender.bytes - offset }, full }
    },
    async read({ offset, length }) {
      await appender.flush()
      return (await blocks(offset, length)).toString('utf8')
    },
    async close() {
      await file.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const BLOCK_BYTES = 256 * 1024
const MOST_BLOCKS = 16

/** Reads through a small cache of blocks: texts that lie near each other, in a few places at once, cost one read. */
function blockReader(file: FileHandle): (offset: number, length: number) => Promise<Buffer> {
  const cache = new Map<number, Buffer>()
  const blockAt = async (index: number, end: number): Promise<Buffer> => {
    const cached = cache.get(index)
    cache.delete(index)
    // A block that was cached while the file was shorter is read again.
    const isEnough =
      cached !== undefined && index * BLOCK_BYTES + cached.length >= Math.min(end, (index + 1) * BLOCK_BYTES)
    const block = isEnough ? cached : await readFully(file, index * BLOCK_BYTES, BLOCK_BYTES)
    cache.set(index, block)
    const [oldest] = cache.keys()
    if (cache.size > MOST_BLOCKS && oldest !== undefined) cache.delete(oldest)
    return block
  }
  return async (offset, length) => {
    const end = offset + length
    if (length > BLOCK_BYTES) return await readFully(file, offset, length)
    const first = Math.floor(offset / BLOCK_BYTES)
    const start = first * BLOCK_BYTES
    const block = await blockAt(first, end)
    if (end - start <= BLOCK_BYTES) return block.subarray(offset - start, end - start)
    const next = await blockAt(first + 1, end)
    return Buffer.concat([block.subarray(offset - start), next.subarray(0, end - start - BLOCK_BYTES)])
  }
}

async function readFully(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, offset + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}
