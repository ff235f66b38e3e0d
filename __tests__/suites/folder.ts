import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { describeProblem } from '../../src/core/errors.ts'
import { type LoadedSuites, loadSuites } from '../../src/suites/index.ts'
import { fakeHost } from '../support/fake-host.ts'

/** A folder of its own with these files, removed when the test ends. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agent-test-suites-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

/** Loads one suite text as `cases.jsonl` of a fresh folder. */
export function loadText(
  text: string | Uint8Array,
  files: Readonly<Record<string, string>> = {},
): Promise<LoadedSuites> {
  const cwd = folderWith({ ...files, 'cases.jsonl': text })
  return loadSuites({ inputs: ['cases.jsonl'], host: fakeHost({ cwd }) })
}

export function described({ problems }: Pick<LoadedSuites, 'problems'>): string[] {
  return problems.map(describeProblem)
}

export function casesOf({ suites }: LoadedSuites) {
  return suites.flatMap((suite) => suite.cases)
}

export function jsonLines(...records: readonly unknown[]): string {
  return records.map((record) => JSON.stringify(record)).join('\n')
}
