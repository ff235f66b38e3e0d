import type { CaseReport, CaseStatus } from '../core/case-report.ts'
import type { Json } from '../core/json.ts'
import { type LogLine, type RunRecord, stageOf } from '../core/result.ts'

/** `1 case`, `3 cases`; irregular plurals are given. */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : nouns}`
}

/** `12345` as `12,345`, the same in every locale. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `950`, `182k`, `1.4M`: tokens need no more. */
export function formatTokens(count: number): string {
  if (count < 10_000) return formatCount(count)
  if (count < 999_500) return `${Math.round(count / 1_000)}k`
  return `${(count / 1_000_000).toFixed(1)}M`
}

/** Percentage points, never rounded to nothing: `-96.7 pp`. */
export function formatPoints(points: number): string {
  if (points === 0) return '0 pp'
  const size = Math.max(0.1, Math.round(Math.abs(points) * 10) / 10)
  return `${points < 0 ? '-' : '+'}${size} pp`
}

/** A value for people: strings as they are, the rest as indented JSON. */
export function jsonText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

export function describeStatus(status: CaseStatus): string {
  return status === 'not_run' ? 'not run' : status
}

/** `run 2`, `runs 1, 3 and 4`, `runs 1 to 9`. */
export function describeRuns(runs: readonly RunRecord[]): string {
  const numbers = runs.map(({ run }) => run)
  const [first, last] = [numbers[0] ?? 0, numbers.at(-1) ?? 0]
  if (numbers.length === 1) return `run ${first}`
  if (numbers.length > 2 && last - first === numbers.length - 1) return `runs ${first} to ${last}`
  if (numbers.length > 6) return `${numbers.length} runs from ${first} to ${last}`
  return `runs ${numbers.slice(0, -1).join(', ')} and ${last}`
}

/**
 * What scripts wrote, a line each; the level is told where it is not the usual one. Where it is too long, the end of it: the
 * last lines are nearest to what went wrong.
 */
export function logText(logs: readonly LogLine[], maxLength = Number.POSITIVE_INFINITY): string {
  const whole = logs.map(({ level, text }) => (level === 'info' ? text : `[${level}] ${text}`)).join('\n')
  if (whole.length <= maxLength) return whole
  const end = whole.slice(2 - maxLength)
  return `…\n${end.slice(end.indexOf('\n') + 1)}`
}

/** Where failed checks were made or thrown, each place once; empty where none knows. */
export function stackText(run: RunRecord): string {
  const checks = run.status === 'failed' ? run.checks.filter(({ passed }) => !passed) : []
  const stacks = checks.flatMap(({ details }) => (typeof details?.['stack'] === 'string' ? [details['stack']] : []))
  return [...new Set(stacks)].join('\n\n')
}

/** Runs of a case that did not pass, together where the same went wrong; in the order they first appeared. */
export function groupFailures({ runs }: CaseReport): (readonly [RunRecord, ...RunRecord[]])[] {
  const groups = new Map<string, [RunRecord, ...RunRecord[]]>()
  for (const run of runs) {
    if (run.status === 'passed') continue
    const key = whatWentWrong(run)
    const group = groups.get(key)
    if (group) group.push(run)
    else groups.set(key, [run])
  }
  return [...groups.values()]
}

/** A message often quotes what came, so that the same failure reads differently in every run: what was wanted counts. */
function whatWentWrong(run: RunRecord): string {
  if (run.status === 'errored') return `${run.code} ${run.message}`
  const failed = run.checks.filter((check) => !check.passed)
  return JSON.stringify(failed.map(({ name, expected, message }) => [name, expected ?? message]))
}

/** `$0.42`, `$0.0031`, `$1,204.50`: two decimals, and of less than ten cents two digits that say something. */
export function formatUsd(usd: number): string {
  if (usd === 0) return '$0'
  const decimals = usd >= 0.1 ? 2 : Math.min(8, 1 - Math.floor(Math.log10(usd)))
  const [whole = '0', rest = ''] = usd.toFixed(decimals).split('.')
  return `$${formatCount(Number(whole))}.${rest}`
}

/** Short, for a table of many: `8/15 (3 + 12 re-runs)`. */
export function describePassed({ runs, stability }: CaseReport, runsPerCase: number): string {
  const judged = runs.filter(({ status }) => status !== 'errored')
  const again = judged.filter((run) => stageOf(run, runsPerCase) === 'rerun').length
  const rate = `${stability.passed}/${stability.passed + stability.failed}`
  return again === 0 ? rate : `${rate} (${judged.length - again} + ${plural(again, 're-run')})`
}
