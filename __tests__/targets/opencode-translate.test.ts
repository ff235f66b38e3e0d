import { describe, expect, test } from 'vitest'
import type { EmittedEvent } from '../../src/core/trace.ts'
import { timeOfId } from '../../src/targets/opencode/raw.ts'
import { createRecording } from '../../src/targets/opencode/recording.ts'
import { withoutRoot } from '../../src/targets/opencode/relative-paths.ts'
import { translate } from '../../src/targets/opencode/translate.ts'
import { describeTraces } from '../support/opencode-traces.ts'

const AT = Date.parse('2026-05-01T10:00:00.000Z')

function assistant(id: string, more: object = {}) {
  const time = { created: AT, completed: AT + 1_000 }
  return {
    id,
    sessionID: 'ses_root',
    role: 'assistant',
    time,
    agent: 'build',
    providerID: 'p',
    modelID: 'org/m',
    ...more,
  }
}

function part(id: string, messageID: string, more: object) {
  return { id, messageID, sessionID: 'ses_root', ...more }
}

function tool(id: string, messageID: string, more: object, name = 'bash') {
  return part(id, messageID, { type: 'tool', tool: name, callID: 'call_1', ...more })
}

function said(events: readonly EmittedEvent[]): unknown[] {
  return events.map(({ session: _session, model: _model, agent: _agent, ...rest }) => rest)
}

describeTraces('recordings of a real server', (names, load) => {
  test.each(names)('%s: told while it runs and read afterwards come out the same', (name) => {
    const { events, sessions } = load(name)
    const messages = sessions.flatMap((session) => session.messages)
    const whole = translate({ sessions: sessions.map(({ info }) => info), messages, events })
    expect(whole.skipped).toEqual([])
    const live = createRecording()
    const told: EmittedEvent[] = []
    for (const { event, at } of events) {
      live.event(event, at)
      told.push(...live.take('settled'))
    }
    for (const message of messages) live.message(message)
    told.push(...live.take('everything'))
    expect(told).toEqual(whole.events)
    expect(live.take('everything')).toEqual([])
    // Alone, either source tells what it knows: events all but nothing, messages all but approvals.
    const fromEvents = translate({ events })
    expect(said(fromEvents.events)).toEqual(said(whole.events))
    const known = whole.events.filter(({ type }) => type !== 'log' && !type.startsWith('approval'))
    expect(
      translate({ messages })
        .events.map(({ type }) => type)
        .sort(),
    ).toEqual(known.map(({ type }) => type).sort())
  })

  test.each(names)('%s: in the order of time, calls after their approval, nobody speaks for another', (name) => {
    const { events, sessions } = load(name)
    const messages = sessions.flatMap((session) => session.messages)
    const told = translate({ messages, events }).events
    const times = told.map(({ timestamp }) => timestamp ?? Number.NaN)
    expect(times).toEqual([...times].sort((left, right) => left - right))
    for (const [index, event] of told.entries()) {
      if (event.type === 'user_message') expect(event.text).toMatch(/SCRIPT:/)
      if (event.type === 'assistant_message') expect(event.text).not.toMatch(/SCRIPT:/)
      if (event.type !== 'tool_call' || event.status === 'denied') continue
      const own = told.flatMap((one, at) =>
        one.type === 'approval_response' && one.callId === event.callId ? [at] : [],
      )
      for (const at of own) expect(at).toBeLessThan(index)
    }
  })
})

