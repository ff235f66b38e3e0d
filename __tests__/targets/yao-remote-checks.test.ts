import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Message } from '../../src/core/message.ts'
import { aCase } from '../support/builders.ts'
import { agentTest, suiteOf } from '../support/command-line.ts'
import { tempFolders } from '../support/temp-folder.ts'
import { hostWithToken, NAMED, remoteTestbed } from '../support/yao-remote-testbed.ts'
import { YAO_TOKEN, type YaoAnswer } from '../support/yao-server.ts'

const folder = tempFolders()
const { serve, open } = remoteTestbed()

describe('checks before the first run', () => {
  const problemsWith = async (overrides: Parameters<typeof aCase>[0]) => {
    const target = await open({ url: 'https://yao.test' })
    return target.check?.(aCase(overrides))
  }
  const contains = { type: 'contains', value: 'x' }

  test.each<[string, Parameters<typeof aCase>[0], object[]]>([
    ['a plain case', { assertions: [contains, { type: 'json_path', path: 'a', value: 1 }] }, []],
    ['tool_called alone', { assertions: [{ type: 'tool_called', value: 'x' }] }, [{ field: 'assert' }]],
    [
      'tool assertions among others',
      { assertions: [contains, { type: 'tool_called', value: 'x' }, { type: 'tool_result', value: {} }] },
      [{ field: 'assert[1]' }, { field: 'assert[2]' }],
    ],
    [
      'tool assertions of a checkpoint',
      {
        conversation: {
          simulator: { agent: 's', metadata: {} },
          checkpoints: [
            { id: 'a', assertions: [contains, { type: 'tool_called', value: 'x' }], after: [], required: true },
            { id: 'b', assertions: [{ type: 'tool_result', value: {} }], after: [], required: true },
          ],
          maxTurns: 3,
        },
      },
      [{ field: 'checkpoints[0].assert[1]' }, { field: 'checkpoints[1].assert' }],
    ],
    [
      'one that a checkpoint makes',
      {
        conversation: {
          simulator: { agent: 'user', metadata: {} },
          checkpoints: [{ id: 'c', assertions: [{ type: 'tool_result', value: {} }], after: [], required: true }],
          maxTurns: 2,
        },
      },
      [{ field: 'checkpoints[0].assert' }],
    ],
    ['an answer that is not sent', { options: { skip: { output: true } } }, [{ field: 'options.skip.output' }]],
    ['a connector that names an assistant', { options: { connector: 'm-yao_x' } }, [{ field: 'options.connector' }]],
    ['a mode that no header can carry', { options: { mode: 'a\nb' } }, [{ field: 'options.mode' }]],
    ['a file that the server would drop', { messages: [fileMessage('f-1')] }, [{ field: 'input.content[0]' }]],
  ])('%s', async (_, overrides, expected) => {
    const problems = await problemsWith(overrides)
    expect(problems).toMatchObject(expected)
    expect(problems).toHaveLength(expected.length)
  })

  test('who asks is said by the token: what else says it is named, once', async () => {
    const host = hostWithToken()
    const context = { authorized: { scope: 's' }, metadata: { a: 1 } }
    await open({ url: 'https://yao.test' }, { host, ...NAMED, user: 'u', team: 't', context })
    expect(host.warnings).toEqual([
      '--user, --team, --ctx: authorized: not used; a Yao server knows who asks by the token in YAO_TOKEN',
    ])
  })

  test.each<[string, Parameters<typeof aCase>[0], string[]]>([
    ['nothing', { options: { mode: 'task', connector: 'm', skip: { trace: true } } }, []],
    ['who asks', { user: 'u', team: 't' }, ['user', 'team']],
    [
      'what only hooks find in their options',
      { options: { search: true, metadata: {}, disable_global_prompts: false, skip: { history: false } } },
      ['options.metadata', 'options.search', 'options.disable_global_prompts', 'options.skip.history'],
    ],
    ['files', { messages: [fileMessage('')] }, ['input']],
  ])('what the server does not hear of a case: %s', async (_, overrides, expected) => {
    const target = await open({ url: 'https://yao.test' })
    expect(target.unusedOptions?.(aCase(overrides)).map(({ field }) => field)).toEqual(expected)
  })
})

function fileMessage(id: string): Message {
  return { role: 'user', content: [{ type: 'file', file: { url: '', file_id: id } }] }
}

