import { relative, sep } from 'node:path'
import type { Problem } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { Suite } from '../core/suite.ts'
import { openAttachments } from './attachments.ts'
import { findInputs } from './find-inputs.ts'
import { messageSuite } from './message.ts'
import { readSuite } from './read-suite.ts'
import type { UnsupportedCase } from './suite-format.ts'

export { readContextFile } from './context-file.ts'
export { findAgentFolder, findAppRoot } from './find-agent.ts'
export type { UnsupportedCase } from './suite-format.ts'

export interface LoadedSuites {
  readonly suites: readonly Suite[]
  /** Every mistake in every file; nothing may run while there is one. */
  readonly problems: readonly Problem[]
  /** Only a problem for the cases that are chosen to run. */
  readonly unsupported: readonly UnsupportedCase[]
}

interface SuiteInputs {
  /** What `-i` was given: files, folders, globs, `!excludes`, direct messages. */
  readonly inputs: readonly string[]
  readonly host: Host
}

/** Loads every suite; never throws for a mistake in them. */
export async function loadSuites({ inputs, host }: SuiteInputs): Promise<LoadedSuites> {
  const found = await findInputs(inputs, host)
  const problems: Problem[] = [...found.problems]
  const suites: Suite[] = []
  const unsupported: UnsupportedCase[] = []
  const attachments = openAttachments(host)
  for (const path of found.files) {
    const read = await readSuite(path, suiteName(path, host.cwd), attachments)
    suites.push(read.suite)
    problems.push(...read.problems)
    unsupported.push(...read.unsupported)
  }
  if (found.messages.length > 0) suites.push(messageSuite(found.messages, host.cwd))
  return { suites, problems, unsupported }
}

/** The same on every machine: it is part of a case's identity. */
function suiteName(path: string, cwd: string): string {
  return relative(cwd, path).replaceAll(sep, '/')
}
