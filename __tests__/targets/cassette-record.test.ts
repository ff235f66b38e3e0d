import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { http } from '../../src/targets/http.ts'
import type { Target } from '../../src/targets/target.ts'
import { aCase } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { problemsOf } from '../support/problems-of.ts'
import { collect } from '../support/run-request.ts'
import { type Answer, startScriptedModel } from '../support/scripted-model.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()
const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

const bySuite = (id: string, line: number) =>
  aCase({ id, location: { file: 'suite.jsonl', line }, messages: [{ role: 'user', content: `Say ${id}` }] })
const first = bySuite('first', 1)
const second = bySuite('second', 2)

async function recording(
  path: string,
  answer: (content: string, n: number) => Answer,
  host = fakeHost({ cwd: path }),
): Promise<Target> {
  const model = await startScriptedModel({ answer: ({ body }, n) => answer(String(body.messages?.at(-1)?.content), n) })
  cleanups.push(() => model.close())
  return http.create({ type: 'http', url: model.url, model: 'm-1' }, { host, record: join(path, 'tape.jsonl') })
}

interface TapeLine {
  readonly run: number
  readonly messages: readonly { readonly content: string }[]
  readonly answer: { readonly text: string }
}

function tapeOf(path: string): TapeLine[] {
  const lines = readFileSync(join(path, 'tape.jsonl'), 'utf8').split('\n')
  expect(lines.pop()).toBe('')
  return lines.map((text) => JSON.parse(text) as TapeLine)
}

const brief = (path: string) =>
  tapeOf(path).map(({ run, messages, answer }) => [messages.at(-1)?.content, run, answer.text])

