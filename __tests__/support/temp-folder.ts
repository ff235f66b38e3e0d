import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach } from 'vitest'

export interface TempFolder {
  readonly path: string
  write(files: Readonly<Record<string, string>>): void
}

/** Makes folders with the given files in them; all are removed after each test. */
export function tempFolders(): (files?: Readonly<Record<string, string>>) => TempFolder {
  const made: string[] = []
  afterEach(() => {
    for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true })
  })
  return (files = {}) => {
    const path = mkdtempSync(join(tmpdir(), 'agent-test-'))
    made.push(path)
    const write = (entries: Readonly<Record<string, string>>) => {
      for (const [name, text] of Object.entries(entries)) {
        mkdirSync(dirname(join(path, name)), { recursive: true })
        writeFileSync(join(path, name), text)
      }
    }
    write(files)
    return { path, write }
  }
}
