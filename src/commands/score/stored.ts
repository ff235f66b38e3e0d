import { lstat, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { EvaluationPlan } from '../../core/evaluation.ts'
import { isJsonObject, isTooDeep, type JsonObject } from '../../core/json.ts'
import { findSessions, readSession, type SessionTimeline, type StoredSession } from '../../sessions/index.ts'
import { openTimeline } from './cases.ts'
import { type Expected, readExpected } from './expected.ts'
import { readPlan } from './kept-plan.ts'
import type { Found, OpenedTimeline, Reading, Subject } from './subject.ts'

/** Sessions and recorded timelines in a folder and below it. */
export async function* storedIn(path: string, shown: string, reading: Reading): AsyncGenerator<Found> {
  const { sessions, timelines } = await findSessions(path, shown)
  if (sessions.length + timelines.length === 0) {
    const hint = 'a session has a session.json or messages.jsonl, a recorded timeline a timeline.json'
    yield { problem: { file: shown, message: 'holds no session and no recorded timeline', hint } }
  }
  for (const session of sessions) yield { subject: sessionSubject(session, reading) }
  for (const timeline of timelines) yield* timelineIn(timeline.path, timeline.shown, reading)
}

function sessionSubject(session: StoredSession, reading: Reading): Subject {
  const { suite, id, run, evaluations, agent } = session.run ?? {}
  const isKept = typeof suite === 'string' && typeof id === 'string'
  const asked = isKept ? (reading.planOf(suite, id) ?? readPlan(evaluations)) : undefined
  const name = typeof agent === 'string' ? agent : agentOf(session.info)
  return {
    id: isKept ? id : session.id,
    shown: session.shown,
    ...(isKept ? { suite, ...(typeof run === 'number' ? { run } : {}) } : {}),
    plan: asked ?? reading.config.planFor(name),
    open: async (warn) => ({ ...opened(await readSession(session, warn)), ...errorOf(session.run) }),
  }
}

function agentOf({ agent }: JsonObject): string | undefined {
  return typeof agent === 'string' ? agent : undefined
}

function errorOf(run: JsonObject | undefined): Pick<OpenedTimeline, 'error'> {
  return typeof run?.['error'] === 'string' ? { error: run['error'] } : {}
}

export function opened({ trace, metadata, close }: SessionTimeline): OpenedTimeline {
  return { kind: 'timeline', trace, metadata, close }
}

const EXPECTED_FILE = 'expected.json'
const MOST_BYTES = 256 * 1024 ** 2

/** `timeline.json`, with `expected.json` beside it where something is expected of it. */
export async function* timelineIn(path: string, shown: string, reading: Reading): AsyncGenerator<Found> {
  const rows = await readJson(path)
  if ('fault' in rows || !Array.isArray(rows.value)) {
    yield { problem: { file: shown, message: 'fault' in rows ? rows.fault : 'expected a list of events' } }
    return
  }
  const events: readonly unknown[] = rows.value
  const expectedShown = `${dirname(shown)}/${EXPECTED_FILE}`
  const file = await readJson(join(dirname(path), EXPECTED_FILE))
  if ('fault' in file && file.fault !== MISSING) {
    yield { problem: { file: expectedShown, message: file.fault } }
    return
  }
  const read = 'fault' in file ? undefined : isJsonObject(file.value) ? readExpected(file.value) : NOT_EXPECTED
  if (read && 'fault' in read) {
    const { field, fault } = read
    yield { problem: { file: expectedShown, ...(field === undefined ? {} : { field }), message: fault } }
    return
  }
  const expected = read?.expected
  const subject: Subject = {
    id: expected?.id ?? basename(dirname(path)),
    shown,
    plan: planOf(expected, reading),
    ...(expected ? { expected } : {}),
    open: (warn) => Promise.resolve(openTimeline(events, shown, warn)),
  }
  yield { subject }
}

const NOT_EXPECTED = { fault: 'expected what each evaluator must say', field: '' }

/**
 * The evaluators that something is expected of. Where an overall score is, too, it is that of the project which these
 * files come from: there, what is not applicable counts as 100.
 */
function planOf(expected: Expected | undefined, { config }: Reading): EvaluationPlan {
  const plan = config.planFor()
  if (!expected) return plan
  const known = new Map(plan.evaluators.map((evaluator) => [evaluator.type, evaluator]))
  const evaluators = [...expected.results.keys()].map((type) => known.get(type) ?? { type })
  const hasOverall = Object.keys(expected.overall).length > 0
  return { ...plan, evaluators, ...(hasOverall ? { compat: 'openagents' as const } : {}) }
}

const MISSING = 'there is no such file'

async function readJson(path: string): Promise<{ readonly value: unknown } | { readonly fault: string }> {
  let text: string
  try {
    const stats = await lstat(path)
    if (!stats.isFile()) return { fault: 'is no plain file' }
    if (stats.size > MOST_BYTES) return { fault: 'is too large to be one timeline' }
    text = await readFile(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { fault: code === 'ENOENT' ? MISSING : `cannot be read: ${message}` }
  }
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return isTooDeep(value) ? { fault: 'is nested too deeply' } : { value }
  } catch (error) {
    return { fault: `not JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}
