import { describeBaseline } from '../core/baseline.ts'
import { executedCases, overallPassRate, totalsOf } from '../core/case-report.ts'
import type { Change } from '../core/comparison.ts'
import { describeChance } from '../core/describe-reason.ts'
import { formatPercent, type Percent } from '../core/percent.ts'
import type { Report } from '../core/report.ts'
import { ratePercent } from '../core/result.ts'
import { describeNote, describeRate, describeReason } from '../core/verdict.ts'
import { formatDuration } from '../lib/duration.ts'
import { plainText } from '../lib/escape.ts'
import { classCounts, costOf, meanScore, tokensUsed, unchangedCases } from './figures.ts'
import { nameOf } from './links.ts'
import { controlSentence, sensitivitySentence } from './notes.ts'
import type { Mood, Paint } from './terminal.ts'
import { distinctReasons, gateSentence, headlineOf } from './verdict-line.ts'
import { formatCount, formatPoints, plural } from './words.ts'

const LONGEST_LINE = 1_000
const LONGEST_NAME = 60
/** Columns that the words for changes take at least. */
const SHORTEST_WORD = 10
/** Changes and reasons listed; the rest is counted. */
const MOST_LINES = 30

interface Row {
  readonly name: string
  readonly value: string | undefined
}

export interface PlanSettings {
  readonly startedAt: string
  readonly suites: readonly string[]
  readonly cases: number
  readonly skipped: number
  readonly runsPerCase: number
  /** Of a suspicious case; absent where none is run again. */
  readonly maxRuns?: number
  readonly parallel: number
  readonly timeoutMs: number
  /** `--timeout` was given, and so no case has a limit of its own. */
  readonly timeoutGiven?: boolean
  /** Cases with a limit of their own. */
  readonly ownLimits?: number
  /** See `environmentText`. */
  readonly environment?: string
  readonly targets: readonly string[]
  readonly connector?: string
}

/** What is about to be run. */
export function planText(plan: PlanSettings, paint: Paint): string {
  const [suite = '', ...others] = plan.suites
  const more = others.length === 0 ? '' : ` and ${plural(others.length, 'more suite')}`
  const skipped = plan.skipped === 0 ? '' : `, ${formatCount(plan.skipped)} skipped`
  const limit = `each within ${formatDuration(plan.timeoutMs).replace(/ 0[sm]$/, '')}${otherLimits(plan)}`
  const parallel = plan.parallel === 1 ? 'one at a time' : `${formatCount(plan.parallel)} at a time`
  const again =
    plan.maxRuns !== undefined && plan.maxRuns > plan.runsPerCase ? `, suspicious ones up to ${plan.maxRuns}` : ''
  const rows: Row[] = [
    { name: 'Agent', value: plan.targets.join(', ') },
    { name: 'Connector', value: plan.connector },
    { name: 'Identity', value: plan.environment },
    { name: 'Input', value: `${suite}${more}: ${plural(plan.cases, 'case')}${skipped}` },
    { name: 'Runs', value: `${plural(plan.runsPerCase, 'run')} a case${again}, ${parallel}, ${limit}` },
  ]
  return `${section('Agent test', rows, paint)}\n`
}

function otherLimits({ ownLimits = 0, timeoutGiven = false }: PlanSettings): string {
  if (ownLimits === 0) return ''
  return timeoutGiven ? ', whatever a case says' : ` (${plural(ownLimits, 'case')} with another limit)`
}

/** Figures, changes and verdict; the last line says what the gate does and why. */
export function reportText(report: Report, exitCode: number, paint: Paint): string {
  const { passed } = report.verdict
  const parts = [
    section('Summary', summaryRows(report), paint),
    `${plainText(describeBaseline(report.baseline), { maxLength: LONGEST_LINE })}\n${changeLines(report, paint)}`,
    reasonLines(report),
    noteLines(report),
    `${paint(passed ? 'good' : 'bad', headlineOf(report).title)}\n${plainText(gateSentence(report, exitCode), { maxLength: LONGEST_LINE })}\n`,
  ]
  return `\n${parts.filter((part) => part !== '').join('\n')}`
}

function section(title: string, rows: readonly Row[], paint: Paint): string {
  const lines = rows.flatMap(({ name, value }) => {
    if (value === undefined) return []
    return [`  ${paint('quiet', name.padEnd(9))} ${plainText(value, { maxLength: LONGEST_LINE })}`]
  })
  return `${[paint('strong', title), ...lines].join('\n')}\n`
}

