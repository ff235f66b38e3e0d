import { describe, expect, test } from 'vitest'
import { casesOf, described, jsonLines, loadText } from './folder.ts'

const files = { 'pic.png': 'PNG', 'clip.wav': 'WAV', noise: 'RAW', 'doc.pdf': 'PDF', 'sub/a.txt': 'T' }

async function messages(input: unknown) {
  const loaded = await loadText(jsonLines({ id: 'a', input }), files)
  return {
    problems: described(loaded).map((text) => text.replace('cases.jsonl:1: ', '')),
    messages: casesOf(loaded)[0]?.messages,
    warnings: loaded.suites[0]?.warnings,
  }
}

describe('messages', () => {
  test.each([
    ['a message without a role comes from the user', { content: 'x' }, [{ role: 'user', content: 'x' }]],
    [
      'every role is kept',
      ['system', 'developer', 'user', 'assistant', 'tool'].map((role) => ({ role, content: 'x' })),
      ['system', 'developer', 'user', 'assistant', 'tool'].map((role) => ({ role, content: 'x' })),
    ],
    [
      'a tool answer names its call',
      { role: 'tool', content: 'x', tool_call_id: 'c1' },
      [{ role: 'tool', content: 'x', tool_call_id: 'c1' }],
    ],
    ['null is not set', { role: null, content: 'x', name: null, tool_calls: null }, [{ role: 'user', content: 'x' }]],
    [
      'an assistant that only calls tools has no content',
      {
        role: 'assistant',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
      [
        {
          role: 'assistant',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
        },
      ],
    ],
    [
      'a tool call without arguments has empty ones',
      { role: 'assistant', content: null, tool_calls: [{ function: { name: 'f' } }] },
      [{ role: 'assistant', tool_calls: [{ type: 'function', function: { name: 'f', arguments: '' } }] }],
    ],
  ])('%s', async (_, input, expected) => {
    expect(await messages(input)).toEqual({ problems: [], messages: expected, warnings: [] })
  })

  test.each([
    [
      'an unknown role',
      { role: 'asistant', content: 'x' },
      'input.role: expected one of "system", "developer", "user", "assistant", "tool", got "asistant" (did you mean "assistant"?)',
    ],
    [
      'a role that is no text',
      { role: 5, content: 'x' },
      'input.role: expected one of "system", "developer", "user", "assistant", "tool", got 5',
    ],
    ['no content', [{ role: 'user', content: 'x' }, { role: 'assistant' }], 'input[1].content: required'],
    [
      'content under a wrong name',
      { Content: 'x' },
      'input.content: required (found "Content": field names are lower case)',
    ],
    [
      'an empty list of tool calls instead of content',
      { role: 'assistant', tool_calls: [] },
      'input.content: required',
    ],
    [
      'tool calls of a user instead of content',
      { tool_calls: [{ function: { name: 'f' } }] },
      'input.content: required',
    ],
    [
      'content that is a number',
      { content: 5 },
      'input.content: expected a text, a content part or a list of parts, got 5',
    ],
    [
      'a part that is a text',
      { content: ['x'] },
      'input.content[0]: expected a content part, got "x" (a text is {"type": "text", "text": "…"})',
    ],
    ['a name that is no text', { content: 'x', name: 5 }, 'input.name: expected a string, got 5'],
    [
      'a tool call that is no object',
      { content: 'x', tool_calls: ['f'] },
      'input.tool_calls[0]: expected a tool call object, got "f"',
    ],
    [
      'a tool call without a name',
      { content: 'x', tool_calls: [{ id: 'c' }] },
      'input.tool_calls[0].function.name: required',
    ],
    [
      'a tool call of another type',
      { content: 'x', tool_calls: [{ type: 'custom', function: { name: 'f' } }] },
      'input.tool_calls[0].type: expected "function", got "custom"',
    ],
    [
      'arguments that are a list',
      { content: 'x', tool_calls: [{ function: { name: 'f', arguments: [] } }] },
      'input.tool_calls[0].function.arguments: expected an object or its JSON text, got a list',
    ],
  ])('%s is refused', async (_, input, problem) => {
    expect((await messages(input)).problems).toEqual([problem])
  })
})

describe('content parts', () => {
  test.each([
    [
      'a file image keeps its detail',
      { type: 'image', source: 'file://pic.png', detail: 'low' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,UE5H', detail: 'low' } },
    ],
    [
      'an image URL gets a detail',
      { type: 'image_url', image_url: { url: 'https://x.example/p.png' } },
      { type: 'image_url', image_url: { url: 'https://x.example/p.png', detail: 'auto' } },
    ],
    [
      'audio from a file',
      { type: 'audio', source: 'file://clip.wav' },
      { type: 'input_audio', input_audio: { data: 'V0FW', format: 'wav' } },
    ],
    [
      'audio from a file without extension, with a format',
      { type: 'audio', source: 'file://noise', format: 'mp3' },
      { type: 'input_audio', input_audio: { data: 'UkFX', format: 'mp3' } },
    ],
    [
      'audio in the form of the provider',
      { type: 'input_audio', input_audio: { data: 'QQ==', format: 'wav' } },
      { type: 'input_audio', input_audio: { data: 'QQ==', format: 'wav' } },
    ],
    [
      'a file, its name by "name"',
      { type: 'file', source: 'file://sub/a.txt', name: 'n.txt' },
      { type: 'file', file: { url: 'data:text/plain;base64,VA==', filename: 'n.txt' } },
    ],
    [
      'a file, "filename" before "name"',
      { type: 'file', source: 'file://sub/a.txt', name: 'n.txt', filename: 'f.txt' },
      { type: 'file', file: { url: 'data:text/plain;base64,VA==', filename: 'f.txt' } },
    ],
    [
      'a remote file without a name',
      { type: 'file', url: 'https://x.example/d.pdf' },
      { type: 'file', file: { url: 'https://x.example/d.pdf' } },
    ],
    [
      'a file object',
      { type: 'file', file: { url: 'https://x.example/d.pdf', filename: 'd.pdf' } },
      { type: 'file', file: { url: 'https://x.example/d.pdf', filename: 'd.pdf' } },
    ],
    [
      'an uploaded file',
      { type: 'file', file: { file_id: 'f1', filename: 'd.pdf' } },
      { type: 'file', file: { url: '', filename: 'd.pdf', file_id: 'f1' } },
    ],
    [
      'a file in the form of the provider',
      { type: 'file', file: { file_data: 'data:text/plain;base64,VA==', filename: 'a.txt' } },
      { type: 'file', file: { url: 'data:text/plain;base64,VA==', filename: 'a.txt' } },
    ],
  ])('%s', async (_, part, expected) => {
    expect(await messages({ content: [part] })).toEqual({
      problems: [],
      messages: [{ role: 'user', content: [expected] }],
      warnings: [],
    })
  })

  test.each([
    ['an unknown type', { type: 'imge' }, '.type: unknown content part type "imge" (did you mean "image"?)'],
    [
      'a type that names an object internal',
      { type: 'constructor' },
      '.type: unknown content part type "constructor" (known types: text, image, image_url, audio, input_audio, file, data)',
    ],
    ['a text that is none', { type: 'text', text: 5 }, '.text: expected a string, got 5'],
    [
      'a file in an image URL',
      { type: 'image_url', image_url: { url: 'file://pic.png' } },
      '.image_url.url: files are not read from here (write "source": "file://…" beside "type")',
    ],
    [
      'a file in a URL',
      { type: 'file', url: 'file://doc.pdf' },
      '.url: files are not read from here (write "source": "file://…" beside "type")',
    ],
    ['an empty URL', { type: 'image', url: '' }, '.url: required: where the content is'],
    [
      'the prefix in capitals',
      { type: 'image', source: 'FILE://pic.png' },
      '.source: expected file:// and a path, got "FILE://pic.png" (use "url" for what is not a file)',
    ],
    ['no path', { type: 'file', source: 'file://' }, '.source: there is no path after file://'],
    ['a folder', { type: 'file', source: 'file://sub' }, '.source: "sub" is not a file'],
    [
      'a document as an image',
      { type: 'image', source: 'file://doc.pdf' },
      '.source: "doc.pdf" has no extension of an image (known: jpg, jpeg, png, gif, webp, bmp, svg, avif, heic, heif, tif, tiff, ico)',
    ],
    [
      'audio of no known format',
      { type: 'audio', source: 'file://noise' },
      '.format: required: the file has no extension to tell it',
    ],
    [
      'audio as a data URL',
      { type: 'audio', data: 'data:audio/wav;base64,QQ==', format: 'wav' },
      '.data: expected bare base64, got a data URL (leave out everything up to the comma)',
    ],
    [
      'audio without data',
      { type: 'input_audio', input_audio: { format: 'wav' } },
      '.input_audio.data: required: the audio as base64',
    ],
    [
      'a file object that names nothing',
      { type: 'file', file: { filename: 'x' } },
      '.file.url: required: where the content is',
    ],
    ['a data part without data', { type: 'data' }, '.data: expected an object, got nothing'],
    [
      'a data source that is no object',
      { type: 'data', data: { sources: ['x'] } },
      '.data.sources[0]: expected an object, got "x"',
    ],
  ])('%s is refused', async (_, part, problem) => {
    expect((await messages({ content: [part] })).problems).toEqual([`input.content[0]${problem}`])
  })

  test.each([
    ['no parts', [], 'cases.jsonl:1: input.content: an empty list says nothing to the agent'],
    [
      'a text part without its text',
      [{ type: 'text' }],
      'cases.jsonl:1: input.content[0].text: missing: the agent gets an empty text',
    ],
    [
      'an unknown field',
      [{ type: 'image', source: 'file://pic.png', detial: 'low' }],
      'cases.jsonl:1: input.content[0].detial: unknown field, ignored (did you mean "detail"?)',
    ],
  ])('%s is a warning', async (_, content, warning) => {
    expect(await messages({ content })).toMatchObject({ problems: [], warnings: [warning] })
  })
})
