import type { Problem } from '../core/errors.ts'
import type { Case } from '../core/suite.ts'
import type { Attachments } from './attachments.ts'
import type { Findings } from './findings.ts'

/** A suite file while it is read. */
export interface SuiteSource {
  /** Path relative to the working directory, with `/`. */
  readonly name: string
  /** Absolute. */
  readonly path: string
  /** Takes every problem and warning. */
  readonly findings: Findings
  readonly attachments: Attachments
}

/** A case that asks for something this version cannot do; it must not run as if it had not asked. */
export interface UnsupportedCase {
  readonly caseKey: string
  readonly problem: Problem
}

interface ParsedSuite {
  readonly cases: readonly Case[]
  readonly unsupported: readonly UnsupportedCase[]
}

/** One way to write a suite down. */
export interface SuiteFormat {
  /** Extensions of a file given by name, with the dot. */
  readonly extensions: readonly string[]
  /** Those of them that make a file a suite when only a folder or a glob names it. */
  readonly foundByExtension: readonly string[]
  /** Never throws for what the file says: that goes to `source.findings`. */
  parse(text: string, source: SuiteSource): ParsedSuite
}
