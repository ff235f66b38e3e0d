import { describe, expect, test } from 'vitest'
import type { ConversationRecord } from '../../src/core/conversation.ts'
import type { RunResult } from '../../src/core/result.ts'
import type { TraceEvent } from '../../src/core/trace.ts'
import type { PageRun } from '../../src/render/html/page-data.ts'
import { pageRun } from '../../src/render/html/run-data.ts'
import { shorterRuns } from '../../src/render/html/shorten.ts'
import { aRun, erroredOutcome, failedOutcome } from '../support/builders.ts'

const silent = { trace: { events: [] }, durationMs: 812.345 }
const basis = { run: 1, ms: 812.3 }
const held = { name: 'type', passed: true, weight: 1, message: '', expected: 'object' }
const events: readonly TraceEvent[] = [
  { timestamp: 1, type: 'user_message', text: 'Where is it?' },
  {
    timestamp: 2,
    type: 'tool_call',
    agent: 'helper',
    tool: 'track',
    server: 'shop',
    parameters: { id: 1 },
    result: 'lost',
  },
  { timestamp: 3, type: 'tool_call', tool: 'mail', parameters: {}, error: 'no such tool' },
  { timestamp: 4, type: 'patch', files: ['a.ts', 'b.ts'] },
  { timestamp: 5, type: 'usage', inputTokens: 1, outputTokens: 2 },
  { timestamp: 6, type: 'log', level: 'warn', text: 'late' },
  { timestamp: 7, type: 'skip', reason: 'no network' },
  { timestamp: 8, type: 'assistant_message', text: 'Lost.' },
]
const finding = { type: 'late', severity: 'warning', message: 'too late' } as const
const conversation: ConversationRecord = {
  ending: 'turns_used_up',
  simulator: { agent: 'user' },
  turns: [
    { turn: 1, input: 'Hi', output: 'Hello', content: 'Hello', toolCalls: [], reached: ['greeted'], durationMs: 5 },
  ],
  checkpoints: [
    { id: 'greeted', required: true, reachedInTurn: 1, message: '' },
    { id: 'sold', description: 'something is sold', required: false, message: 'nobody asked' },
  ],
}

