import type { FileHandle } from 'node:fs/promises'

/** One line of a file and where it lies, so that it can be read again later. */
export interface ByteLine {
  /** From 1. */
  readonly number: number
  /** In bytes, as is `length`; the newline is not part of it. */
  readonly offset: number
  readonly length: number
  readonly text: string
  /** It has more bytes than were asked for at most, and its text is empty. */
  readonly isTooLong?: true
}

const NEWLINE = 0x0a
const CHUNK_BYTES = 1024 * 1024

/** Reads a file line by line; only one line, of at most `longest` bytes, and one chunk are held at a time. */
export async function* byteLines(
  handle: FileHandle,
  { longest = Number.POSITIVE_INFINITY }: { readonly longest?: number } = {},
): AsyncGenerator<ByteLine> {
  let number = 1
  let offset = 0
  let parts: Buffer[] = []
  let length = 0
  const line = (): ByteLine => {
    if (length > longest) return { number, offset, length, text: '', isTooLong: true }
    return { number, offset, length, text: Buffer.concat(parts).toString('utf8') }
  }
  const keep = (bytes: Buffer) => {
    length += bytes.length
    if (length > longest) parts = []
    else parts.push(bytes)
  }
  for await (const chunk of handle.createReadStream({ start: 0, autoClose: false, highWaterMark: CHUNK_BYTES })) {
    let rest = chunk as Buffer
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      keep(rest.subarray(0, end))
      const complete = line()
      yield complete
      number += 1
      offset += complete.length + 1
      parts = []
      length = 0
      rest = rest.subarray(end + 1)
    }
    if (rest.length > 0) keep(rest)
  }
  if (length > 0) yield line()
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
