import { createHash } from 'node:crypto'
import { UserError } from '../core/errors.ts'

const MEBIBYTE = 1024 * 1024
export const MOST_ZIP_BYTES = 100 * MEBIBYTE
const MOST_JSON_BYTES = 400 * MEBIBYTE

/**
 * Reads the text of the one file, `entryName`, that an artifact's zip holds. The zip may come from anybody who could
 * run this workflow, so digest, entries and sizes are checked before anything is unpacked; nothing is ever written to
 * disk. Throws a UserError (ARTIFACT_UNREADABLE).
 */
export async function readArchive(zip: Uint8Array, digest: string | undefined, entryName: string): Promise<string> {
  if (digest !== undefined) checkDigest(zip, digest)
  const { unzipSync } = await import('fflate')
  const names: string[] = []
  let entries: Readonly<Record<string, Uint8Array>>
  try {
    entries = unzipSync(zip, {
      filter({ name, originalSize }) {
        names.push(name)
        if (originalSize > MOST_JSON_BYTES)
          throw unreadable(`it unpacks to more than ${MOST_JSON_BYTES / MEBIBYTE} MiB`)
        return name === entryName && names.length === 1
      },
    })
  } catch (error) {
    if (error instanceof UserError) throw error
    throw unreadable('it is no zip archive, or a broken one', error)
  }
  const content = entries[entryName]
  if (!content || names.length !== 1) {
    throw unreadable(
      `it holds ${
        names.length === 0
          ? 'nothing'
          : names
              .slice(0, 3)
              .map((name) => JSON.stringify(name))
              .join(', ')
      } instead of just ${entryName}`,
    )
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch (error) {
    throw unreadable(`${entryName} is not UTF-8`, error)
  }
}

function checkDigest(zip: Uint8Array, digest: string): void {
  const [algorithm, expected] = digest.split(':')
  if (algorithm !== 'sha256' || expected === undefined)
    throw unreadable(`its digest is of a kind not known here (${JSON.stringify(digest.slice(0, 40))})`)
  if (createHash('sha256').update(zip).digest('hex') === expected.toLowerCase()) return
  throw unreadable('what was downloaded does not match the digest that GitHub has of it')
}

export function unreadable(message: string, cause?: unknown): UserError {
  return new UserError(message, { code: 'ARTIFACT_UNREADABLE', cause })
}
