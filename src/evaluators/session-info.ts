import type { JsonObject } from '../core/json.ts'
import { eventsOf, type Trace } from '../core/trace.ts'

/** What custom evaluators are told of a session besides its timeline. Source: seed 001, `evaluate(timeline, sessionInfo)`. */
export function sessionInfoOf(trace: Trace): JsonObject {
  const { events } = trace
  const sessions = [...new Map(events.flatMap(({ session }) => (session ? [[session.id, session]] : [])))].map(
    ([, session]) => ({ ...session }),
  )
  const root = sessions.find(({ depth }) => depth === 0) ?? sessions[0]
  const own = events.filter(({ session }) => session === undefined || session.id === root?.id)
  const agent = own.find((event) => event.agent !== undefined)?.agent
  const model = own.find((event) => event.model !== undefined)?.model
  const usages = eventsOf(trace, 'usage')
  const startedAt = events[0]?.timestamp
  const endedAt = events.reduce((latest, { timestamp, durationMs = 0 }) => Math.max(latest, timestamp + durationMs), 0)
  return {
    ...(root ? { id: root.id } : {}),
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    ...(startedAt === undefined ? {} : { startedAt, durationMs: endedAt - startedAt }),
    sessions,
    inputTokens: usages.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: usages.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    costUsd: usages.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0),
  }
}
