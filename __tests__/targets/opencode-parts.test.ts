import { describe, expect, test } from 'vitest'
import { TargetError } from '../../src/core/errors.ts'
import { parseTarget } from '../../src/targets/index.ts'
import { choiceProblems, choose } from '../../src/targets/opencode/choice.ts'
import { failureError, retryError, turnFault } from '../../src/targets/opencode/failures.ts'
import { readMessageInfo } from '../../src/targets/opencode/raw.ts'
import type { Server } from '../../src/targets/opencode/server.ts'
import { openServers } from '../../src/targets/opencode/servers.ts'
import { fakeHost } from '../support/fake-host.ts'

describe('--target opencode', () => {
  test.each<[string, object]>([
    ['opencode', { config: { type: 'opencode' } }],
    [' opencode ', { config: { type: 'opencode' } }],
    ['opencode:http://127.0.0.1:4096', { config: { type: 'opencode', url: 'http://127.0.0.1:4096' } }],
    ['{"type":"opencode","agent":"a/b","timeout":"2m","network":true}', { config: { agent: 'a/b', timeout: '2m' } }],
    ['opencode:4096', { problems: [{ field: 'target.url', message: 'expected a URL such as http://127.0.0.1:4096' }] }],
    ['{"type":"opencode","timeout":"soon"}', { problems: [{ field: 'target.timeout' }] }],
    ['{"type":"opencode","agnet":"x"}', { problems: [{ field: 'target.agnet', hint: 'did you mean "agent"?' }] }],
    ['opencod', { problems: [{ message: 'expected TYPE:VALUE or a JSON object, got "opencod"' }] }],
    // Others still need to be told what.
    ['http', { problems: [{ message: 'expected TYPE:VALUE or a JSON object, got "http"' }] }],
  ])('%s', (text, expected) => {
    expect(parseTarget(text)).toMatchObject(expected)
  })
})

describe('who answers', () => {
  const offer = { agents: ['build', 'sub/deep'], defaultAgent: 'sub/deep', models: ['p/main', 'router/x/y'] }
  const all = {
    plan: { agent: 'of the case', model: 'case/m', defaultModel: 'file/m' },
    connector: 'flag/m',
    target: { agent: 'of the target', model: 'target/m' },
  }
  test.each<[string, Parameters<typeof choose>[0], object]>([
    ['the case, before all', all, { agent: 'of the case', model: { providerID: 'case', modelID: 'm' } }],
    [
      'then -c and the target',
      { ...all, plan: { defaultModel: 'file/m' } },
      { agent: 'of the target', model: { providerID: 'flag' } },
    ],
    [
      'then the target alone',
      { ...all, plan: {}, connector: undefined },
      { agent: 'of the target', model: { providerID: 'target' } },
    ],
    [
      'then the config file',
      { plan: { defaultModel: 'file/m' }, connector: undefined, target: {} },
      { agent: 'sub/deep', model: { providerID: 'file' } },
    ],
    [
      'a model with slashes',
      { plan: { model: 'router/x/y' }, connector: undefined, target: {} },
      { model: { providerID: 'router', modelID: 'x/y' } },
    ],
  ])('%s', (_, wishes, choice) => {
    expect(choose(wishes, offer)).toMatchObject(choice)
  })

  test('nobody named anybody: the default agent, else build; the model is the agent’s own', () => {
    const none = { plan: {}, connector: undefined, target: {} }
    expect(choose(none, offer)).toEqual({ agent: 'sub/deep' })
    expect(choose(none, {})).toEqual({ agent: 'build' })
  })

  test('a model of a provider that has others is told of those', () => {
    expect(choiceProblems({ agent: 'build', model: { providerID: 'router', modelID: 'zzzzzz' } }, offer)).toEqual([
      { field: 'model', message: 'OpenCode knows no model "router/zzzzzz" here', hint: 'models are router/x/y' },
    ])
  })
})

