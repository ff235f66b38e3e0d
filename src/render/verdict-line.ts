import { executedCases, totalsOf } from '../core/case-report.ts'
import type { Report } from '../core/report.ts'
import { describeNote, describeReason, type Note, type Reason, type Verdict } from '../core/verdict.ts'
import { plainText } from '../lib/escape.ts'
import { unchangedCases } from './figures.ts'
import { formatCount, plural } from './words.ts'

/** Kinds of GitHub's alert blocks, from bad to good. */
export type Alert = 'CAUTION' | 'WARNING' | 'NOTE' | 'TIP'

export interface Headline {
  readonly alert: Alert
  /** Two or three words. */
  readonly title: string
  /** Key of the case that the sentence starts with, if it does. */
  readonly subject?: string
  /** The rest of the sentence, or all of it. Unescaped, as is the key: it quotes messages. */
  readonly text: string
}

const LONGEST_REASON = 1_000

/** The verdict as every surface heads its report with. */
export function headlineOf(report: Report): Headline {
  const sentence = sentenceOf(report)
  const subject = subjectOf(report.verdict)
  const headline = { alert: alertOf(report), title: titleOf(report) }
  if (subject === undefined || !sentence.startsWith(`${subject} `)) return { ...headline, text: sentence }
  return { ...headline, subject, text: sentence.slice(subject.length + 1) }
}

/** Key of the case that the first reason, or what makes the verdict neutral, is about. */
function subjectOf(verdict: Verdict): string | undefined {
  const told = distinctReasons(verdict)[0] ?? neutralNote(verdict)
  return told && 'key' in told ? told.key : undefined
}

/** The last line of a terminal report: `the gate exits 1 because …`. Unescaped. */
export function gateSentence(report: Report, exitCode: number): string {
  return `the gate exits ${exitCode} because ${sentenceOf(report)}`
}

/** Reasons in one line of plain text, as many as fit into `maxLength`; empty when there are none. */
export function reasonsLine(verdict: Verdict, maxLength: number): string {
  const texts = distinctReasons(verdict).map((reason) =>
    plainText(describeReason(reason), { maxLength: LONGEST_REASON }),
  )
  const shown: string[] = []
  let room = maxLength - 40
  for (const text of texts) {
    room -= text.length + 2
    if (room < 0 && shown.length > 0) break
    shown.push(text)
  }
  const left = texts.length - shown.length
  return [...shown, ...(left === 0 ? [] : [`and ${plural(left, 'more reason')}`])].join('; ')
}

/** One reason per case: a regressed or critical case is not named again for being below the required rate. */
export function distinctReasons({ reasons }: Verdict): Reason[] {
  const told = new Set(
    reasons.flatMap((reason) => (WORSE.includes(reason.kind) && 'key' in reason ? [reason.key] : [])),
  )
  return reasons.filter((reason) => reason.kind !== 'below_min_pass_rate' || !told.has(reason.key))
}

const WORSE: readonly Reason['kind'][] = ['regressed', 'critical_failed']

function alertOf({ verdict, cases, changes }: Report): Alert {
  if (verdict.exitReason === 'regression') return 'CAUTION'
  if (!verdict.passed) return 'WARNING'
  if (verdict.conclusion === 'neutral') return 'NOTE'
  const isUnsettled = cases.some(({ stability }) => stability.passed < stability.runs)
  const hasFallen = changes.some(({ kind }) => kind === 'dropped' || kind === 'regressed')
  return isUnsettled || hasFallen || verdict.notes.some(({ kind }) => LET_THROUGH.includes(kind)) ? 'NOTE' : 'TIP'
}

/** Notes with which a green run is not simply fine. */
const LET_THROUGH: readonly Note['kind'][] = ['waived', 'waiver_expired', 'threshold_not_proven', 'costlier', 'slower']

function titleOf(report: Report): string {
  const { exitReason, reasons } = report.verdict
  switch (exitReason) {
    case 'passed':
      return passedTitle(report)
    case 'regression':
      return `Failed, ${regressionsIn(reasons)}`
    case 'error':
      return 'Failed, errors'
    case 'interrupted':
      return 'Stopped'
    case 'failed':
    case 'configuration':
      return reasons[0]?.kind === 'budget_reached' ? 'Stopped by the budget' : 'Failed'
  }
}

function regressionsIn(reasons: readonly Reason[]): string {
  const cases = reasons.filter(({ kind }) => kind === 'regressed').length
  return cases === 0 ? 'regression' : plural(cases, 'regression')
}

function passedTitle({ verdict, cases }: Report): string {
  const neutral = neutralNote(verdict)
  if (!neutral) return executedCases(totalsOf(cases)) === 0 ? 'Passed, nothing run' : 'Passed'
  if (neutral.kind === 'environment_moved') return 'Passed, environment moved'
  return neutral.kind === 'young_baseline' ? 'Passed, baseline too young' : 'Passed, not compared'
}

/** What keeps a passed run from being a proven one, if something does. */
export function neutralNote({ conclusion, notes }: Verdict): Note | undefined {
  if (conclusion !== 'neutral') return undefined
  const rank = ({ kind }: Note) => NEUTRAL.indexOf(kind)
  return notes.filter((note) => rank(note) >= 0).sort((left, right) => rank(left) - rank(right))[0]
}

const NEUTRAL: readonly Note['kind'][] = ['environment_moved', 'not_compared', 'young_baseline']

function sentenceOf(report: Report): string {
  const [first, ...others] = distinctReasons(report.verdict)
  if (first === undefined) return describePass(report)
  const more = others.length === 0 ? '' : ` (and ${plural(others.length, 'more reason')})`
  return `${withoutStop(describeReason(first))}${more}`
}

/** What was proven, never more than that. */
function describePass(report: Report): string {
  const { cases, baseline, changes, verdict } = report
  const neutral = neutralNote(verdict)
  if (neutral?.kind === 'environment_moved') return describeNote(neutral)
  const totals = totalsOf(cases)
  const executed = executedCases(totals)
  if (executed === 0) return unchangedCases(report) > 0 ? 'no case depends on what was changed' : NOTHING_RUN
  const others = executed - totals.passed
  const count = `${formatCount(totals.passed)} of ${plural(executed, 'case')} passed every run`
  const waived = verdict.notes.filter(({ kind }) => kind === 'waived').length
  if (waived > 0 && !neutral) return `${count}; ${plural(waived, 'finding')} let through as accepted or quarantined`
  const passed =
    others === 0 ? count : `${count}, ${formatCount(others)} more ${others === 1 ? 'is' : 'are'} within the gate`
  if (neutral) return `${passed}; ${continued(describeNote(neutral))}`
  const regressed = changes.filter(({ kind }) => kind === 'regressed').length
  if (regressed > 0) return `${passed}; ${plural(regressed, 'regression')} shown, which this gate does not fail on`
  const improved = changes.filter(({ kind }) => kind === 'improved').length
  if (improved > 0) return `${passed}; nothing regressed, ${formatCount(improved)} improved`
  return baseline.kind === 'ok' ? `${passed}; nothing regressed` : passed
}

const NOTHING_RUN = 'no case was run, which is allowed here'

/** After other words of the same sentence. */
function continued(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${withoutStop(text.slice(1))}`
}

/** More words follow. */
function withoutStop(text: string): string {
  return text.replace(/\.$/, '')
}
