import { relative, sep } from 'node:path'
import type { Problem } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { Suite } from '../core/suite.ts'
import { noteReferences, openAttachments } from './attachments.ts'
import { openConfinement } from './confinement.ts'
import { findInputs } from './find-inputs.ts'
import { readMessageSuite } from './message.ts'
import { readSuite } from './read-suite.ts'
import { readScriptSuite } from './script.ts'
import { openProjects } from './yaml/projects.ts'

export { openConfinement } from './confinement.ts'
export { readContextFile } from './context-file.ts'
export { type EvaluationConfig, readEvaluationConfig } from './evaluation-config.ts'
export { findAgentFolder, findAppRoot } from './find-agent.ts'

export interface LoadedSuites {
  readonly suites: readonly Suite[]
  /** Every mistake in every file; nothing may run while there is one. */
  readonly problems: readonly Problem[]
  /** About the inputs themselves; what is to be said of a suite is in it. */
  readonly warnings: readonly string[]
}

interface SuiteInputs {
  /** What `-i` was given: files, folders, globs, `!excludes`, script tests, direct messages. */
  readonly inputs: readonly string[]
  readonly host: Host
  /** `--strict`: warnings about suites are problems. */
  readonly strict?: boolean
  /** `--allow-outside`: where CI is set, too, attachments may lie anywhere. */
  readonly allowOutside?: boolean
}

/** Loads every suite; never throws for a mistake in them. */
export async function loadSuites({ inputs, host, strict, allowOutside }: SuiteInputs): Promise<LoadedSuites> {
  const found = await findInputs(inputs, host)
  const problems: Problem[] = [...found.problems]
  const suites: Suite[] = []
  const outside = { allowOutside: allowOutside === true }
  const attachments = openAttachments(host, outside)
  const confinement = openConfinement(host, outside)
  const projects = openProjects({ cwd: host.cwd, confinement, strict: strict === true })
  const options = { attachments, projects, strict: strict === true, isNamed: true }
  const leftOut: LeftOut[] = []
  for (const [path, origin] of found.files) {
    const name = suiteName(path, host.cwd)
    const noting = noteReferences(attachments)
    const read = await readSuite(path, name, { ...options, ...origin, attachments: noting.attachments })
    problems.push(...read.problems)
    if (read.notASuite === undefined || origin.isNamed) suites.push({ ...read.suite, ...noting.references() })
    else leftOut.push({ name, is: read.notASuite })
  }
  problems.push(...projects.problems())
  for (const input of found.scripts) {
    const read = await readScriptSuite(input, host)
    if ('suite' in read) suites.push(read.suite)
    else problems.push(read.problem)
  }
  if (found.messages.length > 0) {
    const read = readMessageSuite(found.messages, host.cwd, options)
    suites.push(read.suite)
    problems.push(...read.problems)
  }
  if (leftOut.length > 0 && suites.length === 0 && problems.length === 0)
    problems.push({ message: `nothing to run: ${describeLeftOut(leftOut)}` })
  return { suites, problems, warnings: [...found.warnings, ...projects.warnings(), ...leftOutWarning(leftOut)] }
}

/** A file that lies among the suites and is none. */
interface LeftOut {
  readonly name: string
  readonly is: string
}

function leftOutWarning(leftOut: readonly LeftOut[]): string[] {
  return leftOut.length === 0 ? [] : [`left out: ${describeLeftOut(leftOut)}`]
}

function describeLeftOut(leftOut: readonly LeftOut[]): string {
  const shown = leftOut.slice(0, 5).map(({ name, is }) => `${name} is ${is}`)
  const rest = leftOut.length - shown.length
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

/** The same on every machine: it is part of a case's identity. */
function suiteName(path: string, cwd: string): string {
  return relative(cwd, path).replaceAll(sep, '/')
}
