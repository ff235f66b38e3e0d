import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadSuites } from '../../src/suites/index.ts'
import { fakeHost } from '../support/fake-host.ts'
import { casesOf, described, folderWith } from './folder.ts'

async function load(inputs: readonly string[], files: Record<string, string> = {}, options: { strict?: boolean } = {}) {
  const loaded = await loadSuites({ inputs, host: fakeHost({ cwd: folderWith(files) }), ...options })
  return {
    cases: casesOf(loaded).map(({ id, input, messages }) => ({ id, input, messages })),
    problems: described(loaded),
    warnings: loaded.suites.flatMap(({ warnings }) => warnings),
  }
}

const user = (content: unknown) => ({ role: 'user', content })

describe('a direct message that is itself a JSON message is taken as that', () => {
  test.each<[string, unknown, unknown[]]>([
    ['a message', user('Hi'), [user('Hi')]],
    ['a message without a role', { content: 'Hi' }, [user('Hi')]],
    ['a message without a role, but with a name', { content: 'Hi', name: 'ann' }, [{ ...user('Hi'), name: 'ann' }]],
    [
      'a list of messages',
      [user('Hi'), { role: 'assistant', content: 'Hello' }, user('Bye')],
      [user('Hi'), { role: 'assistant', content: 'Hello' }, user('Bye')],
    ],
    ['a message with parts', user([{ type: 'text', text: 'Hi' }]), [user([{ type: 'text', text: 'Hi' }])]],
    [
      'a message with a file of the current folder',
      user([{ type: 'file', source: 'file://a.txt' }]),
      [user([{ type: 'file', file: { url: 'data:text/plain;base64,VA==', filename: 'a.txt' } }])],
    ],
  ])('%s', async (_, value, messages) => {
    for (const text of [JSON.stringify(value), `\n${JSON.stringify(value, null, 2)}\n`]) {
      expect(await load([text], { 'a.txt': 'T' })).toEqual({
        cases: [{ id: 'T001', input: value, messages }],
        problems: [],
        warnings: [],
      })
    }
  })

  test('each of several, and a text beside it', async () => {
    const { cases } = await load([JSON.stringify(user('Hi')), 'plain text'])
    expect(cases).toMatchObject([
      { id: 'T001', messages: [user('Hi')] },
      { id: 'T002', messages: [user('plain text')] },
    ])
  })

  test('also where it would match a file as a glob', async () => {
    const cwd = folderWith()
    writeFileSync(join(cwd, 'r'), '')
    const loaded = await loadSuites({ inputs: ['[{"role":"user","content":"Hi"}]'], host: fakeHost({ cwd }) })
    expect(described(loaded)).toEqual([])
    expect(casesOf(loaded)[0]?.messages).toEqual([user('Hi')])
  })
})

describe('any other JSON is a text: data for the agent to work on', () => {
  test.each([
    '{"a":1}',
    '[1]',
    '[]',
    '{}',
    '"quoted"',
    'null',
    '[{"a":1}]',
    '{"content":"a page","title":"of something"}',
    '{"role":"admin","name":"ann"}',
    '{"a":1',
    '[not json]',
  ])('%s', async (text) => {
    expect(await load([text])).toEqual({
      cases: [{ id: 'T001', input: text, messages: [user(text)] }],
      problems: [],
      warnings: [],
    })
  })
})

describe('what is meant as a message and is none is a mistake', () => {
  test.each<[string, string, string]>([
    [
      'no content',
      '{"role":"user","contnet":"x"}',
      'input.content: required (found "contnet": did you mean "content"?)',
    ],
    ['an unknown role', '{"role":"usr","content":"x"}', 'input.role: expected one of "system"'],
    [
      'a list with something else in it',
      '[{"role":"user","content":"x"},1]',
      'input[1]: expected a message object, got 1',
    ],
    [
      'a file that is not there',
      '{"content":[{"type":"file","source":"file://no.txt"}]}',
      'input.content[0].source: file "no.txt" not found',
    ],
    [
      'a quote too few',
      '{"role":"user","content":"x}',
      'not a JSON message: JSON error at column 29: the text ends too early (to send it as a text, make it the "content" of a message)',
    ],
    [
      'a comma too many, on another line',
      '[\n{"role":"user","content":"x"},]',
      'not a JSON message: JSON error at line 2, column 31',
    ],
    ['text behind it', '{"content":"x"} please', 'not a JSON message: JSON error at column 17: text after the end'],
    [
      'one nested without end',
      `{"role":"user","content":"x","name":${'['.repeat(200)}${']'.repeat(200)}}`,
      'nested deeper than 128 levels',
    ],
  ])('%s', async (_, text, problem) => {
    expect((await load([text])).problems).toEqual([expect.stringContaining(`message/T001: ${problem}`)])
  })

  test('an unknown field is a warning, and a mistake under --strict', async () => {
    const text = '{"role":"user","content":"x","nmae":"ann"}'
    const { warnings, problems } = await load([text])
    expect({ warnings, problems }).toEqual({
      warnings: ['message/T001: input.nmae: unknown field, ignored (did you mean "name"?)'],
      problems: [],
    })
    expect((await load([text], {}, { strict: true })).problems).toEqual([
      'message/T001: input.nmae: unknown field (did you mean "name"?)',
    ])
  })
})
