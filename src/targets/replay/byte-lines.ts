import type { FileHandle } from 'node:fs/promises'

/** One line of a file and where it lies, so that it can be read again later. */
export interface ByteLine {
  /** From 1. */
  readonly number: number
  /** In bytes, as is `length`; the newline is not part of it. */
  readonly offset: number
  readonly length: number
  readonly text: string
}

const NEWLINE = 0x0a
const CHUNK_BYTES = 1024 * 1024

/** Reads a file line by line; only one line and one chunk are held at a time. */
export async function* byteLines(handle: FileHandle): AsyncGenerator<ByteLine> {
  let number = 1
  let offset = 0
  let parts: Buffer[] = []
  const line = (): ByteLine => {
    const bytes = Buffer.concat(parts)
    return { number, offset, length: bytes.length, text: bytes.toString('utf8') }
  }
  for await (const chunk of handle.createReadStream({ start: 0, autoClose: false, highWaterMark: CHUNK_BYTES })) {
    let rest = chunk as Buffer
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      parts.push(rest.subarray(0, end))
      const complete = line()
      yield complete
      number += 1
      offset += complete.length + 1
      parts = []
      rest = rest.subarray(end + 1)
    }
    if (rest.length > 0) parts.push(rest)
  }
  if (parts.length > 0) yield line()
}

/** Reads a line again; a file that has shrunk gives a shorter text. */
export async function readByteLine(handle: FileHandle, { offset, length }: Pick<ByteLine, 'offset' | 'length'>) {
  const bytes = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.toString('utf8', 0, filled)
}
