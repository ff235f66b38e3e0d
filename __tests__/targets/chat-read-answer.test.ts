import { describe, expect, test } from 'vitest'
import { readAnswer } from '../../src/targets/chat/read-answer.ts'

const call = {
  model: 'm-1',
  messages: [],
  keyMessages: [],
  parameters: {},
  origin: { id: 'T001', file: 'suite.jsonl', line: 1, run: 1 },
  signal: new AbortController().signal,
}
const chunk = (content: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}`

const read = (body: string | ReadableStream, type = 'text/event-stream') =>
  readAnswer(new Response(body, { headers: { 'content-type': type } }), call)

describe('the body of an answer', () => {
  test.each<[string, string, string]>([
    ['the last event lacks its blank line', `${chunk('Hi')}\n\n${chunk('!', 'stop')}`, 'Hi!'],
    ['only [DONE] lacks it', `${chunk('Hi')}\n\ndata: [DONE]`, 'Hi'],
    ['blank lines come first', `\n\n${chunk('Hi', 'stop')}\n\n`, 'Hi'],
    [
      'a list of parts',
      'data: {"choices":[{"delta":{"content":[{"type":"thinking"},{"type":"text","text":"Hi"}]},"finish_reason":"stop"}]}\n\n',
      'Hi',
    ],
    [
      'further choices are no answer',
      `${chunk('Hi', 'stop')}\n\ndata: {"choices":[{"index":1,"delta":{"content":"Ho"}}]}\n\n`,
      'Hi',
    ],
  ])('%s', async (_, body, text) => {
    expect(await read(body)).toMatchObject({ kind: 'answered', answer: { text } })
  })

  test.each<[string, string, object]>([
    [
      'half an event at the end',
      `${chunk('Hi')}\n\n${chunk('!').slice(0, -9)}`,
      { partial: 'Hi', error: { code: 'CONNECTION', retryable: true } },
    ],
    ['half a document', '{"choices": [', { partial: '', error: { code: 'BAD_RESPONSE', retryable: false } }],
    [
      'an error in place of an answer',
      '{"error": "no such agent"}',
      { error: { code: 'PROVIDER_ERROR', message: expect.stringContaining('no such agent') } },
    ],
  ])('%s is broken', async (_, body, expected) => {
    expect(await read(body)).toMatchObject({ kind: 'broken', ...expected })
  })

  test('an answer without end does not fill the memory', async () => {
    const mebibyte = new TextEncoder().encode(`: ${'x'.repeat(1024 ** 2 - 3)}\n`)
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(mebibyte) })
    const outcome = await read(endless)
    expect(outcome).toMatchObject({
      kind: 'broken',
      error: { code: 'BAD_RESPONSE', message: 'the answer is larger than 64 MiB' },
    })
  })
})
