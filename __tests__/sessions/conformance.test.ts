import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { eventsOf, type TraceEvent } from '../../src/core/trace.ts'
import { readDump } from '../../src/sessions/index.ts'

interface TheirEvent {
  readonly timestamp: number
  readonly type: string
  readonly text?: string
  readonly tool?: string
  readonly agent?: string
}

interface Row {
  readonly id: string
  readonly messages: readonly Json[]
  readonly expect: {
    readonly events?: readonly TheirEvent[]
    readonly summary?: { readonly userMessages: number; readonly toolCalls: number; readonly tools: readonly string[] }
  }
}

const TABLE = join(import.meta.dirname, '../fixtures/conformance/opencode-timeline-cases.jsonl')
const rows = readFileSync(TABLE, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Row)

async function timelineOf({ messages }: Row) {
  const warnings: string[] = []
  const dump = { info: { id: 's-1' }, messages, children: [] }
  const { trace, metadata } = await readDump(dump, 'row', (warning) => void warnings.push(warning))
  return { trace, metadata, warnings }
}

const shortOf = (event: TraceEvent | TheirEvent) => ({
  timestamp: event.timestamp,
  type: event.type,
  ...('text' in event ? { text: event.text } : {}),
  ...('tool' in event ? { tool: event.tool } : {}),
  ...(event.agent === undefined || event.type === 'user_message' ? {} : { agent: event.agent }),
})

/** A message that says nothing, its parts told a second time, and thoughts are no events of ours. */
function ourEvents(events: readonly TheirEvent[]) {
  return events
    .filter(
      ({ type, text }) => type !== 'text' && type !== 'reasoning' && (type !== 'assistant_message' || text !== ''),
    )
    .map(({ text, tool, ...event }) =>
      shortOf({
        ...event,
        ...(event.type.endsWith('message') ? { text: text ?? '' } : {}),
        ...(tool === undefined ? {} : { tool }),
      }),
    )
}

/** Source: spec opencode-evals I: here ours differs on purpose. */
const OURS: Readonly<Record<string, { readonly events: readonly object[]; readonly skipped?: number }>> = {
  'timeline-builder/sdk-part-times-are-ignored': {
    events: [
      { timestamp: 1_100, type: 'assistant_message', text: 'First I look.', agent: 'alpha' },
      { timestamp: 1_300, type: 'tool_call', tool: 'read', agent: 'alpha' },
      { timestamp: 1_500, type: 'assistant_message', text: 'Then I answer.', agent: 'alpha' },
    ],
  },
  'timeline-builder/synthetic-and-ignored-text-kept': {
    events: [{ timestamp: 1_000, type: 'user_message', text: 'real' }],
  },
  'timeline-builder/info-without-time': { events: [], skipped: 1 },
  'timeline-builder/info-null': { events: [], skipped: 1 },
}

describe('the table of timelines', () => {
  test.each(rows)('$id', async (row) => {
    const { trace, metadata, warnings } = await timelineOf(row)
    const { events: theirs = [], summary } = row.expect
    const { events, skipped = 0 } = OURS[row.id] ?? { events: ourEvents(theirs) }
    expect(trace.events.map(shortOf)).toEqual(events)
    expect([metadata.skipped, warnings.length]).toEqual([skipped, skipped])
    if (!summary) return
    const calls = eventsOf(trace, 'tool_call')
    expect(eventsOf(trace, 'user_message')).toHaveLength(summary.userMessages)
    expect(calls).toHaveLength(summary.toolCalls)
    expect([...new Set(calls.map(({ tool }) => tool))]).toEqual(summary.tools)
  })

  test('has all its rows', () => {
    expect(rows).toHaveLength(17)
    expect(Object.keys(OURS).filter((id) => !rows.some((row) => row.id === id))).toEqual([])
  })
})
