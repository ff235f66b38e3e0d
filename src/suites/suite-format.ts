import type { KindConfig } from '../core/kind.ts'
import type { Findings } from '../core/reading/findings.ts'
import type { Case } from '../core/suite.ts'
import type { Attachments } from './attachments.ts'
import type { FileOrigin } from './find-inputs.ts'
import type { Projects } from './yaml/projects.ts'

/** A suite file while it is read. */
export interface SuiteSource extends FileOrigin {
  /** Path relative to the working directory, with `/`. */
  readonly name: string
  /** Absolute. */
  readonly path: string
  /** Takes every problem and warning. */
  readonly findings: Findings
  readonly attachments: Attachments
  readonly projects: Projects
}

interface ParsedSuite {
  readonly cases: readonly Case[]
  /** What runs the cases where the command line names nothing. */
  readonly defaultTarget?: KindConfig
  /** What the file is instead of a suite; whoever named it has been told. */
  readonly notASuite?: string
}

/** One way to write a suite down. */
export interface SuiteFormat {
  /** Extensions of a file given by name, with the dot. */
  readonly extensions: readonly string[]
  /** Those of them that make a file a suite when only a folder or a glob names it. */
  readonly foundByExtension: readonly string[]
  /** Names of folders that a folder or a glob is not searched in, unless it names them. */
  readonly passedOver?: readonly string[]
  /** Never throws for what the file says: that goes to `source.findings`. */
  parse(text: string, source: SuiteSource): ParsedSuite
}
