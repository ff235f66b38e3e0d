import { executedCases, totalsOf } from '../core/case-report.ts'
import { formatPercent } from '../core/percent.ts'
import type { Report } from '../core/report.ts'
import { describeReason, type Reason, type Verdict } from '../core/verdict.ts'
import { plainText } from '../lib/escape.ts'
import { formatCount, plural } from './words.ts'

/** Kinds of GitHub's alert blocks, from bad to good. */
type Alert = 'CAUTION' | 'WARNING' | 'NOTE' | 'TIP'

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
  const [reason] = distinctReasons(report.verdict)
  const headline = { alert: alertOf(report), title: titleOf(report.verdict) }
  if (!reason || !('key' in reason) || !sentence.startsWith(`${reason.key} `)) return { ...headline, text: sentence }
  return { ...headline, subject: reason.key, text: sentence.slice(reason.key.length + 1) }
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

/** One reason per case: a regressed case is not named again for being below the required rate. */
export function distinctReasons({ reasons }: Verdict): Reason[] {
  const regressed = new Set(reasons.flatMap((reason) => (reason.kind === 'regressed' ? [reason.key] : [])))
  return reasons.filter((reason) => reason.kind !== 'below_min_pass_rate' || !regressed.has(reason.key))
}

function alertOf({ verdict, baseline, cases, changes }: Report): Alert {
  if (verdict.exitReason === 'regression') return 'CAUTION'
  if (!verdict.passed) return 'WARNING'
  const isUnsettled = cases.some(({ stability }) => stability.passed < stability.runs)
  const hasFallen = changes.some(({ kind }) => kind === 'dropped' || kind === 'regressed')
  return isUnsettled || hasFallen || (baseline.kind !== 'ok' && baseline.kind !== 'off') ? 'NOTE' : 'TIP'
}

function titleOf({ exitReason, reasons }: Verdict): string {
  switch (exitReason) {
    case 'passed':
      return 'Passed'
    case 'regression':
      return `Failed, ${plural(reasons.filter(({ kind }) => kind === 'regressed').length, 'regression')}`
    case 'error':
      return 'Failed, errors'
    case 'interrupted':
      return 'Stopped'
    case 'failed':
    case 'configuration':
      return 'Failed'
  }
}

function sentenceOf(report: Report): string {
  const [first, ...others] = distinctReasons(report.verdict)
  if (first === undefined) return describePass(report)
  const more = others.length === 0 ? '' : ` (and ${plural(others.length, 'more reason')})`
  return `${describeReason(first)}${more}`
}

/** What was proven, never more than that. */
function describePass({ cases, baseline, changes, gate }: Report): string {
  const totals = totalsOf(cases)
  const executed = executedCases(totals)
  if (executed === 0) return 'no case was run, which is allowed here'
  const others = executed - totals.passed
  const count = `${formatCount(totals.passed)} of ${plural(executed, 'case')} passed every run`
  const limit = formatPercent(gate.minPassRate)
  const passed =
    others === 0
      ? count
      : `${count}, ${formatCount(others)} more ${others === 1 ? 'is' : 'are'} within the gate (${limit})`
  const regressed = changes.filter(({ kind }) => kind === 'regressed').length
  if (regressed > 0) return `${passed}; ${plural(regressed, 'regression')} shown, which this gate does not fail on`
  return baseline.kind === 'ok' ? `${passed}; nothing regressed` : passed
}
