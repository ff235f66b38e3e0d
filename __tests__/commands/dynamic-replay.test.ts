import { describe, expect, test } from 'vitest'
import type { Answer } from '../support/scripted-model.ts'
import { bad, goOn, good, run, type Scene, type Speaker, talk } from './talk.ts'

describe('a replay', () => {
  const replayed = async (scene: Scene, records: readonly object[] = [talk]) => {
    const first = await run({ ...scene, records })
    const second = await run({
      ...scene,
      records,
      files: { 'old.jsonl': first.read('out.jsonl') },
      args: ['--target', 'replay:old.jsonl'],
    })
    const lineOf = ({ resultLine }: typeof first) => resultLine() as unknown as ResultLine
    return { first: lineOf(first), second: lineOf(second), heard: second.heard }
  }
  interface ResultLine {
    readonly status: string
    readonly error?: string
    readonly metadata: { readonly turns: readonly { readonly input: string; readonly output: unknown }[] }
  }
  const fault: Answer = { fault: { kind: 'status', status: 401, message: 'no such key' } }

  test.each<[string, string, Speaker, Speaker, object]>([
    ['a conversation that passed', 'passed', good, goOn, {}],
    ['turns used up', 'failed', bad, goOn, { max_turns: 2 }],
    [
      'a goal achieved',
      'failed',
      bad,
      (_, turn) => (turn === 1 ? 'go on' : '{"message": "bye", "goal_achieved": true, "reasoning": "enough"}'),
      {},
    ],
    ['an error of the agent', 'error', ({ messages }) => (messages.length === 1 ? 'Welcome!' : fault), goOn, {}],
    ['an error of the simulator', 'error', bad, () => fault, {}],
  ])('of %s is the same again, and asks nobody', async (_, status, shop, customer, rest) => {
    const { first, second, heard } = await replayed({ shop, customer }, [{ ...talk, ...rest }])
    expect(first.status).toBe(status)
    expect(heard).toEqual([])
    const { turns, ...whole } = second.metadata
    const { turns: before, ...wholeBefore } = first.metadata
    expect({ ...second, metadata: undefined, duration_ms: 0, trace: [] }).toEqual({
      ...first,
      metadata: undefined,
      duration_ms: 0,
      trace: [],
    })
    expect(whole).toMatchObject({ ...wholeBefore, simulator: { agent: 'users.hasty' } })
    expect(turns).toEqual(before.map((turn) => ({ ...turn, duration_ms: expect.any(Number) as number })))
  })

  test('of a conversation that would have gone on says where the recording ends', async () => {
    const { path, read } = await run({ shop: good })
    const stricter = { ...talk, checkpoints: [{ id: 'never', assert: { type: 'contains', value: 'never' } }] }
    const again = await run({
      shop: good,
      records: [stricter],
      files: { 'old.jsonl': read('out.jsonl') },
      args: ['--target', 'replay:old.jsonl'],
    })
    expect(again.path).not.toBe(path)
    expect(again.resultLine()).toMatchObject({
      status: 'error',
      code: 'NOT_RECORDED',
      error: expect.stringContaining('turn 3 of run 1 of case buy is not recorded; it had 2 turns') as string,
    })
  })
})
