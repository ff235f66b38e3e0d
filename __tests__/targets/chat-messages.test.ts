import { describe, expect, test } from 'vitest'
import type { ContentPart, Message } from '../../src/core/message.ts'
import { hasImages, toChatMessages } from '../../src/targets/chat/messages.ts'

const PDF = 'data:application/pdf;base64,JVBERg=='

const user = (...content: ContentPart[]): Message => ({ role: 'user', content })

describe('messages in the form OpenAI takes', () => {
  test.each<[string, Message, object]>([
    ['text stays text', { role: 'user', content: 'Hi' }, { role: 'user', content: 'Hi' }],
    ['text parts', user({ type: 'text', text: 'Hi' }), { role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    [
      'an image with its detail',
      user({ type: 'image_url', image_url: { url: 'https://x.test/a.png', detail: 'low' } }),
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.test/a.png', detail: 'low' } }] },
    ],
    [
      'audio',
      user({ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }),
      { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }] },
    ],
    [
      'a file as a data URL',
      user({ type: 'file', file: { url: PDF, filename: 'policy.pdf' } }),
      { role: 'user', content: [{ type: 'file', file: { filename: 'policy.pdf', file_data: PDF } }] },
    ],
    [
      'a file without a name',
      user({ type: 'file', file: { url: PDF } }),
      { role: 'user', content: [{ type: 'file', file: { filename: 'file', file_data: PDF } }] },
    ],
    [
      'an uploaded file',
      user({ type: 'file', file: { url: '', file_id: 'file-7' } }),
      { role: 'user', content: [{ type: 'file', file: { file_id: 'file-7' } }] },
    ],
    [
      'names, tool calls and refusals',
      {
        role: 'assistant',
        name: 'bot',
        refusal: 'no',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{}' } }],
      },
      {
        role: 'assistant',
        name: 'bot',
        refusal: 'no',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{}' } }],
        content: null,
      },
    ],
    [
      'the result of a tool',
      { role: 'tool', tool_call_id: 'c1', content: 'found' },
      { role: 'tool', tool_call_id: 'c1', content: 'found' },
    ],
    ['a user who says nothing', { role: 'user' }, { role: 'user', content: '' }],
  ])('%s', (_, message, expected) => {
    expect(toChatMessages({ messages: [message], input: '' })).toEqual({ messages: [expected], problems: [] })
  })

  test('parts without an OpenAI form are problems with their place in the record', () => {
    const bad = user(
      { type: 'text', text: 'Hi' },
      { type: 'file', file: { url: 'https://x.test/a.pdf', filename: 'a.pdf' } },
      { type: 'data', data: { sources: [{ type: 'model', name: 'orders' }] } },
    )
    const single = toChatMessages({ messages: [bad], input: { role: 'user' } })
    expect(single.problems).toMatchObject([
      { field: 'input.content[1]', message: 'OpenAI takes no file by URL' },
      { field: 'input.content[2]', message: expect.stringContaining('no OpenAI form exists') },
    ])
    const listed = toChatMessages({ messages: [{ role: 'user', content: 'Hi' }, bad], input: [{}, {}] })
    expect(listed.problems.map(({ field }) => field)).toEqual(['input[1].content[1]', 'input[1].content[2]'])
  })

  test('images are seen in any message', () => {
    const image = user({ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } })
    expect(hasImages({ messages: [image, { role: 'assistant', content: 'nice' }] })).toBe(true)
    expect(hasImages({ messages: [user({ type: 'text', text: 'Hi' }), { role: 'user', content: 'image_url' }] })).toBe(
      false,
    )
  })
})
