import { readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isJsonObject } from '../../core/json.ts'
import { shown } from '../../core/reading/fields.ts'
import type { Findings } from '../../core/reading/findings.ts'
import { placedNotes } from '../../core/reading/placed-notes.ts'
import { readDocument } from '../../core/reading/yaml-document.ts'
import { type ConfigPlace, readConfig, type SuiteConfig } from './config.ts'
import { isConfig, mayBeConfig } from './shape.ts'

/**
 * Where a folder's config file lies, the first of them that is there: the name that says it, or the one of the public
 * suites, which others use, too. Source: spec opencode-evals A.7.
 */
const PLACES = ['agent-test.yaml', 'agent-test.yml', 'config/config.yaml', 'config/config.yml'] as const

/** Hand-written, and no more than settings. */
const MOST_BYTES = 1024 * 1024

export function configPathIn(folder: string): string | undefined {
  return PLACES.map((place) => join(folder, place)).find(
    (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
  )
}

/** Whether only agent-test can have meant a file of this name. */
export function isNamedConfig(path: string): boolean {
  return /^agent-test\.ya?ml$/.test(basename(path))
}

/** Undefined for the config of another tool; everything wrong with ours goes to `findings`. */
export function readConfigFile(
  path: string,
  place: ConfigPlace,
  findings: Findings,
): SuiteConfig | 'broken' | undefined {
  const text = readText(path)
  if (typeof text !== 'string') {
    findings.at().problem('', text.message)
    return 'broken'
  }
  // What cannot be read may still be told by its lines.
  if (!isNamedConfig(path) && !mayBeConfig(text)) return undefined
  const document = readDocument(text, findings)
  if (!document) return 'broken'
  const { value } = document
  if (!isNamedConfig(path) && !(isJsonObject(value) && isConfig(value))) return undefined
  const notes = placedNotes(findings, document, '')
  if (isJsonObject(value)) return readConfig(value, notes, place)
  notes.problem('', `expected settings such as "agent: build", got ${shown(value)}`)
  return 'broken'
}

function readText(path: string): string | { readonly message: string } {
  try {
    if (statSync(path).size > MOST_BYTES)
      return { message: `a config file of more than ${MOST_BYTES / 1024 / 1024} MiB` }
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    return { message: code.startsWith('ERR_ENCODING') ? 'not UTF-8 text' : `cannot be read (${code})` }
  }
}
