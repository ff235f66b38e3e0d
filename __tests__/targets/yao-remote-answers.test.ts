import { describe, expect, test } from 'vitest'
import type { TargetError } from '../../src/core/errors.ts'
import { withoutTraceLines } from '../../src/targets/yao-remote/trace-line.ts'
import { collect } from '../support/run-request.ts'
import { remoteTestbed } from '../support/yao-remote-testbed.ts'
import type { YaoAnswer } from '../support/yao-server.ts'

const { serve, open, asking } = remoteTestbed()

describe('answers', () => {
  const said = (text: string) => ({ type: 'assistant_message', text, model: 'yao-agent', agent: 'workers.keyword' })

  test.each<[string, YaoAnswer, object[]]>([
    ['a text', 'Hello there', [said('Hello there')]],
    ['chunks', { chunks: ['Hel', 'lo wörld 🎈'] }, [said('Hello wörld 🎈')]],
    ['the line about the trace is no answer', { traceLine: 'content', chunks: ['Hello'] }, [said('Hello')]],
    ['nor is it as reasoning', { traceLine: 'reasoning', chunks: ['Hello'] }, [said('Hello')]],
    ['an agent that says nothing after it', { traceLine: 'content', chunks: [] }, [said('')]],
    [
      'the images of an answer are links',
      { chunks: ['![Image](https://x.test/a.png)'] },
      [said('![Image](https://x.test/a.png)')],
    ],
  ])('%s', async (_, answer, expected) => {
    const { events, error } = await asking(answer)
    expect(error).toBeUndefined()
    expect(events).toEqual(expected)
  })

  test.each<[string, string, string]>([
    [
      'several lines, of agents that were asked in turn',
      '🚀 A - [v](/trace/1/view)\n🚀 B - [v](/trace/2/view)\nHi',
      'Hi',
    ],
    [
      'a rocket of the agent',
      '🚀 Launch [here](https://x.test/launch)\nHi',
      '🚀 Launch [here](https://x.test/launch)\nHi',
    ],
    ['a line further down', 'Hi\n🚀 A - [v](/trace/1/view)\n', 'Hi\n🚀 A - [v](/trace/1/view)\n'],
    ['text behind the link', '🚀 A - [v](/trace/1/view) and more', '🚀 A - [v](/trace/1/view) and more'],
  ])('trace lines: %s', (_, text, expected) => {
    expect(withoutTraceLines(text)).toBe(expected)
  })

  test('a hostile answer costs no time', () => {
    const startedAt = Date.now()
    for (const text of ['🚀 ['.repeat(100_000), `🚀 ${'[](/trace/'.repeat(50_000)}`, ' '.repeat(500_000)])
      withoutTraceLines(text)
    expect(Date.now() - startedAt).toBeLessThan(1_000)
  })
})

