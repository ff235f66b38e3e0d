import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { formatPercent } from '../../core/percent.ts'
import type { CasePage, RunPage } from '../../render/index.ts'
import type { ResultRow } from './rows.ts'

/** Members of a result that say what was asked, with the heading of each. */
const GIVEN = [
  ['input', 'Input'],
  ['expected', 'Expected'],
  ['options', 'Options'],
  ['metadata', 'Metadata'],
] as const

/** Members that are figures of the case, with the name of each and how it is written. */
const FIGURES: readonly (readonly [member: string, name: string, write: (value: Json) => string | undefined])[] = [
  ['suite', 'Suite', text],
  ['pass_rate', 'Pass Rate', percent],
  ['passed', 'Passed', count],
  ['failed', 'Failed', count],
  ['errors', 'Errors', count],
  ['runs', 'Runs', count],
  ['stability_class', 'Stability', text],
  ['duration_ms', 'Duration', duration],
  ['avg_duration_ms', 'Average', duration],
  ['min_duration_ms', 'Shortest', duration],
  ['max_duration_ms', 'Longest', duration],
  ['std_deviation_ms', 'Standard Deviation', duration],
  ['attempts', 'Attempts', count],
  ['code', 'Code', text],
]

/** A result as a page; members of another kind than they should be are left out. */
export function pageOf(row: ResultRow): CasePage {
  const { id, error, run_details: details } = row
  const runs = Array.isArray(details) ? details.filter(isJsonObject).map(runOf) : [runOf(row)]
  const status = typeof row['status'] === 'string' ? row['status'] : statusOf(runs)
  return {
    id,
    ...(status === undefined ? {} : { status }),
    figures: FIGURES.flatMap(([member, name, write]) => {
      // Of several runs the average says the same.
      const value = member === 'duration_ms' && 'avg_duration_ms' in row ? undefined : row[member]
      const written = value === undefined ? undefined : write(value)
      return written === undefined ? [] : [[name, written] as const]
    }),
    ...(typeof error === 'string' && error !== '' ? { error } : {}),
    given: GIVEN.flatMap(([member, heading]) => {
      const value = row[member]
      return value === undefined || value === null ? [] : [[heading, value] as const]
    }),
    runs,
  }
}

/** Of a case whose report does not tell: a failed run outweighs an errored one, because it is evidence. */
function statusOf(runs: readonly RunPage[]): string | undefined {
  return ['failed', 'error', 'timeout', 'passed'].find((status) => runs.some((run) => run.status === status))
}

function runOf(row: JsonObject): RunPage {
  const { run, status, duration_ms: durationMs, error, output, assertions, trace } = row
  return {
    ...(typeof run === 'number' ? { number: run } : {}),
    ...(typeof status === 'string' ? { status } : {}),
    ...(typeof durationMs === 'number' ? { durationMs } : {}),
    ...(typeof error === 'string' && error !== '' ? { error } : {}),
    ...(output === undefined || output === null ? {} : { output }),
    assertions: listOf(assertions).map(({ type, passed, message }) => ({
      type: textOr(type, 'assertion'),
      passed: passed === true,
      message: textOr(message, ''),
    })),
    trace: traceOf(trace),
  }
}

/** Our traces are lists of events; Yao's are another kind of document, shown as it is. */
function traceOf(trace: Json | undefined): RunPage['trace'] {
  if (trace === undefined || trace === null) return []
  if (!Array.isArray(trace)) return [{ type: 'trace', data: trace }]
  return (trace as readonly Json[]).map((event) => {
    if (!isJsonObject(event)) return { type: 'event', data: event }
    const { type, data } = event
    const only = isJsonObject(data) && Object.keys(data).length === 1 ? data['text'] : undefined
    return { type: textOr(type, 'event'), data: typeof only === 'string' ? only : (data ?? event) }
  })
}

function listOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : []
}

function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}

function text(value: Json): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function count(value: Json): string | undefined {
  return typeof value === 'number' ? String(value) : undefined
}

function percent(value: Json): string | undefined {
  return typeof value === 'number' ? formatPercent(value) : undefined
}

function duration(value: Json): string | undefined {
  return typeof value === 'number' ? `${Math.round(value)}ms` : undefined
}
