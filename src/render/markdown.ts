import { describeBaseline } from '../core/baseline.ts'
import {
  type CaseReport,
  type CaseStatus,
  caseScore,
  caseStatus,
  overallPassRate,
  totalsOf,
} from '../core/case-report.ts'
import { formatPercent, formatScore } from '../core/percent.ts'
import type { Report } from '../core/report.ts'
import { failureText, type RunRecord } from '../core/result.ts'
import { describeClass } from '../core/stability.ts'
import { describeNote, describeReason } from '../core/verdict.ts'
import { fencedBlock, inlineText } from '../lib/escape.ts'
import { conversationDetails } from './conversation.ts'
import { lowScores } from './evaluations.ts'
import { costOf, meanScore } from './figures.ts'
import { code, nameOf } from './links.ts'
import { controlSentence, sensitivitySentence } from './notes.ts'
import { sceneOf } from './scene.ts'
import { standpointsOf } from './standing.ts'
import { blocks, table } from './table.ts'
import { troubleTables } from './tables.ts'
import { distinctReasons, headlineOf } from './verdict-line.ts'
import { describeRuns, describeStatus, groupFailures, jsonText, logText, stackText } from './words.ts'

/** Longest output quoted of a run that did not pass. */
const LONGEST_OUTPUT = 4_000
const LONGEST_CONVERSATION = 20_000
const MOST_FAILURES = 5

const ICONS: Readonly<Record<CaseStatus, string>> = {
  passed: '✅',
  failed: '❌',
  error: '💥',
  timeout: '⏱️',
  skipped: '⏭️',
  not_run: '⏹️',
}

/** The `.md` output. Source: spec yao 5.3, everything escaped. */
export function renderMarkdown(report: Report): string {
  const parts = [
    '# Agent Test Report',
    `## Summary\n\n${summaryTable(report)}`,
    `## Verdict\n\n${verdict(report)}`,
    changes(report),
    `## Environment\n\n${environmentTable(report)}`,
    results(report),
    report.runsPerCase > 1 ? `## Stability Analysis\n\n${stabilityTable(report)}` : undefined,
    `## Metadata\n\n${metadata(report)}`,
  ]
  return `${blocks(...parts)}\n`
}

type Row = readonly [name: string, value: string]

function propertyTable(title: string, rows: readonly (Row | undefined)[]): string {
  return table(
    [{ title }, { title: 'Value' }],
    rows.filter((row) => row !== undefined),
  )
}

function summaryTable(report: Report): string {
  const totals = totalsOf(report.cases)
  const count = (name: string, value: number): Row | undefined => (value > 0 ? [name, String(value)] : undefined)
  const rate = totals.runs === 0 ? 'no runs' : formatPercent(overallPassRate(totals))
  const scored = meanScore(report)
  const cost = costOf(report)
  return propertyTable('Metric', [
    ['Agent', report.targets.map(code).join(', ')],
    report.connector === undefined ? undefined : ['Connector', code(report.connector)],
    ['Total', String(totals.cases)],
    ['Passed', String(totals.passed)],
    ['Failed', String(totals.failed)],
    count('Skipped', totals.skipped),
    count('Errors', totals.errors),
    count('Timeouts', totals.timeouts),
    count('Not run', totals.notRun),
    report.runsPerCase > 1 ? ['Runs', `${totals.passedRuns}/${totals.runs} passed`] : undefined,
    ['Pass Rate', rate],
    scored === undefined ? undefined : ['Mean Score', scored],
    ['Duration', `${Math.round(report.durationMs)}ms`],
    cost === undefined ? undefined : ['Cost', inlineText(cost)],
  ])
}

function verdict(report: Report): string {
  const { baseline, judgement } = report
  const reasons = distinctReasons(report.verdict).map(describeReason)
  const lines = [...reasons, ...report.verdict.notes.map(describeNote)].map((text) => `- ${inlineText(text)}`)
  const sensitivity = sensitivitySentence(report)
  return blocks(
    `**${headlineOf(report).title}**`,
    lines.join('\n'),
    inlineText(describeBaseline(baseline)),
    controlSentence(judgement, code),
    sensitivity === undefined ? undefined : inlineText(sensitivity),
  )
}

function changes(report: Report): string | undefined {
  if (report.baseline.kind !== 'ok') return undefined
  const counts = new Map<string, number>()
  for (const { kind } of report.changes) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const line = [...counts].map(([kind, count]) => `${count} ${kind.replaceAll('_', ' ')}`).join(', ')
  const scene = sceneOf(report, standpointsOf(report), {}, Number.POSITIVE_INFINITY)
  return blocks('## Changes', line === '' ? 'No case in common.' : `${line}.`, troubleTables(scene))
}

