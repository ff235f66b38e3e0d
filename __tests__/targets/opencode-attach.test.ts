import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type RunningServer, startOwnServer } from '../support/opencode/attached.ts'
import { type Payload, startProxy } from '../support/opencode/proxy.ts'
import { hasOpenCode, openTestbed, see, type Testbed } from '../support/opencode/testbed.ts'
import { eventually } from '../support/processes.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const approved = ['agent: Working.', 'asks bash', 'approved', 'bash', 'agent: Done.']

describe.skipIf(!hasOpenCode)('an OpenCode server of somebody else (skipped where it is not installed)', () => {
  let bed: Testbed
  let server: RunningServer
  const env = () => ({ ...bed.host.env, OPENCODE_SERVER_PASSWORD: server.password })
  const attach = (url: string) => bed.open({ url }, { host: { ...bed.host, env: env() } })
  beforeAll(async () => {
    bed = await openTestbed()
    server = await startOwnServer(join(bed.temp, '..', 'owner'), bed.catalogue)
  })
  afterAll(async () => {
    await server.stop()
    expect(readdirSync(bed.temp)).toEqual([])
    await bed.close()
  })

  test('runs the case, keeps no session, and goes on', async () => {
    const target = await attach(server.url)
    const item = bed.item('task')
    expect(await target.check?.(item)).toEqual([])
    const { error, events } = await see(target, item)
    expect(error).toBeUndefined()
    const ids = new Set(events.flatMap(({ session }) => session?.id ?? []))
    expect(ids.size).toBe(2)
    await target.dispose?.()
    for (const id of ids) expect(await server.get(`/session/${id}`)).toMatchObject({ name: 'NotFoundError' })
    expect(await server.get('/global/health')).toMatchObject({ healthy: true })
  })

  test('a wrong password, and nobody at all, are problems', async () => {
    const wrong = await bed.open({ url: server.url })
    const nobody = await attach('http://127.0.0.1:9')
    expect(await wrong.check?.(bed.item('text'))).toMatchObject([
      { message: expect.stringContaining('OPENCODE_SERVER_PASSWORD') },
    ])
    expect(await nobody.check?.(bed.item('text'))).toMatchObject([
      { message: expect.stringContaining('no connection to http://127.0.0.1:9') },
    ])
    await Promise.all([wrong.dispose?.(), nobody.dispose?.()])
  })

  test('a line that is cut while a command waits for leave is made anew', async () => {
    const proxy = await startProxy(server.url, { cutAfter: 'session.status' })
    const target = await attach(proxy.url)
    const { error, story } = await see(target, bed.item('bash'))
    expect({ error, story }).toEqual({ error: undefined, story: ['user: SCRIPT:bash Do it.', ...approved] })
    expect(proxy.calls.filter(({ call }) => call === 'GET /global/event').length).toBeGreaterThan(1)
    await target.dispose?.()
    await proxy.close()
  })

  test('no event at all: asks are found and answered, and the end is seen', async () => {
    const proxy = await startProxy(server.url, { event: () => undefined })
    const target = await attach(proxy.url)
    const { error, story } = await see(target, bed.item('bash'))
    expect({ error, story }).toEqual({ error: undefined, story: ['user: SCRIPT:bash Do it.', ...approved] })
    await target.dispose?.()
    await proxy.close()
  })

  const old = ({ properties }: Payload): Payload => {
    const { id, sessionID, permission, patterns, metadata, tool } = properties
    const call = tool as { readonly messageID: string; readonly callID: string }
    const time = { created: Date.now() }
    return {
      type: 'permission.updated',
      properties: { id, sessionID, type: permission, pattern: patterns, title: 'Run it?', metadata, ...call, time },
    }
  }
  const next = ({ properties }: Payload): Payload => {
    const { id, sessionID, permission, patterns, metadata, tool } = properties
    const source = { type: 'tool', ...(tool as object) }
    return {
      type: 'permission.v2.asked',
      properties: { id, sessionID, action: permission, resources: patterns, metadata, source },
    }
  }
  test.each<
    [
      string,
      (payload: Payload) => Payload,
      (properties: Payload['properties']) => Payload['properties'],
      RegExp,
      object,
    ]
  >([
    [
      'before version 1.1',
      old,
      ({ sessionID, requestID, reply }) => ({ sessionID, permissionID: requestID, response: reply }),
      /^POST \/session\/ses_\w+\/permissions\/per_\w+$/,
      { response: 'once' },
    ],
    [
      'of the next API',
      next,
      (properties) => properties,
      /^POST \/api\/session\/ses_\w+\/permission\/per_\w+\/reply$/,
      { reply: 'once' },
    ],
  ])('permissions in the words %s are answered in the same', async (_, ask, reply, call, body) => {
    const proxy = await startProxy(server.url, {
      event(payload) {
        if (payload.type === 'permission.asked') return ask(payload)
        return payload.type === 'permission.replied' ? { ...payload, properties: reply(payload.properties) } : payload
      },
      answer: ({ method, path }) => (method === 'GET' && path === '/permission' ? [] : undefined),
    })
    const target = await attach(proxy.url)
    const { story, error } = await see(target, bed.item('bash', { turnTimeoutMs: 10_000 }))
    const answered = proxy.calls.filter((one) => call.test(one.call))
    expect(answered.map((one): unknown => JSON.parse(one.body))).toEqual([body])
    expect({ error, story }).toEqual({ error: undefined, story: ['user: SCRIPT:bash Do it.', ...approved] })
    await target.dispose?.()
    await proxy.close()
  })
})

test('another major version is refused, before anything is asked', async () => {
  const bed = await openTestbed()
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"healthy":true,"version":"2.0.1"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const target = await bed.open({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  expect(await target.check?.(bed.item('text'))).toEqual([
    { field: 'target', message: 'OpenCode 2.0.1 is not supported: version 1 is' },
  ])
  await target.dispose?.()
  expect(readdirSync(bed.temp)).toEqual([])
  server.close()
  server.closeAllConnections()
  await bed.close()
  expect(await eventually(() => bed.processes().length === 0)).toBe(true)
})