describe('a run as the page shows it', () => {
  test.each<[title: string, run: RunResult, told: PageRun]>([
    [
      'passed: checks that held with what they wanted, the output, a pointless step left out',
      aRun({ durationMs: 812.345 }, { status: 'passed', checks: [held] }),
      { ...basis, status: 'passed', held: [['type', 'object']], sections: [['Output', 'Hello there']] },
    ],
    [
      'failed: expected and got; the output is not told twice',
      aRun(silent, failedOutcome({ message: 'no', expected: { a: 1 }, actual: 'Hello there' })),
      {
        ...basis,
        status: 'failed',
        checks: [{ name: 'contains', passed: false, message: 'no', expected: '{\n  "a": 1\n}', got: 'Hello there' }],
      },
    ],
    [
      'failed twice over the same value: it is told with the first check',
      aRun({ ...silent, output: 'x' }, failedOutcome({ message: 'a', actual: 'y' }, { message: 'b', actual: 'y' })),
      {
        ...basis,
        status: 'failed',
        checks: [
          { name: 'contains', passed: false, message: 'a', got: 'y' },
          { name: 'contains', passed: false, message: 'b' },
        ],
        sections: [['Output', 'x']],
      },
    ],
    [
      'what a judge said stays with its check, also of a pass',
      aRun({ ...silent, output: '' }, { status: 'passed', checks: [{ ...held, details: { score: 0.9 } }] }),
      {
        ...basis,
        status: 'passed',
        checks: [{ name: 'type', passed: true, message: 'object', details: '{\n  "score": 0.9\n}' }],
      },
    ],
    [
      'errored: code, tries, tokens, cause',
      aRun({ ...silent, output: null, attempts: 3, usage: { inputTokens: 1_200, outputTokens: 7 } }, erroredOutcome()),
      {
        ...basis,
        status: 'error',
        note: 'PROVIDER_ERROR · 3 attempts · 1,200 tokens in, 7 out',
        error: 'the model answered 500',
      },
    ],
    [
      'over its time',
      aRun({ ...silent, output: null }, erroredOutcome('TIMEOUT', 'no answer')),
      { ...basis, status: 'timeout', note: 'TIMEOUT', error: 'no answer' },
    ],
    [
      'steps in order, the log apart, tokens and the like elsewhere',
      aRun({ ...silent, trace: { events }, output: 'Lost.' }),
      {
        ...basis,
        status: 'passed',
        sections: [
          ['Output', 'Lost.'],
          ['Log', '[warn] late'],
        ],
        steps: [
          ['user message', 'Where is it?'],
          ['tool call (helper)', 'shop.track {\n  "id": 1\n}\n→ lost'],
          ['tool call', 'mail {}\n✗ no such tool'],
          ['patch', '{\n  "files": [\n    "a.ts",\n    "b.ts"\n  ]\n}'],
          ['skip', 'no network'],
          ['assistant message', 'Lost.'],
        ],
      },
    ],
    [
      'scores, with what was found wrong',
      aRun({
        ...silent,
        output: null,
        score: 50,
        evaluations: [
          { status: 'scored', evaluator: 'a', passed: true, score: 200 / 3, checks: [], violations: [finding] },
          {
            status: 'scored',
            evaluator: 'm',
            passed: true,
            score: 100,
            checks: [],
            violations: [],
            informational: true,
          },
          { status: 'not_applicable', evaluator: 'b', reason: 'no call' },
          { status: 'errored', evaluator: 'c', message: 'boom' },
        ],
      }),
      {
        ...basis,
        status: 'passed',
        note: 'score 50',
        sections: [
          ['Scores', 'a 66.7\n  warning: late: too late\nm measured\nb does not apply: no call\nc failed itself: boom'],
        ],
      },
    ],
    [
      'steps of sessions: who spoke, without the ids',
      aRun({
        ...silent,
        output: null,
        trace: {
          events: [
            { timestamp: 1, type: 'user_message', text: 'Go', session: { id: 's', depth: 0 } },
            {
              timestamp: 2,
              type: 'assistant_message',
              agent: 'x',
              text: 'Hm',
              session: { id: 't', parentId: 's', depth: 1 },
            },
            { timestamp: 3, type: 'patch', files: ['a'], callId: 'c', durationMs: 3 },
          ],
        },
      }),
      {
        ...basis,
        status: 'passed',
        steps: [
          ['user message', 'Go'],
          ['assistant message (x, subagent)', 'Hm'],
          ['patch', '{\n  "files": [\n    "a"\n  ]\n}'],
        ],
      },
    ],
    [
      'what scripts wrote',
      aRun({
        ...silent,
        output: null,
        logs: [
          { level: 'error', text: 'oh' },
          { level: 'info', text: 'ah' },
        ],
      }),
      { ...basis, status: 'passed', sections: [['Log', '[error] oh\n[info] ah']] },
    ],
    [
      'a conversation with its checkpoints',
      aRun({ ...silent, output: null, conversation }),
      {
        ...basis,
        status: 'passed',
        sections: [
          [
            'Checkpoints',
            'greeted: reached in turn 1\nsold: not reached · something is sold · optional · nobody asked',
          ],
          ['Conversation', '1. User: Hi\n   Agent: Hello\n   Reached: greeted'],
        ],
      },
    ],
  ])('%s', (_title, run, told) => {
    expect(pageRun(run)).toEqual(told)
  })

  test('one that skipped itself says why', () => {
    const {
      status: _status,
      checks: _checks,
      ...base
    } = aRun({ ...silent, output: null }, { status: 'passed', checks: [] }) as RunResult & { readonly checks: unknown }
    expect(pageRun({ ...base, status: 'skipped', reason: 'no key' })).toEqual({
      ...basis,
      status: 'skipped',
      error: 'no key',
    })
  })

  test('long texts are cut and say so; all texts of a run together have an end', () => {
    const texts = Array.from({ length: 40 }, (_, index) => `${index}`.padEnd(30_000, 'x'))
    const run = pageRun(
      aRun({
        output: 'o'.repeat(30_000),
        trace: { events: texts.map((text) => ({ timestamp: 1, type: 'user_message', text })) },
      }),
    )
    expect(run.sections?.[0]?.[1]).toBe(`${'o'.repeat(19_999)}…\n(10001 more characters)`)
    expect(run.steps).toHaveLength(40)
    expect(JSON.stringify(run).length).toBeLessThan(250_000)
  })

  test('of very many steps the first are told, and how many there are more', () => {
    const many = Array.from({ length: 1_000 }, (): TraceEvent => ({ timestamp: 1, type: 'user_message', text: 'x' }))
    const { steps = [] } = pageRun(aRun({ trace: { events: many } }))
    expect([steps.length, steps.at(-1)]).toEqual([301, ['…', '700 more steps']])
  })

  test('control and direction-changing characters are gone', () => {
    const run = pageRun(
      aRun({ output: 'a\u001B[31mb\u202Ec\u0000d\uD800' }, failedOutcome({ message: '\u0007m', name: 'n\u2066' })),
    )
    expect(run).toMatchObject({ checks: [{ name: 'n', message: 'm' }], sections: [['Output', 'abcd\uFFFD']] })
  })
})

describe('runs for which there is little room', () => {
  const long = 'x'.repeat(5_000)
  const failed: PageRun = {
    run: 2,
    status: 'failed',
    ms: 1,
    checks: [{ name: 'c', passed: false, message: long, expected: long, got: long }],
    held: [['h', '']],
    sections: [['Output', long]],
    steps: [['s', long]],
  }
  const runs: readonly PageRun[] = [{ run: 1, status: 'passed', ms: 1, sections: [['Output', long]] }, failed]

  test.each([
    ['some', 10_000, 2_000],
    ['little', 2_000, 200],
  ])('%s: those that did not pass, without steps, texts cut', (_title, room, length) => {
    const shown = `${'x'.repeat(length - 1)}…`
    expect(shorterRuns(runs, room)).toEqual([
      {
        run: 2,
        status: 'failed',
        ms: 1,
        checks: [{ name: 'c', passed: false, message: shown, expected: shown, got: shown }],
        sections: [['Output', shown]],
      },
    ])
  })

  test('none: nothing', () => {
    expect(shorterRuns(runs, 100)).toEqual([])
  })
})
