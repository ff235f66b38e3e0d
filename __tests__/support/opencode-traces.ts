import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import type { SessionKeeper } from '../../src/core/session-keeper.ts'
import type { TraceEvent } from '../../src/core/trace.ts'
import { toSeed } from '../../src/core/trace.ts'
import { aCase } from './builders.ts'

/** A recording of a real server: see the README beside the traces. */
export interface ServerTrace {
  readonly name: string
  readonly events: readonly { readonly event: JsonObject; readonly at: number }[]
  readonly sessions: readonly { readonly info: JsonObject; readonly messages: readonly JsonObject[] }[]
}

/** Tests on recorded traces, which this repository does not hold; skipped where they are absent. */
export function describeTraces(
  title: string,
  tests: (names: readonly string[], load: (name: string) => ServerTrace) => void,
) {
  const corpus = process.env['AGENT_TEST_CORPUS'] ?? '../shared/corpus'
  const folder = process.env['AGENT_TEST_TRACES'] ?? resolve(corpus, '../traces')
  const isThere = existsSync(folder)
  describe.runIf(isThere)(isThere ? title : `${title} (skipped: there is no ${folder})`, () => {
    const names = isThere ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : []
    tests(names.map((name) => name.slice(0, -'.jsonl'.length)).sort(), (name) =>
      parseTrace(name, readFileSync(join(folder, `${name}.jsonl`), 'utf8')),
    )
  })
}

interface Line {
  readonly t: number
  readonly src: 'event' | 'client' | 'final'
  readonly event: { readonly type: string; readonly properties: JsonObject }
  readonly messages?: readonly Listed[]
  readonly childMessages?: Readonly<Record<string, readonly Listed[]>>
}

interface Listed extends JsonObject {
  readonly info: JsonObject
}

function parseTrace(name: string, text: string): ServerTrace {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  const told = lines.filter(({ src }) => src === 'event')
  const infos = new Map<string, JsonObject>()
  for (const { event } of told) {
    if (event.type !== 'session.created' && event.type !== 'session.updated') continue
    const info = event.properties['info'] as JsonObject & { readonly id: string }
    infos.set(info.id, info)
  }
  const final = lines.at(-1)
  const listed = [...(final?.messages ?? []), ...Object.values(final?.childMessages ?? {}).flat()]
  const sessions = [...infos].map(([id, info]) => ({
    info,
    messages: listed.filter((message) => message.info['sessionID'] === id),
  }))
  const start = startOf(told)
  return {
    name,
    events: told.map(({ event, t }) => ({ event: event as unknown as JsonObject, at: start + t })),
    sessions,
  }
}

/** Lines tell only how long the client had been running. */
function startOf(told: readonly Line[]): number {
  for (const { t, event } of told) {
    const { info } = event.properties as { readonly info?: { readonly time?: { readonly created?: number } } }
    if (info?.time?.created !== undefined) return info.time.created - t
  }
  return 0
}

/** As a target would while it runs: events as they come, then the sessions as the server lists them. */
export async function keepTrace(trace: ServerTrace, keeper: SessionKeeper): Promise<void> {
  const recorder = await keeper.open({ case: aCase({ id: trace.name }), run: 1 })
  for (const { event, at } of trace.events) await recorder.event(event, at)
  for (const { info, messages } of trace.sessions) await recorder.session(info, messages)
  await recorder.close({ agent: 'openagent' })
}

/** A timeline to read: one event a line, ids numbered in the order they appear, times from the first event on. */
export function timelineText(events: readonly TraceEvent[]): string {
  const start = events[0]?.timestamp ?? 0
  const names = new Map<string, string>()
  const numbered = (text: string) =>
    text.replace(/\b(ses|msg|prt|per|que|call)_[\w-]{6,}/g, (id, kind: string) => {
      const known = names.get(id) ?? `${kind}_${[...names.keys()].filter((other) => other.startsWith(kind)).length + 1}`
      names.set(id, known)
      return known
    })
  const rows = toSeed({ events }).map(({ timestamp, type, data, ...about }) =>
    numbered(
      `${String(timestamp - start).padStart(6)} ${type} ${JSON.stringify(relative(data, start))} ${JSON.stringify(about)}`,
    ),
  )
  return rows.map((row) => `${row}\n`).join('')
}

function relative(data: JsonObject, start: number): JsonObject {
  const { requestTimestamp } = data
  return typeof requestTimestamp === 'number' ? { ...data, requestTimestamp: requestTimestamp - start } : data
}
