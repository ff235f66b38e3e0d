/** Where a text lies in a store. */
interface Place {
  readonly at: number
  /** In bytes. */
  readonly size: number
}

/** Texts outside of V8's heap: there they take a byte a character, and no garbage collection ever looks at them. */
export interface TextStore {
  add(text: string): Place
  read(place: Place): string
}

const CHUNK_BYTES = 1024 ** 2

/** Only adds: the texts live as long as the store. A lone surrogate comes back as U+FFFD, so JSON is stored escaped. */
export function createTextStore(): TextStore {
  // Chunks, because a single growing buffer would be copied again and again, and be there twice each time.
  const chunks: Buffer[] = []
  let used = CHUNK_BYTES
  return {
    add(text) {
      const size = Buffer.byteLength(text)
      if (size > CHUNK_BYTES) throw new Error(`a text of ${size} bytes is too large for the store`)
      if (used + size > CHUNK_BYTES) {
        chunks.push(Buffer.allocUnsafeSlow(CHUNK_BYTES))
        used = 0
      }
      const at = (chunks.length - 1) * CHUNK_BYTES + used
      chunks.at(-1)?.write(text, used)
      used += size
      return { at, size }
    },
    read({ at, size }) {
      const start = at % CHUNK_BYTES
      return chunks[(at - start) / CHUNK_BYTES]?.toString('utf8', start, start + size) ?? ''
    },
  }
}
