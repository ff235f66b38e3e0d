import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolders } from '../support/temp-folder.ts'
import { answered, asked, linesOf, readAll, readOne, textPart, toolPart } from './kept.ts'

const folder = tempFolders()

/** A folder with one session of these messages, and further files in it. */
function session(messages: string, files: Record<string, string> = {}, info: object = { id: 's' }) {
  const inside = Object.fromEntries(Object.entries(files).map(([name, text]) => [`s/${name}`, text]))
  return folder({ 's/session.json': JSON.stringify(info), 's/messages.jsonl': messages, ...inside }).path
}

const talk = [asked('Save it', 1_000), answered(2_000, textPart('Saved.'))]

describe('how a message is written', () => {
  const user = { type: 'user_message', text: 'Save it' }
  const agent = { type: 'assistant_message', text: 'Saved.' }
  const [question, answer] = [
    { id: 'm1', role: 'user', time: { created: 1_000 } },
    { id: 'm2', role: 'assistant', time: { created: 2_000 } },
  ]

  test.each<[string, string, Record<string, string>]>([
    ['info and parts, as a server lists it', linesOf(...talk), {}],
    [
      'parts in the message itself',
      linesOf({ ...question, parts: [textPart('Save it')] }, { ...answer, parts: [textPart('Saved.')] }),
      {},
    ],
    [
      'parts by their ids, texts in files',
      linesOf({ info: question, parts: ['p1'] }, { info: answer, parts: ['p2'] }),
      { 'parts/p1.txt': 'Save it', 'parts/p2.txt': 'Saved.' },
    ],
    [
      'parts by their ids, objects in files',
      linesOf({ info: question, parts: ['p1'] }, { info: answer, parts: [{ id: 'p2' }] }),
      {
        'parts/p1.json': JSON.stringify(textPart('Save it', 'p1')),
        'parts/p2.json': JSON.stringify(textPart('Saved.', 'p2')),
      },
    ],
    [
      'a part in two files, what is known of it and its text',
      linesOf({ info: question, parts: ['p1'] }, { info: answer, parts: ['p2'] }),
      {
        'parts/p1.json': '{"id":"p1","type":"text"}',
        'parts/p1.txt': 'Save it',
        'parts/p2.json': '{"id":"p2","type":"text"}',
        'parts/p2.txt': 'Saved.',
      },
    ],
    [
      'parts that are found by the message they name',
      linesOf(question, answer),
      {
        'parts/p1.json': JSON.stringify({ ...textPart('Save it', 'p1'), messageID: 'm1' }),
        'parts/p2.json': JSON.stringify({ ...textPart('Saved.', 'p2'), messageID: 'm2' }),
      },
    ],
    [
      'content in place of parts',
      linesOf({ ...question, content: 'Save it' }, { ...answer, content: [textPart('Saved.')] }),
      {},
    ],
    [
      'times in other forms',
      linesOf(
        { role: 'user', timestamp: 1_000, text: 'Save it' },
        { role: 'assistant', time: '1970-01-01T00:00:02Z', text: 'Saved.' },
      ),
      {},
    ],
    [
      'a byte order mark, empty lines and no newline at the end',
      `\uFEFF${linesOf(talk[0])}\n\n${JSON.stringify(talk[1])}`,
      {},
    ],
  ])('%s', async (_, messages, files) => {
    const { trace, metadata, warnings } = await readOne(session(messages, files))
    expect(trace.events).toMatchObject([
      { ...user, timestamp: 1_000, session: { id: 's', depth: 0 } },
      { ...agent, timestamp: 2_000 },
    ])
    expect({ warnings, ...metadata }).toEqual({ warnings: [], sessions: 1, messages: 2, skipped: 0, partial: [] })
  })
})

describe('a message that cannot be understood is told, skipped and counted', () => {
  test.each<[string, unknown, RegExp]>([
    ['no JSON', '{"info": ', /messages\.jsonl:2: the message is skipped: it is not JSON/],
    ['no object', '[]', /it is no JSON object/],
    ['null', 'null', /it is no JSON object/],
    ['info that is null', { info: null, parts: [] }, /it has no info/],
    ['info without a time', { info: { id: 'x', role: 'user' }, parts: [] }, /it has no time/],
    [
      'a time that is none',
      { info: { id: 'x', role: 'user', time: { created: 'soon' } }, parts: [] },
      /it has no time/,
    ],
    ['no role', { info: { id: 'x', time: { created: 1 } }, parts: [] }, /its role is neither user nor assistant/],
    ['an id that is a number', { info: { id: 7, role: 'user', time: { created: 1 } }, parts: [] }, /its id is no text/],
    [
      'one that is nested too deeply',
      `{"info": ${'['.repeat(600)}${']'.repeat(600)}}`,
      /nested deeper than 500 levels/,
    ],
    ['one that is too large', `{"x":"${'x'.repeat(17 * 1024 ** 2)}"}`, /it has more than 16 MiB/],
  ])('%s', async (_, line, said) => {
    const { trace, metadata, warnings } = await readOne(session(linesOf(talk[0], line, talk[1])))
    expect(trace.events).toHaveLength(2)
    expect(metadata).toMatchObject({ messages: 2, skipped: 1 })
    expect(warnings).toEqual([expect.stringMatching(said)])
  })

  test('many of them are counted, and the first are told', async () => {
    const { metadata, warnings } = await readOne(session(linesOf(...Array.from({ length: 500 }, () => '{}'), talk[0])))
    expect(metadata).toMatchObject({ messages: 1, skipped: 500 })
    expect(warnings).toHaveLength(20)
  })
})

