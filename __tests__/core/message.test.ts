import { expect, test } from 'vitest'
import { type Message, summarise, textOf } from '../../src/core/message.ts'

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } } as const

test.each<[string, Message, string]>([
  ['a plain text', { role: 'user', content: 'hello' }, 'hello'],
  ['no content', { role: 'assistant' }, ''],
  [
    'the words of its parts',
    { role: 'user', content: [{ type: 'text', text: 'a' }, image, { type: 'text', text: 'b' }] },
    'a b',
  ],
  ['parts without words', { role: 'user', content: [image] }, ''],
])('the text of a message: %s', (_, message, text) => {
  expect(textOf(message)).toBe(text)
})

test.each<[string, Message[], string]>([
  ['the only message', [{ role: 'user', content: ' hello ' }], 'hello'],
  [
    'the last word of the user, not of the assistant',
    [
      { role: 'user', content: 'first' },
      { role: 'user', content: 'second' },
      { role: 'assistant', content: 'answer' },
    ],
    'second',
  ],
  ['an attachment without words', [{ role: 'user', content: [image] }], '[1 message]'],
  [
    'no user at all',
    [
      { role: 'system', content: 'a' },
      { role: 'assistant', content: 'b' },
    ],
    '[2 messages]',
  ],
  ['nothing', [], '[0 messages]'],
])('one line for people: %s', (_, messages, line) => {
  expect(summarise(messages)).toBe(line)
})
