import { describe, expect, test } from 'vitest'
import type { Checkpoint } from '../../src/core/conversation.ts'
import type { AskAgent } from '../../src/core/means.ts'
import type { EmittedEvent } from '../../src/core/trace.ts'
import { play, point, talker } from './conversation-scene.ts'
import { scriptedTarget } from './fake-targets.ts'

describe('the order of checkpoints', () => {
  const all = 'one two three'
  const one = point('one', 'one')
  const two = point('two', 'two', { after: ['one'] })
  const three = point('three', 'three', { after: ['one', 'two'] })

  test.each<[string, Checkpoint[], string[], (number | undefined)[]]>([
    ['a chain within one turn', [one, two, three], [all], [1, 1, 1]],
    ['a chain within one turn, whatever the order of the file', [three, two, one], [all], [1, 1, 1]],
    ['not before what they come after', [one, two, three], ['three two', 'one', 'three', 'two', all], [2, 4, 5]],
    ['once reached, always reached', [one, two], ['one', 'nothing', 'two'], [1, 3]],
  ])('%s', async (_, checkpoints, texts, turns) => {
    const { result } = await play({ target: talker(...texts), checkpoints })
    expect(result.conversation?.checkpoints.map(({ reachedInTurn }) => reachedInTurn)).toEqual(turns)
  })

  test('each is tested once in a turn, and no more when it is reached', async () => {
    const asked: string[] = []
    const judge = (id: string, after: string[] = []): Checkpoint => {
      return { ...point(id, ''), after, assertions: [{ type: 'agent', use: 'agents:judge', value: id }] }
    }
    const ask: AskAgent = ({ content, agent }) => {
      if (agent === 'sim') return Promise.resolve({ output: 'go on' })
      const { criteria, output } = JSON.parse(content) as { criteria: string; output: string }
      asked.push(`${output}:${criteria}`)
      return Promise.resolve({ output: { passed: output.includes(criteria), reason: `because ${criteria}` } })
    }
    const { result } = await play({
      target: talker('b', 'a', 'b c'),
      checkpoints: [judge('c', ['b']), judge('b', ['a']), judge('a')],
      ask,
    })
    expect(result.status).toBe('passed')
    expect(asked).toEqual(['b:a', 'a:a', 'a:b', 'b c:b', 'b c:c'])
    expect(result.conversation?.checkpoints[0]?.verdict).toMatchObject({ passed: true, reason: 'because c' })
  })
})

describe('what checkpoints are tested against', () => {
  const call = (parts: object): EmittedEvent => ({ type: 'tool_call', tool: 'lookup', parameters: { id: 1 }, ...parts })
  const once = (...events: EmittedEvent[]) =>
    scriptedTarget(async function* () {
      yield* events
    })
  const words: EmittedEvent = { type: 'assistant_message', text: 'found it' }

  test.each<[string, EmittedEvent[], Checkpoint['assertions']]>([
    ['the text', [words], [{ type: 'equals', value: 'found it' }]],
    [
      'the text and below it what the tools said',
      [call({ result: { message: 'one shirt' } }), call({ result: { message: 'two shoes' } }), words],
      [{ type: 'equals', value: 'found it\none shirt\ntwo shoes' }],
    ],
    [
      'a reply of tool calls alone',
      [call({ result: { message: 'one shirt' } })],
      [{ type: 'equals', value: 'one shirt' }],
    ],
    ['the calls', [call({}), words], [{ type: 'tool_called', value: { name: 'lookup', arguments: { id: 1 } } }]],
    ['the results', [call({ result: [1] }), words], [{ type: 'tool_result', value: { tool: 'lookup', result: [1] } }]],
    ['structured data', [words, { type: 'output', value: { n: 1 } }], [{ type: 'json_path', path: 'n', value: 1 }]],
  ])('%s', async (_, events, assertions) => {
    const { result } = await play({ target: once(...events), checkpoints: [{ ...point('a', ''), assertions }] })
    expect(result).toMatchObject({ status: 'passed', conversation: { ending: 'checkpoints_reached' } })
  })

  test('one turn alone', async () => {
    const target = scriptedTarget(async function* ({ turn }) {
      if (turn?.number === 1) yield call({ result: { message: 'one shirt' } })
      yield { type: 'assistant_message', text: 'hm' }
    })
    const checkpoints = [
      point('word', 'shirt', { after: ['later'] }),
      point('call', '', { after: ['later'], assertions: [{ type: 'tool_called', value: 'lookup' }] }),
      point('later', 'never'),
    ]
    const { result } = await play({ target, checkpoints, plan: { maxTurns: 2 } })
    expect(result.conversation?.checkpoints.map(({ reachedInTurn }) => reachedInTurn)).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})
