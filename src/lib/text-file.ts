import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where a text lies in the file, in bytes. */
interface Place {
  readonly at: number
  readonly size: number
}

/** Texts that are too much to hold, in a temporary file: appended once, read back at once by whoever looks at them. */
export interface TextFile {
  add(text: string): Place
  read(place: Place): string
  close(): void
}

const BLOCK_BYTES = 256 * 1024

/** A lone surrogate comes back as U+FFFD. Nothing is made on disk before the first text that does not fit in a block. */
export function openTextFile(): TextFile {
  let opened: { readonly file: number; readonly folder: string } | undefined
  let written = 0
  // The end of the file that is not written yet: what is looked at soon after needs no disk.
  let tail = Buffer.allocUnsafe(BLOCK_BYTES)
  let filled = 0
  const cached = { at: -1, size: 0, bytes: Buffer.allocUnsafe(BLOCK_BYTES) }

  const write = (bytes: Buffer) => {
    opened ??= openUnnamed()
    for (let done = 0; done < bytes.length; )
      done += writeSync(opened.file, bytes, done, bytes.length - done, written + done)
    written += bytes.length
  }
  const fill = (bytes: Buffer, at: number): number => {
    let done = 0
    while (opened && done < bytes.length) {
      const count = readSync(opened.file, bytes, done, bytes.length - done, at + done)
      if (count === 0) break
      done += count
    }
    return done
  }
  return {
    add(text) {
      const size = Buffer.byteLength(text)
      if (filled + size > BLOCK_BYTES) {
        write(tail.subarray(0, filled))
        filled = 0
      }
      const at = written + filled
      if (size > BLOCK_BYTES) write(Buffer.from(text))
      else filled += tail.write(text, filled)
      return { at, size }
    },
    read({ at, size }) {
      if (at >= written) return tail.toString('utf8', at - written, at - written + size)
      if (size > BLOCK_BYTES) {
        const bytes = Buffer.allocUnsafe(size)
        return bytes.toString('utf8', 0, fill(bytes, at))
      }
      if (cached.at < 0 || at < cached.at || at + size > cached.at + cached.size) {
        cached.at = at
        cached.size = fill(cached.bytes.subarray(0, Math.min(BLOCK_BYTES, written - at)), at)
      }
      return cached.bytes.toString('utf8', at - cached.at, at - cached.at + size)
    },
    close() {
      tail = Buffer.alloc(0)
      if (!opened) return
      closeSync(opened.file)
      rmSync(opened.folder, { recursive: true, force: true })
      opened = undefined
    },
  }
}

/** Without a name the file vanishes with the process, however it ends; where that cannot be, `close` removes it. */
function openUnnamed() {
  const folder = mkdtempSync(join(tmpdir(), 'agent-test-texts-'))
  const path = join(folder, 'texts')
  const file = openSync(path, 'wx+', 0o600)
  try {
    rmSync(path)
  } catch {
    // Windows keeps a file that is open.
  }
  return { file, folder }
}
