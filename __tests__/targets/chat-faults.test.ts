import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { TargetError } from '../../src/core/errors.ts'
import { chatTestbed, say } from '../support/chat-testbed.ts'
import type { Answer } from '../support/scripted-model.ts'

const { serve, open, answering, cleanups } = chatTestbed()

describe('faults', () => {
  test.each<[string, Answer, Partial<TargetError>, RegExp]>([
    [
      '429',
      { fault: { kind: 'status', status: 429 } },
      { code: 'RATE_LIMITED', retryable: true, retryAfterMs: undefined },
      /429.*scripted 429/,
    ],
    [
      '429 with retry-after in seconds',
      { fault: { kind: 'status', status: 429, headers: { 'retry-after': '1.5' } } },
      { code: 'RATE_LIMITED', retryable: true, retryAfterMs: 1500 },
      /429/,
    ],
    [
      '429 with retry-after as a date',
      { fault: { kind: 'status', status: 429, headers: { 'retry-after': 'Sun, 01 Mar 2026 10:00:30 GMT' } } },
      { code: 'RATE_LIMITED', retryable: true, retryAfterMs: 30_000 },
      /429/,
    ],
    [
      '429 with a date that has passed',
      { fault: { kind: 'status', status: 429, headers: { 'retry-after': 'Sun, 01 Mar 2026 09:00:00 GMT' } } },
      { code: 'RATE_LIMITED', retryable: true, retryAfterMs: 0 },
      /429/,
    ],
    [
      '429 with retry-after-ms, which is finer',
      { fault: { kind: 'status', status: 429, headers: { 'retry-after': '2', 'retry-after-ms': '1250' } } },
      { code: 'RATE_LIMITED', retryable: true, retryAfterMs: 1250 },
      /429/,
    ],
    [
      '429 with nonsense in retry-after',
      { fault: { kind: 'status', status: 429, headers: { 'retry-after': 'soon' } } },
      { code: 'RATE_LIMITED', retryable: true, retryAfterMs: undefined },
      /429/,
    ],
    [
      '500',
      { fault: { kind: 'status', status: 500, message: 'boom' } },
      { code: 'PROVIDER_ERROR', retryable: true },
      /failed \(500\): boom/,
    ],
    [
      '503 with text',
      { fault: { kind: 'status', status: 503, body: 'down\nfor <b>maintenance</b>' } },
      { code: 'PROVIDER_ERROR', retryable: true },
      /503.*down for/,
    ],
    ['408', { fault: { kind: 'status', status: 408 } }, { code: 'PROVIDER_ERROR', retryable: true }, /408/],
    ['409', { fault: { kind: 'status', status: 409 } }, { code: 'PROVIDER_ERROR', retryable: true }, /409/],
    [
      '401',
      { fault: { kind: 'status', status: 401, message: 'bad key' } },
      { code: 'AUTHENTICATION', retryable: false },
      /bad key; check "key" of the test \(\$ENV\.TEST_KEY\)/,
    ],
    ['403', { fault: { kind: 'status', status: 403 } }, { code: 'AUTHENTICATION', retryable: false }, /403/],
    [
      '400',
      { fault: { kind: 'status', status: 400, message: 'temperature too high' } },
      { code: 'BAD_REQUEST', retryable: false },
      /temperature too high/,
    ],
    [
      '404',
      { fault: { kind: 'status', status: 404, message: 'no such model' } },
      { code: 'BAD_REQUEST', retryable: false },
      /no such model; check the URL/,
    ],
    ['422', { fault: { kind: 'status', status: 422 } }, { code: 'BAD_REQUEST', retryable: false }, /422/],
    [
      'a redirect',
      { fault: { kind: 'status', status: 308, headers: { location: 'https://elsewhere.test/v1' } } },
      { code: 'BAD_REQUEST', retryable: false },
      /redirects \(308\) to https:\/\/elsewhere\.test/,
    ],
    ['an empty 200', { fault: { kind: 'empty' } }, { code: 'BAD_RESPONSE', retryable: false }, /empty answer/],
    [
      'chunks without choices',
      { fault: { kind: 'no-choices' } },
      { code: 'BAD_RESPONSE', retryable: false },
      /without choices/,
    ],
    [
      'a chunk that is no JSON',
      { fault: { kind: 'malformed', data: '{"oops' } },
      { code: 'BAD_RESPONSE', retryable: false },
      /no JSON: \{"oops/,
    ],
    [
      'a chunk that is no object',
      { fault: { kind: 'malformed', data: '[1]' } },
      { code: 'BAD_RESPONSE', retryable: false },
      /no object: \[1\]/,
    ],
    [
      'a connection cut in the stream',
      { fault: { kind: 'cut' }, chunks: ['Hel'] },
      { code: 'CONNECTION', retryable: true },
      /broke off/,
    ],
    [
      'a stream that ends too early',
      { fault: { kind: 'end' }, chunks: ['Hel'] },
      { code: 'CONNECTION', retryable: true },
      /broke off/,
    ],
    [
      'a connection reset before the headers',
      { fault: { kind: 'reset' } },
      { code: 'CONNECTION', retryable: true },
      /no connection to http.*(ECONNRESET|hang up)/,
    ],
    [
      'an error inside of the stream',
      { fault: { kind: 'error-chunk', error: { message: 'overloaded', type: 'server_error' } } },
      { code: 'PROVIDER_ERROR', retryable: true },
      /overloaded/,
    ],
    [
      'a rate limit inside of the stream',
      { fault: { kind: 'error-chunk', error: { message: 'slow down', code: 429 } } },
      { code: 'RATE_LIMITED', retryable: true },
      /slow down/,
    ],
    [
      'a refusal inside of the stream',
      { fault: { kind: 'error-chunk', error: { message: 'too long', code: 'x', type: 'invalid_request_error' } } },
      { code: 'BAD_REQUEST', retryable: false },
      /too long/,
    ],
  ])('%s', async (_, answer, expected, message) => {
    const { error } = await answering(answer)
    expect(error).toMatchObject(expected)
    expect(error?.message).toMatch(message)
  })

  test('a used-up budget is a rate limit that waiting does not lift', async () => {
    const body = JSON.stringify({ error: { message: 'You exceeded your quota', code: 'insufficient_quota' } })
    const { error } = await answering({ fault: { kind: 'status', status: 429, body } })
    expect(error).toMatchObject({ code: 'RATE_LIMITED', retryable: false })
  })

  test('a long error page is shortened', async () => {
    const { error } = await answering({
      fault: { kind: 'status', status: 502, body: `<h1>Bad gateway</h1>${'x'.repeat(1_000_000)}` },
    })
    expect(error).toMatchObject({ code: 'PROVIDER_ERROR', retryable: true })
    expect(error?.message).toContain('Bad gateway')
    expect(error?.message.length).toBeLessThan(400)
  })

  test('what was said before the connection broke is kept', async () => {
    const { events } = await answering({ fault: { kind: 'cut' }, chunks: ['Hel', 'lo'] })
    expect(events).toEqual([{ type: 'assistant_message', text: 'Hello', model: 'm-1' }])
  })

  test('a web page in place of an answer names what came', async () => {
    const page = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Log in</html>'),
    )
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
    cleanups.push(() => new Promise((resolve) => page.close(resolve)))
    const { port } = page.address() as AddressInfo
    const { error } = await say(await open({ baseURL: `http://127.0.0.1:${port}/v1` }))
    expect(error).toMatchObject({ code: 'BAD_RESPONSE', retryable: false })
    expect(error?.message).toContain('text/html')
  })

  test('nothing listens at the URL', async () => {
    const { error } = await say(await open({ baseURL: 'http://127.0.0.1:1/v1' }))
    expect(error).toMatchObject({ code: 'CONNECTION', retryable: true })
    expect(error?.message).toMatch(/no connection to http:\/\/127\.0\.0\.1:1\/v1: connect ECONNREFUSED/)
  })
})

