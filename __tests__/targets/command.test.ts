import { chmod, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TargetError } from '../../src/core/errors.ts'
import { resolveIdentity } from '../../src/core/identity.ts'
import { outputOf } from '../../src/core/trace.ts'
import { createTarget } from '../../src/targets/index.ts'
import { commandAgent } from '../support/agents.ts'
import { aCase } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { collect } from '../support/run-request.ts'

let folder: string
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'agent-test-command-')))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('what the program is given', () => {
  test('one line of JSON with everything about the run, then the end of input', async () => {
    const input = [{ role: 'user', content: [{ type: 'text', text: 'Read\nthis\u2028' }] }]
    const item = aCase({
      id: 'T7',
      input,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Read\nthis\u2028' },
            { type: 'file', file: { url: 'data:text/plain;base64,aGk=', filename: 'a.txt' } },
          ],
        },
      ],
      options: { connector: 'slow' },
      metadata: { topic: 'files' },
    })
    const { events, error } = await collect(await commandAgent('show-input'), {
      case: item,
      run: 3,
      options: { connector: 'fast', search: false },
      identity: resolveIdentity({ flags: { user: 'ann', team: 'blue' }, case: item }),
    })
    expect(error).toBeUndefined()
    expect(JSON.parse(textOf(events))).toEqual({
      lines: 2,
      last: '',
      request: {
        id: 'T7',
        run: 3,
        input,
        messages: item.messages,
        options: { connector: 'fast', search: false },
        metadata: { topic: 'files' },
        user: 'ann',
        team: 'blue',
      },
    })
  })

  test('the environment without what belongs to the workflow, and the working directory', async () => {
    const env = {
      MODEL: 'm',
      EMPTY: '',
      NODE_OPTIONS: '--no-deprecation',
      MY_GITHUB_NAME: 'kept',
      RUNNER_OS: 'Linux',
      UNDEFINED: undefined,
      GITHUB_TOKEN: 'x',
      GITHUB_OUTPUT: 'x',
      ACTIONS_RUNTIME_TOKEN: 'x',
      'INPUT_GITHUB-TOKEN': 'x',
      Input_Lower: 'x',
      input_lower: 'x',
    }
    const target = await commandAgent('show-env', { args: ['$HOME', 'a b', ''], env, host: { cwd: folder } })
    const seen = JSON.parse(textOf((await collect(target)).events))
    expect(seen).toEqual({
      env: {
        PATH: process.env['PATH'],
        MODEL: 'm',
        EMPTY: '',
        NODE_OPTIONS: '--no-deprecation',
        MY_GITHUB_NAME: 'kept',
        RUNNER_OS: 'Linux',
      },
      cwd: folder,
      args: ['$HOME', 'a b', ''],
    })
  })

  test('more input than a pipe holds, to a program that does not read', async () => {
    const messages = [{ role: 'user' as const, content: 'x'.repeat(1_000_000) }]
    expect(await collect(await commandAgent('deaf'), { case: aCase({ messages }) })).toEqual({
      events: [{ type: 'assistant_message', text: 'did not listen' }],
    })
  })
})

describe('text', () => {
  test('the answer is what the program prints', async () => {
    const item = aCase({ messages: [{ role: 'user', content: 'Grüße 👋' }] })
    expect(await collect(await commandAgent('echo'), { case: item })).toEqual({
      events: [{ type: 'assistant_message', text: 'Grüße 👋' }],
    })
  })

  test.each([
    ['one newline at the end is removed', 'a\n', 'a'],
    ['only one is', 'a\n\n', 'a\n'],
    ['with its carriage return', 'a\r\n', 'a'],
    ['nothing else is trimmed', '  a \n b ', '  a \n b '],
    ['letters that arrive byte by byte are whole', 'ä€😀', 'ä€😀'],
  ])('%s', async (_, printed, text) => {
    expect(await collect(await commandAgent('split-utf8', { args: [printed] }))).toEqual({
      events: [{ type: 'assistant_message', text }],
    })
  })

  test.each([
    ['nothing', ''],
    ['a lone newline', '\n'],
  ])('%s is the empty text, which is not null', async (_, printed) => {
    const { events } = await collect(await commandAgent('split-utf8', { args: [printed] }))
    expect(outputOf({ events: events.map((event) => ({ timestamp: 0, ...event })) })).toBe('')
  })

  test('a flood of complaints neither blocks the program nor fails it', async () => {
    expect(await collect(await commandAgent('flood-stderr'))).toEqual({
      events: [{ type: 'assistant_message', text: 'still fine' }],
    })
  })

  test('a program that fails has its words kept and its last complaints quoted', async () => {
    const { events, error } = await collect(await commandAgent('crash', { args: ['3'] }))
    expect(events).toEqual([{ type: 'assistant_message', text: 'half an ans' }])
    expect(error).toMatchObject({ code: 'PROCESS_FAILED', retryable: false })
    const [first, tail] = (error as TargetError).message.split('\nstandard error: ')
    expect(first).toBe('the program exited with code 3')
    expect(tail).toHaveLength(2_000)
    expect(tail).toMatch(/^x+\nno such model$/)
  })

  test('secrets are taken out of the quoted complaints before they are cut', async () => {
    const secret = `s${'x'.repeat(4_000)}`
    const host = fakeHost()
    host.secrets.add(secret)
    const target = await commandAgent('lines', {
      env: { EXIT_CODE: '1', STDERR: `${secret}!` },
      host: { secrets: host.secrets },
    })
    expect((await collect(target)).error).toMatchObject({
      message: 'the program exited with code 1\nstandard error: ***!',
    })
  })

  test('a signal is named', async () => {
    expect(await collect(await commandAgent('signal'))).toEqual({
      events: [],
      error: new TargetError('the program was ended by SIGKILL', { code: 'PROCESS_FAILED' }),
    })
  })

  test('more than 16 MiB is an error and the program is ended', async () => {
    const { events, error } = await collect(await commandAgent('flood'))
    expect(events).toEqual([])
    expect(error).toMatchObject({
      code: 'PROCESS_FAILED',
      message: 'the program wrote more than 16 MiB to standard output',
    })
  })

  test('a program that is gone by the time of the run cannot be started', async () => {
    const file = join(folder, 'short-lived')
    await writeFile(file, '#!/bin/sh\n')
    await chmod(file, 0o755)
    const target = await createTarget({ type: 'command', run: './short-lived' }, { host: fakeHost({ cwd: folder }) })
    await rm(file)
    expect((await collect(target)).error).toMatchObject({
      code: 'PROCESS_FAILED',
      message: expect.stringContaining('could not be started'),
    })
  })

  test('more arguments than the system takes cannot be started', async () => {
    const target = await commandAgent('echo', { args: ['x'.repeat(5_000_000)] })
    expect((await collect(target)).error).toMatchObject({
      code: 'PROCESS_FAILED',
      message: expect.stringContaining('could not be started'),
    })
  })
})

test('the label is the command as written, without secrets', async () => {
  const host = fakeHost({ cwd: folder, env: { PATH: join(process.execPath, '..') } })
  host.secrets.add('hunter2hunter2')
  const target = await createTarget({ type: 'command', run: `node  'my agent.mjs' --key hunter2hunter2` }, { host })
  expect(target.label).toBe('command:node my agent.mjs --key ***')
})

function textOf(events: readonly unknown[]): string {
  const [event] = events as [{ text: string }]
  return event.text
}
