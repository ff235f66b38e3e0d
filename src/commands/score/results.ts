import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { FoundResult } from '../extract/found.ts'
import { openReport } from '../extract/open-report.ts'
import { openTimeline } from './cases.ts'
import type { Found, Opened, Reading, Subject } from './subject.ts'

/** The runs of a results file, .json or .jsonl, each with the trace that was recorded of it. */
export async function* resultsIn(path: string, shown: string, reading: Reading): AsyncGenerator<Found> {
  const report = await openReport(path, shown)
  try {
    for (const result of report.results) {
      for (const subject of runsOf(await result.read(), result, { shown, reading })) yield { subject }
    }
  } finally {
    await report.close()
  }
}

interface Place {
  readonly shown: string
  readonly reading: Reading
}

function runsOf(row: JsonObject, { id, suite }: FoundResult, { shown, reading }: Place): Subject[] {
  const details = row['run_details']
  const runs: readonly Json[] = Array.isArray(details) ? details : [row]
  const plan = reading.planOf(suite, id) ?? reading.config.planFor()
  return runs.flatMap((told, index) => {
    if (!isJsonObject(told)) return []
    const { run = index + 1 } = told
    const number = typeof run === 'number' ? run : index + 1
    const name = runs.length > 1 ? `${suite}/${id}, run ${number}` : `${suite}/${id}`
    const one: Subject = {
      id,
      shown: `${shown}: ${name}`,
      ...(suite === '' ? {} : { suite }),
      ...(runs.length > 1 ? { run: number } : {}),
      plan,
      open: (warn) => Promise.resolve(openRun(told, `${shown}: ${name}`, warn)),
    }
    return [one]
  })
}

function openRun({ trace, status, error }: JsonObject, shown: string, warn: (message: string) => void): Opened {
  if (status === 'skipped') return { kind: 'skipped', reason: 'it was skipped' }
  if (!Array.isArray(trace)) return { kind: 'skipped', reason: 'no trace of it was recorded' }
  const opened = openTimeline(trace as readonly Json[], shown, warn)
  const isErrored = status === 'error' || status === 'timeout'
  if (opened.kind === 'skipped' || !isErrored) return opened
  return { ...opened, error: typeof error === 'string' ? error : `it ended with ${status}` }
}
