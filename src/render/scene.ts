import type { CaseReport } from '../core/case-report.ts'
import type { Change } from '../core/comparison.ts'
import type { Report } from '../core/report.ts'
import { judgedRate } from '../core/stability.ts'
import { plainText } from '../lib/escape.ts'
import { nameOf, type ReportLinks } from './links.ts'
import type { Standpoint } from './standing.ts'

/** What the parts of one document share. */
export interface Scene {
  readonly report: Report
  readonly points: readonly Standpoint[]
  readonly links: ReportLinks
  /** Most rows of a table. */
  readonly rows: number
  readonly name: (key: string) => string
  /** Name of the base branch, not escaped. */
  readonly base: string
}

export function sceneOf(report: Report, points: readonly Standpoint[], links: ReportLinks, rows: number): Scene {
  return { report, points, links, rows, name: nameOf(report), base: baseName(report) }
}

const LONGEST_BRANCH = 30

/** The branch compared with, in plain text; "base" where it is not known. */
export function baseName({ baseline }: Pick<Report, 'baseline'>): string {
  const branch = baseline.kind === 'ok' ? plainText(baseline.baseline.branch ?? '', { maxLength: LONGEST_BRANCH }) : ''
  return branch === '' ? 'base' : branch
}

/** Both rates of a case; `before` only where the baseline has a comparable one. */
export function sidesOf(item: CaseReport, change: Change | undefined) {
  const before = change && 'before' in change ? change.before : undefined
  return { before, after: judgedRate(item.stability) }
}