function environmentTable({ identity }: Report): string {
  return propertyTable('Setting', [
    ['User', code(identity.user)],
    ['Team', code(identity.team)],
    ['Locale', code(identity.locale)],
  ])
}

function results(report: Report): string {
  const name = nameOf(report)
  return blocks('## Results', ...report.cases.map((item) => result(item, name(item.key))))
}

function result(item: CaseReport, name: string): string {
  const status = caseStatus(item)
  const { runs, passed, durationMs } = item.stability
  const time = runs === 0 ? '' : ` (${Math.round(durationMs.mean)}ms)`
  const groups = groupFailures(item)
  const failures = groups.slice(0, MOST_FAILURES).map((group) => {
    const [run] = group
    const which = runs === 1 ? '' : ` (${describeRuns(group)})`
    return blocks(`**Error:**${which} ${inlineText(failureText(run))}`, evidence(run))
  })
  return blocks(
    `### ${ICONS[status]} ${code(name)} - ${describeStatus(status)}${time}`,
    item.skip === undefined ? undefined : `Skipped: ${inlineText(item.skip)}`,
    runs > 1 && passed < runs ? `Passed ${passed} of ${runs} runs.` : undefined,
    scoreLine(item),
    ...failures,
    groups.length > MOST_FAILURES ? `… and ${groups.length - MOST_FAILURES} other ways to fail.` : undefined,
  )
}

/** The mean score of a case, with the evaluators that did not give all. */
function scoreLine(item: CaseReport): string | undefined {
  const score = caseScore(item)
  if (score === undefined) return undefined
  const low = lowScores(item).map(({ evaluator, score: own }) => `${code(evaluator)} ${formatScore(own)}`)
  return `Score: ${formatScore(score)}${low.length === 0 ? '' : ` (${low.join(', ')})`}`
}

/** What was said, what scripts wrote, and where they failed. */
function evidence(run: RunRecord): string | undefined {
  const texts = [quoted('Stack', stackText(run)), quoted('Log', logText(run.logs ?? [], LONGEST_OUTPUT)), said(run)]
  const shown = texts.filter((text) => text !== undefined)
  return shown.length === 0 ? undefined : blocks(...shown)
}

function quoted(title: string, text: string): string | undefined {
  if (text === '') return undefined
  return `${title}:\n\n${fencedBlock(text, { language: 'text', maxLength: LONGEST_OUTPUT })}`
}

/** The output, or the whole conversation where there was one. */
function said({ conversation, output }: RunRecord): string | undefined {
  if (conversation) return conversationDetails(conversation, LONGEST_CONVERSATION)
  if (output === undefined || output === null) return undefined
  return `Output:\n\n${fencedBlock(jsonText(output), { language: 'text', maxLength: LONGEST_OUTPUT })}`
}

function stabilityTable(report: Report): string {
  const name = nameOf(report)
  const columns = ['Pass Rate', 'Runs', 'Errors', 'Status', 'Avg', 'Min', 'Max', 'Std Dev'].map((title) =>
    title === 'Status' ? { title } : { title, align: 'right' as const },
  )
  const executed = report.cases.filter(({ stability }) => stability.runs > 0)
  const rows = executed.map(({ key, stability }) => {
    const { mean, min, max, stddev } = stability.durationMs
    return [
      code(name(key)),
      formatPercent(stability.passRate),
      `${stability.passed}/${stability.runs}`,
      String(stability.errored),
      describeClass(stability.class),
      ...[mean, min, max, stddev].map((ms) => `${Math.round(ms)}ms`),
    ]
  })
  return table([{ title: 'ID' }, ...columns], rows)
}

function metadata(report: Report): string {
  const lines = [
    `- Started: ${code(report.startedAt)}`,
    `- Finished: ${code(report.finishedAt)}`,
    `- Version: ${inlineText(report.version)}`,
    `- Input: ${report.inputs.map(code).join(', ')}`,
    `- Runs per case: ${report.runsPerCase}${report.maxRuns > report.runsPerCase ? `, up to ${report.maxRuns} of a suspicious one` : ''}`,
    ...report.warnings.map((warning) => `- Warning: ${inlineText(warning)}`),
  ]
  return lines.join('\n')
}
