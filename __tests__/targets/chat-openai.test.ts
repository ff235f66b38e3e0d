import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { chatTestbed, say } from '../support/chat-testbed.ts'
import type { Answer } from '../support/scripted-model.ts'

const { serve, open, answering } = chatTestbed()

describe('what is sent', () => {
  test('a call asks for a stream with usage, and its parameters go along', async () => {
    const model = await serve('Hi')
    await say(await open({ baseURL: model.url, key: 'k-1' }), { parameters: { temperature: 0 } })
    expect(model.requests).toHaveLength(1)
    expect(model.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer k-1', 'content-type': 'application/json' },
    })
    expect(model.requests[0]?.body).toEqual({
      model: 'm-1',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0,
    })
  })

  test.each([
    ['api-key', { 'api-key': 'k-1' }],
    ['x-api-key', { 'x-api-key': 'k-1' }],
  ] as const)('auth mode %s sends the key in that header and no other', async (authMode, headers) => {
    const model = await serve('Hi')
    await say(await open({ baseURL: model.url, key: 'k-1', authMode }))
    expect(model.requests[0]?.headers).toMatchObject(headers)
    expect(model.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  test.each([
    ['is ours', {}, 'agent-test'],
    ['is what the settings say, in any spelling', { 'User-Agent': 'probe' }, 'probe'],
  ] as const)('the name of the client %s', async (_, headers, name) => {
    const model = await serve('Hi')
    await say(await open({ baseURL: model.url, headers }))
    expect(model.requests[0]?.headers['user-agent']).toBe(name)
  })

  test('without a key no authorization is sent, whatever the environment holds', async () => {
    const leaks = { OPENAI_API_KEY: 'sk-leak', OPENAI_ORG_ID: 'org-leak', OPENAI_PROJECT_ID: 'proj-leak' }
    Object.assign(process.env, leaks)
    try {
      const model = await serve('Hi')
      await say(await open({ baseURL: model.url, headers: { 'x-team': 'blue' } }))
      expect(model.requests[0]?.headers).toMatchObject({ 'x-team': 'blue' })
      expect(JSON.stringify(model.requests[0]?.headers)).not.toMatch(/leak|authorization/)
    } finally {
      for (const name of Object.keys(leaks)) delete process.env[name]
    }
  })

  test('every call has the headers of the first and a body of its own, calls at the same time included', async () => {
    const model = await serve('Hi')
    const provider = await open({ baseURL: model.url, key: 'k-1', headers: { 'x-team': 'blue' } })
    await Promise.all([0, 0.5].map((temperature) => say(provider, { parameters: { temperature } })))
    await say(provider, { parameters: { temperature: 1, stop: 'a longer body' } })
    const [first, second, third] = model.requests.map(({ headers }) => ({ ...headers, 'content-length': '' }))
    expect(first).toMatchObject({ authorization: 'Bearer k-1', accept: 'application/json', 'x-team': 'blue' })
    expect([second, third]).toEqual([first, first])
    expect(model.requests.map(({ body }) => (body as JsonObject)['temperature'])).toEqual(
      expect.arrayContaining([0, 0.5, 1]),
    )
  })

  test('connections are kept alive between calls', async () => {
    const model = await serve('Hi')
    const provider = await open({ baseURL: model.url })
    for (let call = 0; call < 5; call += 1) await say(provider)
    expect(model.requests).toHaveLength(5)
    expect(model.connections).toBe(1)
  })
})

describe('answers', () => {
  const usage = { type: 'usage', inputTokens: 7, outputTokens: 3 }
  const said = (text: string, model = 'm-1') => ({ type: 'assistant_message', text, model })
  const called = (tool: string, parameters: unknown) => ({ type: 'tool_call', tool, parameters, model: 'm-1' })

  test.each<[string, Answer, object[]]>([
    ['chunks are joined to one message', { chunks: ['Hel', 'lo ', 'wörld 🎈'] }, [said('Hello wörld 🎈'), usage]],
    [
      'the model that answered is named',
      { text: 'Hi', model: 'm-1-2026' },
      [said('Hi', 'm-1-2026'), { ...usage, model: 'm-1-2026' }],
    ],
    ['a provider without usage yields none', { text: 'Hi', usage: null }, [said('Hi')]],
    ['reasoning is no answer', { text: '42', reasoning: 'six times seven' }, [said('42'), usage]],
    ['an answer without words is an empty message', { text: '' }, [said(''), usage]],
    ['a refusal is what was said', { refusal: 'I cannot do that' }, [said('I cannot do that'), usage]],
    ['one JSON document in place of a stream', { text: 'Hi', form: 'json' }, [said('Hi'), usage]],
    ['[DONE] without a reason for the end', { text: 'Hi', finishReason: null }, [said('Hi'), usage]],
    ['an answer cut at its length limit', { text: 'Hi', finishReason: 'length' }, [said('Hi'), usage]],
    [
      'tool calls come with parsed arguments and without a message',
      {
        toolCalls: [
          { name: 'find', arguments: '{"city":"Köln"}' },
          { name: 'stop', arguments: '' },
        ],
      },
      [called('find', { city: 'Köln' }), called('stop', {}), usage],
    ],
    [
      'arguments that are no JSON stay text',
      { text: 'wait', toolCalls: [{ name: 'find', arguments: '{"city":' }] },
      [said('wait'), called('find', '{"city":'), usage],
    ],
    [
      'tool calls in one JSON document',
      { form: 'json', toolCalls: [{ name: 'find', arguments: '{"n":1}' }] },
      [called('find', { n: 1 }), usage],
    ],
  ])('%s', async (_, answer, expected) => {
    const { events, error } = await answering(answer)
    expect(error).toBeUndefined()
    expect(events).toMatchObject(expected)
    expect(events).toHaveLength(expected.length)
  })
})
