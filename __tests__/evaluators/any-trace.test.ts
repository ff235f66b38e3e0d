import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readTimeline } from '../../src/core/timeline.ts'
import type { Trace, TraceEvent } from '../../src/core/trace.ts'
import { evaluateTrace } from '../../src/evaluators/index.ts'
import { ALL, event, json } from './any-event.ts'
import { story } from './story.ts'

describe('whatever the trace', () => {
  test('no evaluator throws, and every score is one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 25 }), async (events) => {
        for (const evaluation of await evaluateTrace({ events }, ALL)) {
          expect(evaluation.status, JSON.stringify(evaluation)).not.toBe('errored')
          if (evaluation.status !== 'scored') continue
          expect(evaluation.score).toBeGreaterThanOrEqual(0)
          expect(evaluation.score).toBeLessThanOrEqual(100)
          expect(evaluation.passed).toBe(evaluation.violations.every(({ severity }) => severity !== 'error'))
          expect(evaluation.violations.every(({ message }) => message.length > 0 && message.length < 2_000)).toBe(true)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('the same one is judged the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 15 }), async (events) => {
        const copy: Trace = { events: structuredClone(events) }
        expect(await evaluateTrace(copy, ALL)).toEqual(await evaluateTrace({ events }, ALL))
      }),
      { numRuns: 100 },
    )
  })

  test('nor of rows that are none', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            timestamp: json,
            type: fc.constantFrom('tool_call', 'text', 'user_message', 'approval_request'),
            data: json,
          }),
        ),
        async (rows) => {
          const evaluations = await evaluateTrace(readTimeline(rows).trace, ALL)
          expect(evaluations.filter(({ status }) => status === 'errored')).toEqual([])
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('time grows with the trace and no faster', () => {
  const LIMIT_MS = 15_000
  const lines = [
    'user: Implement it. Yes, do it.',
    'agent: It failed. May I fix it? I could round.',
    'bash npm test && cat a | sort; rm -rf b/c',
    'write src/a.ts',
    'read docs/a.md',
    'edit b.ts',
  ]

  async function timeOf(trace: Trace): Promise<number> {
    const begun = performance.now()
    await evaluateTrace(trace, ALL)
    return performance.now() - begun
  }

  test('a hundred thousand events', async () => {
    const many = Array.from({ length: 100_000 }, (_, index) => lines[index % lines.length] ?? '')
    expect(await timeOf(story(...many))).toBeLessThan(LIMIT_MS)
  })

  test('a hundred thousand requests for approval', async () => {
    const requests = Array.from(
      { length: 50_000 },
      (_, index): TraceEvent => ({
        type: 'approval_request',
        timestamp: index,
        id: String(index),
        tool: 'bash',
        parameters: {},
      }),
    )
    const calls = Array.from(
      { length: 50_000 },
      (_, index): TraceEvent => ({
        type: 'tool_call',
        timestamp: index,
        tool: 'bash',
        parameters: { command: `rm ${index}` },
        result: '1 failed',
      }),
    )
    expect(await timeOf({ events: [...requests, ...calls] })).toBeLessThan(LIMIT_MS)
  })

  test.each([
    ['words', 'should i do '.repeat(40_000)],
    ['sentences', 'May I? '.repeat(60_000)],
    ['signs', '!'.repeat(400_000)],
    ['signs and a letter', `${'!'.repeat(200_000)}a${'!'.repeat(200_000)}`],
    ['quotes', '"just do it" '.repeat(30_000)],
    ['code', '`a` '.repeat(100_000)],
    ['not a word', 'not '.repeat(100_000)],
    ['newlines', '\n'.repeat(400_000)],
    ['one word', 'a'.repeat(400_000)],
    ['nothing but commas', ', '.repeat(200_000)],
    ['failures', 'error: 0 failed, '.repeat(20_000)],
  ])('long %s', async (_, long) => {
    const events: TraceEvent[] = [
      { type: 'user_message', timestamp: 0, text: long },
      { type: 'assistant_message', timestamp: 1, text: long },
      { type: 'tool_call', timestamp: 2, tool: 'bash', parameters: { command: long }, result: long },
      { type: 'tool_call', timestamp: 3, tool: 'write', parameters: { filePath: long } },
      { type: 'user_message', timestamp: 4, text: long },
    ]
    expect(await timeOf({ events })).toBeLessThan(LIMIT_MS)
  })
})
