import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { EmittedEvent } from '../../src/core/trace.ts'
import { findSessions, keepSessions, readSession } from '../../src/sessions/index.ts'
import { hasOpenCode, openTestbed, see, type Testbed, write } from '../support/opencode/testbed.ts'
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

  test('what is kept of a run is judged again as it was judged at once', async () => {
    const path = join(bed.temp, '..', 'kept')
    const approval = { kind: 'deny' } as const
    const cases = [bed.item('task', { approval }), bed.item('write'), bed.item('three'), bed.item('bash', { approval })]
    const keeper = keepSessions({ path, shown: 'kept' }, { cases, host: bed.host })
    const target = await bed.open({}, { keeper })
    try {
      const live = new Map<string, readonly EmittedEvent[]>()
      for (const item of cases) {
        const { events } = await see(target, item)
        live.set(events[0]?.session?.id ?? '', events)
      }
      const { sessions } = await findSessions(path, 'kept')
      expect(sessions.map(({ id }) => id).sort()).toEqual([...live.keys()].sort())
      for (const session of sessions) {
        const { trace, metadata } = await readSession(session, () => expect.fail())
        expect(metadata).toMatchObject({ skipped: 0, partial: [] })
        expect(trace.events).toEqual(live.get(session.id))
      }
      const written = sessions.find(({ run }) => JSON.stringify(run).includes('out.txt'))
      expect(JSON.stringify(written?.run)).toContain('+two')
    } finally {
      await target.dispose?.()
    }
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
      expect(
        await target.check?.(bed.item('text', { workspace: fixture, inherit: false, agent: 'openagent' })),
      ).toMatchObject([
        { message: 'OpenCode has no agent "openagent" here' },
        { message: 'OpenCode has no model here' },
      ])
      const linked = await see(
        target,
        bed.item('link', { files: [{ filePath: 'out.txt', mustContain: [], mustNotContain: [] }] }),
      )
      expect(linked.story.at(-1)).toBe('check file out.txt: exists: false')
    } finally {
      await target.dispose?.()
    }
  })
})
