import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSseDecoder } from '../../src/targets/chat/sse.ts'

function decode(text: string, cuts: readonly number[] = []): { events: string[]; rest: string | undefined } {
  const bytes = Buffer.from(text)
  const decoder = createSseDecoder()
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)).sort((left, right) => left - right), bytes.length]
  let start = 0
  const events: string[] = []
  for (const end of ends) {
    events.push(...decoder.push(bytes.subarray(start, end)))
    start = end
  }
  return { events, rest: decoder.end() }
}

describe('server-sent events', () => {
  test.each<[string, string, string[], string | undefined]>([
    ['one event', 'data: a\n\n', ['a'], undefined],
    ['carriage returns', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b'], undefined],
    ['no blank after the colon', 'data:a\n\n', ['a'], undefined],
    ['only one blank is taken off', 'data:  a\n\n', [' a'], undefined],
    ['several data lines are one event', 'data: a\ndata: b\n\n', ['a\nb'], undefined],
    ['empty data', 'data:\n\n', [''], undefined],
    ['comments, ids and names are passed over', ': ping\nid: 7\nevent: x\ndata: a\nretry: 1\n\n', ['a'], undefined],
    ['a comment alone is no event', ': ping\n\n', [], undefined],
    ['blank lines between events', '\n\ndata: a\n\n\n\ndata: b\n\n', ['a', 'b'], undefined],
    ['the last event without its blank line', 'data: a\n\ndata: [DONE]', ['a'], '[DONE]'],
    ['half an event', 'data: a\n\ndata: {"b', ['a'], '{"b'],
    ['a body that is no event stream', '<html>\n</html>\n', [], undefined],
    ['nothing', '', [], undefined],
  ])('%s', (_, text, events, rest) => {
    expect(decode(text)).toEqual({ events, rest })
  })

  test('wherever the bytes are cut, the events are the same', () => {
    const text = 'data: {"a":"wörld 🎈"}\r\n\r\n: ping\n\ndata: Grüße\ndata: zwei\n\ndata: [DONE]\n\n'
    const whole = decode(text)
    expect(whole.events).toEqual(['{"a":"wörld 🎈"}', 'Grüße\nzwei', '[DONE]'])
    fc.assert(
      fc.property(fc.array(fc.nat()), (cuts) => {
        expect(decode(text, cuts)).toEqual(whole)
      }),
    )
  })
})
