import { readFile, stat } from 'node:fs/promises'
import { quote } from '../../core/kind.ts'
import type { FileExpectation } from '../../core/session.ts'
import type { EmittedEvent } from '../../core/trace.ts'
import { compilePattern } from '../../lib/regex.ts'
import { confinedPath } from './confined.ts'

/** A larger file is nothing an agent has written for a test. */
const MOST_BYTES = 16 * 1024 * 1024

/** One check for each thing that is expected of a file. Source: spec opencode-evals A.4, `contentExpectations`. */
export async function checkFiles(expectations: readonly FileExpectation[], root: string): Promise<EmittedEvent[]> {
  const checks = await Promise.all(expectations.map((expected) => checkFile(expected, root)))
  return checks.flat()
}

async function checkFile(expected: FileExpectation, root: string): Promise<EmittedEvent[]> {
  const name = `file ${expected.filePath}`
  const check = (what: string, passed: boolean, message: string): EmittedEvent => ({
    type: 'check',
    name: `${name}: ${what}`,
    passed,
    message: passed ? '' : `${quote(expected.filePath)} ${message}`,
  })
  const content = await contentOf(root, expected.filePath)
  if ('fault' in content) return [check('exists', false, content.fault)]
  const { text } = content
  const { mustContain, mustNotContain, mustMatch, minLength, maxLength } = expected
  return [
    check('exists', true, ''),
    ...mustContain.map((part) =>
      check(`contains ${quote(part)}`, text.includes(part), `does not contain ${quote(part)}`),
    ),
    ...mustNotContain.map((part) =>
      check(`does not contain ${quote(part)}`, !text.includes(part), `contains ${quote(part)}`),
    ),
    ...(mustMatch === undefined
      ? []
      : [check(`matches ${mustMatch}`, compilePattern(mustMatch).test(text), `does not match ${mustMatch}`)]),
    ...(minLength === undefined
      ? []
      : [check(`has at least ${minLength} characters`, text.length >= minLength, `has ${text.length} characters`)]),
    ...(maxLength === undefined
      ? []
      : [check(`has at most ${maxLength} characters`, text.length <= maxLength, `has ${text.length} characters`)]),
  ]
}

async function contentOf(root: string, file: string): Promise<{ readonly text: string } | { readonly fault: string }> {
  const path = await confinedPath(root, file)
  // The agent may have put a link there.
  if (path === undefined) return { fault: 'is a link, or leads out of the workspace' }
  const found = await stat(path).catch(() => undefined)
  if (!found) return { fault: 'does not exist' }
  if (!found.isFile()) return { fault: 'is no file' }
  if (found.size > MOST_BYTES) return { fault: `has more than ${MOST_BYTES / 1024 ** 2} MiB` }
  return { text: await readFile(path, 'utf8') }
}
