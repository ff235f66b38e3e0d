import { z } from 'zod'
import type { JsonObject } from '../core/json.ts'
import { eventsOf, type Trace, type TraceEvent, usageOf } from '../core/trace.ts'
import { defineEvaluator, type Finding, type Inspection } from './evaluator.ts'

const limit = z.number().min(0).optional()

/** How long it took and what it cost; judged only where a limit is given. Source: spec opencode-evals C.12. */
export const performanceMetrics = defineEvaluator({
  type: 'performance-metrics',
  schema: z.object({ maxDurationMs: limit, maxTokens: limit, maxCostUsd: limit, maxToolCalls: limit }),
  violations: { 'limit-exceeded': 'error', 'missing-data': 'error' },
  judge({ maxDurationMs, maxTokens, maxCostUsd, maxToolCalls }, trace) {
    const usage = usageOf(trace)
    const tokens = usage && usage.inputTokens + usage.outputTokens
    const costs = eventsOf(trace, 'usage').flatMap(({ costUsd }) => (costUsd === undefined ? [] : [costUsd]))
    const costUsd = costs.length === 0 ? undefined : sum(costs)
    const metrics = metricsOf(trace)
    const inspections = [
      limited('duration', maxDurationMs, metrics.total_duration_ms, 'ms'),
      limited('tokens', maxTokens, tokens, 'tokens'),
      limited('cost', maxCostUsd, costUsd, 'USD'),
      limited('tool-calls', maxToolCalls, metrics.tool_count, 'tool calls'),
    ].flatMap((inspection) => inspection ?? [])
    const known = {
      ...(tokens === undefined ? {} : { tokens }),
      ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
    }
    return {
      kind: 'judged',
      inspections,
      facts: { metrics: { ...metrics, ...known } },
      ...(inspections.length === 0 ? { informational: true } : {}),
    }
  },
})

function limited(
  name: string,
  most: number | undefined,
  actual: number | undefined,
  unit: string,
): Inspection | undefined {
  if (most === undefined) return undefined
  const finding = (type: string, message: string): Finding[] => [
    { type, message, evidence: { most, actual: actual ?? null } },
  ]
  if (actual === undefined)
    return {
      name,
      findings: finding(
        'missing-data',
        `nothing says how many ${unit} the run took, so the limit of ${most} cannot be judged`,
      ),
    }
  return {
    name,
    findings: actual <= most ? [] : finding('limit-exceeded', `the run took ${actual} ${unit}, more than ${most}`),
  }
}

/** A pause this long is nobody's work. */
const IDLE_MS = 1_000

function metricsOf({ events }: Trace) {
  const said = events.filter(({ type }) => type !== 'log')
  const gaps = said.map((event, index) =>
    Math.max(0, (said[index + 1]?.timestamp ?? event.timestamp) - event.timestamp),
  )
  const first = said[0]?.timestamp ?? 0
  const last = said.at(-1)?.timestamp ?? 0
  return {
    total_duration_ms: Math.max(0, last - first),
    tool_latencies_ms: latencies(said, gaps),
    inference_time_ms: inferenceTime(said),
    idle_time_ms: sum(gaps.filter((gap) => gap > IDLE_MS)),
    event_distribution: counted(said.map(({ type }) => type)),
    tool_count: said.filter(({ type }) => type === 'tool_call').length,
    message_count: said.filter(({ type }) => type === 'user_message' || type === 'assistant_message').length,
  }
}

/** A tool's own time where the target knows it, else the time until the next event. */
function latencies(events: readonly TraceEvent[], gaps: readonly number[]): JsonObject {
  const byTool = new Map<string, number[]>()
  for (const [index, event] of events.entries()) {
    if (event.type !== 'tool_call') continue
    const times = byTool.get(event.tool) ?? []
    times.push(event.durationMs ?? gaps[index] ?? 0)
    byTool.set(event.tool, times)
  }
  const rows = [...byTool].map(([tool, times]) => {
    const total = sum(times)
    const [least, most] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))]
    return [
      tool,
      { count: times.length, avg_ms: total / times.length, min_ms: least, max_ms: most, total_ms: total },
    ] as const
  })
  return Object.fromEntries(rows)
}

/** From each turn of the user to the agent's next words. */
function inferenceTime(events: readonly TraceEvent[]): number {
  let total = 0
  let askedAt: number | undefined
  for (const event of events) {
    if (event.type === 'user_message') askedAt = event.timestamp
    if (event.type !== 'assistant_message' || askedAt === undefined) continue
    total += Math.max(0, event.timestamp - askedAt)
    askedAt = undefined
  }
  return total
}

function counted(names: readonly string[]): JsonObject {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Object.fromEntries(counts)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
