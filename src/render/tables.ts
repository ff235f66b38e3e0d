import { type CaseReport, totalsOf } from '../core/case-report.ts'
import { inlineText } from '../lib/escape.ts'
import { code } from './links.ts'
import {
  baseCell,
  type Cell,
  caseCell,
  causeCell,
  chanceCell,
  changeCell,
  classCell,
  erroredCell,
  hereCell,
  NOTHING,
  newsCell,
  ownClassCell,
  passedCell,
  rateCell,
  rateText,
  requiredCell,
  scoreCell,
  scoreChangeCell,
  statusCell,
  timeCell,
  waivedCell,
  waiverCell,
  watchCell,
} from './rows.ts'
import type { Scene } from './scene.ts'
import type { Standing } from './standing.ts'
import { blocks, type Column, table } from './table.ts'
import { plural } from './words.ts'

/** What may be chance must not push down what is not; all cases stand in their own table. */
const MOST_WATCHED = 15

/** What a reviewer must see: regressions, failures, errors, then what is worth a look. Only what is not empty. */
export function troubleTables(scene: Scene): string {
  return blocks(
    section('Regressions', scene, 'regressed', comparedColumns(scene)),
    section('Below the required pass rate', scene, 'failed', FAILED),
    section('Errors', scene, 'errored', ERRORED),
    section('Watch', { ...scene, rows: Math.min(scene.rows, MOST_WATCHED) }, 'watch', [
      ...sides(scene),
      SCORE_CHANGE,
      text('Why', watchCell),
    ]),
    section('Accepted and quarantined', scene, 'waived', [
      ...sides(scene),
      text('What', waivedCell),
      text('Why it is let through', waiverCell),
    ]),
  )
}

/** Good and neutral news. */
export function newsTables(scene: Scene): string {
  return blocks(
    section('Improved', scene, 'improved', [...sides(scene), SCORE_CHANGE, CLASS]),
    section('New', scene, 'new', NEW),
    removedTable(scene),
  )
}

export function countNews({ points, report }: Scene): Record<'improved' | 'new' | 'removed', number> {
  const count = (standing: Standing) => points.filter((point) => point.standing === standing).length
  const removed = report.changes.filter(({ kind }) => kind === 'removed').length
  return { improved: count('improved'), new: count('new'), removed }
}

interface CellColumn extends Column {
  readonly cell: Cell
  /** Shown only where it can say something. */
  readonly needs?: 'several runs' | 'scores' | 'comparison'
}

const text = (title: string, cell: Cell): CellColumn => ({ title, cell })
const number = (title: string, cell: Cell): CellColumn => ({ title, cell, align: 'right' })

const CASE = text('Case', caseCell)
const CLASS: CellColumn = { ...text('Class', classCell), needs: 'several runs' }
const OWN_CLASS: CellColumn = { ...text('Class', ownClassCell), needs: 'several runs' }
const SCORE: CellColumn = { ...number('Score', scoreCell), needs: 'scores' }
const SCORE_CHANGE: CellColumn = { ...number('Score', scoreChangeCell), needs: 'scores' }
const FAILED = [
  CASE,
  number('Passed', hereCell),
  { ...number('Rate (95% interval)', rateCell), needs: 'several runs' as const },
  number('Required', requiredCell),
  SCORE,
  OWN_CLASS,
  text('Why', causeCell),
]
const ERRORED = [CASE, number('Errored', erroredCell), text('Cause', causeCell)]
const NEW = [CASE, number('Passed', passedCell), OWN_CLASS, text('Why', newsCell)]

/** The case and its rates on both sides. */
function sides({ base }: Scene): CellColumn[] {
  return [
    CASE,
    { ...number(inlineText(base), baseCell), needs: 'comparison' },
    number('Here', hereCell),
    { ...number('Change', changeCell), needs: 'comparison' },
  ]
}

function comparedColumns(scene: Scene): CellColumn[] {
  return [...sides(scene), number('By chance', chanceCell), SCORE_CHANGE, CLASS]
}

function section(title: string, scene: Scene, standing: Standing, columns: readonly CellColumn[]): string {
  const points = scene.points.filter((point) => point.standing === standing)
  const shown = points.slice(0, scene.rows)
  if (shown.length === 0) return ''
  return titled(title, pointsTable(scene, columns, shown), points.length - shown.length)
}

function pointsTable(scene: Scene, columns: readonly CellColumn[], points: Scene['points']): string {
  const { report } = scene
  const has = {
    'several runs': report.maxRuns > 1 || report.runsPerCase > 1,
    scores: totalsOf(report.cases).scoredRuns > 0,
    comparison: report.baseline.kind === 'ok',
  }
  const kept = columns.filter(({ needs }) => needs === undefined || has[needs])
  return table(
    kept,
    points.map((point) => kept.map(({ cell }) => cell(point, scene))),
  )
}

function titled(title: string, body: string, more: number, noun = 'more case'): string {
  return blocks(`#### ${title}`, body, more > 0 ? `… and ${plural(more, noun)}.` : undefined)
}

function removedTable({ report, name, rows, base }: Scene): string {
  const removed = report.changes.filter(({ kind }) => kind === 'removed')
  if (removed.length === 0) return ''
  const shown = removed.slice(0, rows).map((change) => {
    return [code(name(change.key)), rateText('before' in change ? change.before : undefined)]
  })
  const columns: Column[] = [{ title: 'Case' }, { title: inlineText(base), align: 'right' }]
  return titled('Removed', table(columns, shown), removed.length - shown.length)
}

/** One row per case, worst first. */
export function allCasesTable(scene: Scene): string {
  const columns: readonly CellColumn[] = [
    CASE,
    text('Result', statusCell),
    { ...number(inlineText(scene.base), baseCell), needs: 'comparison' },
    number('Passed', passedCell),
    SCORE,
    OWN_CLASS,
    number('Mean time', timeCell),
  ]
  return pointsTable(scene, columns, scene.points)
}

/** One row per suite file; empty when there is only one. */
export function suitesTable({ report: { cases }, rows: most }: Scene): string {
  const suites = [...bySuite(cases)]
  if (suites.length < 2) return ''
  const rows = suites.slice(0, most).map(([suite, items]) => {
    const { passedRuns, runs, erroredRuns } = totalsOf(items)
    return [code(suite), String(items.length), runs === 0 ? NOTHING : `${passedRuns}/${runs}`, String(erroredRuns)]
  })
  const columns: Column[] = [{ title: 'Suite' }, ...['Cases', 'Runs passed', 'Errored'].map(numbers)]
  return titled('Suites', table(columns, rows), suites.length - rows.length, 'more suite')
}

function numbers(title: string): Column {
  return { title, align: 'right' }
}

export function bySuite(cases: readonly CaseReport[]): Map<string, CaseReport[]> {
  const groups = new Map<string, CaseReport[]>()
  for (const item of cases) {
    const group = groups.get(item.suite)
    if (group) group.push(item)
    else groups.set(item.suite, [item])
  }
  return groups
}
