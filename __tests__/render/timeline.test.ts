import { describe, expect, test } from 'vitest'
import type { TraceEvent } from '../../src/core/trace.ts'
import { hasTimeline, timelineText } from '../../src/render/index.ts'

const plain = (_mood: string, text: string) => text
const root = { id: 'ses_1', depth: 0 }
const child = { id: 'ses_2', parentId: 'ses_1', depth: 1 }

const session: readonly TraceEvent[] = [
  { timestamp: 1_000, type: 'user_message', text: 'Add a note', session: root },
  { timestamp: 1_200, type: 'assistant_message', text: 'May I?\nIt is short.', agent: 'build', session: root },
  {
    timestamp: 1_300,
    type: 'approval_request',
    id: 'p',
    tool: 'write',
    parameters: { filePath: 'a.md', content: 'x' },
  },
  { timestamp: 1_500, type: 'approval_response', id: 'p', approved: true, session: root },
  {
    timestamp: 1_500,
    type: 'tool_call',
    tool: 'write',
    parameters: { filePath: 'a.md' },
    durationMs: 12,
    session: root,
  },
  { timestamp: 1_600, type: 'patch', files: ['a.md', 'b.md'], session: root },
  {
    timestamp: 2_000,
    type: 'tool_call',
    tool: 'task',
    parameters: { description: 'find', subagent_type: 'explore' },
    session: root,
  },
  {
    timestamp: 2_100,
    type: 'tool_call',
    tool: 'bash',
    parameters: { command: 'ls -la' },
    exitCode: 2,
    session: child,
    agent: 'explore',
  },
  {
    timestamp: 2_200,
    type: 'tool_call',
    tool: 'read',
    parameters: { filePath: 'c' },
    status: 'failed',
    error: 'no such file',
    session: child,
  },
  { timestamp: 2_300, type: 'approval_response', id: 'q', approved: false, session: child },
  {
    timestamp: 2_300,
    type: 'tool_call',
    tool: 'bash',
    parameters: { command: 'rm c' },
    status: 'denied',
    session: child,
  },
  {
    timestamp: 62_000,
    type: 'tool_call',
    tool: 'query',
    server: 'db',
    parameters: { limit: 3, deep: {} },
    status: 'running',
    session: root,
  },
  { timestamp: 62_000, type: 'usage', inputTokens: 12_000, outputTokens: 300, costUsd: 0.0125, session: root },
]

test('a session is told line by line, its subagent indented', () => {
  expect(timelineText(session, plain)).toBe(`Timeline:
     +0ms user         Add a note
   +200ms build        May I? It is short.
   +300ms asks         write a.md
   +500ms answer  ✓ approved
   +500ms write        a.md  ✓ 12ms
   +600ms patch        a.md, b.md
    +1.0s task         find  ✓
          ↳ session ses_2 of explore
    +1.1s   bash         ls -la  ! (exit 2)
    +1.2s   read         c  ✗ failed: no such file
    +1.3s   answer  ✗ denied
    +1.3s   bash         rm c  ✗ denied
   +1m 1s db/query     limit=3 deep=…  ! not ended
          12k tokens in, 300 out, $0.0125
`)
})

describe('what needs no timeline', () => {
  test.each<[string, TraceEvent, boolean]>([
    ['a text', { timestamp: 1, type: 'assistant_message', text: 'x' }, false],
    ['figures', { timestamp: 1, type: 'usage', inputTokens: 1, outputTokens: 1 }, false],
    ['a call', { timestamp: 1, type: 'tool_call', tool: 'x', parameters: {} }, true],
    ['a patch', { timestamp: 1, type: 'patch', files: [] }, true],
    ['a request', { timestamp: 1, type: 'approval_request', id: 'a', tool: 'x', parameters: {} }, true],
    ['an answer', { timestamp: 1, type: 'approval_response', id: 'a', approved: true }, true],
    ['a text of a subagent', { timestamp: 1, type: 'assistant_message', text: 'x', session: child }, true],
  ])('%s: %j', (_, event, expected) => {
    expect(hasTimeline([event])).toBe(expected)
  })
})

describe('hostile events', () => {
  const nasty = 'a\u001b[31mb\u0007\nc\u202ed\r\u0000e'
  test.each<[string, TraceEvent]>([
    [
      'a text',
      { timestamp: 1, type: 'assistant_message', text: nasty, agent: nasty, session: { id: nasty, depth: 1 } },
    ],
    [
      'a call',
      {
        timestamp: 1,
        type: 'tool_call',
        tool: nasty,
        server: nasty,
        parameters: { [nasty]: nasty },
        status: 'failed',
        error: nasty,
      },
    ],
    ['a command', { timestamp: 1, type: 'tool_call', tool: 'bash', parameters: { command: nasty } }],
    ['a patch', { timestamp: 1, type: 'patch', files: [nasty, nasty] }],
    ['a request', { timestamp: 1, type: 'approval_request', id: 'a', tool: nasty, parameters: nasty }],
    ['a deep session', { timestamp: 1, type: 'patch', files: ['a'], session: { id: 'b', depth: 1_000_000 } }],
    ['no finite time', { timestamp: Number.MAX_SAFE_INTEGER, type: 'patch', files: ['a'], durationMs: 1e300 }],
  ])('%s is a line of its own, without a control character', (_, event) => {
    const text = timelineText([event], plain)
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e]/u)
    expect(text.split('\n').length).toBeLessThanOrEqual(4)
    for (const line of text.split('\n')) expect(line.length).toBeLessThan(300)
  })

  test('a long session is cut in its middle, and a large parameter costs nothing', () => {
    const large: TraceEvent = {
      timestamp: 1,
      type: 'tool_call',
      tool: 'write',
      parameters: { content: 'x'.repeat(5_000_000) },
    }
    const text = timelineText(
      Array.from({ length: 100_000 }, () => large),
      plain,
    )
    expect(text.split('\n')).toHaveLength(1 + 120 + 1 + 40 + 1)
    expect(text).toContain('… 99,840 more events')
    expect(text.length).toBeLessThan(50_000)
  })
})
