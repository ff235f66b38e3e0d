import type { Json, JsonObject } from './json.ts'
import type { KindConfig } from './kind.ts'
import type { Message } from './message.ts'

export interface Location {
  /** Path of the suite file relative to the working directory, with `/`. */
  readonly file: string
  /** 1-based line where the case starts. */
  readonly line: number
}

/** One test: an input and what must hold. Identified across commits by `caseKey`. */
export interface Case {
  /** Identity across commits: `<suite>/<id>`. */
  readonly key: string
  readonly id: string
  readonly suite: string
  readonly location: Location
  /** The record's `input` as written. */
  readonly input: Json
  readonly messages: readonly Message[]
  readonly assertions: readonly KindConfig[]
  readonly options: CaseOptions
  readonly metadata: JsonObject
  readonly user?: string
  readonly team?: string
  readonly timeoutMs?: number
  /** Why the case is not run. */
  readonly skip?: string
  /** Hash of what is asked and what must hold; another fingerprint is another question. */
  readonly fingerprint: string
}

/** Yao's `options` of a record. Source: seed 000, "Options". */
export interface CaseOptions {
  readonly connector?: string
  readonly mode?: string
  readonly search?: boolean
  readonly disable_global_prompts?: boolean
  readonly metadata?: JsonObject
  readonly skip?: Readonly<Partial<Record<'history' | 'trace' | 'output' | 'keyword' | 'search', boolean>>>
}

export interface Suite {
  /** The file's path relative to the working directory, with `/`; `message` for a direct message. */
  readonly name: string
  /** Absolute path of the file; the working directory for a direct message. */
  readonly path: string
  readonly cases: readonly Case[]
  readonly warnings: readonly string[]
  /** What runs its cases, whatever the command line names: a script test is its own target. */
  readonly target?: KindConfig
}

/** Name of the suite that direct messages make up: no file is called so, for suites have an extension. */
export const MESSAGE_SUITE = 'message'

export function caseKey(suite: string, id: string): string {
  return `${suite}/${id}`
}