describe('--record', () => {
  test('parallel runs are written as they end and put in order at the end', async () => {
    const { path } = folder()
    const target = await recording(path, (content, n) => ({ text: `${content} #${n}`, latencyMs: (7 - n) * 15 }))
    const plan = [1, 2, 3].flatMap((run) => [
      { case: second, run },
      { case: first, run },
    ])
    const results = await Promise.all(plan.map((request) => collect(target, request)))
    const texts = results.map(({ events }) =>
      events.flatMap((event) => (event.type === 'assistant_message' ? [event.text] : [])).join(),
    )
    expect(tapeOf(path)).toHaveLength(6)
    await target.dispose?.()
    expect(brief(path)).toEqual(
      [first, second].flatMap((item) =>
        [1, 2, 3].map((run) => [
          `Say ${item.id}`,
          run,
          texts[plan.findIndex((each) => each.case === item && each.run === run)],
        ]),
      ),
    )
    expect(readdirSync(path)).toEqual(['tape.jsonl'])
  })

  test('the whole answer is kept, in the documented form', async () => {
    const { path } = folder()
    const target = await recording(path, () => ({
      text: 'Hi',
      toolCalls: [{ id: 'c1', name: 'find', arguments: '{}' }],
    }))
    await collect(target, { case: first })
    await target.dispose?.()
    expect(tapeOf(path)).toEqual([
      {
        schemaVersion: 1,
        model: 'm-1',
        messages: [{ role: 'user', content: 'Say first' }],
        run: 1,
        answer: {
          text: 'Hi',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{}' } }],
          finish_reason: 'tool_calls',
          usage: { inputTokens: 7, outputTokens: 3 },
        },
      },
    ])
  })

  test('what was recorded answers the same runs without the provider', async () => {
    const { path } = folder()
    const target = await recording(path, (_, n) => `answer ${n}`)
    const recorded = []
    for (const run of [1, 2, 3]) recorded.push((await collect(target, { case: first, run })).events)
    await target.dispose?.()
    const tape = await http.create(
      { type: 'http', cassette: 'tape.jsonl', model: 'm-1' },
      { host: fakeHost({ cwd: path }) },
    )
    const replayed = []
    for (const run of [1, 2, 3]) replayed.push((await collect(tape, { case: first, run })).events)
    expect(replayed).toEqual(recorded)
  })

  test('answers that stay are kept in their place, those to the same question are replaced', async () => {
    const { path } = folder()
    const record = async (items: readonly (typeof first)[], runs: readonly number[], tag: string) => {
      const target = await recording(path, () => tag)
      for (const item of items) for (const run of runs) await collect(target, { case: item, run })
      await target.dispose?.()
    }
    await record([first, second], [1, 2], 'old')
    await record([first], [1], 'new')
    expect(brief(path)).toEqual([
      ['Say first', 1, 'new'],
      ['Say second', 1, 'old'],
      ['Say second', 2, 'old'],
    ])
    const before = readFileSync(join(path, 'tape.jsonl'), 'utf8')
    await record([first], [1], 'new')
    expect(readFileSync(join(path, 'tape.jsonl'), 'utf8')).toBe(before)
  })

  test('two targets may record into one file', async () => {
    const { path } = folder()
    const one = await recording(path, () => 'one')
    const two = await recording(path, () => 'two')
    await Promise.all([collect(one, { case: first }), collect(two, { case: second })])
    await Promise.all([one.dispose?.(), two.dispose?.()])
    expect(brief(path)).toEqual(
      expect.arrayContaining([
        ['Say first', 1, 'one'],
        ['Say second', 1, 'two'],
      ]),
    )
    expect(tapeOf(path)).toHaveLength(2)
  })

  test('a failed attempt is not recorded', async () => {
    const { path } = folder()
    const target = await recording(path, (_, n) => (n === 1 ? { fault: { kind: 'cut' }, chunks: ['half'] } : 'whole'))
    await collect(target, { case: first })
    await collect(target, { case: first })
    await target.dispose?.()
    expect(brief(path)).toEqual([['Say first', 1, 'whole']])
  })

  test('secrets stay out, and the recording is found all the same', async () => {
    const { path } = folder()
    const host = fakeHost({ cwd: path })
    host.secrets.add('top-secret')
    const item = aCase({ messages: [{ role: 'user', content: 'the word is top-secret' }] })
    const target = await recording(path, (content) => `you said: ${content}`, host)
    await collect(target, { case: item })
    await target.dispose?.()
    expect(readFileSync(join(path, 'tape.jsonl'), 'utf8')).not.toContain('top-secret')
    const tape = await http.create({ type: 'http', cassette: 'tape.jsonl', model: 'm-1' }, { host })
    expect((await collect(tape, { case: item })).events[0]).toMatchObject({ text: 'you said: the word is ***' })
  })

  test('nothing is written when nothing was answered', async () => {
    const { path } = folder()
    const target = await recording(path, () => ({ fault: { kind: 'empty' } }))
    await collect(target, { case: first })
    await target.dispose?.()
    expect(existsSync(join(path, 'tape.jsonl'))).toBe(false)
  })

  test.each<[string, Record<string, string>, string, object]>([
    [
      'into a missing folder',
      {},
      'missing/tape.jsonl',
      { field: '--record', message: 'the folder of missing/tape.jsonl does not exist' },
    ],
    ['over a folder', { 'tape.jsonl/x': '' }, 'tape.jsonl', { field: '--record', message: 'tape.jsonl is not a file' }],
    [
      'over another file',
      { 'notes.txt': 'my notes\n' },
      'notes.txt',
      { file: 'notes.txt', line: 1, message: expect.stringContaining('not JSON') },
    ],
  ])('%s is refused before any call', async (_, files, name, problem) => {
    const { path } = folder(files)
    const settings = { type: 'http', url: 'http://127.0.0.1:1/v1' }
    const opening = http.create(settings, { host: fakeHost({ cwd: path }), record: join(path, name) })
    expect(await problemsOf(opening)).toMatchObject([problem])
  })

  test('a cassette cannot be recorded from a cassette', async () => {
    const { path } = folder({ 'a.jsonl': '' })
    const opening = http.create(
      { type: 'http', cassette: 'a.jsonl' },
      { host: fakeHost({ cwd: path }), record: join(path, 'b.jsonl') },
    )
    expect(await problemsOf(opening)).toMatchObject([{ field: '--record' }])
  })
})
