import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe } from 'vitest'

/** Tests against the public data of other projects, which this repository does not hold; skipped where it is absent. */
export function describeCorpus(title: string, path: string, tests: (path: string) => void): void {
  const found = resolve(process.env['AGENT_TEST_CORPUS'] ?? '../shared/corpus', path)
  const isThere = existsSync(found)
  describe.runIf(isThere)(isThere ? title : `${title} (skipped: there is no ${found})`, () => tests(found))
}