describe('what is missing is noted, and the rest is read', () => {
  const message = {
    info: { id: 'm1', role: 'assistant', time: { created: 1_000 } },
    parts: ['p1', textPart('Still here.', 'p2')],
  }
  test.each<[string, Record<string, string>, RegExp]>([
    ['a part without a file', {}, /the part p1 is missing/],
    ['a part that is no JSON', { 'parts/p1.json': '{' }, /parts\/p1\.json is not JSON/],
    ['a part that is too deep', { 'parts/p1.json': `{"a":${'['.repeat(600)}${']'.repeat(600)}}` }, /nested deeper/],
    ['a part that is too large', { 'parts/p1.txt': 'x'.repeat(17 * 1024 ** 2) }, /parts\/p1\.txt has more than 16 MiB/],
    ['a folder in the place of a part', { 'parts/p1.txt/x': '' }, /parts\/p1\.txt is no plain file/],
  ])('%s', async (_, files, note) => {
    const { trace, metadata } = await readOne(session(linesOf(message), files))
    expect(trace.events).toMatchObject([{ text: 'Still here.' }])
    expect(metadata.partial).toContainEqual(expect.stringMatching(note))
  })

  test('no session.json: the folder names the session', async () => {
    const { path } = folder({ 'ses_9/messages.jsonl': linesOf(...talk) })
    const { session: found, metadata } = await readOne(path)
    expect(found?.id).toBe('ses_9')
    expect(metadata.partial).toEqual(['session.json is missing'])
  })

  test('no messages.jsonl: an empty timeline', async () => {
    const { trace, metadata } = await readOne(folder({ 's/session.json': '{"id":"s"}' }).path)
    expect(trace.events).toEqual([])
    expect(metadata.partial).toEqual(['the messages of the session s are missing'])
  })
})

describe('a hostile folder', () => {
  const secret = 'outside the folder'
  const partNamed = (id: string) => linesOf({ info: { id: 'm', role: 'assistant', time: { created: 1 } }, parts: [id] })

  test.each(['../../secret', '..', '/etc/hostname', 'a/b', 'a\\b', '.hidden', 'con', 'x\0y', 'é'.repeat(300), ''])(
    'the part id %j leads nowhere',
    async (id) => {
      const path = session(partNamed(id), {
        '../secret.txt': secret,
        '../secret.json': '{"type":"text","text":"outside the folder"}',
      })
      const { trace, metadata } = await readOne(path)
      expect(JSON.stringify(trace)).not.toContain(secret)
      expect(metadata.partial).not.toEqual([])
    },
  )

  test('a link in the place of a file is not followed', async () => {
    const path = session(partNamed('p1'), { 'parts/x': '', '../secret.txt': secret })
    symlinkSync(join(path, 'secret.txt'), join(path, 's/parts/p1.txt'))
    const { trace, metadata } = await readOne(path)
    expect(trace.events).toEqual([])
    expect(metadata.partial).toContain('parts/p1.txt is a link')
  })

  test('links instead of session.json and messages.jsonl', async () => {
    const { path } = folder({ secret: linesOf(...talk), 's/messages.jsonl': linesOf(...talk) })
    symlinkSync(join(path, 'secret'), join(path, 's/session.json'))
    const { metadata } = await readOne(path)
    expect(metadata.partial).toEqual(['session.json is a link'])
  })

  test('links between folders are not followed', async () => {
    const { path } = folder({ 's/session.json': '{"id":"s"}', 's/messages.jsonl': linesOf(...talk) })
    symlinkSync(path, join(path, 's/loop'))
    expect((await readAll(path)).sessions).toHaveLength(1)
  })

  test('a pipe that nobody writes to', async () => {
    const path = session(partNamed('p1'), { 'parts/x': '' })
    execFileSync('mkfifo', [join(path, 's/parts/p1.txt')])
    const { metadata } = await readOne(path)
    expect(metadata.partial).toContain('parts/p1.txt is no plain file')
  })
})

