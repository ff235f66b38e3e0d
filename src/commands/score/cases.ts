import { open } from 'node:fs/promises'
import type { Problem } from '../../core/errors.ts'
import type { EvaluationPlan } from '../../core/evaluation.ts'
import { isJsonObject, isTooDeep, type Json, type JsonObject, MAX_DEPTH } from '../../core/json.ts'
import { readTimeline } from '../../core/timeline.ts'
import { byteLines } from '../../lib/byte-lines.ts'
import { readDump } from '../../sessions/index.ts'
import type { Found, Opened, Reading, Subject } from './subject.ts'

/** Longer lines are no single case. */
const LONGEST_ROW = 64 * 1024 ** 2

/** Rows `{id, evaluator?, config?, timeline, sessionInfo?}`; `messages` in place of `timeline` are those of a server. */
export async function* casesIn(path: string, shown: string, reading: Reading): AsyncGenerator<Found> {
  const handle = await open(path)
  try {
    for await (const { number, text, isTooLong } of byteLines(handle, { longest: LONGEST_ROW })) {
      if (text.trim() === '' && !isTooLong) continue
      const place = { file: shown, line: number }
      const row = isTooLong ? `a row of more than ${LONGEST_ROW / 1024 ** 2} MiB` : parseRow(text)
      const read = typeof row === 'string' ? [{ message: row }] : readRow(row, place, reading)
      if ('id' in read) yield { subject: read }
      else for (const problem of read) yield { problem: { ...problem, ...place } }
    }
  } finally {
    await handle.close()
  }
}

function parseRow(text: string): JsonObject | string {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    return `not JSON: ${error instanceof Error ? error.message : String(error)}`
  }
  if (!isJsonObject(value)) return 'expected an object such as {"id": "a", "timeline": []}'
  return isTooDeep(value) ? `nested deeper than ${MAX_DEPTH} levels` : value
}

interface RowPlace {
  readonly file: string
  readonly line: number
}

function readRow(row: JsonObject, place: RowPlace, reading: Reading): Subject | readonly Problem[] {
  const { id, timeline, messages } = row
  const problems: Problem[] = []
  if (typeof id !== 'string' || id === '') problems.push({ field: 'id', message: 'expected the id of the case' })
  if (!Array.isArray(timeline ?? messages)) {
    problems.push({
      field: 'timeline',
      message: 'expected a list of events',
      hint: 'or "messages", as a server lists them',
    })
  }
  const planned = planOf(row, place, reading)
  if ('problems' in planned) problems.push(...planned.problems)
  if (problems.length > 0 || typeof id !== 'string' || !('plan' in planned)) return problems
  const shown = `${place.file}:${place.line}`
  const rows = (timeline ?? messages ?? []) as readonly Json[]
  const open = (warn: (message: string) => void) =>
    timeline === undefined ? openMessages(rows, row, shown, warn) : Promise.resolve(openTimeline(rows, shown, warn))
  return { id, shown, plan: planned.plan, open }
}

type Planned = { readonly plan: EvaluationPlan } | { readonly problems: readonly Problem[] }

function planOf({ evaluator, config }: JsonObject, place: RowPlace, { config: rules }: Reading): Planned {
  const settings = config ?? {}
  if (!isJsonObject(settings))
    return { problems: [{ field: 'config', message: 'expected the settings of the evaluator' }] }
  if (evaluator === undefined || evaluator === null) {
    if (Object.keys(settings).length === 0) return { plan: rules.planFor() }
    return {
      problems: [{ field: 'config', message: 'are the settings of an evaluator', hint: 'name it in "evaluator"' }],
    }
  }
  return rules.planOfOne(evaluator, settings, place)
}

/** Rows that cannot be read are told and left out, as in a session. */
export function openTimeline(rows: readonly unknown[], shown: string, warn: (message: string) => void): Opened {
  const { trace, skipped } = readTimeline(rows)
  for (const { index, problem } of skipped.slice(0, MOST_TOLD))
    warn(`${shown}: timeline[${index}] is skipped: ${problem}`)
  return { kind: 'timeline', trace, metadata: { skipped: skipped.length, partial: [] } }
}

const MOST_TOLD = 20

async function openMessages(
  messages: readonly Json[],
  { sessionInfo }: JsonObject,
  shown: string,
  warn: (message: string) => void,
): Promise<Opened> {
  const info = isJsonObject(sessionInfo) ? sessionInfo : {}
  const { trace, metadata } = await readDump({ info, messages, children: [] }, shown, warn)
  return { kind: 'timeline', trace, metadata }
}
