import { type CaseReport, caseStatus } from '../core/case-report.ts'
import { describeChance } from '../core/describe-reason.ts'
import { formatPercent, formatScore } from '../core/percent.ts'
import { failureText, type JudgedRate, ratePercent } from '../core/result.ts'
import { classify, describeClass } from '../core/stability.ts'
import { describeRate, type Note, type Reason } from '../core/verdict.ts'
import { formatDuration } from '../lib/duration.ts'
import { inlineText } from '../lib/escape.ts'
import { intervalOf, scoreOf } from './figures.ts'
import { caseLink, code } from './links.ts'
import { type Scene, sidesOf } from './scene.ts'
import { scoreChangeOf } from './score-change.ts'
import type { Standpoint } from './standing.ts'
import { describePassed, describeStatus, formatPoints, groupFailures, plural } from './words.ts'

const LONGEST_CAUSE = 160
const MOST_EVALUATORS = 2
export const NOTHING = '–'

/** What a table cell says of a case, in Markdown. */
export type Cell = (point: Standpoint, scene: Scene) => string

export const caseCell: Cell = ({ item }, { name, links }) => caseLink(item, name, links)

export const baseCell: Cell = ({ item, change }) => rateText(sidesOf(item, change).before)

export const hereCell: Cell = ({ item }, { report }) =>
  item.stability.runs === 0 ? NOTHING : describePassed(item, report.runsPerCase)

/** Of all executed runs, errored ones included. */
export const passedCell: Cell = ({ item: { stability } }) =>
  stability.runs === 0 ? NOTHING : `${stability.passed}/${stability.runs}`

export const changeCell: Cell = ({ item, change }) => {
  const { before, after } = sidesOf(item, change)
  return before && after ? formatPoints(ratePercent(after) - ratePercent(before)) : NOTHING
}

/** How often a drop this bad comes about where nothing was changed. */
export const chanceCell: Cell = ({ change }) =>
  change && 'finding' in change ? describeChance(change.finding.p) : NOTHING

export const classCell: Cell = ({ item, change }) => {
  if (item.stability.runs === 0) return NOTHING
  const { before } = sidesOf(item, change)
  const now = describeClass(item.stability.class)
  const was = before ? describeClass(classify(ratePercent(before))) : now
  return was === now ? now : `${was} → ${now}`
}

export const ownClassCell: Cell = ({ item: { stability } }) =>
  stability.runs === 0 ? NOTHING : describeClass(stability.class)

export const scoreCell: Cell = ({ item }) => scoreOf(item, NOTHING)

/** Score before and after, and the evaluators that fell. */
export const scoreChangeCell: Cell = ({ item }, { report }) => {
  const change = scoreChangeOf(item, report.pools.get(item.key))
  if (!change) return scoreOf(item, NOTHING)
  const { whole, fallen } = change
  const sides = (before: number, after: number) => `${formatScore(before)} → ${formatScore(after)}`
  const score = whole ? sides(whole.before, whole.after) : scoreOf(item, NOTHING)
  const named = fallen.slice(0, MOST_EVALUATORS).map(({ evaluator, before, after }) => {
    return `${code(evaluator)} ${sides(before, after)}`
  })
  const more = fallen.length > named.length ? [plural(fallen.length - named.length, 'more')] : []
  return named.length === 0 ? score : `${score} (${[...named, ...more].join(', ')})`
}

export const rateCell: Cell = ({ item }) => {
  const { passed, failed } = item.stability
  const rate = { passed, judged: passed + failed }
  return rate.judged === 0 ? NOTHING : `${formatPercent(ratePercent(rate))} (${intervalOf(rate)})`
}

export const requiredCell: Cell = ({ item }, { report }) => {
  if (item.gate?.critical === true) return 'every run'
  return formatPercent(item.gate?.minPassRate ?? report.gate.minPassRate)
}

export const causeCell: Cell = ({ item }) => cause(item)

function cause(item: CaseReport): string {
  const [first, ...others] = groupFailures(item)
  if (!first) return NOTHING
  const text = inlineText(failureText(first[0]), { maxLength: LONGEST_CAUSE })
  return others.length === 0 ? text : `${text} (and ${plural(others.length, 'other cause')})`
}

export const erroredCell: Cell = ({ item: { stability } }) => `${stability.errored}/${stability.runs}`

export const statusCell: Cell = ({ item }) =>
  item.unchanged === undefined ? describeStatus(caseStatus(item)) : 'unchanged'

export const timeCell: Cell = ({ item: { stability } }) =>
  stability.runs === 0 ? NOTHING : formatDuration(stability.durationMs.mean)

/** Why a case deserves a look although it does not make the run red. */
export const watchCell: Cell = ({ change, item, note }) => {
  const said = note && noteWords(note)
  return said ?? (change?.kind === 'dropped' ? 'lower, which may be chance' : settled(item))
}

function noteWords(note: Note): string | undefined {
  const now = (control: JudgedRate | undefined) => (control ? `: the base commit passes ${rateText(control)} now` : '')
  if (note.kind === 'environment_moved') return `environment moved${now(note.control)}`
  if (note.kind === 'not_proven') return `not proven${now(note.finding.control)}`
  if (note.kind === 'known_bad') return `below the required ${formatPercent(note.required)} on the base branch already`
  if (note.kind !== 'threshold_not_proven') return undefined
  return `too few runs to tell whether it reaches the required ${formatPercent(note.required)}`
}

function settled({ stability }: CaseReport): string {
  return stability.failed > 0 ? `failed in part: ${describeClass(stability.class)}` : NOTHING
}

export const newsCell: Cell = ({ change }) =>
  change?.kind === 'redefined' ? 'its definition or target changed' : 'not on the base branch'

export const waivedCell: Cell = ({ note }) =>
  note?.kind === 'waived' ? `${note.waiver.kind}: ${waivedReason(note.reason)}` : NOTHING

function waivedReason({ kind }: Reason): string {
  return kind === 'regressed' ? 'regressed' : 'below what is required'
}

export const waiverCell: Cell = ({ note }) => {
  if (note?.kind !== 'waived') return NOTHING
  const { reason, source, until } = note.waiver
  const end = until === undefined ? '' : `, until ${inlineText(until, { maxLength: 20 })}`
  return `${inlineText(reason, { maxLength: LONGEST_CAUSE })} (${code(source)}${end})`
}

export function rateText(rate: JudgedRate | undefined): string {
  return rate ? describeRate(rate) : NOTHING
}