describe('interruption', () => {
  test('what was said until then is kept, and the call ends at once', async () => {
    const model = await serve({ fault: { kind: 'hang-body' }, chunks: ['Hel', 'lo'] })
    const controller = new AbortController()
    const running = say(await open({ baseURL: model.url }), { signal: controller.signal })
    setTimeout(() => controller.abort(), 200)
    const { events, error } = await running
    expect(events).toEqual([{ type: 'assistant_message', text: 'Hello', model: 'm-1' }])
    expect(error).toMatchObject({ code: 'ABORTED', retryable: false })
  })

  test.each<[string, number]>([
    ['while waiting for the headers', 100],
    ['before the call', 0],
  ])('%s nothing was said', async (_, delayMs) => {
    const model = await serve({ fault: { kind: 'hang-headers' } })
    const controller = new AbortController()
    if (delayMs === 0) controller.abort()
    else setTimeout(() => controller.abort(), delayMs)
    const { events, error } = await say(await open({ baseURL: model.url }), { signal: controller.signal })
    expect(events).toEqual([])
    expect(error).toMatchObject({ code: 'ABORTED' })
    expect(model.requests).toHaveLength(delayMs === 0 ? 0 : 1)
  })

  test('after an interruption other calls go on', async () => {
    const model = await serve((n) => (n === 1 ? { fault: { kind: 'hang-body' }, chunks: ['x'] } : 'Hi'))
    const provider = await open({ baseURL: model.url })
    const controller = new AbortController()
    const first = say(provider, { signal: controller.signal })
    const second = say(provider)
    setTimeout(() => controller.abort(), 100)
    expect((await first).error?.code).toBe('ABORTED')
    expect((await second).events[0]).toMatchObject({ text: 'Hi' })
    expect((await say(provider)).events[0]).toMatchObject({ text: 'Hi' })
  })
})
