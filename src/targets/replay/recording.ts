import type { FileHandle } from 'node:fs/promises'
import type { Problem } from '../../core/errors.ts'
import { type ByteLine, byteLines, readByteLine } from '../../lib/byte-lines.ts'
import { type ParsedResultsLine, parseResultsLine, type RecordedRun } from './results-line.ts'

/** A results file that was read once: where each run lies, not what it holds. */
export interface Recording {
  /** Label of the agent that was recorded. */
  readonly agent?: string
  find(suite: string, id: string, run: number): { readonly at: Position } | { readonly missing: string }
  /** Undefined when the file has changed since. */
  read(at: Position): Promise<RecordedRun | undefined>
}

type Position = Omit<ByteLine, 'text'>
type RunsOfCase = Map<number, Position>
type CasesOfSuite = Map<string, RunsOfCase>

/** A broken file names its first faults; a wrong file has one on every line. */
const MOST_PROBLEMS = 20

/** Reads the whole file once, a line at a time, and remembers where each run is. */
export async function indexRecording(
  handle: FileHandle,
  file: string,
): Promise<{ readonly recording: Recording } | { readonly problems: readonly Problem[] }> {
  const suites = new Map<string, CasesOfSuite>()
  const problems: Problem[] = []
  let agent: string | undefined
  for await (const line of byteLines(handle)) {
    if (line.text.trim() === '') continue
    const parsed = parseResultsLine(line.text)
    if (parsed.kind === 'start') agent ??= parsed.agent
    const fault = parsed.kind === 'run' ? remember(suites, parsed.recorded, line) : faultOf(parsed)
    if (fault) problems.push({ file, line: line.number, ...fault })
    if (problems.length === MOST_PROBLEMS) break
  }
  if (problems.length === 0 && suites.size === 0) problems.push({ file, message: 'holds no recorded run' })
  if (problems.length > 0) return { problems }
  return {
    recording: {
      ...(agent === undefined ? {} : { agent }),
      find: (suite, id, run) => find(suites, { suite, id, run }),
      async read(at) {
        const parsed = parseResultsLine(await readByteLine(handle, at))
        return parsed.kind === 'run' ? parsed.recorded : undefined
      },
    },
  }
}

function faultOf(parsed: ParsedResultsLine): Problem | undefined {
  if (parsed.kind !== 'invalid') return undefined
  return { ...(parsed.field === undefined ? {} : { field: parsed.field }), message: parsed.problem }
}

type RunName = Pick<RecordedRun, 'suite' | 'id' | 'run'>

/** A second record of the same run is a fault: nobody could say which one is meant. */
function remember(suites: Map<string, CasesOfSuite>, name: RunName, line: ByteLine): Problem | undefined {
  const { suite, id, run } = name
  const cases = suites.get(suite) ?? new Map<string, RunsOfCase>()
  const runs = cases.get(id) ?? new Map<number, Position>()
  const earlier = runs.get(run)
  if (earlier) return { message: `${nameOf(name)} is recorded a second time`, hint: `first in line ${earlier.number}` }
  const { number, offset, length } = line
  suites.set(suite, cases.set(id, runs.set(run, { number, offset, length })))
  return undefined
}

/** By suite and id; by id alone when the file knows no such suite, as after a rename, and the id is in it once. */
function find(suites: ReadonlyMap<string, CasesOfSuite>, name: RunName): ReturnType<Recording['find']> {
  const { suite, id, run } = name
  const own = suites.get(suite)
  const holding = own ? [own] : [...suites.values()].filter((cases) => cases.has(id))
  if (holding.length > 1)
    return { missing: `suite ${suite} is not recorded, and ${id} is in ${holding.length} other suites` }
  const cases = holding[0] ?? new Map<string, RunsOfCase>()
  const runs = cases.get(id)
  if (!runs) return { missing: `case ${id} is not recorded; ${describeCases(own ? [own] : [...suites.values()])}` }
  const at = runs.get(run)
  if (at) return { at }
  return {
    missing: `${nameOf(name)} is not recorded; recorded: run ${[...runs.keys()].sort((left, right) => left - right).join(', ')}`,
  }
}

function describeCases(suites: readonly CasesOfSuite[]): string {
  const ids = suites.flatMap((cases) => [...cases.keys()])
  const shown = ids.slice(0, 5).join(', ')
  return `recorded: ${ids.length > 5 ? `${shown} and ${ids.length - 5} more` : shown}`
}

function nameOf({ id, run }: RunName): string {
  return `run ${run} of case ${id}`
}
