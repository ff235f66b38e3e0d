import { describe, expect, test } from 'vitest'
import { UserError } from '../../src/core/errors.ts'
import { readContextFile } from '../../src/suites/index.ts'
import { fakeHost } from '../support/fake-host.ts'
import { folderWith } from './folder.ts'

async function read(text: string | Uint8Array) {
  const cwd = folderWith({ 'tests/context.json': text })
  return await readContextFile('tests/context.json', fakeHost({ cwd }))
}

async function failure(reading: Promise<unknown>): Promise<string> {
  const error = await reading.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(UserError)
  return error instanceof UserError ? error.message : ''
}

describe('the context file', () => {
  test('gives every field of the schema', async () => {
    const context = {
      chat_id: 'c',
      authorized: {
        sub: 's',
        client_id: 'i',
        scope: 'o',
        session_id: 'e',
        user_id: 'u',
        team_id: 't',
        tenant_id: 'n',
        remember_me: true,
        constraints: { owner_only: true, creator_only: false, editor_only: false, team_only: true, extra: { a: 1 } },
      },
      metadata: { any: ['thing'] },
      client: { type: 'web', user_agent: 'x/1', ip: '10.0.0.1' },
      locale: 'zh-cn',
      referer: 'api',
    }
    expect(await read(`\uFEFF${JSON.stringify(context, null, 2)}`)).toEqual(context)
  })

  test('may be empty, and null is not set', async () => {
    expect(await read('{"locale":null,"authorized":{"user_id":null}}')).toEqual({ authorized: {} })
  })

  test('reports every mistake at once, with the near name', async () => {
    const text =
      '{"local":"x","chat_id":1,"authorized":{"user":"u","remember_me":"yes","constraints":{"owner":true}},"client":"web","metadata":[]}'
    expect((await failure(read(text))).split('\n')).toEqual([
      'tests/context.json: local: unknown field (did you mean "locale"?)',
      'tests/context.json: chat_id: expected a string, got 1',
      'tests/context.json: authorized.user: unknown field (known fields: sub, client_id, scope, session_id, user_id, team_id, tenant_id, remember_me, constraints)',
      'tests/context.json: authorized.remember_me: expected true or false, got "yes"',
      'tests/context.json: authorized.constraints.owner: unknown field (known fields: owner_only, creator_only, editor_only, team_only, extra)',
      'tests/context.json: client: expected an object, got "web"',
      'tests/context.json: metadata: expected an object, got a list',
    ])
  })

  test.each([
    [
      'a syntax error',
      '{\n  "locale": "x"\n  "referer": "y"\n}',
      'tests/context.json:3: JSON error at column 3: expected "," or "}", got "\\""',
    ],
    [
      'a comment',
      '{\n  // note\n}',
      'tests/context.json:2: JSON error at column 3: expected a field name in double quotes, got "/"',
    ],
    ['text after the end', '{}\n{}', 'tests/context.json:2: JSON error at column 1: text after the end'],
    ['an unfinished file', '{\n"a": [', 'tests/context.json:2: JSON error at column 7: the text ends too early'],
    ['an empty file', '', 'tests/context.json:1: JSON error at column 1: the text ends too early'],
    ['a list', '[]', 'tests/context.json: expected a JSON object, got a list'],
    [
      'deep nesting',
      `{"metadata":${'{"a":'.repeat(1e5)}1${'}'.repeat(1e5)}}`,
      'tests/context.json: nested deeper than 128 levels',
    ],
    ['another encoding', Buffer.from('{"locale":"\u00e9"}', 'latin1'), 'tests/context.json: not UTF-8 text'],
  ])('%s is refused with its place', async (_, text, message) => {
    expect(await failure(read(text))).toBe(message)
  })

  test.each([
    ['a missing file', 'no.json', 'no.json: file not found'],
    ['a folder', 'tests', 'tests: cannot be read (EISDIR)'],
  ])('%s is refused', async (_, path, message) => {
    const cwd = folderWith({ 'tests/a.txt': '' })
    expect(await failure(readContextFile(path, fakeHost({ cwd })))).toBe(message)
  })
})
