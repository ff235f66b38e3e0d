import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openCassette } from '../../src/targets/chat/cassette.ts'
import { cassetteKey, readCassette } from '../../src/targets/chat/cassette-file.ts'
import type { ChatCall, ChatMessage } from '../../src/targets/chat/chat-model.ts'
import { http } from '../../src/targets/http.ts'
import { aCase } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { problemsOf } from '../support/problems-of.ts'
import { collect } from '../support/run-request.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()
const hello: ChatMessage[] = [
  { role: 'system', content: 'Be kind' },
  { role: 'user', content: 'Hello' },
]

const line = (text: string, parts: object = {}) =>
  JSON.stringify({ schemaVersion: 1, model: 'm-1', messages: hello, run: 1, answer: { text }, ...parts })

function open(lines: readonly string[]) {
  const { path } = folder({ 'tape.jsonl': lines.join('\n') })
  return openCassette({ file: join(path, 'tape.jsonl'), shown: 'tape.jsonl', recordWith: '-c CONNECTOR' }, fakeHost())
}

function aCall(parts: Partial<ChatCall> = {}, run = 1): ChatCall {
  const messages = parts.messages ?? hello
  const origin = { id: 'T001', file: 'suite.jsonl', line: 1, run }
  return {
    model: 'm-1',
    messages,
    keyMessages: messages,
    parameters: {},
    origin,
    signal: new AbortController().signal,
    ...parts,
  }
}

async function textOf(tape: ReturnType<typeof open>, call: ChatCall): Promise<string> {
  const outcome = await tape.complete(call)
  return outcome.kind === 'answered' ? outcome.answer.text : `${outcome.error.code}: ${outcome.error.message}`
}

describe('recorded answers', () => {
  test('are dealt by the number of the run, whatever the order of the lines and of the calls', async () => {
    const tape = open([line('third', { run: 3 }), line('first', { run: 1 }), line('second', { run: 2 })])
    const runs = [5, 2, 1, 4, 3, 6]
    const texts = await Promise.all(runs.map((run) => textOf(tape, aCall({}, run))))
    expect(Object.fromEntries(runs.map((run, index) => [run, texts[index]]))).toEqual({
      1: 'first',
      2: 'second',
      3: 'third',
      4: 'first',
      5: 'second',
      6: 'third',
    })
  })

  test('answers of one run keep the order of their lines', async () => {
    const tape = open([line('a'), line('b')])
    expect([await textOf(tape, aCall({}, 1)), await textOf(tape, aCall({}, 2))]).toEqual(['a', 'b'])
  })

  test('come with tool calls, usage and the reason for the end', async () => {
    const answer = {
      text: 'Hi',
      tool_calls: [{ id: 'c1', function: { name: 'find', arguments: '{"n":1}' } }],
      finish_reason: 'tool_calls',
      usage: { inputTokens: 5, outputTokens: 2 },
    }
    const outcome = await open([line('', { answer })]).complete(aCall())
    expect(outcome).toEqual({
      kind: 'answered',
      answer: {
        text: 'Hi',
        model: 'm-1',
        toolCalls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{"n":1}' } }],
        finishReason: 'tool_calls',
        usage: { inputTokens: 5, outputTokens: 2 },
      },
    })
  })

  test('are found whatever the order of members, and only with the same model, messages and tools', () => {
    const key = cassetteKey({ model: 'm-1', messages: hello })
    const reordered = hello.map(({ role, ...rest }) => ({ ...rest, role }))
    expect(cassetteKey({ messages: reordered, model: 'm-1' })).toBe(key)
    expect(cassetteKey({ model: 'm-2', messages: hello })).not.toBe(key)
    expect(cassetteKey({ model: 'm-1', messages: [...hello].reverse() })).not.toBe(key)
    expect(cassetteKey({ model: 'm-1', messages: hello, tools: [] })).not.toBe(key)
  })

  test('are looked up by the names of volatile parts', async () => {
    const keyMessages = [{ role: 'system', content: 'It is $SYS.TIME' }]
    const tape = open([line('found', { messages: keyMessages })])
    expect(await textOf(tape, aCall({ messages: [{ role: 'system', content: 'It is 10:00:00' }], keyMessages }))).toBe(
      'found',
    )
  })
})

