import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { collectFindings, type Findings, type Notes } from '../core/reading/findings.ts'
import { placedNotes } from '../core/reading/placed-notes.ts'
import { readDocument, type YamlDocument } from '../core/reading/yaml-document.ts'

/** Where a policy file is looked for. */
export interface PolicyPlace {
  readonly cwd: string
  /** As the user knows it; '' for none. */
  readonly path: string
  /** The option that names it. */
  readonly option: string
  /** It was named by the user, and so must be there. */
  readonly isGiven: boolean
}

/** A policy file that was read; what is wrong with it goes to `notes`. */
export interface PolicyFile {
  readonly path: string
  readonly document: YamlDocument
  readonly findings: Findings
  readonly notes: Notes
}

const MIB = 1024 * 1024
/** Written by hand: a list of a few lines, or some hundred. */
const MOST_BYTES = MIB

/** Undefined for a file that is not there, and for one that cannot be read: then `findings` says why. */
export async function openPolicyFile(place: PolicyPlace, findings: Findings): Promise<PolicyFile | undefined> {
  if (place.path === '') return undefined
  const read = await readText(resolve(place.cwd, place.path))
  if (read.kind === 'text') {
    const document = readDocument(read.text, findings)
    return document && { path: place.path, document, findings, notes: placedNotes(findings, document, '') }
  }
  if (read.kind === 'broken') findings.at().problem('', read.message)
  else if (place.isGiven) findings.at().problem('', 'not found', `--${place.option} names it`)
  return undefined
}

export function findingsIn({ path }: PolicyPlace): Findings {
  return collectFindings(path)
}

type ReadText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'broken'; readonly message: string }

async function readText(path: string): Promise<ReadText> {
  try {
    const found = await stat(path)
    // To open a pipe would be to wait for its other end.
    if (!found.isFile()) return { kind: 'broken', message: 'is not a file' }
    if (found.size > MOST_BYTES) return { kind: 'broken', message: `is larger than ${MOST_BYTES / MIB} MiB` }
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path)) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' }
    return { kind: 'broken', message: code.startsWith('ERR_ENCODING') ? 'not UTF-8 text' : `cannot be read (${code})` }
  }
}
