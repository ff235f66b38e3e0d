import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeProblem, UserError } from '../../src/core/errors.ts'
import { combineReporters, createOutputReporters, defaultOutputPath, type Reporter } from '../../src/reporters/index.ts'
import { aCase, aCaseReport, aReport, aRun, passes } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { play, temporaryFolder } from '../support/reporting.ts'

const plan = { startedAt: '2026-03-01T10:00:00.000Z', cases: [], runsPerCase: 1, targets: ['t'] }

const KNOWN = '.jsonl, .json, .md, .markdown, .html, .htm'

describe('results files', () => {
  test.each([
    ['a.jsonl', '{"type":"start"'],
    ['a.JSON', '{\n  "schemaVersion": 1'],
    ['a.md', '# Agent Test Report'],
    ['a.markdown', '# Agent Test Report'],
    ['a.html', '<!doctype html>'],
    ['a.HTM', '<!doctype html>'],
  ])('%s is written in the format of its extension', async (name, start) => {
    const cwd = await temporaryFolder()
    const { reporters, problems, warnings } = await createOutputReporters([name], fakeHost({ cwd }))
    expect([problems, warnings]).toEqual([[], []])
    await play(combineReporters(reporters, fakeHost().log), [{ item: aCase(), outcomes: passes(1) }])
    expect((await readFile(join(cwd, name), 'utf8')).startsWith(start)).toBe(true)
  })

  test.each([
    ['a.xml', `a.xml: no format is called .xml, so it will hold JSON; known: ${KNOWN}`],
    ['results', `results: no extension, so it will hold JSON; known: ${KNOWN}`],
  ])('%s holds JSON, with a warning', async (name, warning) => {
    const cwd = await temporaryFolder()
    const { reporters, warnings } = await createOutputReporters([name], fakeHost({ cwd }))
    expect(warnings).toEqual([warning])
    await play(combineReporters(reporters, fakeHost().log), [{ item: aCase(), outcomes: passes(1) }])
    expect(JSON.parse(await readFile(join(cwd, name), 'utf8'))).toMatchObject({ summary: { total: 1 } })
  })

  test('every problem is found before anything is written, all at once', async () => {
    const cwd = await temporaryFolder()
    await mkdir(join(cwd, 'folder.json'))
    await writeFile(join(cwd, 'file'), '')
    await writeFile(join(cwd, 'kept.json'), 'old')
    await symlink(join(cwd, 'kept.json'), join(cwd, 'other.json'))
    const paths = ['missing/a.json', 'folder.json', 'file/a.json', 'kept.json', './kept.json', 'other.json']
    const { problems } = await createOutputReporters(paths, fakeHost({ cwd }))
    expect(problems.map(describeProblem)).toEqual([
      '--output: missing/a.json: there is no folder missing (make it first)',
      '--output: folder.json: is a folder (name a file in it)',
      '--output: file/a.json: file is not a folder',
      '--output: ./kept.json: given twice',
      '--output: other.json: given twice',
    ])
    expect(await readFile(join(cwd, 'kept.json'), 'utf8')).toBe('old')
  })

  // The superuser may write everywhere.
  test.skipIf(process.getuid?.() === 0)('a folder and a file that cannot be written (skipped for root)', async () => {
    const cwd = await temporaryFolder()
    await mkdir(join(cwd, 'closed'))
    await writeFile(join(cwd, 'closed.json'), '')
    await chmod(join(cwd, 'closed.json'), 0o444)
    await chmod(join(cwd, 'closed'), 0o555)
    const { problems } = await createOutputReporters(['closed/a.json', 'closed.json'], fakeHost({ cwd }))
    expect(problems.map(({ message }) => message)).toEqual([
      'closed/a.json: the folder closed is not writable',
      'closed.json: is not writable',
    ])
  })

  test.each(['a.jsonl', 'a.json', 'a.md', 'a.html'])(
    '%s in a folder that has gone since is an error at the start',
    async (name) => {
      const cwd = join(await temporaryFolder(), 'gone')
      const { reporters } = await createOutputReporters([name], fakeHost({ cwd }))
      const started = combineReporters(reporters, fakeHost().log).onStart?.(plan)
      await expect(started).rejects.toMatchObject({
        code: 'OUTPUT_NOT_WRITABLE',
        message: expect.stringContaining(name),
      })
    },
  )

  test.each(['/dev/full'])('%s is an error at the end', async (path) => {
    const { reporters } = await createOutputReporters([path], fakeHost())
    const played = play(combineReporters(reporters, fakeHost().log), [{ item: aCase(), outcomes: passes(1) }])
    await expect(played).rejects.toBeInstanceOf(UserError)
  })
})

