import { type CaseReport, type CaseStatus, caseScore, caseStatus } from '../core/case-report.ts'
import type { Json } from '../core/json.ts'
import { formatPercent, formatScore } from '../core/percent.ts'
import { failureText, type RunOutcome, type RunRecord, type RunResult, type SkippedOutcome } from '../core/result.ts'
import { describeClass } from '../core/stability.ts'
import { formatDuration } from '../lib/duration.ts'
import { plainText, terminalBlock } from '../lib/escape.ts'
import { transcript } from './conversation.ts'
import { resultStatus } from './results.ts'
import { hasTimeline, timelineText } from './timeline.ts'
import { describeRuns, groupFailures, jsonText, logText } from './words.ts'

/** What a piece of text means; whoever prints it knows whether and how that is shown. */
export type Mood = 'good' | 'bad' | 'doubtful' | 'quiet' | 'strong'
export type Paint = (mood: Mood, text: string) => string

export interface TerminalStyle {
  readonly paint: Paint
  /** Width of the column of ids. */
  readonly idWidth: number
  /** Also outputs. */
  readonly verbose: boolean
}

const LONGEST_ID = 32
const LONGEST_SUMMARY = 60
const LONGEST_REASON = 300
const LONGEST_OUTPUT = 2_000
const LONGEST_CONVERSATION = 20_000
const MOST_FAILURES = 3

/** Every mark comes with a word: colour and shape alone say nothing to some readers. */
const MARKS: Record<CaseStatus, { readonly mark: string; readonly word: string; readonly mood: Mood }> = {
  passed: { mark: '✓', word: 'PASSED', mood: 'good' },
  failed: { mark: '✗', word: 'FAILED', mood: 'bad' },
  error: { mark: '!', word: 'ERROR', mood: 'bad' },
  timeout: { mark: '!', word: 'TIMEOUT', mood: 'bad' },
  skipped: { mark: '-', word: 'SKIPPED', mood: 'quiet' },
  not_run: { mark: '-', word: 'NOT RUN', mood: 'quiet' },
}
const WORD_WIDTH = 7

/** Room for the ids of these cases. */
export function idWidthOf(ids: readonly string[]): number {
  return Math.min(
    LONGEST_ID,
    ids.reduce((width, id) => Math.max(width, plainText(id, { maxLength: LONGEST_ID }).length), 0),
  )
}

function label(status: CaseStatus, { paint }: TerminalStyle): string {
  const { mark, word, mood } = MARKS[status]
  return paint(mood, `${mark} ${word.padEnd(WORD_WIDTH)}`)
}

function idColumn(id: string, { idWidth }: TerminalStyle): string {
  return plainText(id, { maxLength: LONGEST_ID }).padEnd(idWidth)
}

/** `  ✓ PASSED  greet-01  Say hello (800ms)`, and why where it did not pass. Ends in a newline. */
export function runText(
  result: RunResult,
  { id, summary }: { readonly id: string; readonly summary: string },
  style: TerminalStyle,
): string {
  const status = resultStatus(result)
  const what = plainText(summary, { maxLength: LONGEST_SUMMARY })
  const time = style.paint('quiet', `(${formatDuration(result.durationMs)})`)
  const score = typeof result.score === 'number' ? ` ${style.paint('quiet', `score ${formatScore(result.score)}`)}` : ''
  const line = `  ${label(status, style)} ${idColumn(id, style)}  ${what} ${time}${score}\n`
  const reason = result.status === 'passed' ? '' : reasonLine(reasonOf(result))
  return `${line}${reason}${style.verbose ? detailLines(result, style) : ''}`
}

function detailLines(result: RunResult, style: TerminalStyle): string {
  const { events } = result.trace
  const timeline = hasTimeline(events) ? timelineText(events, style.paint, '      ') : ''
  return timeline + saidLines(result, style) + judgeLines(result, style) + logLines(result, style)
}