describe('server data', () => {
  test('texts that nothing is done between are one; what the program itself adds is nobody’s', () => {
    const parts = [
      part('prt_1', 'msg_1', { type: 'text', text: 'One', time: { start: AT, end: AT + 1 } }),
      part('prt_2', 'msg_1', { type: 'reasoning', text: 'thinking' }),
      part('prt_3', 'msg_1', { type: 'text', text: 'two', time: { start: AT + 2, end: AT + 3 } }),
      part('prt_4', 'msg_1', { type: 'text', text: 'hidden', ignored: true }),
      tool('prt_5', 'msg_1', {
        state: { status: 'completed', input: {}, output: 'x', time: { start: AT + 4, end: AT + 9 } },
      }),
      part('prt_6', 'msg_1', { type: 'text', text: 'three', time: { start: AT + 10, end: AT + 11 } }),
    ]
    const user = {
      info: { ...assistant('msg_0'), role: 'user', time: { created: AT - 1 } },
      parts: [
        part('prt_0', 'msg_0', { type: 'text', text: 'Do it' }),
        part('prt_00', 'msg_0', { type: 'text', text: 'file content', synthetic: true }),
      ],
    }
    const summary = {
      info: assistant('msg_2', { agent: 'compaction' }),
      parts: [part('prt_9', 'msg_2', { type: 'text', text: 'Should I proceed?' })],
    }
    const { events } = translate({ messages: [user, { info: assistant('msg_1'), parts }, summary] })
    expect(said(events)).toEqual([
      { type: 'user_message', text: 'Do it', timestamp: AT - 1 },
      { type: 'assistant_message', text: 'One\ntwo', timestamp: AT, durationMs: 3 },
      {
        type: 'tool_call',
        tool: 'bash',
        parameters: {},
        result: 'x',
        timestamp: AT + 4,
        callId: 'msg_1/call_1',
        durationMs: 5,
      },
      { type: 'assistant_message', text: 'three', timestamp: AT + 10, durationMs: 1 },
    ])
    expect(events[1]).toMatchObject({ agent: 'build', model: 'p/org/m', session: { id: 'ses_root', depth: 0 } })
  })

  test.each<[string, object, object]>([
    ['ended well', { status: 'completed', output: 'ok' }, { result: 'ok' }],
    ['a failed command', { status: 'completed', output: 'no', metadata: { exit: 2 } }, { result: 'no', exitCode: 2 }],
    ['failed', { status: 'error', error: 'File not found' }, { error: 'File not found', status: 'failed' }],
    [
      'stopped by a rule',
      {
        status: 'error',
        error: 'The user has specified a rule which prevents you from using this specific tool call.',
      },
      { status: 'denied' },
    ],
    [
      'stopped by a person',
      { status: 'error', error: 'The user rejected permission to use this specific tool call.' },
      { status: 'denied' },
    ],
    ['never ended', { status: 'running', time: { start: AT } }, { status: 'running' }],
  ])('a call that %s', (_, state, event) => {
    const message = {
      info: assistant('msg_1'),
      parts: [tool('prt_1', 'msg_1', { state: { input: { command: 'x' }, ...state } })],
    }
    expect(translate({ messages: [message] }).events).toMatchObject([
      { type: 'tool_call', parameters: { command: 'x' }, ...event },
    ])
  })

  test('a call whose input never arrived was none', () => {
    const message = {
      info: assistant('msg_1'),
      parts: [tool('prt_1', 'msg_1', { state: { status: 'pending', input: {}, raw: '' } })],
    }
    expect(translate({ messages: [message] }).events).toEqual([])
  })

  test('a call of an unknown tool is one of the tool that was meant', () => {
    const state = {
      status: 'completed',
      input: { tool: 'frobnicate', error: 'no such tool' },
      output: 'The arguments are invalid',
    }
    const message = { info: assistant('msg_1'), parts: [tool('prt_1', 'msg_1', { state }, 'invalid')] }
    expect(translate({ messages: [message] }).events).toMatchObject([
      { tool: 'frobnicate', status: 'failed', error: 'The arguments are invalid' },
    ])
  })

  const request = { permission: 'bash', patterns: ['ls'], metadata: { command: 'ls' } }
  test.each<[string, object, object]>([
    [
      'today',
      {
        type: 'permission.asked',
        properties: { id: 'per_1', sessionID: 'ses_root', ...request, tool: { messageID: 'msg_1', callID: 'call_1' } },
      },
      { type: 'permission.replied', properties: { sessionID: 'ses_root', requestID: 'per_1', reply: 'once' } },
    ],
    [
      'before version 1.1',
      {
        type: 'permission.updated',
        properties: {
          id: 'per_1',
          sessionID: 'ses_root',
          type: 'bash',
          pattern: 'ls',
          title: 'Run',
          metadata: request.metadata,
          messageID: 'msg_1',
          callID: 'call_1',
          time: { created: AT + 5 },
        },
      },
      { type: 'permission.replied', properties: { sessionID: 'ses_root', permissionID: 'per_1', response: 'always' } },
    ],
    [
      'of the next API',
      {
        type: 'permission.v2.asked',
        data: {
          id: 'per_1',
          sessionID: 'ses_root',
          action: 'bash',
          resources: ['ls'],
          metadata: request.metadata,
          source: { type: 'tool', messageID: 'msg_1', callID: 'call_1' },
        },
      },
      { type: 'permission.v2.replied', data: { sessionID: 'ses_root', requestID: 'per_1', reply: 'once' } },
    ],
  ])('a permission in the words of %s', (_, asked, replied) => {
    const state = { status: 'completed', input: {}, output: 'x', time: { start: AT, end: AT + 30 } }
    const { events } = translate({
      messages: [{ info: assistant('msg_1'), parts: [tool('prt_1', 'msg_1', { state })] }],
      events: [
        { event: asked, at: AT + 5 },
        { event: replied, at: AT + 20 },
      ],
    })
    const joined = { callId: 'msg_1/call_1', session: { id: 'ses_root', depth: 0 } }
    expect(events).toEqual([
      { type: 'approval_request', id: 'per_1', tool: 'bash', parameters: request, timestamp: AT + 5, ...joined },
      { type: 'approval_response', id: 'per_1', approved: true, timestamp: AT + 20, ...joined },
      expect.objectContaining({ type: 'tool_call', timestamp: AT + 20, durationMs: 10, callId: joined.callId }),
    ])
  })

  test('the same id for calls of two messages joins neither with the leave of the other', () => {
    const state = { status: 'completed', input: {}, output: 'x', time: { start: AT, end: AT + 30 } }
    const asked = { id: 'per_1', sessionID: 'ses_root', ...request, tool: { messageID: 'msg_2', callID: 'call_1' } }
    const { events } = translate({
      messages: ['msg_1', 'msg_2'].map((id) => ({ info: assistant(id), parts: [tool(`prt_${id}`, id, { state })] })),
      events: [{ event: { type: 'permission.asked', properties: asked }, at: AT + 10 }],
    })
    expect(events.map(({ type, callId }) => [type, callId])).toEqual([
      ['tool_call', 'msg_1/call_1'],
      ['approval_request', 'msg_2/call_1'],
      ['tool_call', 'msg_2/call_1'],
    ])
  })

  test('what cannot be read is passed over and told of', () => {
    const good = {
      info: assistant('msg_1'),
      parts: [part('prt_1', 'msg_1', { type: 'text', text: 'hi' }), { type: 'text' }, null],
    }
    const deep = JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`) as unknown
    const { events, skipped } = translate({
      sessions: [null, { id: 7 }],
      messages: [null, 'text', {}, { info: { id: 'x' } }, { info: assistant('msg_9') }, good],
      events: [
        { event: null },
        { event: { type: 'message.updated', properties: deep } },
        { event: { type: 'message.part.updated' } },
      ],
    })
    expect(said(events)).toEqual([{ type: 'assistant_message', text: 'hi', timestamp: AT }])
    expect(skipped).toHaveLength(12)
  })

  test('sessions that call themselves their own parents come to an end', () => {
    const sessions = [
      { id: 'ses_root', parentID: 'ses_b' },
      { id: 'ses_b', parentID: 'ses_root' },
    ]
    const message = { info: assistant('msg_1'), parts: [part('prt_1', 'msg_1', { type: 'text', text: 'hi' })] }
    expect(translate({ sessions, messages: [message] }).events[0]?.session).toEqual({
      id: 'ses_root',
      parentId: 'ses_b',
      depth: 1,
    })
  })

  test.each<[string, string | undefined, unknown, unknown]>([
    ['a path', '/tmp/w/project', '/tmp/w/project/src/a.ts', 'src/a.ts'],
    ['the folder itself', '/tmp/w/project', 'cd /tmp/w/project && ls', 'cd . && ls'],
    ['a folder beside it', '/tmp/w/project', '/tmp/w/project2/a.ts', '/tmp/w/project2/a.ts'],
    ['in lists and objects', '/w', { '/w/a': ['/w/b', 1, null] }, { a: ['b', 1, null] }],
    ['a name with the marks of a pattern', '/tmp/a+(b)', '/tmp/a+(b)', '.'],
    ['nothing where there is no folder', '/', '/etc/hosts', '/etc/hosts'],
    ['nothing where it is not known', undefined, '/etc/hosts', '/etc/hosts'],
  ])('paths are made relative: %s', (_, root, value, expected) => {
    expect(withoutRoot(value as string, root)).toEqual(expected)
  })

  test.each<[string, number | undefined]>([
    ['msg_22ca33190001Sf1V0OUnkSFVx2', 1_796_045_222_288],
    ['evt_22ca3314a001bZoY7TdmSTQv0l', 1_796_045_222_218],
    ['ses_dd35cce92ffe7mJ2fAG46dIpOO', undefined],
    ['mine', undefined],
  ])('the time in the id %s', (id, time) => {
    expect(timeOfId(id, 1_796_045_300_000)).toBe(time)
  })
})
