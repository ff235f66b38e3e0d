import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Case } from '../../src/core/suite.ts'
import { checkKeptFolder, keepSessions } from '../../src/sessions/index.ts'
import { aCase } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { tempFolders } from '../support/temp-folder.ts'
import { answered, asked, readAll, readOne, textPart, toolPart } from './kept.ts'

const folder = tempFolders()
const info = { id: 'ses_1', title: 'a', directory: '/work' }

/** Keeps one run of the case with these messages. */
async function keep(
  path: string,
  {
    item = aCase({ id: 'a' }),
    host = fakeHost(),
    run = 1,
    messages = [asked('Hi')] as readonly unknown[],
    events = [] as readonly unknown[],
  } = {},
) {
  const recorder = await keepSessions({ path, shown: 'kept' }, { cases: [item], host }).open({ case: item, run })
  for (const [index, event] of events.entries()) await recorder.event(event, 1_000 + index)
  await recorder.session(info, messages)
  await recorder.close({ agent: 'build' })
}

const textOf = (...path: readonly string[]) => readFileSync(join(...path), 'utf8')

describe('the layout', () => {
  test('is that of the seed, below a folder for each run', async () => {
    const { path } = folder()
    const messages = [
      asked('Hi', 1_000),
      answered(2_000, textPart('Well\n\ndone.'), toolPart('bash', { command: 'ls' })),
    ]
    await keep(path, { messages, events: [{ type: 'session.idle', properties: {} }] })
    const run = join(path, 'a/run-1')
    expect(readdirSync(run).sort()).toEqual(['events.jsonl', 'run.json', 'sessions'])
    expect(readdirSync(join(run, 'sessions/ses_1')).sort()).toEqual(['messages.jsonl', 'parts', 'session.json'])
    expect(readdirSync(join(run, 'sessions/ses_1/parts')).sort()).toEqual([
      'prt_1000.txt',
      'prt_2000_0.txt',
      'prt_2000_1.json',
    ])
    expect(textOf(run, 'sessions/ses_1/parts/prt_2000_0.txt')).toBe('Well\n\ndone.')
    expect(JSON.parse(textOf(run, 'sessions/ses_1/session.json'))).toEqual(info)
    expect(JSON.parse(textOf(run, 'run.json'))).toMatchObject({
      kept_by: 'agent-test',
      id: 'a',
      run: 1,
      agent: 'build',
      complete: true,
    })
    expect(textOf(run, 'events.jsonl')).toBe('{"at":1000,"event":{"type":"session.idle","properties":{}}}\n')
  })

  test.each<[string, unknown[]]>([
    ['texts', [asked('Hi'), answered(2_000, textPart('One.'), textPart('Two.'))]],
    [
      'reasoning, calls and patches',
      [
        answered(2_000, { type: 'reasoning', text: 'hm' }, toolPart('write', { filePath: 'a' }), {
          type: 'patch',
          hash: 'h',
          files: ['a'],
        }),
      ],
    ],
    ['steps', [answered(2_000, { type: 'step-start' }, textPart('x'), { type: 'step-finish', reason: 'stop' })]],
    [
      'synthetic text',
      [answered(2_000, { type: 'text', text: 'seen' }, { type: 'text', text: 'not', synthetic: true })],
    ],
    ['an empty text', [answered(2_000, textPart(''), textPart('x'))]],
    [
      'ids that cannot be names',
      [answered(2_000, { ...textPart('x'), id: '../../x' }, { ...toolPart('read', {}), id: '..' })],
    ],
    [
      'ids that are one file where case does not count',
      [answered(2_000, textPart('x', 'prt_a'), textPart('y', 'prt_A'))],
    ],
    [
      "lines that end other readers' lines",
      [answered(2_000, textPart('a\u2028b\u0085c'), toolPart('read', { x: '\u2029' }))],
    ],
  ])('%s come back as they were', async (_, messages) => {
    const { path } = folder()
    await keep(path, { messages })
    const plain = folder({
      's/messages.jsonl': messages.map((message) => JSON.stringify(message)).join('\n'),
      's/session.json': JSON.stringify(info),
    })
    expect((await readOne(path)).trace).toEqual((await readOne(plain.path)).trace)
    expect((await readOne(path)).metadata).toMatchObject({ skipped: 0, partial: [] })
  })

  test.each(['../../up', '/etc/x', '..', 'con', 'a/b', '\u0000', 'x'.repeat(500), '-rf'])(
    'a session, a case and a suite called %j stay inside',
    async (name) => {
      const { path } = folder({ 'kept/x': '' })
      const item = aCase({ id: name, suite: name, key: `${name}/${name}` })
      const recorder = await keepSessions(
        { path: join(path, 'kept'), shown: 'kept' },
        { cases: [item], host: fakeHost() },
      ).open({ case: item, run: 1 })
      await recorder.session({ id: name }, [asked('Hi')])
      await recorder.close()
      expect(readdirSync(path)).toEqual(['kept'])
      expect((await readAll(join(path, 'kept'))).timelines).toHaveLength(1)
    },
  )
})

