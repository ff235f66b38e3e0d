import type { CaseStatus } from '../../core/case-report.ts'
import type { Change } from '../../core/comparison.ts'

/** A text under a title. Texts of this file are made for people already: cleaned and cut. */
export type Titled = readonly [title: string, text: string]

/** A case in the page's data. What is not there is not shown. */
export interface PageCase {
  readonly name: string
  /** Position of the suite file in the page's list. */
  readonly suite?: number
  /** Where it starts in the suite file. */
  readonly line?: number
  /** The input in a line. */
  readonly about?: string
  /** Shown where the page tests several. */
  readonly target?: string
  readonly status: CaseStatus
  /** Why it did not pass, or was not run, in a line. */
  readonly why?: string
  readonly passed: number
  /** Executed runs. */
  readonly runs: number
  readonly errored?: number
  /** Runs that skipped themselves, beside `runs`. */
  readonly skipped?: number
  /** Stability in words, where a case has several runs. */
  readonly class?: string
  readonly change?: PageChange
  /** What the comparison says of it, each under its name; short. */
  readonly findings?: readonly Titled[]
  /** Mean duration, and with several runs least, greatest and standard deviation: milliseconds. */
  readonly ms: number
  readonly spread?: readonly [min: number, max: number, stddev: number]
  /** What was asked and with what. */
  readonly given?: readonly Titled[]
  readonly details?: readonly PageRun[]
  /** Details are shortened or missing, so that the file stays small. */
  readonly shortened?: boolean
}

export interface PageChange {
  readonly kind: Change['kind']
  /** Both rates, such as `3/3 → 1/3`. */
  readonly rates: string
  /** Percentage points, by which the page sorts. */
  readonly points: number
}

export interface PageRun {
  readonly run: number
  readonly status: CaseStatus
  readonly ms: number
  /** Tries, tokens and the like, in a line. */
  readonly note?: string
  /** Why it errored or was skipped. */
  readonly error?: string
  /** Checks that failed, and those whose judge said more. */
  readonly checks?: readonly PageCheck[]
  /** All others: name and, where it is known, what was expected. */
  readonly held?: readonly Titled[]
  /** What came of it: output, log, conversation. */
  readonly sections?: readonly Titled[]
  /** What the agent did, in order. */
  readonly steps?: readonly Titled[]
}

export interface PageCheck {
  readonly name: string
  readonly passed: boolean
  readonly message?: string
  readonly expected?: string
  readonly got?: string
  /** What else its judge said. */
  readonly details?: string
}

/** What the page must know besides its cases. */
export interface PageFacts {
  readonly suites: readonly string[]
  readonly cases: number
}
