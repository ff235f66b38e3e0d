import type { Evaluation } from '../../core/evaluation.ts'
import { plainText } from '../../lib/escape.ts'
import type { Judged } from './line.ts'
import type { Options } from './options.ts'
import type { Subject } from './subject.ts'

/** Texts for people, one subject after the other and then what it all comes to. */
export interface ScoreReport {
  /** What is said of one; empty where nothing is. */
  add(subject: Subject, judged: Judged): string
  summary(): string
  /** Everything passed, or is as expected, and something was judged. */
  isGood(): boolean
}

export function startReport(detail: Options['detail']): ScoreReport {
  const counts = { passed: 0, failed: 0, errored: 0, skipped: 0 }
  const scores: number[] = []
  return {
    add(subject, judged) {
      const state = stateOf(judged)
      counts[state] += 1
      if (judged.kind === 'judged' && judged.score !== null) scores.push(judged.score)
      if (detail === 'none' || (detail === 'failed' && state === 'passed')) return ''
      return `${MARKS[state]} ${plainText(nameOf(subject, judged))}${detailsOf(judged, detail)}\n`
    },
    summary() {
      const { passed, failed, errored, skipped } = counts
      const judged = passed + failed
      const parts = [`${passed} of ${judged} passed`]
      if (errored > 0) parts.push(`${errored} could not be judged`)
      if (skipped > 0) parts.push(`${skipped} skipped`)
      if (scores.length > 0)
        parts.push(`mean score ${shown(scores.reduce((sum, score) => sum + score, 0) / scores.length)}`)
      return `${parts.join(' · ')}\n`
    },
    isGood: () => counts.passed > 0 && counts.failed + counts.errored === 0,
  }
}

type State = 'passed' | 'failed' | 'errored' | 'skipped'

const MARKS: Readonly<Record<State, string>> = { passed: '✓', failed: '✗', errored: '!', skipped: '-' }

/** Of a recorded timeline with expectations: whether these are met. Errored is neither good nor bad. */
function stateOf(judged: Judged): State {
  if (judged.kind === 'skipped') return 'skipped'
  const { differences, error, passed } = judged
  if (differences) return differences.length === 0 ? 'passed' : 'failed'
  if (error !== undefined) return 'errored'
  return passed ? 'passed' : 'failed'
}

function nameOf({ id, suite, run, shown: place }: Subject, judged: Judged): string {
  const name = suite === undefined || suite === '' ? id : `${suite}/${id}`
  const number = run === undefined ? '' : ` (run ${run})`
  const score = judged.kind === 'judged' && judged.score !== null ? [shown(judged.score)] : []
  return [`${name}${number}`, ...score, ...(place === name ? [] : [place])].join(' · ')
}

function detailsOf(judged: Judged, detail: Options['detail']): string {
  const lines = judged.kind === 'skipped' ? [`skipped: ${judged.reason}`] : linesOf(judged, detail)
  return lines.map((line) => `\n    ${plainText(line)}`).join('')
}

function linesOf(judged: Extract<Judged, { kind: 'judged' }>, detail: Options['detail']): string[] {
  const { evaluations, differences = [], error, metadata, reasons = [] } = judged
  const { skipped, partial } = metadata
  const violations = new Set(evaluations.flatMap((one) => evaluationLines(one, detail)))
  return [
    ...(error === undefined ? [] : [error]),
    ...differences,
    // Most reasons are violations, which are told with their severity.
    ...reasons.filter((reason) => ![...violations].some((line) => line.endsWith(reason))),
    ...violations,
    ...(skipped === 0 ? [] : [`${skipped} of its messages or events could not be understood`]),
    ...(detail === 'all' ? partial.map((what) => `partial: ${what}`) : []),
  ]
}

function evaluationLines(evaluation: Evaluation, detail: Options['detail']): string[] {
  const { evaluator } = evaluation
  switch (evaluation.status) {
    case 'errored':
      return [`${evaluator}: failed itself: ${evaluation.message}`]
    case 'not_applicable':
      return detail === 'all' ? [`${evaluator}: not applicable: ${evaluation.reason}`] : []
    case 'scored': {
      const { violations, score, informational } = evaluation
      const head = detail === 'all' ? [`${evaluator}: ${informational ? 'measured' : shown(score)}`] : []
      return [
        ...head,
        ...violations.map(({ type, severity, message }) => `${evaluator}: ${severity}: ${type}: ${message}`),
      ]
    }
  }
}

/** One decimal at most, rounded down: nothing but all is 100. */
function shown(score: number): string {
  return String(Math.floor(score * 10) / 10)
}
