import { join } from 'node:path'
import type { JsonObject } from '../../src/core/json.ts'
import { findSessions, readSession } from '../../src/sessions/index.ts'

/** Lines of a message stream. */
export function linesOf(...values: readonly unknown[]): string {
  return values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('')
}

/** A message of the user, `{info, parts}`. */
export function asked(text: string, at = 1_000, id = `msg_${at}`): JsonObject {
  return { info: { id, role: 'user', sessionID: 's', time: { created: at } }, parts: [textPart(text, `prt_${at}`)] }
}

/** One of the agent's. */
export function answered(at: number, ...parts: readonly JsonObject[]): JsonObject {
  const info = { id: `msg_${at}`, role: 'assistant', sessionID: 's', time: { created: at }, agent: 'build' }
  return { info, parts: parts.map((part, index) => ({ id: `prt_${at}_${index}`, ...part })) }
}

export function textPart(text: string, id?: string): JsonObject {
  return { ...(id === undefined ? {} : { id }), type: 'text', text }
}

export function toolPart(tool: string, input: JsonObject, { output = 'done', start = 0 } = {}): JsonObject {
  const time = { start, end: start + 5 }
  return {
    type: 'tool',
    tool,
    callID: `call_${start}`,
    state: { status: 'completed', input, output, metadata: {}, time },
  }
}

/** The timelines of all sessions in a folder, with what was warned of. */
export async function readAll(path: string) {
  const { sessions } = await findSessions(path, 'kept')
  const warnings: string[] = []
  const timelines = []
  for (const session of sessions) timelines.push(await readSession(session, (message) => void warnings.push(message)))
  return { sessions, warnings, timelines }
}

/** The timeline of the one session of a folder. */
export async function readOne(path: string) {
  const { sessions, warnings, timelines } = await readAll(path)
  const [timeline] = timelines
  if (!timeline || timelines.length > 1) throw new Error(`${timelines.length} sessions in ${join(path)}`)
  return { session: sessions[0], warnings, ...timeline }
}
