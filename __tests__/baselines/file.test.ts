import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { BaselineStore } from '../../src/baselines/index.ts'
import { fileBaseline } from '../../src/baselines/index.ts'
import { UserError } from '../../src/core/errors.ts'
import { toBaseline } from '../../src/core/make-baseline.ts'
import { aBaseline, aCaseReport } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { dayOf } from '../support/windows.ts'
import { textOf } from './stored.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-test-baselines-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const baseline = aBaseline([aCaseReport()])

function fileStore(path: string, host = fakeHost({ cwd: folder })): BaselineStore {
  return fileBaseline(path, host)
}

describe('loading', () => {
  test('what was saved comes back, and is named as the user wrote it', async () => {
    await fileStore('./b.json').save(() => baseline)
    expect(await fileStore('./b.json').load()).toEqual({ kind: 'ok', baseline, source: './b.json' })
  })

  test('an absolute path is taken as it is', async () => {
    const path = join(folder, 'b.json')
    await fileStore(path).save(() => baseline)
    expect(await fileStore(path).load()).toMatchObject({ kind: 'ok' })
  })

  test('a file that is not there is no baseline yet', async () => {
    expect(await fileStore('b.json').load()).toEqual({ kind: 'none', detail: 'b.json does not exist' })
  })

  test.each([
    ['no JSON', '{', 'b.json: not JSON: '],
    ['empty', '', 'b.json: not JSON: '],
    ['another document', '[]', 'b.json: '],
    ['of a newer version', '{"schemaVersion":99}', 'b.json: schemaVersion 99 is newer than this agent-test reads (2)'],
    ['a case without runs', JSON.stringify({ ...baseline, cases: [{ key: 'a' }] }), 'b.json: cases.0.target: '],
  ])('a file that is %s is unreadable', async (_what, content, detail) => {
    await writeFile(join(folder, 'b.json'), content)
    const loaded = await fileStore('b.json').load()
    expect(loaded.kind).toBe('unreadable')
    expect(loaded.kind === 'unreadable' && loaded.detail.startsWith(detail)).toBe(true)
  })

  test('a folder is unreadable', async () => {
    await mkdir(join(folder, 'b.json'))
    expect(await fileStore('b.json').load()).toEqual({ kind: 'unreadable', detail: 'b.json is not a file' })
  })

  test('a path through a file is unreadable', async () => {
    await writeFile(join(folder, 'a'), '')
    expect(await fileStore('a/b.json').load()).toEqual({
      kind: 'unreadable',
      detail: 'a/b.json: ENOTDIR: not a directory',
    })
  })

  test('a file of 201 MiB is not read', async () => {
    const file = await open(join(folder, 'b.json'), 'w')
    await file.truncate(201 * 1024 * 1024)
    await file.close()
    expect(await fileStore('b.json').load()).toEqual({ kind: 'unreadable', detail: 'b.json is larger than 200 MiB' })
  })
})

describe('saving', () => {
  test('replaces the file and leaves nothing else behind', async () => {
    await writeFile(join(folder, 'b.json'), 'old')
    await fileStore('b.json').save(() => baseline)
    expect(await readdir(folder)).toEqual(['b.json'])
    expect(await readFile(join(folder, 'b.json'), 'utf8')).toBe(`${JSON.stringify(baseline)}\n`)
  })

  test('adds to the window that the file holds by then', async () => {
    const save = (id: string, day: number) =>
      fileStore('b.json').save((earlier) =>
        toBaseline([aCaseReport()], dayOf(day), { id }, { runsPerCase: 3, earlier }),
      )
    await save('a', 0)
    await save('b', 1)
    const loaded = await fileStore('b.json').load()
    expect(loaded.kind === 'ok' && loaded.baseline.sessions.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(loaded.kind === 'ok' && loaded.baseline.cases[0]?.runs).toHaveLength(6)
  })

  test('adds to a file of version 1', async () => {
    await writeFile(join(folder, 'b.json'), textOf('abc'))
    await fileStore('b.json').save((earlier) =>
      toBaseline([aCaseReport()], '2026-01-02T00:00:00Z', { id: 'b' }, { runsPerCase: 3, earlier }),
    )
    const stored = JSON.parse(await readFile(join(folder, 'b.json'), 'utf8'))
    expect(stored).toMatchObject({ schemaVersion: 2, sessions: [{ id: 'b' }] })
  })

  test.each(['old', '{"schemaVersion":99}'])('begins anew over %j, and says so', async (content) => {
    await writeFile(join(folder, 'b.json'), content)
    const host = fakeHost({ cwd: folder })
    const known: unknown[] = []
    await fileStore('b.json', host).save((earlier) => {
      known.push(earlier)
      return baseline
    })
    expect(known).toEqual([undefined])
    expect(host.warnings).toEqual([expect.stringMatching(/^A new baseline is begun: b\.json: /)])
    expect(await fileStore('b.json').load()).toMatchObject({ kind: 'ok', baseline })
  })

  test.each([
    { situation: 'into a folder that is not there', path: 'none/b.json', why: 'there is no folder none' },
    { situation: 'over a folder', path: 'taken', why: 'EISDIR: illegal operation on a directory' },
  ])('$situation is an error that names the path', async ({ path, why }) => {
    await mkdir(join(folder, 'taken'))
    const error = await fileStore(path)
      .save(() => baseline)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UserError)
    expect(error).toMatchObject({
      code: 'OUTPUT_NOT_WRITABLE',
      message: `the baseline could not be saved to ${path}: ${why}`,
    })
    expect(await readdir(folder)).toEqual(['taken'])
  })
})
