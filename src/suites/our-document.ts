import { closeSync, openSync, readSync, statSync } from 'node:fs'

/** Results, cassettes and baselines begin with their version, which no record of a suite has. */
const BEGINNING = /^\uFEFF?\s*\{\s*(?:"type"\s*:\s*"start"\s*,\s*)?"schemaVersion"\s*:/
const ENOUGH_BYTES = 200

/** Whether agent-test wrote the file, whatever its name: it lies where suites are looked for, and is none. */
export function isOurDocument(path: string): boolean {
  try {
    return BEGINNING.test(beginningOf(path))
  } catch {
    // Whoever reads it as a suite will say what is wrong with it.
    return false
  }
}

function beginningOf(path: string): string {
  // To open a pipe would be to wait for its other end.
  if (!statSync(path).isFile()) return ''
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(ENOUGH_BYTES)
    return bytes.toString('utf8', 0, readSync(file, bytes))
  } finally {
    closeSync(file)
  }
}
