import { expect, test } from 'vitest'
import { type TraceEvent, toSeed, usageOf } from '../../src/core/trace.ts'
import { createEventShelf } from '../../src/sessions/event-shelf.ts'

const session = { id: 's', depth: 0 }
const about = { session, agent: 'build', model: 'p/m' }
const long = 'x'.repeat(5_000)

const EVENTS: readonly TraceEvent[] = [
  { timestamp: 2, type: 'user_message', text: 'Hi', session },
  { timestamp: 1, type: 'assistant_message', text: long, durationMs: 5, ...about },
  {
    timestamp: 3,
    type: 'tool_call',
    tool: 'bash',
    parameters: { command: long, list: [1, null, { a: true }] },
    result: long,
    callId: 'c',
    exitCode: 0,
    ...about,
  },
  { timestamp: 3, type: 'tool_call', tool: 'read', parameters: {}, error: 'no', status: 'failed', ...about },
  { timestamp: 3, type: 'patch', files: ['a', 'b'], ...about },
  { timestamp: 4, type: 'approval_request', id: 'p', tool: 'bash', parameters: null, session },
  { timestamp: 5, type: 'approval_response', id: 'p', approved: false, session },
  { timestamp: 6, type: 'log', level: 'warn', text: '\u2028"', session },
]

function shelved(isLarge: boolean, events: readonly TraceEvent[]) {
  const shelf = createEventShelf({ isLarge })
  for (const event of events) shelf.add(event)
  return { events: shelf.events(), close: shelf.close }
}

test('packed events read, copy and print like any other, in order of time', () => {
  const plain = shelved(false, EVENTS)
  const packed = shelved(true, EVENTS)
  expect(packed.events.map((event) => ({ ...event }))).toEqual(plain.events)
  expect(JSON.stringify(packed.events)).toBe(JSON.stringify(packed.events.map((event) => ({ ...event }))))
  expect(toSeed(packed)).toEqual(toSeed(plain))
  expect(plain.events.map(({ timestamp }) => timestamp)).toEqual([1, 2, 3, 3, 3, 4, 5, 6])
  for (const [index, event] of packed.events.entries()) {
    for (const name of ['text', 'result', 'callId', 'error'] as const) {
      expect(name in event).toBe(name in (plain.events[index] ?? {}))
    }
  }
  packed.close()
})

test('of a large session figures come as one sum for each agent and model', () => {
  const usage = (timestamp: number, agent: string, costUsd?: number): TraceEvent => ({
    timestamp,
    type: 'usage',
    inputTokens: 10,
    outputTokens: 1,
    agent,
    session,
    ...(costUsd === undefined ? {} : { costUsd }),
  })
  const events = [usage(1, 'a', 0.5), usage(2, 'b'), usage(3, 'a', 0.25), usage(4, 'a')]
  const { events: kept, close } = shelved(true, events)
  expect(kept).toEqual([
    { timestamp: 2, type: 'usage', inputTokens: 10, outputTokens: 1, agent: 'b', session },
    { timestamp: 4, type: 'usage', inputTokens: 30, outputTokens: 3, costUsd: 0.75, agent: 'a', session },
  ])
  expect(usageOf({ events: kept })).toEqual(usageOf({ events }))
  close()
})

test('a hundred thousand events in any order', () => {
  const events = Array.from(
    { length: 100_000 },
    (_, index): TraceEvent => ({
      timestamp: (index * 7_919) % 100_000,
      type: 'assistant_message',
      text: `said at ${(index * 7_919) % 100_000}`,
      ...about,
    }),
  )
  const { events: kept, close } = shelved(true, events)
  expect(kept.every((event, index) => event.type === 'assistant_message' && event.text === `said at ${index}`)).toBe(
    true,
  )
  close()
})
