/** A name and its extension, together with what tells equal names apart, stay below the 255 bytes of most file systems. */
const LONGEST_BYTES = 160

/** Names that mean a device on Windows, whatever their extension. Source: Microsoft, "Naming Files, Paths, and Namespaces". */
const DEVICE = /^(?:con|prn|aux|nul|conin|conout|com[\d¹²³]|lpt[\d¹²³])(?:\.|$)/i

/**
 * Any text as the name of a file, without extension: letters, digits, `.`, `_` and `-` alone, so that it can neither
 * leave its folder nor be hidden, an option or a device.
 */
export function fileNameOf(text: string): string {
  const plain = text.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '-')
  const name = trimmed(cutToBytes(trimmed(plain), LONGEST_BYTES))
  if (name === '') return 'unnamed'
  return DEVICE.test(name) ? `_${name}` : name
}

export interface WantedName {
  readonly name: string
  /** Taken where several share `name`. */
  readonly longName: string
}

/**
 * A file name for each, in order, no two of which are one file: not where case does not count, nor where letters are
 * composed otherwise.
 */
export function distinctFileNames(wanted: readonly WantedName[], extension: string): string[] {
  const uses = new Map<string, number>()
  for (const { name } of wanted) {
    const key = sameFile(fileNameOf(name))
    uses.set(key, (uses.get(key) ?? 0) + 1)
  }
  const taken = new Set<string>()
  const next = new Map<string, number>()
  return wanted.map(({ name, longName }) => {
    const short = fileNameOf(name)
    const base = uses.get(sameFile(short)) === 1 ? short : fileNameOf(longName)
    let number = next.get(sameFile(base)) ?? 1
    let candidate = number === 1 ? base : `${base}-${number}`
    while (taken.has(sameFile(candidate))) {
      number += 1
      candidate = `${base}-${number}`
    }
    next.set(sameFile(base), number + 1)
    taken.add(sameFile(candidate))
    return `${candidate}${extension}`
  })
}

/** Equal for names that some file systems take for the same. */
export function sameFile(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFKC')
}

function trimmed(text: string): string {
  return text.replace(/^[.-]+/, '').replace(/[.-]+$/, '')
}

function cutToBytes(text: string, limit: number): string {
  let bytes = 0
  let kept = ''
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > limit) break
    kept += character
  }
  return kept
}