describe('why nobody answered', () => {
  test.each<[string, Parameters<typeof failureError>[0], string, RegExp]>([
    [
      'a request that is refused',
      { name: 'APIError', data: { message: 'bad', statusCode: 400 } },
      'BAD_REQUEST',
      /refused the request \(400\): bad/,
    ],
    ['a model that is not there', { name: 'APIError', data: { message: 'no', statusCode: 404 } }, 'BAD_REQUEST', /404/],
    ['a key', { name: 'APIError', data: { message: 'no', statusCode: 401 } }, 'AUTHENTICATION', /key/],
    ['a login', { name: 'ProviderAuthError', data: { message: 'log in' } }, 'AUTHENTICATION', /key/],
    [
      'too many calls',
      { name: 'APIError', data: { message: 'slow down', statusCode: 429 } },
      'RATE_LIMITED',
      /slow down/,
    ],
    [
      'too many calls, in words',
      { name: 'UnknownError', data: { message: 'Rate limit reached' } },
      'RATE_LIMITED',
      /Rate limit/,
    ],
    ['a failing provider', { name: 'APIError', data: { message: 'boom', statusCode: 503 } }, 'PROVIDER_ERROR', /503/],
    ['no connection', { name: 'APIError', data: { message: 'socket closed' } }, 'PROVIDER_ERROR', /did not answer/],
    ['a filter', { name: 'ContentFilterError', data: { message: 'blocked' } }, 'PROVIDER_ERROR', /filtered/],
    ['a full window', { name: 'ContextOverflowError', data: { message: 'too long' } }, 'BAD_REQUEST', /too long/],
    ['a cut answer', { name: 'MessageOutputLengthError', data: {} }, 'BAD_RESPONSE', /cut off/],
    ['another’s hand', { name: 'MessageAbortedError', data: {} }, 'BAD_RESPONSE', /somebody else/],
    ['anything else', { name: 'NewError', data: {} }, 'PROVIDER_ERROR', /NewError/],
  ])('%s', (_, failure, code, message) => {
    const error = failureError(failure)
    expect(error).toMatchObject({ code, retryable: false })
    expect(error.message).toMatch(message)
  })

  test.each<[string, string]>([
    ['Rate limit reached', 'RATE_LIMITED'],
    ['Too Many Requests', 'RATE_LIMITED'],
    ['Overloaded', 'RATE_LIMITED'],
    ['boom', 'PROVIDER_ERROR'],
    ['Provider response headers timed out after 3000ms', 'PROVIDER_ERROR'],
  ])('given up while it was asked again for %j', (message, code) => {
    expect(retryError(message, '5s')).toMatchObject({ code })
  })

  const info = (more: object) =>
    readMessageInfo({ id: 'msg_1', sessionID: 'ses_1', role: 'assistant', time: { created: 1 }, ...more })
  const done = { created: 1, completed: 2 }
  test.each<[string, object | undefined, string | undefined]>([
    ['a good end', { time: done, finish: 'stop' }, undefined],
    ['the end of a denied call', { time: done, finish: 'tool-calls' }, undefined],
    ['a long answer cut short is an answer', { time: done, finish: 'length' }, undefined],
    [
      'an error',
      { time: done, finish: 'stop', error: { name: 'APIError', data: { statusCode: 500 } } },
      'PROVIDER_ERROR',
    ],
    ['a finish that is an error', { time: done, finish: 'error' }, 'PROVIDER_ERROR'],
    ['an abort in the middle of a retry', { time: done }, 'BAD_RESPONSE'],
    ['no end', { finish: 'stop' }, 'BAD_RESPONSE'],
    ['no answer', undefined, 'BAD_RESPONSE'],
  ])('a turn with %s', (_, message, code) => {
    expect(turnFault(message && info(message), undefined)?.code).toBe(code)
  })
})

describe('servers', () => {
  function fakes() {
    const made: { stopped: boolean; fault: string | undefined }[] = []
    const start = async (): Promise<Server> => {
      const state: (typeof made)[number] = { stopped: false, fault: undefined }
      made.push(state)
      const unused = () => expect.fail('not asked')
      return {
        folder: String(made.length),
        version: '1.18.33',
        feed: { listen: unused, close: unused },
        client: unused,
        fault: () => state.fault,
        stop: async () => {
          state.stopped = true
        },
      }
    }
    return { made, start }
  }

  test('one serves many, at the same time too', async () => {
    const { made, start } = fakes()
    const servers = openServers(start, fakeHost())
    const leases = await Promise.all(Array.from({ length: 5 }, () => servers.lease()))
    expect(new Set(leases.map(({ server }) => server)).size).toBe(1)
    for (const { release } of leases) await release()
    expect(made).toEqual([{ stopped: false, fault: undefined }])
    await servers.stop()
    expect(made[0]?.stopped).toBe(true)
    await expect(servers.lease()).rejects.toMatchObject({ code: 'ABORTED' })
  })

  test('a worn out one is replaced, and stopped when its last session has ended', async () => {
    const { made, start } = fakes()
    const servers = openServers(start, fakeHost(), 2)
    const [first, second] = [await servers.lease(), await servers.lease()]
    const third = await servers.lease()
    expect([first, second, third].map(({ server }) => server.folder)).toEqual(['1', '1', '2'])
    await first.release()
    expect(made[0]?.stopped).toBe(false)
    await second.release()
    expect(made.map(({ stopped }) => stopped)).toEqual([true, false])
    await third.release()
    await servers.stop()
    expect(made.map(({ stopped }) => stopped)).toEqual([true, true])
  })

  test('one that is over is replaced, once for all who find it so', async () => {
    const { made, start } = fakes()
    const servers = openServers(start, fakeHost())
    await (await servers.lease()).release()
    for (const state of made) state.fault = 'it ended'
    const leases = await Promise.all([servers.lease(), servers.lease(), servers.lease()])
    expect(leases.map(({ server }) => server.folder)).toEqual(['2', '2', '2'])
    for (const { release } of leases) await release()
    await servers.stop()
    expect(made.map(({ stopped }) => stopped)).toEqual([true, true])
  })

  test('one that did not start is tried again by the next', async () => {
    const { start } = fakes()
    let tries = 0
    const servers = openServers(() => {
      tries += 1
      return tries === 1 ? Promise.reject(new TargetError('no', { code: 'PROCESS_FAILED' })) : start()
    }, fakeHost())
    await expect(servers.lease()).rejects.toMatchObject({ code: 'PROCESS_FAILED' })
    await (await servers.lease()).release()
    await servers.stop()
  })
})
