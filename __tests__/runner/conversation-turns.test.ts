import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.ts'
import type { EmittedEvent } from '../../src/core/trace.ts'
import type { RunRequest } from '../../src/targets/target.ts'
import { aCase } from '../support/builders.ts'
import { aPlan, runPlan } from '../support/plans.ts'
import { play, point } from './conversation-scene.ts'
import { say, scriptedTarget } from './fake-targets.ts'

describe('what the agent gets', () => {
  function recorder(reply: (request: RunRequest) => AsyncIterable<EmittedEvent>) {
    const requests: { readonly request: RunRequest; readonly seen: JsonObject }[] = []
    const target = scriptedTarget((request) => {
      const { case: item, run, turn } = request
      requests.push({
        request,
        seen: JSON.parse(
          JSON.stringify({ input: item.input, messages: item.messages, run, turn: turn?.number }),
        ) as JsonObject,
      })
      return reply(request)
    })
    return { target, requests }
  }

  test('the whole conversation so far, with the calls and what came of them', async () => {
    const { target, requests } = recorder(async function* ({ turn }) {
      if (turn?.number !== 1) {
        yield* say('ok')
        return
      }
      yield { type: 'assistant_message', text: 'let me see' }
      yield {
        type: 'tool_call',
        tool: 'find',
        server: 'my.shop',
        parameters: { id: 1 },
        result: { message: 'one shirt' },
      }
      yield { type: 'tool_call', tool: 'stock', parameters: '{"id": 1}', error: 'out of order' }
      yield { type: 'assistant_message', text: 'a shirt' }
    })
    const input = [{ role: 'user', content: 'hi' }]
    await play({
      target,
      checkpoints: [point('ok', 'ok')],
      user: ['and shoes?'],
      item: { input, messages: [{ role: 'user', content: 'hi' }] },
    })
    const first = { input, messages: [{ role: 'user', content: 'hi' }], run: 1, turn: 1 }
    const calls = [
      { id: 'call_1_1', type: 'function', function: { name: 'my_shop__find', arguments: '{"id":1}' } },
      { id: 'call_1_2', type: 'function', function: { name: 'stock', arguments: '{"id": 1}' } },
    ]
    expect(requests.map(({ seen }) => seen)).toEqual([
      first,
      {
        input: 'and shoes?',
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: 'let me see', tool_calls: calls },
          { role: 'tool', tool_call_id: 'call_1_1', content: '{"message":"one shirt"}' },
          { role: 'tool', tool_call_id: 'call_1_2', content: 'out of order' },
          { role: 'assistant', content: 'a shirt' },
          { role: 'user', content: 'and shoes?' },
        ],
        run: 1,
        turn: 2,
      },
    ])
    const [one, two] = requests
    expect(two?.request.turn?.conversation).toBe(one?.request.turn?.conversation)
    // Everything else of the case is still there, whatever members a case has.
    expect(two?.request.case).toMatchObject({ id: one?.request.case.id, key: one?.request.case.key, options: {} })
    expect(two?.request).toMatchObject({ identity: one?.request.identity, options: one?.request.options })
  })

  test.each<[string, EmittedEvent[], JsonObject[]]>([
    ['silence', [], [{ role: 'assistant', content: '' }]],
    ['data alone', [{ type: 'output', value: { b: 1, a: 2 } }], [{ role: 'assistant', content: '{"a":2,"b":1}' }]],
    [
      'a call that nobody has answered',
      [{ type: 'tool_call', tool: 'find', parameters: {} }],
      [
        {
          role: 'assistant',
          tool_calls: [{ id: 'call_1_1', type: 'function', function: { name: 'find', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'call_1_1', content: '' },
      ],
    ],
  ])('%s as a message', async (_, events, messages) => {
    const { target, requests } = recorder(async function* ({ turn }) {
      if (turn?.number === 1) yield* events
      else yield* say('ok')
    })
    await play({ target, checkpoints: [point('ok', 'ok')] })
    expect(requests[1]?.seen['messages']).toEqual([
      { role: 'user', content: 'Say hello' },
      ...messages,
      { role: 'user', content: 'go on' },
    ])
  })

  test('each run is a conversation of its own', async () => {
    const { target, requests } = recorder(({ turn, run }) => say(turn?.number === 2 ? `ok in run ${run}` : 'hm'))
    const { results } = await play({
      target,
      checkpoints: [point('ok', 'ok')],
      settings: { runsPerCase: 3, parallel: 3 },
    })
    expect(results.map(({ status }) => status)).toEqual(['passed', 'passed', 'passed'])
    expect(new Set(requests.map(({ request }) => request.turn?.conversation)).size).toBe(3)
    for (const { seen } of requests) {
      expect((seen['messages'] as Json[]).length).toBe(seen['turn'] === 1 ? 1 : 3)
    }
  })

  test('a plain case has no turns', async () => {
    const { target, requests } = recorder(() => say('hi'))
    for await (const _ of runPlan(aPlan([{ item: aCase({ assertions: [] }), target }], { timeoutMs: 1_000 })));
    expect(requests[0]?.request.turn).toBeUndefined()
  })
})
