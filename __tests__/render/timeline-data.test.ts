import { expect, test } from 'vitest'
import type { SessionRef, TraceEvent } from '../../src/core/trace.ts'
import { timelineFields } from '../../src/render/index.ts'

const root = { id: 'a', depth: 0 }
const child = { id: 'b', parentId: 'a', depth: 1 }
const says = (timestamp: number, text: string, session: SessionRef = root): TraceEvent => ({
  timestamp,
  type: 'assistant_message',
  text,
  agent: 'build',
  session,
})

test('the sessions of a run as a tree, with what each did and took', () => {
  const events: TraceEvent[] = [
    says(1_000, 'Go.'),
    {
      timestamp: 1_100,
      type: 'tool_call',
      tool: 'task',
      parameters: {},
      session: root,
      durationMs: 900,
      agent: 'plan',
    },
    {
      timestamp: 1_200,
      type: 'tool_call',
      tool: 'read',
      parameters: { filePath: 'x' },
      session: child,
      agent: 'helper',
    },
    { timestamp: 1_300, type: 'usage', inputTokens: 10, outputTokens: 2, costUsd: 0.5, session: child },
    { timestamp: 1_400, type: 'usage', inputTokens: 5, outputTokens: 1, session: child },
  ]
  const timeline = timelineFields({ events })
  expect(timeline?.sessions).toEqual([
    {
      id: 'a',
      depth: 0,
      agents: ['build', 'plan'],
      started_at: 1_000,
      ended_at: 2_000,
      events: 2,
      tool_calls: 1,
      children: [
        {
          id: 'b',
          parent_id: 'a',
          depth: 1,
          agents: ['helper'],
          started_at: 1_200,
          ended_at: 1_400,
          events: 3,
          tool_calls: 1,
          input_tokens: 15,
          output_tokens: 3,
          cost_usd: 0.5,
          children: [],
        },
      ],
    },
  ])
  expect(timeline?.events).toHaveLength(5)
  expect(timeline?.events[2]).toEqual({
    timestamp: 1_200,
    type: 'tool_call',
    agent: 'helper',
    session: child,
    data: { tool: 'read', parameters: { filePath: 'x' } },
  })
  expect(timeline?.cut).toBeUndefined()
})

test('a run without sessions has none', () => {
  expect(timelineFields({ events: [{ timestamp: 1, type: 'assistant_message', text: 'x' }] })).toBeUndefined()
  expect(timelineFields({ events: [] })).toBeUndefined()
})

test('a parent that is not there, and parents in a circle, lose nobody', () => {
  const orphan = { id: 'o', parentId: 'gone', depth: 1 }
  expect(timelineFields({ events: [says(1, 'x', orphan)] })?.sessions).toMatchObject([{ id: 'o', parent_id: 'gone' }])
  const circle = [
    says(1, 'x', { id: 'p', parentId: 'q', depth: 1 }),
    says(2, 'x', { id: 'q', parentId: 'p', depth: 1 }),
    says(3, 'x'),
  ]
  expect(timelineFields({ events: circle })?.sessions.map(({ id }) => id)).toEqual(['a', 'p'])
})

test('a chain of ten thousand sessions is no tree any more, and yet each is there', () => {
  const events = Array.from({ length: 10_000 }, (_, index) =>
    says(index, 'x', { id: `s${index}`, depth: index, ...(index > 0 ? { parentId: `s${index - 1}` } : {}) }),
  )
  const count = (list: readonly { readonly children: readonly unknown[] }[]): number =>
    list.reduce((sum, { children }) => sum + 1 + count(children as typeof list), 0)
  expect(count(timelineFields({ events })?.sessions ?? [])).toBe(10_000)
})

test.each<[string, TraceEvent[], object]>([
  ['a long text', [says(1, 'x'.repeat(5_000))], { texts: 1 }],
  [
    'a long list',
    [{ timestamp: 1, type: 'tool_call', tool: 't', parameters: Array.from({ length: 500 }, () => 1), session: root }],
    { texts: 1 },
  ],
  [
    'many events',
    Array.from({ length: 2_000 }, (_, index) => says(index, 'x'.repeat(1_000))),
    { events: expect.any(Number) },
  ],
])('%s is cut, and that is said', (_, events, expected) => {
  const timeline = timelineFields({ events })
  expect(timeline?.cut).toEqual(expected)
  expect(JSON.stringify(timeline).length).toBeLessThan(600 * 1024)
})

test('of many events the first and the last stay', () => {
  const events = Array.from({ length: 2_000 }, (_, index) => says(index, 'x'.repeat(1_000)))
  const timeline = timelineFields({ events })
  const kept = timeline?.events ?? []
  expect([kept[0]?.timestamp, kept.at(-1)?.timestamp]).toEqual([0, 1_999])
  expect(kept.length + (timeline?.cut?.events ?? 0)).toBe(2_000)
})
