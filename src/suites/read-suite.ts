import { readFile, stat } from 'node:fs/promises'
import type { Problem } from '../core/errors.ts'
import { collectFindings, type Notes } from '../core/reading/findings.ts'
import type { Suite } from '../core/suite.ts'
import type { Attachments } from './attachments.ts'
import type { FileOrigin } from './find-inputs.ts'
import { formatOf } from './formats.ts'
import type { Projects } from './yaml/projects.ts'

const MIB = 1024 * 1024
/** The text is held while it is read, and V8 strings end at half a GiB. */
const FILE_LIMIT = 256 * MIB

export interface ReadSuite {
  readonly suite: Suite
  readonly problems: readonly Problem[]
  /** What the file is instead of a suite. */
  readonly notASuite?: string
}

export interface ReadOptions extends FileOrigin {
  readonly attachments: Attachments
  readonly projects: Projects
  /** Warnings are problems. */
  readonly strict?: boolean
}

/** Reads one suite file; everything wrong with it is in `problems`. */
export async function readSuite(path: string, name: string, { strict, ...given }: ReadOptions): Promise<ReadSuite> {
  const findings = collectFindings(name, { strict: strict === true })
  const notes = findings.at()
  const text = await readText(path, notes)
  const source = { name, path, findings, ...given }
  const parsed = text === undefined ? undefined : formatOf(path)?.parse(text, source)
  const { cases = [], defaultTarget, notASuite } = parsed ?? {}
  if (parsed && cases.length === 0 && findings.problems.length === 0 && notASuite === undefined)
    notes.problem('', 'there is no case in this file')
  return {
    suite: { name, path, cases, warnings: findings.warnings(), ...(defaultTarget ? { defaultTarget } : {}) },
    problems: findings.problems,
    ...(notASuite === undefined ? {} : { notASuite }),
  }
}

async function readText(path: string, notes: Notes): Promise<string | undefined> {
  try {
    const found = await stat(path)
    const size = `${Math.round(found.size / MIB)} MiB`
    // A pipe would be waited for, perhaps for ever.
    if (!found.isFile()) notes.problem('', 'not a regular file')
    else if (found.size <= FILE_LIMIT) return decode(await readFile(path), notes)
    else notes.problem('', `${size} is more than ${FILE_LIMIT / MIB} MiB`, 'split the suite into several files')
    return undefined
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    notes.problem('', `cannot be read (${code})`)
    return undefined
  }
}

/** Strict: a wrong encoding would go to the agent as replacement characters. A byte order mark is dropped. */
function decode(bytes: Uint8Array, notes: Notes): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    notes.problem('', 'not UTF-8 text', 'save the file in the encoding UTF-8')
    return undefined
  }
}
