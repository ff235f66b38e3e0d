import type { Problem } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { type Case, caseKey, type Suite } from '../core/suite.ts'
import type { FoundTests } from '../scripts/find-tests.ts'
import { scriptRoot } from '../scripts/script-root.ts'
import { openScripts } from '../scripts/scripts.ts'
import { fingerprintOf } from './fingerprint.ts'

/** The script tests that an input such as `scripts.hello.index` names, as a suite that runs itself. */
export async function readScriptSuite(
  input: string,
  host: Pick<Host, 'cwd' | 'env'>,
): Promise<{ readonly suite: Suite } | { readonly problem: Problem }> {
  const scripts = openScripts({ root: scriptRoot(host.cwd, host), cwd: host.cwd })
  const found = await scripts.findTests(input)
  if (found.kind === 'not-found') return found
  const cases = found.tests.map((test) => caseOf(test, input, found))
  const { path } = found.script
  return { suite: { name: path, path: found.file, cases, warnings: [], target: { type: 'script', tests: input } } }
}

function caseOf({ name, line }: FoundTests['tests'][number], input: string, { script }: FoundTests): Case {
  const called = `${input}.${name}`
  const messages = [{ role: 'user', content: called }] as const
  const question = { messages, assertions: [], options: {}, metadata: {} }
  return {
    key: caseKey(script.path, name),
    id: name,
    suite: script.path,
    location: { file: script.path, line },
    input: called,
    ...question,
    // What the test asks is written in its file.
    fingerprint: fingerprintOf({ ...question, metadata: { script: script.code } }),
  }
}
