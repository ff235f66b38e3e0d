import { type CaseReport, caseStatus, totalsOf } from '../core/case-report.ts'
import type { Change } from '../core/comparison.ts'
import { formatPercent } from '../core/percent.ts'
import type { Report } from '../core/report.ts'
import { failureText, ratePercent } from '../core/result.ts'
import { classify, describeClass, judgedRate } from '../core/stability.ts'
import { describeRate } from '../core/verdict.ts'
import { formatDuration } from '../lib/duration.ts'
import { inlineText } from '../lib/escape.ts'
import { scoreOf } from './figures.ts'
import { caseLink, code, nameOf, type ReportLinks } from './links.ts'
import type { Standing, Standpoint } from './standing.ts'
import { blocks, type Column, table } from './table.ts'
import { describeStatus, formatPoints, groupFailures, plural } from './words.ts'

const LONGEST_CAUSE = 160
const NOTHING = '–'

/** What the tables of one document share. */
export interface Scene {
  readonly report: Report
  readonly points: readonly Standpoint[]
  readonly links: ReportLinks
  /** Most rows of a table. */
  readonly rows: number
  readonly name: (key: string) => string
}

export function sceneOf(report: Report, points: readonly Standpoint[], links: ReportLinks, rows: number): Scene {
  return { report, points, links, rows, name: nameOf(report) }
}

/** What a reviewer must see: regressions, failures, errors, then what is worth a look. Only what is not empty. */
export function troubleTables(scene: Scene): string {
  const required = formatPercent(scene.report.gate.minPassRate)
  return blocks(
    section('Regressions', scene, 'regressed', COMPARED, comparedRow),
    section(`Below the required ${required}`, scene, 'failed', FAILED, failedRow),
    section('Errors', scene, 'errored', ERRORED, erroredRow),
    section('Watch', scene, 'watch', COMPARED, comparedRow),
  )
}

/** Good and neutral news. */
export function newsTables(scene: Scene): string {
  return blocks(
    section('Improved', scene, 'improved', COMPARED, comparedRow),
    section('New', scene, 'new', NEW, newRow),
    removedTable(scene),
  )
}

export function countNews({ points, report }: Scene): Record<'improved' | 'new' | 'removed', number> {
  const count = (standing: Standing) => points.filter((point) => point.standing === standing).length
  const removed = report.changes.filter(({ kind }) => kind === 'removed').length
  return { improved: count('improved'), new: count('new'), removed }
}

const number = (title: string): Column => ({ title, align: 'right' })
const CASE: Column = { title: 'Case' }
/** Says nothing of a single run. */
const CLASS: Column = { title: 'Class' }
/** Only where something is scored. */
const SCORE: Column = { title: 'Score', align: 'right' }
const RATE: Column = number('Rate')
const COMPARED = [CASE, number('Baseline'), number('Here'), number('Change'), CLASS]
const FAILED = [CASE, number('Passed'), RATE, SCORE, CLASS, { title: 'Why' }]
const ERRORED = [CASE, number('Errored'), { title: 'Cause' }]
const NEW = [CASE, number('Passed'), CLASS, { title: 'Why' }]
const ALL = [CASE, { title: 'Result' }, number('Passed'), SCORE, CLASS, number('Mean time')]

type Row = (point: Standpoint, scene: Scene) => string[]

function section(title: string, scene: Scene, standing: Standing, columns: readonly Column[], row: Row): string {
  const points = scene.points.filter((point) => point.standing === standing)
  const rows = points.slice(0, scene.rows).map((point) => row(point, scene))
  return rows.length === 0 ? '' : titled(title, caseTable(scene, columns, rows), points.length - rows.length)
}

function caseTable({ report }: Scene, columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const isScored = totalsOf(report.cases).scoredRuns > 0
  const isKept = columns.map((column) => {
    if (column === SCORE) return isScored
    return report.runsPerCase > 1 || (column !== CLASS && column !== RATE)
  })
  const kept = <T>(cells: readonly T[]) => cells.filter((_, index) => isKept[index])
  return table(kept(columns), rows.map(kept))
}

function titled(title: string, body: string, more: number, noun = 'more case'): string {
  return blocks(`#### ${title}`, body, more > 0 ? `… and ${plural(more, noun)}.` : undefined)
}