describe('several reporters', () => {
  const broken = (hook: keyof Reporter, required = false): Reporter => ({
    name: `broken ${hook}`,
    required,
    [hook]: () => {
      throw new Error('no \u001b[31mluck')
    },
  })
  const late: Reporter = { name: 'late', onRun: () => Promise.reject(new Error('disk gone')) }
  const recorder = () => {
    const calls: string[] = []
    const note = (call: string) => () => void calls.push(call)
    const hooks = { onStart: note('start'), onRun: note('run'), onCase: note('case'), onEnd: note('end') }
    return { calls, reporter: { name: 'recorder', ...hooks } }
  }
  const playAll = async (reporters: readonly Reporter[]) => {
    const host = fakeHost()
    const result = play(combineReporters(reporters, host.log), [{ item: aCase(), outcomes: passes(2) }])
    return {
      host,
      error: await result.then(
        () => undefined,
        (error: unknown) => error,
      ),
    }
  }

  test.each(['onStart', 'onRun', 'onCase', 'onEnd'] as const)(
    'one that crashes in %s is one warning and left out',
    async (hook) => {
      const { calls, reporter } = recorder()
      const { host, error } = await playAll([broken(hook), reporter])
      expect(error).toBeUndefined()
      expect(host.warnings).toEqual([`broken ${hook} failed and is left out: no luck`])
      expect(calls).toEqual(['start', 'run', 'run', 'case', 'end'])
    },
  )

  test('one whose promise fails is left out as well', async () => {
    const { calls, reporter } = recorder()
    const { host } = await playAll([late, reporter])
    expect(host.warnings).toEqual(['late failed and is left out: disk gone'])
    expect(calls).toEqual(['start', 'run', 'run', 'case', 'end'])
  })

  test('a required one that fails at the start ends everything at once', async () => {
    const { calls, reporter } = recorder()
    const { error, host } = await playAll([broken('onStart', true), reporter])
    expect(error).toMatchObject({ name: 'UserError', code: 'OUTPUT_NOT_WRITABLE' })
    expect(calls).toEqual(['start'])
    expect(host.warnings).toEqual([])
  })

  test.each(['onRun', 'onCase', 'onEnd'] as const)(
    'a required one that fails in %s is an error once all others are done',
    async (hook) => {
      const { calls, reporter } = recorder()
      const { error } = await playAll([broken(hook, true), reporter])
      expect(error).toMatchObject({ code: 'OUTPUT_NOT_WRITABLE', message: expect.stringContaining('luck') })
      expect(calls).toEqual(['start', 'run', 'run', 'case', 'end'])
    },
  )

  test('a run costs no promise where nobody waits', () => {
    const { reporter } = recorder()
    const all = combineReporters([reporter, { name: 'silent' }], fakeHost().log)
    expect(all.onRun?.(aRun(), aCase())).toBeUndefined()
    expect(all.onCase?.(aCaseReport())).toBeUndefined()
  })

  test('each waits for the one before it at the end', async () => {
    const order: string[] = []
    const slow: Reporter = {
      name: 'slow',
      async onEnd() {
        await new Promise((done) => setTimeout(done, 20))
        order.push('slow')
      },
    }
    await combineReporters([slow, { name: 'fast', onEnd: () => void order.push('fast') }], fakeHost().log).onEnd?.(
      aReport(),
    )
    expect(order).toEqual(['slow', 'fast'])
  })
})

test.each([
  ['beside the suite', [{ name: 'a', path: '/home/me/tests/inputs.jsonl', cases: [], warnings: [] }], '/home/me/tests'],
  ['without a suite, here', [], '.'],
])('the default results file lies %s and carries the local time', (_where, suites, folder) => {
  const path = defaultOutputPath(suites, new Date(2026, 2, 1, 9, 5, 7))
  expect(resolve(path)).toBe(resolve(folder, 'output-20260301090507.jsonl'))
})