test('nothing secret is written, in no file and no name', async () => {
  const { path } = folder()
  const host = fakeHost()
  host.secrets.add('hunter2hunter2')
  const item = aCase({ id: 'a', metadata: {} })
  const said = 'it is hunter2hunter2'
  await keep(path, {
    item,
    host,
    messages: [asked(said), answered(2_000, toolPart('bash', { command: said }, { output: said }))],
    events: [{ type: 'x', properties: { [said]: said } }],
  })
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(files.length).toBeGreaterThan(4)
  for (const file of files) expect(textOf(file.parentPath, file.name)).not.toContain('hunter2')
})

test('text that comes in pieces is left out: a secret in two of them could not be found', async () => {
  const { path } = folder()
  const running = {
    id: 'p',
    type: 'tool',
    state: { status: 'running', input: {}, metadata: { output: 'hun', description: 'd' } },
  }
  await keep(path, {
    events: [
      { type: 'message.part.delta', properties: { delta: 'hun' } },
      { type: 'message.part.updated', properties: { part: running } },
    ],
  })
  const events = textOf(path, 'a/run-1/events.jsonl')
  expect(events).not.toContain('hun')
  expect(events).toContain('"description":"d"')
})

describe('a folder that was used before', () => {
  const items = ['a', 'b'].map((id): Case => aCase({ id, key: `s/${id}`, suite: 's' }))

  test('loses what an earlier command kept, also of cases that are gone, and keeps the rest', async () => {
    const { path } = folder({ 'notes.md': 'mine', 'other/x': 'mine' })
    const old = aCase({ id: 'old' })
    await keep(path, { item: old })
    await keep(path, { run: 2 })
    expect(readdirSync(path).sort()).toEqual(['a', 'notes.md', 'other'])
    expect(readdirSync(join(path, 'a'))).toEqual(['run-2'])
  })

  test('a run that is tried again replaces the first try', async () => {
    const { path } = folder()
    const item = aCase({ id: 'a' })
    const keeper = keepSessions({ path, shown: 'kept' }, { cases: [item], host: fakeHost() })
    for (const text of ['first', 'second']) {
      const recorder = await keeper.open({ case: item, run: 1 })
      await recorder.session({ id: `ses_${text}` }, [asked(text)])
      await recorder.close()
    }
    expect((await readOne(path)).trace.events).toMatchObject([{ text: 'second' }])
  })

  test.each<[string, Record<string, string>, number]>([
    ['nothing there', {}, 0],
    ['files of others under other names', { 'x/y': '', z: '' }, 0],
    ['a file of somebody else', { a: 'mine' }, 1],
    ['a folder of somebody else', { 'A/x': 'mine' }, 1],
    ['two of them', { 'a/x': '', 'b/run-1/run.json': '{}' }, 2],
  ])('%s', async (_, files, problems) => {
    const { path } = folder(files)
    expect(await checkKeptFolder({ path, shown: 'kept' }, items)).toHaveLength(problems)
  })

  test('a file in its place', async () => {
    const { path } = folder({ kept: '' })
    expect(await checkKeptFolder({ path: join(path, 'kept'), shown: 'kept' }, items)).toMatchObject([
      { field: '--keep-sessions', message: 'kept is not a folder' },
    ])
  })

  test('a link to a folder elsewhere is no folder of ours', async () => {
    const { path } = folder({ 'elsewhere/precious': '' })
    mkdirSync(join(path, 'kept'))
    symlinkSync(join(path, 'elsewhere'), join(path, 'kept/a'))
    expect(await checkKeptFolder({ path: join(path, 'kept'), shown: 'kept' }, items)).toHaveLength(1)
    expect(existsSync(join(path, 'elsewhere/precious'))).toBe(true)
  })
})
