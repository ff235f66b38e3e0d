import type { FileHandle } from 'node:fs/promises'
import type { Problem } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { type ByteLine, byteLines, readByteLine } from '../../lib/byte-lines.ts'
import { changed, type FoundResult, type Indexed } from './found.ts'
import { parseObject, parseRow, suiteOf, versionFault } from './rows.ts'

/** A broken file names its first faults; a wrong file has one on every line. */
const MOST_PROBLEMS = 20

type Place = Omit<ByteLine, 'text'>

/** The lines that tell of one case. */
interface CaseLines {
  readonly id: string
  readonly suite: string
  /** Of a case that is run once, `result`; else `run` lines in the order they were written. */
  readonly runs: Place[]
  stability?: Place
}

/** Finds the results of a `.jsonl` report: the lines of each case, wherever they stand. Source: spec yao 5.1. */
export async function indexLines(handle: FileHandle, file: string): Promise<Indexed> {
  const cases: CaseLines[] = []
  const byKey = new Map<string, CaseLines>()
  const problems: Problem[] = []
  for await (const { text, ...place } of byteLines(handle)) {
    if (text.trim() === '') continue
    const fault = remember(text, place, { cases, byKey })
    if (fault) problems.push({ file, line: place.number, ...fault })
    if (problems.length === MOST_PROBLEMS) break
  }
  if (problems.length > 0) return { problems }
  const results = cases.map(
    (lines): FoundResult => ({
      id: lines.id,
      suite: lines.suite,
      read: () => readCase(handle, file, lines),
    }),
  )
  return { results }
}

interface Known {
  readonly cases: CaseLines[]
  readonly byKey: Map<string, CaseLines>
}

function remember(text: string, place: Place, { cases, byKey }: Known): Problem | undefined {
  const parsed = parseObject(text.replace(/^\uFEFF/, ''))
  if ('fault' in parsed) return { message: parsed.fault }
  const { type, status, schemaVersion } = parsed.value
  if (typeof type !== 'string') return { message: 'no line of a report: expected an object with "type"' }
  const fault = versionFault(schemaVersion)
  if (fault !== undefined) return { field: 'schemaVersion', message: fault }
  if ((type !== 'result' && type !== 'run' && type !== 'stability') || status === 'skipped') return undefined
  const named = parseRow(text)
  if ('fault' in named) return { ...(named.field === undefined ? {} : { field: named.field }), message: named.fault }
  const { id } = named.row
  const suite = suiteOf(named.row)
  const key = JSON.stringify([suite, id])
  // Reports that were joined to one file tell of a case twice.
  const known = type === 'result' ? undefined : byKey.get(key)
  const lines: CaseLines = known ?? { id, suite, runs: [] }
  if (!known) cases.push(lines)
  byKey.set(key, lines)
  if (type === 'stability') lines.stability = place
  else lines.runs.push(place)
  return undefined
}

async function readCase(handle: FileHandle, file: string, { id, runs, stability }: CaseLines): Promise<JsonObject> {
  const read = async (place: Place): Promise<JsonObject> => {
    const parsed = parseRow((await readByteLine(handle, place)).replace(/^\uFEFF/, ''))
    if ('row' in parsed && parsed.row.id === id) return parsed.row
    throw changed(file, place.number)
  }
  const told: JsonObject[] = []
  for (const place of runs) told.push(await read(place))
  const [only] = told
  if (only?.['type'] === 'result') return without(only, ['type'])
  const name = stability ? await read(stability) : without(only ?? { id }, RUN_MEMBERS)
  const details = told
    .map((run) => without(run, ['type', 'id', 'suite']))
    .toSorted((left, right) => numberOf(left) - numberOf(right))
  return { ...without(name, ['type']), run_details: details }
}

/** What of a run line does not tell of the case. */
const RUN_MEMBERS = [
  'type',
  'run',
  'status',
  'duration_ms',
  'attempts',
  'output',
  'error',
  'code',
  'assertions',
  'trace',
]

function numberOf({ run }: JsonObject): number {
  return typeof run === 'number' ? run : 0
}

function without(row: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name))) as Readonly<
    Record<string, Json>
  >
}