function summaryRows(report: Report): Row[] {
  const totals = totalsOf(report.cases)
  const unchanged = unchangedCases(report)
  const count = (value: number, words: string) => (value === 0 ? [] : [`${formatCount(value)} ${words}`])
  const cases = [
    `${formatCount(totals.passed)} of ${formatCount(executedCases(totals))} passed every run`,
    ...count(totals.failed, 'failed'),
    ...count(totals.errors, 'with errors'),
    ...count(totals.timeouts, 'timed out'),
    ...count(totals.skipped, 'skipped'),
    ...count(unchanged, 'unchanged'),
    ...count(totals.notRun - unchanged, 'not run'),
  ]
  const rate: Percent = overallPassRate(totals)
  const runs = [
    `${formatCount(totals.passedRuns)} of ${formatCount(totals.runs)} passed${totals.runs === 0 ? '' : ` (${formatPercent(rate)})`}`,
    ...count(totals.erroredRuns, totals.erroredRuns === 1 ? 'error' : 'errors'),
  ]
  return [
    { name: 'Cases', value: cases.join(', ') },
    { name: 'Runs', value: runs.join(', ') },
    { name: 'Stability', value: report.maxRuns > 1 ? classCounts(report) : undefined },
    { name: 'Score', value: meanScore(report) },
    { name: 'Time', value: formatDuration(report.durationMs) },
    { name: 'Tokens', value: tokensUsed(report) },
    { name: 'Cost', value: costOf(report) },
  ]
}

const SHOWN: Partial<Record<Change['kind'], { readonly mark: string; readonly mood: Mood }>> = {
  regressed: { mark: '✗', mood: 'bad' },
  environment_moved: { mark: '!', mood: 'doubtful' },
  not_proven: { mark: '!', mood: 'doubtful' },
  dropped: { mark: '!', mood: 'doubtful' },
  not_judged: { mark: '!', mood: 'doubtful' },
  improved: { mark: '✓', mood: 'good' },
  new: { mark: '+', mood: 'quiet' },
  redefined: { mark: '~', mood: 'quiet' },
  removed: { mark: '-', mood: 'quiet' },
}

/** Every case that stands differently than in the baseline, worst first. */
function changeLines(report: Report, paint: Paint): string {
  const name = nameOf(report)
  const order = Object.keys(SHOWN)
  const changed = report.changes
    .filter(({ kind }) => SHOWN[kind] !== undefined)
    .sort((left, right) => order.indexOf(left.kind) - order.indexOf(right.kind))
  const shown = changed.slice(0, MOST_LINES).map((change) => {
    return { change, label: plainText(name(change.key), { maxLength: LONGEST_NAME }) }
  })
  const wordWidth = shown.reduce((most, { change }) => Math.max(most, wordOf(change).length), SHORTEST_WORD)
  const width = shown.reduce((most, { label }) => Math.max(most, label.length), 0)
  const lines = shown.map(({ change, label }) => {
    const { mark, mood } = SHOWN[change.kind] ?? { mark: ' ', mood: 'quiet' as const }
    const word = `${mark} ${wordOf(change).padEnd(wordWidth)}`
    return `  ${paint(mood, word)} ${label.padEnd(width)}  ${sides(change)}`.trimEnd().concat('\n')
  })
  if (changed.length > lines.length) lines.push(`  … and ${plural(changed.length - lines.length, 'more change')}\n`)
  return lines.join('')
}

function wordOf({ kind }: Change): string {
  return kind.replaceAll('_', ' ')
}

function sides(change: Change): string {
  const before = 'before' in change ? change.before : undefined
  const after = 'after' in change ? change.after : undefined
  if (before && after) {
    const points = formatPoints(ratePercent(after) - ratePercent(before))
    return `${describeRate(before)} → ${describeRate(after)} (${points})${findingText(change)}`
  }
  if (after) return `${describeRate(after)} here`
  return before ? `${describeRate(before)} in the baseline` : ''
}

/** How likely that is by chance, and what fresh runs of the base commit say. */
function findingText(change: Change): string {
  const finding = 'finding' in change ? change.finding : undefined
  if (!finding?.flagged) return ''
  const control = finding.control === undefined ? '' : `; base commit again: ${describeRate(finding.control)}`
  return `, by chance in ${describeChance(finding.p)} of pull requests${control}`
}

/** Notes in plain words, and what could not have been seen. */
function noteLines(report: Report): string {
  const control = controlSentence(report.judgement, (commit) => commit)
  const sensitivity = sensitivitySentence(report)
  // Removed cases stand among the changes.
  const notes = report.verdict.notes.filter(({ kind }) => kind !== 'removed').map(describeNote)
  const shown = notes.slice(0, MOST_LINES)
  const more = notes.length > shown.length ? [`… and ${plural(notes.length - shown.length, 'more note')}`] : []
  const all = [...shown, ...more, ...(control === undefined ? [] : [control]), ...(sensitivity ? [sensitivity] : [])]
  if (all.length === 0) return ''
  return `Notes\n${all.map((text) => `  ${plainText(text, { maxLength: LONGEST_LINE })}\n`).join('')}`
}

/** The reasons one by one where the last line can name only the first of several. */
function reasonLines({ verdict }: Report): string {
  const reasons = distinctReasons(verdict)
  if (reasons.length < 2) return ''
  const lines = reasons.slice(0, MOST_LINES).map((reason) => {
    return `  ${plainText(describeReason(reason), { maxLength: LONGEST_LINE })}\n`
  })
  if (reasons.length > lines.length) lines.push(`  … and ${plural(reasons.length - lines.length, 'more reason')}\n`)
  return `Reasons\n${lines.join('')}`
}