describe('a missing recording', () => {
  const system = (content: string): ChatMessage => ({ role: 'system', content })
  const user = (content: string): ChatMessage => ({ role: 'user', content })

  test.each<[string, Partial<ChatCall>, string]>([
    [
      'another system prompt',
      { messages: [system('Be rude'), user('Hello')] },
      'since the recording the system prompt changed;',
    ],
    ['another model', { model: 'm-2' }, 'since the recording the model changed from "m-1";'],
    ['tools', { parameters: { tools: [{ type: 'function' }] } }, 'since the recording the tools changed;'],
    [
      'another history',
      { messages: [system('Be kind'), user('Hi'), user('Hello')] },
      'since the recording the earlier messages changed;',
    ],
    ['another input', { messages: [system('Be kind'), user('Bye')] }, 'this input was never recorded;'],
    [
      'prompt and model',
      { model: 'm-2', messages: [user('Hello')] },
      'since the recording the model changed from "m-1" and the system prompt changed;',
    ],
  ])('%s is named', async (_, parts, reason) => {
    const said = await textOf(open([line('x'), line('y', { messages: [user('Unrelated')] })]), aCall(parts))
    expect(said).toContain(
      `CASSETTE_MISS: tape.jsonl has no answer for case "T001" with model "${parts.model ?? 'm-1'}"`,
    )
    expect(said).toContain(reason)
    expect(said).toContain('agent-test -i "suite.jsonl" -c CONNECTOR --record "tape.jsonl"')
  })

  test('of a direct message is not looked for in a suite of that name', async () => {
    const origin = { id: 'T001', file: 'message', line: 1, run: 1 }
    expect(await textOf(open([]), aCall({ origin }))).toContain('agent-test -i "…" -c CONNECTOR')
  })

  test('is not retryable', async () => {
    const outcome = await open([]).complete(aCall())
    expect(outcome).toMatchObject({ kind: 'broken', partial: '', error: { code: 'CASSETTE_MISS', retryable: false } })
  })
})

describe('the file', () => {
  test('of another kind is wrong in every line, and named for the first ones', async () => {
    const { path } = folder({ 'tape.jsonl': 'no cassette\n'.repeat(1_000) })
    const read = async () => readCassette(join(path, 'tape.jsonl'), 'tape.jsonl')
    expect(await problemsOf(read())).toHaveLength(20)
  })

  test('every broken line is named before the first run', async () => {
    const { path } = folder({
      'tape.jsonl': [
        line('fine'),
        '{"schemaVersion":1,',
        '',
        line('x', { schemaVersion: 2 }),
        line('x', { run: 0 }),
        line('x', { answr: {} }),
        '[]',
        JSON.stringify({ schemaVersion: 1, model: 'm', messages: [], run: 1, answer: {} }),
      ].join('\r\n'),
    })
    const problems = await problemsOf(
      http.create({ type: 'http', cassette: 'tape.jsonl' }, { host: fakeHost({ cwd: path }) }),
    )
    expect(problems).toMatchObject([
      { file: 'tape.jsonl', line: 2, message: expect.stringContaining('not JSON') },
      { file: 'tape.jsonl', line: 4, message: 'schemaVersion 2 is newer than this agent-test reads (1)' },
      { file: 'tape.jsonl', line: 5, field: 'run' },
      { file: 'tape.jsonl', line: 6, field: 'answr', message: 'unknown setting', hint: 'did you mean "answer"?' },
      { file: 'tape.jsonl', line: 7 },
      { file: 'tape.jsonl', line: 8, field: 'answer.text' },
    ])
  })

  test('a mark at its start, blank lines and separators inside of strings do no harm', () => {
    const { path } = folder({ 'tape.jsonl': `\uFEFF${line('a\u2028b')}\n\n${line('c')}` })
    const lines = readCassette(join(path, 'tape.jsonl'), 'tape.jsonl')
    expect(lines.map(({ number, line: { answer } }) => [number, answer.text])).toEqual([
      [1, 'a\u2028b'],
      [3, 'c'],
    ])
  })

  test('the http target answers from it without a provider', async () => {
    const messages = [{ role: 'user', content: 'Say hello' }]
    const { path } = folder({ 'tapes/a.jsonl': line('Hello from tape', { messages }) })
    const target = await http.create(
      { type: 'http', cassette: 'tapes/a.jsonl', model: 'm-1' },
      { host: fakeHost({ cwd: path }) },
    )
    expect(target.label).toBe('http:tapes/a.jsonl#m-1')
    const { events } = await collect(target, { case: aCase({ messages: [{ role: 'user', content: 'Say hello' }] }) })
    expect(events).toEqual([{ type: 'assistant_message', text: 'Hello from tape', model: 'm-1' }])
    const missed = await collect(target, {
      case: aCase({ id: 'T009', messages: [{ role: 'user', content: 'Other' }] }),
    })
    expect(missed.error).toMatchObject({ code: 'CASSETTE_MISS', message: expect.stringContaining('case "T009"') })
  })
})