const comparedRow: Row = ({ item, change }, { name, links }) => {
  const { before, after } = sidesOf(item, change)
  const delta = before && after ? formatPoints(ratePercent(after) - ratePercent(before)) : NOTHING
  const now = describeClass(item.stability.class)
  const was = before ? describeClass(classify(ratePercent(before))) : now
  return [
    caseLink(item, name, links),
    before ? describeRate(before) : NOTHING,
    after ? describeRate(after) : NOTHING,
    delta,
    was === now ? now : `${was} → ${now}`,
  ]
}

/** Both rates of a case; `before` only where the baseline has a comparable one. */
export function sidesOf(item: CaseReport, change: Change | undefined) {
  const before = change && 'before' in change ? change.before : undefined
  return { before, after: judgedRate(item.stability) }
}

const failedRow: Row = ({ item }, { name, links }) => {
  const rate = judgedRate(item.stability)
  return [
    caseLink(item, name, links),
    rate ? describeRate(rate) : NOTHING,
    rate ? formatPercent(ratePercent(rate)) : NOTHING,
    scoreOf(item, NOTHING),
    describeClass(item.stability.class),
    cause(item),
  ]
}

const erroredRow: Row = ({ item }, { name, links }) => [
  caseLink(item, name, links),
  `${item.stability.errored}/${item.stability.runs}`,
  cause(item),
]

const newRow: Row = ({ item, change }, { name, links }) => [
  caseLink(item, name, links),
  `${item.stability.passed}/${item.stability.runs}`,
  describeClass(item.stability.class),
  change?.kind === 'redefined' ? 'its definition or target changed' : 'not in the baseline',
]

function cause(item: CaseReport): string {
  const [first, ...others] = groupFailures(item)
  if (!first) return NOTHING
  const text = inlineText(failureText(first[0]), { maxLength: LONGEST_CAUSE })
  return others.length === 0 ? text : `${text} (and ${plural(others.length, 'other cause')})`
}

function removedTable({ report, name, rows }: Scene): string {
  const removed = report.changes.filter(({ kind }) => kind === 'removed')
  if (removed.length === 0) return ''
  const shown = removed.slice(0, rows).map((change) => {
    const before = 'before' in change ? change.before : undefined
    return [code(name(change.key)), before ? describeRate(before) : NOTHING]
  })
  return titled('Removed', table([CASE, number('Baseline')], shown), removed.length - shown.length)
}

/** One row per case, worst first. */
export function allCasesTable(scene: Scene): string {
  const { points, name, links, report } = scene
  const isScored = totalsOf(report.cases).scoredRuns > 0
  const rows = points.map(({ item }) => {
    const { stability } = item
    const wasRun = stability.runs > 0
    return [
      caseLink(item, name, links),
      describeStatus(caseStatus(item)),
      wasRun ? `${stability.passed}/${stability.runs}` : NOTHING,
      isScored ? scoreOf(item, NOTHING) : NOTHING,
      wasRun ? describeClass(stability.class) : NOTHING,
      wasRun ? formatDuration(stability.durationMs.mean) : NOTHING,
    ]
  })
  return caseTable(scene, ALL, rows)
}

/** One row per suite file; empty when there is only one. */
export function suitesTable({ report: { cases }, rows: most }: Scene): string {
  const suites = [...bySuite(cases)]
  if (suites.length < 2) return ''
  const rows = suites.slice(0, most).map(([suite, items]) => {
    const { passedRuns, runs, erroredRuns } = totalsOf(items)
    return [code(suite), String(items.length), `${passedRuns}/${runs}`, String(erroredRuns)]
  })
  const columns = [{ title: 'Suite' }, number('Cases'), number('Runs passed'), number('Errored')]
  return titled('Suites', table(columns, rows), suites.length - rows.length, 'more suite')
}

function bySuite(cases: readonly CaseReport[]): Map<string, CaseReport[]> {
  const groups = new Map<string, CaseReport[]>()
  for (const item of cases) {
    const group = groups.get(item.suite)
    if (group) group.push(item)
    else groups.set(item.suite, [item])
  }
  return groups
}
