import { executedCases, type Totals, totalsOf } from '../core/case-report.ts'
import type { Change } from '../core/comparison.ts'
import type { Report } from '../core/report.ts'
import type { StabilityClass } from '../core/stability.ts'
import { plainText } from '../lib/escape.ts'
import { unchangedCases } from './figures.ts'
import { headlineOf, reasonsLine } from './verdict-line.ts'

/** Raised when a reader of an earlier version would misread the `json` output. */
const OUTPUT_VERSION = 1

/** A runner cuts an annotation at 4,096 characters, and the message is one too. */
const LONGEST_MESSAGE = 4_000
const LONGEST_SHORT = 500
const LONGEST_KEY = 200
const MOST_KEYS = 20
/** Of the `json` output: steps pass it on through the environment. */
const MOST_BYTES = 10_000

/** What the action's outputs say of a report: all that needs no path, address or id. Redacted by the caller. */
export function outputsOf(report: Report) {
  const { verdict, baseline, cases, spending, durationMs } = report
  const totals = totalsOf(cases)
  const counts = countsOf(report)
  const classes = classesOf(report)
  return {
    status: verdict.passed ? 'passed' : 'failed',
    conclusion: verdict.conclusion,
    total: String(totals.cases),
    passed: String(totals.passed),
    failed: String(totals.failed),
    errors: String(totals.errors + totals.timeouts),
    skipped: String(totals.skipped),
    'pass-rate': passRate(totals),
    stable: String(classes.stable),
    'mostly-stable': String(classes.mostly_stable),
    unstable: String(classes.unstable),
    'highly-unstable': String(classes.highly_unstable),
    regressions: String(counts.regressions),
    improvements: String(counts.improvements),
    new: String(counts.new),
    removed: String(counts.removed),
    'gate-status': verdict.passed ? 'open' : 'closed',
    'gate-title': headlineOf(report).title,
    'gate-message': reasonsLine(verdict, LONGEST_MESSAGE),
    'exit-reason': verdict.exitReason,
    'baseline-state': baseline.kind,
    'baseline-sha': commitOf(report),
    'cost-usd': isPriced(report) ? String(rounded(spending.costUsd)) : UNKNOWN,
    tokens: isMetered(report) ? String(spending.tokens) : UNKNOWN,
    'duration-ms': String(Math.round(durationMs)),
    json: smallJson(report),
  } as const
}

const UNKNOWN = 'unknown'

/** Two decimals at most, rounded down: nothing but all passed is 100. */
function passRate({ passedRuns, runs }: Totals): string {
  return runs === 0 ? 'n/a' : String(Math.floor((passedRuns * 10_000) / runs) / 100)
}

function countsOf({ changes, verdict }: Report) {
  const count = (...kinds: readonly Change['kind'][]) => changes.filter(({ kind }) => kinds.includes(kind)).length
  const waived = verdict.notes.filter((note) => note.kind === 'waived' && note.reason.kind === 'regressed').length
  return {
    regressions: Math.max(0, count('regressed') - waived),
    improvements: count('improved'),
    new: count('new', 'redefined'),
    removed: count('removed'),
    accepted: verdict.notes.filter(({ kind }) => kind === 'waived').length,
  }
}

function classesOf({ cases }: Report): Record<StabilityClass, number> {
  const counts = { stable: 0, mostly_stable: 0, unstable: 0, highly_unstable: 0 }
  for (const { stability } of cases) if (stability.runs > 0) counts[stability.class] += 1
  return counts
}

/** A commit is hexadecimal; what a baseline says may be anything. */
function commitOf({ baseline }: Report): string {
  const commit = baseline.kind === 'ok' ? (baseline.baseline.commit ?? '') : ''
  return /^[0-9a-f]{7,64}$/i.test(commit) ? commit : ''
}

/** Whether the cost of every run is known: a part of it would be taken for all. */
function isPriced({ spending }: Report): boolean {
  return spending.unpricedRuns === 0 && spending.unmeteredRuns === 0
}

function isMetered({ spending }: Report): boolean {
  return spending.unmeteredRuns === 0
}

/** Money to a hundredth of a cent. */
function rounded(usd: number): number {
  return Math.round(usd * 10_000) / 10_000
}

/** The report as a small object that scripts read: below ten kilobytes whatever the suite. */
function smallJson(report: Report): string {
  for (let most = MOST_KEYS; most > 0; most = Math.floor(most / 2)) {
    const text = JSON.stringify(smallReport(report, most))
    if (new TextEncoder().encode(text).length < MOST_BYTES) return text
  }
  return JSON.stringify(smallReport(report, 0))
}

function smallReport(report: Report, mostKeys: number) {
  const { verdict, baseline, cases, changes, spending, judgement } = report
  const totals = totalsOf(cases)
  const { title } = headlineOf(report)
  const regressed = changes.flatMap(({ kind, key }) => (kind === 'regressed' ? [key] : []))
  return {
    schemaVersion: OUTPUT_VERSION,
    version: plainText(report.version, { maxLength: 50 }),
    status: verdict.passed ? 'passed' : 'failed',
    conclusion: verdict.conclusion,
    exitReason: verdict.exitReason,
    gate: { title, message: reasonsLine(verdict, LONGEST_SHORT) },
    cases: {
      total: totals.cases,
      executed: executedCases(totals),
      passed: totals.passed,
      failed: totals.failed,
      errors: totals.errors + totals.timeouts,
      skipped: totals.skipped,
      unchanged: unchangedCases(report),
      stability: classesOf(report),
    },
    runs: { total: totals.runs, passed: totals.passedRuns, errored: totals.erroredRuns },
    changes: { ...countsOf(report), regressed: regressed.slice(0, mostKeys).map(shortKey) },
    baseline: { state: baseline.kind, commit: commitOf(report) || null },
    control: judgement?.control.kind ?? null,
    costUsd: isPriced(report) ? rounded(spending.costUsd) : null,
    tokens: isMetered(report) ? spending.tokens : null,
    durationMs: Math.round(report.durationMs),
  }
}

function shortKey(key: string): string {
  return plainText(key, { maxLength: LONGEST_KEY })
}