describe('faults', () => {
  const yaoError = (error: string, more: object = {}) => ({ error, error_description: `${error} described`, ...more })
  const chunk = (error: object) => ({ chunks: ['Hel'], events: [JSON.stringify({ error })], ending: 'done' as const })

  test.each<[string, YaoAnswer, Partial<TargetError>, RegExp]>([
    [
      '400',
      { status: 400, body: yaoError('invalid_request') },
      { code: 'BAD_REQUEST', retryable: false },
      /invalid_request described/,
    ],
    [
      '401',
      { status: 401, body: yaoError('invalid_token') },
      { code: 'AUTHENTICATION', retryable: false },
      /check YAO_TOKEN/,
    ],
    [
      '403 with scopes',
      {
        status: 403,
        body: yaoError('insufficient_scope', { reason: 'scope', missing_scopes: ['experts:all', 'llm:all'] }),
      },
      { code: 'AUTHENTICATION', retryable: false },
      /described \(scope; missing scopes: experts:all, llm:all\); check YAO_TOKEN/,
    ],
    [
      '404',
      { status: 404, body: '404 page not found' },
      { code: 'BAD_REQUEST' },
      /page not found; check the URL .* and the id of the assistant/,
    ],
    [
      '429',
      { status: 429, body: yaoError('slow_down'), headers: { 'retry-after': '2' } },
      { code: 'RATE_LIMITED', retryable: true, retryAfterMs: 2_000 },
      /429/,
    ],
    [
      '500',
      { status: 500, body: yaoError('server_error') },
      { code: 'PROVIDER_ERROR', retryable: true },
      /failed \(500\): server_error described/,
    ],
    [
      '500 in the form of OpenAI',
      { status: 500, body: { error: { message: 'boom' } } },
      { code: 'PROVIDER_ERROR' },
      /\(500\): boom/,
    ],
    ['a page', { status: 502, body: '<h1>Bad gateway</h1>' }, { code: 'PROVIDER_ERROR' }, /Bad gateway/],
    [
      'an error chunk',
      chunk({ message: 'no model', type: 'server_error', code: 'server_error' }),
      { code: 'PROVIDER_ERROR', retryable: true },
      /no model/,
    ],
    [
      'a limit in a chunk',
      chunk({ message: 'slow', type: 'rate_limit', code: 'rate_limit' }),
      { code: 'RATE_LIMITED', retryable: true },
      /slow/,
    ],
    [
      'a refused key in a chunk',
      chunk({ message: 'bad key', code: 'authentication_error' }),
      { code: 'AUTHENTICATION', retryable: false },
      /bad key/,
    ],
    [
      'a refusal in a chunk',
      chunk({ message: 'too long', code: 'invalid_request' }),
      { code: 'BAD_REQUEST', retryable: false },
      /too long/,
    ],
    [
      'a stream without [DONE]',
      { chunks: ['Hel'], ending: 'no done' },
      { code: 'BAD_RESPONSE', retryable: false },
      /without \[DONE\]/,
    ],
    ['a cut connection', { chunks: ['Hel'], ending: 'cut' }, { code: 'CONNECTION', retryable: true }, /broke off/],
    ['nothing at all', { chunks: [], ending: 'done' }, { code: 'BAD_RESPONSE', retryable: false }, /without choices/],
    ['no JSON', { events: ['{"oops'] }, { code: 'BAD_RESPONSE' }, /no JSON/],
  ])('%s', async (_, answer, expected, message) => {
    const { error } = await asking(answer)
    expect(error).toMatchObject({ name: 'TargetError', ...expected })
    expect(error?.message).toMatch(message)
  })

  test('what was said before the fault is kept, without the line about the trace', async () => {
    const { events } = await asking({ traceLine: 'content', chunks: ['Hel', 'lo'], ending: 'cut' })
    expect(events).toEqual([
      { type: 'assistant_message', text: 'Hello', model: 'workers.keyword', agent: 'workers.keyword' },
    ])
  })

  test('nothing listens at the URL', async () => {
    const { error } = await collect(await open({ url: 'http://127.0.0.1:1' }))
    expect(error).toMatchObject({ code: 'CONNECTION', retryable: true })
  })

  test('a redirect is not followed: the token stays with the server it is meant for', async () => {
    const other = await serve()
    const { error } = await asking({
      status: 307,
      body: '',
      headers: { location: `${other.url}/v1/experts/x/chat/completions` },
    })
    expect(error).toMatchObject({ code: 'BAD_REQUEST', retryable: false })
    expect(error?.message).toMatch(/redirects \(307\)/)
    expect(other.requests).toEqual([])
  })

  test('an interruption ends the call, and the server sees it', async () => {
    const server = await serve({ chunks: ['Hel'], ending: 'hang' })
    const controller = new AbortController()
    const running = collect(await open({ url: server.url }), { signal: controller.signal })
    setTimeout(() => controller.abort(), 150)
    const { events, error } = await running
    expect(events).toMatchObject([{ text: 'Hel' }])
    expect(error).toMatchObject({ code: 'ABORTED' })
    await expect.poll(() => server.abandoned).toBe(1)
  })
})
