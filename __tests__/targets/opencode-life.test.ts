import { readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { EmittedEvent } from '../../src/core/trace.ts'
import { type RunningServer, startOwnServer } from '../support/opencode/attached.ts'
import { type Payload, startProxy } from '../support/opencode/proxy.ts'
import { hasOpenCode, openTestbed, see, type Testbed, write } from '../support/opencode/testbed.ts'
import { eventually } from '../support/processes.ts'
import { runRequest } from '../support/run-request.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const approved = ['agent: Working.', 'asks bash', 'approved', 'bash', 'agent: Done.']

describe.skipIf(!hasOpenCode)('an OpenCode server of our own (skipped where it is not installed)', () => {
  let bed: Testbed
  beforeAll(async () => {
    bed = await openTestbed()
  })
  afterAll(async () => {
    expect({ processes: bed.processes(), folders: readdirSync(bed.temp) }).toEqual({ processes: [], folders: [] })
    await bed.close()
  })

  test('sees a copy of what git tracks, its own home, and nothing of the workflow; what it leaves behind goes with it', async () => {
    write(bed.project, { 'untracked.txt': 'not tracked\n' })
    const target = await bed.open()
    try {
      const env = await see(target, bed.item('env'))
      const [call] = env.events.filter((event) => event.type === 'tool_call')
      const seen = JSON.stringify(call)
      expect(seen).toContain(`HOME=${bed.temp}`)
      expect(seen).toContain('Initial commit')
      expect(seen).not.toContain('ghs_secret_of_the_workflow')
      expect(seen).not.toContain(bed.project)
      const listed = await see(target, bed.item('bash'))
      expect(JSON.stringify(listed.events)).toContain('AGENTS.md')
      expect(JSON.stringify(listed.events)).not.toContain('untracked.txt')
      // The rules of the project are part of the prompt; those of this repository are not.
      const system = JSON.stringify(bed.model.requests.at(-1)?.body.messages?.[0])
      expect(system).toContain('Rules of the project.')
      expect(system).not.toContain('npm run build')
      expect((await see(target, bed.item('leave'))).story.at(-1)).toBe('agent: Left one.')
      expect(bed.processes().length).toBeGreaterThan(1)
    } finally {
      await target.dispose?.()
    }
    expect({ processes: bed.processes(), folders: readdirSync(bed.temp) }).toEqual({ processes: [], folders: [] })
  })

  test('two at once, of which one is stopped in the middle of a command', async () => {
    const [first, second] = await Promise.all([bed.open(), bed.open()])
    try {
      const controller = new AbortController()
      const events: EmittedEvent[] = []
      const stopped = (async () => {
        const request = runRequest({ case: bed.item('long'), signal: controller.signal })
        for await (const event of first.execute(request)) {
          events.push(event)
          if (event.type === 'approval_response') controller.abort()
        }
      })()
      const [outcome, other] = await Promise.allSettled([stopped, see(second, bed.item('bash'))])
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'ABORTED' } })
      expect(other).toMatchObject({ value: { error: undefined, story: ['user: SCRIPT:bash Do it.', ...approved] } })
      expect(events.at(-1)).not.toMatchObject({ type: 'assistant_message', text: 'Never.' })
      // The same server goes on with the next.
      expect((await see(first, bed.item('text'))).story.at(-1)).toBe('agent: Hello there.')
      await first.dispose?.()
      expect((await see(second, bed.item('text'))).story.at(-1)).toBe('agent: Hello there.')
    } finally {
      await Promise.all([first.dispose?.(), second.dispose?.()])
    }
  })

  test('one that dies in the middle of a run is replaced', async () => {
    const target = await bed.open()
    try {
      const request = runRequest({ case: bed.item('long') })
      const run = (async () => {
        for await (const event of target.execute(request)) {
          if (event.type === 'approval_response') for (const pid of bed.processes()) process.kill(pid, 'SIGKILL')
        }
      })()
      await expect(run).rejects.toMatchObject({ code: 'CONNECTION', retryable: true })
      expect(await see(target, bed.item('text'))).toMatchObject({ error: undefined })
    } finally {
      await target.dispose?.()
    }
  })

  test('a program that is no server is a problem that says what it said', async () => {
    const bin = join(bed.project, 'fake')
    writeFileSync(bin, '#!/bin/sh\necho "cannot start: no AVX2" >&2\nexit 1\n', { mode: 0o755 })
    const target = await bed.open({ bin })
    expect(await target.check?.(bed.item('text'))).toEqual([
      { field: 'target', message: 'opencode serve ended before it listened: cannot start: no AVX2' },
    ])
    await target.dispose?.()
  })

  test('fixtures get the agents of the project laid over them, unless they inherit nothing; files are checked', async () => {
    const fixture = join(bed.temp, '..', 'fixture')
    write(fixture, { 'notes.txt': 'of the fixture\n', 'old.txt': 'old\n' })
    const target = await bed.open()
    try {
      const files = [
        { filePath: 'out.txt', mustContain: ['two'], mustNotContain: ['one'], mustMatch: '^t.o$', maxLength: 2 },
        { filePath: 'made.txt', mustContain: ['made'], mustNotContain: [] },
        { filePath: 'old.txt', mustContain: [], mustNotContain: [] },
      ]
      const setup = [
        { action: 'write', file: 'made.txt', content: 'made before\n' },
        { action: 'delete', file: 'old.txt' },
        { action: 'mkdir', file: 'sub/folder' },
      ] as const
      const { story, error } = await see(target, bed.item('write', { workspace: fixture, files, setup }))
      expect(error).toBeUndefined()
      expect(story.filter((line) => line.startsWith('check'))).toEqual([
        'check file out.txt: exists: true',
        'check file out.txt: contains "two": true',
        'check file out.txt: does not contain "one": true',
        'check file out.txt: matches ^t.o$: false',
        'check file out.txt: has at most 2 characters: false',
        'check file made.txt: exists: true',
        'check file made.txt: contains "made": true',
        'check file old.txt: exists: false',
      ])
      // Without the project's configuration there is neither its agent nor its model.
      expect(await target.check?.(bed.item('text', { workspace: fixture, inherit: false, agent: 'openagent' }))).toMatchObject([
        { message: 'OpenCode has no agent "openagent" here' },
        { message: 'OpenCode has no model here' },
      ])
      const linked = await see(target, bed.item('link', { files: [{ filePath: 'out.txt', mustContain: [], mustNotContain: [] }] }))
      expect(linked.story.at(-1)).toBe('check file out.txt: exists: false')
    } finally {
      await target.dispose?.()
    }
  })
})

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
    expect(await wrong.check?.(bed.item('text'))).toMatchObject([{ message: expect.stringContaining('OPENCODE_SERVER_PASSWORD') }])
    expect(await nobody.check?.(bed.item('text'))).toMatchObject([{ message: expect.stringContaining('no connection to http://127.0.0.1:9') }])
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
    expect(error).toBeUndefined()
    // Who was asked is known to nobody then.
    expect(story).toEqual(['user: SCRIPT:bash Do it.', 'agent: Working.', 'bash', 'agent: Done.'])
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
    return { type: 'permission.v2.asked', properties: { id, sessionID, action: permission, resources: patterns, metadata, source } }
  }
  test.each<[string, (payload: Payload) => Payload, (properties: Payload['properties']) => Payload['properties'], RegExp, object]>([
    [
      'before version 1.1',
      old,
      ({ sessionID, requestID, reply }) => ({ sessionID, permissionID: requestID, response: reply }),
      /^POST \/session\/ses_\w+\/permissions\/per_\w+$/,
      { response: 'once' },
    ],
    ['of the next API', next, (properties) => properties, /^POST \/api\/session\/ses_\w+\/permission\/per_\w+\/reply$/, { reply: 'once' }],
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
    expect(answered.map((one) => JSON.parse(one.body))).toEqual([body])
    expect(story.slice(0, 3)).toEqual(['user: SCRIPT:bash Do it.', 'agent: Working.', 'asks bash'])
    console.log(story, error)
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
