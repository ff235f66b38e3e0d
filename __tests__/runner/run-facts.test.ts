import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import type { TraceEvent } from '../../src/core/trace.ts'
import { factsOf } from '../../src/runner/run-facts.ts'
import { stepsOf } from '../../src/runner/steps.ts'

const root = { id: 's', depth: 0 }
const child = { id: 'c', parentId: 's', depth: 1 }
type Extra = Partial<Pick<TraceEvent, 'model' | 'session'>>
const usage = (extra: Extra = {}): TraceEvent => ({
  timestamp: 1,
  type: 'usage',
  inputTokens: 2,
  outputTokens: 1,
  ...extra,
})
const text = (extra: Extra = {}): TraceEvent => ({ timestamp: 1, type: 'assistant_message', text: 'hi', ...extra })
const call = (tool: string, parameters: Json, extra: Extra & { server?: string } = {}): TraceEvent => ({
  timestamp: 1,
  type: 'tool_call',
  tool,
  parameters,
  ...extra,
})

describe('facts of a run', () => {
  test.each<[string, TraceEvent[], { answeredModel?: string; turns?: number }]>([
    ['a target that tells nothing', [text()], {}],
    ['one answer', [text(), usage({ model: 'm' })], { answeredModel: 'm', turns: 1 }],
    ['several of one model', [usage({ model: 'm' }), usage({ model: 'm' })], { answeredModel: 'm', turns: 2 }],
    ['two models in their order', [usage({ model: 'm' }), usage({ model: 'a' })], { answeredModel: 'm, a', turns: 2 }],
    [
      'a subagent apart',
      [usage({ model: 'm', session: root }), usage({ model: 'a', session: child })],
      { answeredModel: 'm', turns: 1 },
    ],
    [
      'answers whose figures are not known',
      [text({ model: 'm' }), call('t', {}, { model: 'm' })],
      { answeredModel: 'm' },
    ],
    ['figures without a model', [text({ model: 'm' }), usage()], { answeredModel: 'm', turns: 1 }],
    [
      'the model that answered before the one that was asked',
      [text({ model: 'alias' }), usage({ model: 'm-1' })],
      { answeredModel: 'm-1', turns: 1 },
    ],
  ])('%s', (_, events, expected) => {
    const { answeredModel, turns } = factsOf({ events }, undefined)
    expect({ answeredModel, turns }).toEqual({ answeredModel: undefined, turns: undefined, ...expected })
  })

  test('what a subagent used counts, for somebody pays for it', () => {
    const { usage: used } = factsOf({ events: [usage({ session: root }), usage({ session: child })] }, undefined)
    expect(used).toEqual({ inputTokens: 4, outputTokens: 2 })
  })
})

describe('steps', () => {
  test('are the tool calls in order, with their server, parameters hashed', () => {
    const events = [
      text(),
      call('read', { path: 'a' }),
      call('find', {}, { server: 'docs' }),
      call('docs__find', {}, { server: 'docs' }),
    ]
    expect(stepsOf({ events })).toEqual([
      { tool: 'read', parameters: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown, shown: '{"path":"a"}' },
      { tool: 'docs__find', parameters: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown, shown: '{}' },
      { tool: 'docs__find', parameters: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown, shown: '{}' },
    ])
  })

  test.each<[string, Json, Json, boolean]>([
    ['in another order', { a: 1, b: [{ c: 1, d: 2 }] }, { b: [{ d: 2, c: 1 }], a: 1 }, true],
    ['of another value', { a: 1 }, { a: 2 }, false],
    ['of another type', { a: 1 }, { a: '1' }, false],
    ['in a list of another order', [1, 2], [2, 1], false],
    ['that differ after what is shown', 'x'.repeat(300), `${'x'.repeat(299)}y`, false],
  ])('parameters %s', (_, left, right, areSame) => {
    const [one, other] = stepsOf({ events: [call('t', left), call('t', right)] })
    expect(one?.parameters === other?.parameters).toBe(areSame)
  })

  test('a subagent works beside them', () => {
    const events = [call('task', {}, { session: root }), call('read', {}, { session: child })]
    expect(stepsOf({ events }).map(({ tool }) => tool)).toEqual(['task'])
  })

  test('are the first two hundred, and nothing of them is long or steers a terminal', () => {
    const events = Array.from({ length: 500 }, () =>
      call(`\u001b[31m${'t'.repeat(1_000)}`, { text: `\u009b31m\n${'x'.repeat(5_000)}` }),
    )
    const steps = stepsOf({ events })
    expect(steps).toHaveLength(200)
    for (const { tool, shown = '' } of steps) {
      expect(tool.length).toBeLessThanOrEqual(200)
      expect(shown.length).toBeLessThanOrEqual(200)
      expect(`${tool}${shown}`).not.toMatch(/\p{Cc}/u)
    }
  })

  test('there are none in a run without calls', () => {
    expect(stepsOf({ events: [text()] })).toEqual([])
  })
})