describe('on the command line', () => {
  const suite = suiteOf({ id: 'hello', input: 'Say hello', assert: { type: 'contains', value: 'Hello' } })
  const run = async (files: Record<string, string>, args: readonly string[], answer: YaoAnswer = 'Hello there') => {
    const server = await serve(answer)
    const { path } = folder(files)
    const env = { YAO_TOKEN }
    const result = await agentTest([...args, '--target', `yao-remote:${server.url}`, '-o', `${path}/out.jsonl`], {
      cwd: path,
      env,
    })
    return { ...result, server, path }
  }

  test('-n names the assistant, and is not called unused', async () => {
    const { code, stderr, server } = await run({ 'suite.jsonl': suite }, ['-i', 'suite.jsonl', '-n', 'support'])
    expect(stderr).not.toMatch(/not used/)
    expect(code).toBe(0)
    expect(server.requests[0]?.path).toBe('/v1/experts/support/chat/completions')
  })

  test('without it each suite asks the assistant that it lies in', async () => {
    const files = {
      'app.yao': '{}',
      'assistants/a/package.yao': '{}',
      'assistants/a/tests/one.jsonl': suite,
      'assistants/b/c/package.yao': '{}',
      'assistants/b/c/tests/two.jsonl': suite,
    }
    const { code, server } = await run(files, [
      '-i',
      'assistants/a/tests/one.jsonl',
      '-i',
      'assistants/b/c/tests/two.jsonl',
    ])
    expect(code).toBe(0)
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v1/experts/a/chat/completions',
      '/v1/experts/b.c/chat/completions',
    ])
  })

  test('beside a setting that names the agent, -n is not used', async () => {
    const server = await serve()
    const { path } = folder({ 'suite.jsonl': suite })
    const target = JSON.stringify({ type: 'yao-remote', url: server.url, agent: 'mine' })
    const args = ['-i', 'suite.jsonl', '-n', 'support', '--target', target, '-o', `${path}/out.jsonl`]
    const { code, stderr } = await agentTest(args, { cwd: path, env: { YAO_TOKEN } })
    expect(stderr).toMatch(/--name is not used beside --target/)
    expect(code).toBe(0)
    expect(server.requests[0]?.path).toBe('/v1/experts/mine/chat/completions')
  })

  test('what cannot be judged there is refused with file, line and field, and nothing is called', async () => {
    const records = suiteOf(
      { id: 'hello', input: 'Hi' },
      { id: 'silent', input: 'Hi', options: { skip: { output: true } } },
      {
        id: 'tool',
        input: 'Hi',
        assert: [
          { type: 'contains', value: 'x' },
          { type: 'tool_called', value: 'find' },
        ],
      },
      { id: 'left out', input: 'Hi', skip: true, assert: { type: 'tool_called', value: 'find' } },
    )
    const { code, stderr, server } = await run({ 'suite.jsonl': records }, ['-i', 'suite.jsonl', '-n', 'support'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/suite\.jsonl:2: options\.skip\.output: not evaluable on this target/)
    expect(stderr).toMatch(/suite\.jsonl:3: assert\[1\]: assertion type "tool_called" is not evaluable on this target/)
    expect(stderr).not.toMatch(/suite\.jsonl:4/)
    expect(server.requests).toEqual([])
  })

  test('the time limit ends the call', async () => {
    const args = ['-i', 'suite.jsonl', '-n', 'support', '--timeout', '300ms']
    const { code, server, path } = await run({ 'suite.jsonl': suite }, args, { chunks: ['Hel'], ending: 'hang' })
    expect(code).toBe(1)
    expect(readFileSync(`${path}/out.jsonl`, 'utf8')).toMatch(/"status":"timeout"/)
    await expect.poll(() => server.abandoned).toBe(1)
  })

  test('no token, no assistant: both are told at once', async () => {
    const { path } = folder({ 'suite.jsonl': suite })
    const { code, stderr } = await agentTest(['-i', 'suite.jsonl', '--target', 'yao-remote:https://yao.test'], {
      cwd: path,
      env: {},
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(/YAO_TOKEN is not set/)
    expect(stderr).toMatch(/name it with -n/)
  })

  test('the token is in no report, whatever the server says', async () => {
    const { code, stdout, stderr, path } = await run(
      { 'suite.jsonl': suite },
      ['-i', 'suite.jsonl', '-n', 'support', '-v'],
      `Your token is ${YAO_TOKEN}`,
    )
    expect(code).toBe(1)
    const everything = stdout + stderr + readFileSync(`${path}/out.jsonl`, 'utf8')
    expect(everything).toContain('Your token is ***')
    expect(everything).not.toContain(YAO_TOKEN)
  })
})