describe('sessions of subagents', () => {
  const child = (id: string, parentID: string) => ({
    [`${id}/session.json`]: JSON.stringify({ id, parentID }),
    [`${id}/messages.jsonl`]: linesOf(asked(`to ${id}`, 1_500)),
  })
  const root = {
    'a/session.json': '{"id":"a"}',
    'a/messages.jsonl': linesOf(asked('to a', 1_000), answered(2_000, textPart('Done.'))),
  }

  test('are merged in order of time, with their depth', async () => {
    const { trace, metadata } = await readOne(folder({ ...root, ...child('b', 'a'), ...child('c', 'b') }).path)
    expect(trace.events.map(({ session: of }) => of)).toEqual([
      { id: 'a', depth: 0 },
      { id: 'b', parentId: 'a', depth: 1 },
      { id: 'c', parentId: 'b', depth: 2 },
      { id: 'a', depth: 0 },
    ])
    expect(metadata.sessions).toBe(3)
  })

  test('stay roots where their parent is not there', async () => {
    expect((await readAll(folder(child('b', 'gone')).path)).sessions.map(({ id }) => id)).toEqual(['b'])
  })

  test.each<[string, Record<string, string>, number]>([
    ['its own', child('a', 'a'), 1],
    ["each other's", { ...child('a', 'b'), ...child('b', 'a') }, 2],
    ['in a circle of three', { ...child('a', 'c'), ...child('b', 'a'), ...child('c', 'b') }, 3],
  ])('a session that is %s parent is read once', async (_, files, sessions) => {
    const { metadata, trace } = await readOne(folder(files).path)
    expect(metadata.sessions).toBe(sessions)
    expect(trace.events).toHaveLength(sessions)
    expect(metadata.partial).toContainEqual(expect.stringMatching(/lead in a circle/))
  })

  test('a chain that is too long to be one', async () => {
    const files = Array.from({ length: 120 }, (_, index) => child(`s${index}`, `s${index - 1}`))
    const { timelines } = await readAll(folder(Object.assign({}, ...files) as Record<string, string>).path)
    expect(timelines.reduce((sum, { metadata }) => sum + metadata.sessions, 0)).toBe(120)
  })

  test('come along with a session that is named alone', async () => {
    const files = Object.entries({ ...root, ...child('b', 'a'), ...child('x', 'y') })
    const { path } = folder(Object.fromEntries(files.map(([name, text]) => [`sessions/${name}`, text])))
    const { metadata } = await readOne(join(path, 'sessions/a'))
    expect(metadata.sessions).toBe(2)
  })
})

describe('recorded events', () => {
  const call = answered(2_000, toolPart('bash', { command: 'ls' }, { start: 2_010 }))
  const askedFor = (id: string, extra: object = {}) => ({
    at: 2_005,
    event: {
      type: 'permission.asked',
      properties: {
        id,
        sessionID: 's',
        permission: 'bash',
        patterns: ['ls'],
        metadata: {},
        tool: { messageID: 'msg_2000', callID: 'call_2010' },
        ...extra,
      },
    },
  })
  const replied = (id: string, reply: string) => ({
    at: 2_008,
    event: { type: 'permission.replied', properties: { sessionID: 's', requestID: id, reply } },
  })

  test('say who approved a call, joined by its id', async () => {
    const events = linesOf(askedFor('per_1'), replied('per_1', 'once'))
    const { trace } = await readOne(session(linesOf(asked('Go', 1_000), call), { 'events.jsonl': events }))
    expect(trace.events).toMatchObject([
      { type: 'user_message' },
      { type: 'approval_request', id: 'per_1', tool: 'bash', callId: 'msg_2000/call_2010' },
      { type: 'approval_response', id: 'per_1', approved: true },
      { type: 'tool_call', tool: 'bash', callId: 'msg_2000/call_2010' },
    ])
  })

  test('of an older server, which names the call alone', async () => {
    const old = {
      type: 'permission.updated',
      properties: {
        id: 'per_1',
        sessionID: 's',
        type: 'bash',
        title: 'ls',
        metadata: {},
        callID: 'call_2010',
        messageID: 'msg_2000',
        time: { created: 2_005 },
      },
    }
    const answer = {
      type: 'permission.replied',
      properties: { sessionID: 's', permissionID: 'per_1', response: 'reject' },
    }
    const { trace } = await readOne(
      session(linesOf(asked('Go', 1_000), call), { 'events.jsonl': linesOf(old, answer) }),
    )
    expect(trace.events.map(({ type }) => type)).toContain('approval_request')
    expect(trace.events).toContainEqual(expect.objectContaining({ type: 'approval_response', approved: false }))
  })

  test('that belong to no message are there, too, and broken ones are counted', async () => {
    const lost = askedFor('per_2', { tool: { messageID: 'gone', callID: 'gone' } })
    const events = linesOf('{', lost, '7', '{"x":1}')
    const { trace, metadata } = await readOne(session(linesOf(asked('Go', 1_000), call), { 'events.jsonl': events }))
    expect(trace.events).toContainEqual(expect.objectContaining({ type: 'approval_request', id: 'per_2' }))
    expect(metadata.skipped).toBe(3)
  })
})