/** One run among several, for the progress: a single line without newline. */
export function progressText(result: RunResult, id: string, style: TerminalStyle): string {
  const reason = result.status === 'passed' ? '' : ` ${reasonOf(result)}`
  return `${label(resultStatus(result), style)} ${idColumn(id, style)}  run ${result.run} (${formatDuration(result.durationMs)})${reason}`
}

/** A case after its runs: rate, class, times, and each different reason once. Ends in a newline. */
export function caseText(item: CaseReport, style: TerminalStyle): string {
  const status = caseStatus(item)
  const start = `  ${label(status, style)} ${idColumn(item.id, style)}`
  if (item.skip !== undefined) return `${start}  ${plainText(item.skip, { maxLength: LONGEST_SUMMARY })}\n`
  const { passed, runs, passRate, durationMs } = item.stability
  const times = `avg ${formatDuration(durationMs.mean)} (${formatDuration(durationMs.min)} to ${formatDuration(durationMs.max)})`
  const rate = `${passed}/${runs} passed (${formatPercent(passRate)})`
  const mean = caseScore(item)
  const score = mean === undefined ? '' : `  score ${formatScore(mean)}`
  const groups = groupFailures(item)
  const failures = groups.slice(0, MOST_FAILURES).map((group) => {
    const [run] = group
    const more = style.verbose ? saidLines(run, style) + logLines(run, style) : ''
    return `${reasonLine(`${describeRuns(group)}: ${reasonOf(run)}`)}${more}`
  })
  const more =
    groups.length > MOST_FAILURES ? reasonLine(`… and ${groups.length - MOST_FAILURES} other ways to fail`) : ''
  return `${start}  ${rate.padEnd(20)}  ${describeClass(item.stability.class).padEnd(15)}  ${style.paint('quiet', times)}${score}\n${failures.join('')}${more}`
}

function reasonOf(run: RunOutcome | SkippedOutcome): string {
  // A timeout is named by its mark.
  const code = run.status === 'errored' && run.code !== 'TIMEOUT' ? `${run.code}: ` : ''
  return plainText(`${code}${failureText(run)}`, { maxLength: LONGEST_REASON })
}

function reasonLine(reason: string): string {
  return `      ${reason}\n`
}

/** The output, or the whole conversation where there was one. */
function saidLines({ conversation, output }: RunResult | RunRecord, style: TerminalStyle): string {
  if (!conversation) return output === undefined ? '' : outputLines(output, style)
  const text = terminalBlock(transcript(conversation), { maxLength: LONGEST_CONVERSATION }).trimEnd()
  return text === '' ? '' : `      ${text.replaceAll('\n', '\n      ')}\n`
}

/** Why judges let the output pass; why they did not is the failure itself. */
function judgeLines(run: RunResult, { paint }: TerminalStyle): string {
  if (run.status === 'errored' || run.status === 'skipped') return ''
  const reasons = run.checks.flatMap(({ passed, details }) => (passed ? [details?.['reason']] : []))
  return reasons
    .filter((reason) => typeof reason === 'string')
    .map((reason) => `      ${paint('quiet', 'Judge:')} ${plainText(reason, { maxLength: LONGEST_REASON })}\n`)
    .join('')
}

/** What scripts wrote. */
function logLines({ logs = [] }: Pick<RunResult, 'logs'>, { paint }: TerminalStyle): string {
  if (logs.length === 0) return ''
  const text = terminalBlock(logText(logs, LONGEST_OUTPUT), { maxLength: LONGEST_OUTPUT }).trimEnd()
  return `      ${paint('quiet', 'Log:')} ${text.replaceAll('\n', '\n           ')}\n`
}

function outputLines(output: Json, { paint }: TerminalStyle): string {
  if (output === null) return ''
  const text = terminalBlock(jsonText(output), { maxLength: LONGEST_OUTPUT }).trimEnd()
  return `      ${paint('quiet', 'Output:')} ${text.replaceAll('\n', '\n              ')}\n`
}
