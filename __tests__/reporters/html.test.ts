import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PageCase } from '../../src/render/html/page-data.ts'
import { combineReporters, createOutputReporters, type Reporter } from '../../src/reporters/index.ts'
import { aCase, aReport, aRun, failedOutcome, mixed, passedOutcome, passes } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { dataOf } from '../support/html.ts'
import { play, temporaryFolder } from '../support/reporting.ts'

async function openReporter(): Promise<{ readonly path: string; readonly reporter: Reporter }> {
  const cwd = await temporaryFolder()
  const { reporters } = await createOutputReporters(['report.html'], fakeHost({ cwd }))
  const [reporter] = reporters
  if (!reporter) throw new Error('no reporter was made')
  return { path: join(cwd, 'report.html'), reporter }
}

const casesIn = async (path: string): Promise<readonly PageCase[]> => dataOf(await readFile(path, 'utf8')).cases

test('the file is empty while the run goes on and whole at its end', async () => {
  const { path, reporter } = await openReporter()
  const during: number[] = []
  const watcher = { name: 'watcher', onRun: async () => void during.push((await stat(path)).size) }
  await play(combineReporters([reporter, watcher], fakeHost().log), [{ item: aCase(), outcomes: mixed(1, 1) }])
  expect(during).toEqual([0, 0])
  const text = await readFile(path, 'utf8')
  expect([text.startsWith('<!doctype html>'), text.endsWith('</html>\n')]).toEqual([true, true])
})

test('what the report forgets is there all the same: outputs, checks and steps of passed runs, options, metadata', async () => {
  const { path, reporter } = await openReporter()
  const held = { status: 'passed', checks: [{ name: 'type', passed: true, weight: 1, message: '' }] } as const
  const item = aCase({ options: { connector: 'openai.mini' }, metadata: { area: 'refunds' } })
  await play(reporter, [{ item, outcomes: [held], parts: { output: { said: 'Hi' } } }])
  expect(await casesIn(path)).toMatchObject([
    {
      given: [
        ['Options', '{\n  "connector": "openai.mini"\n}'],
        ['Metadata', '{\n  "area": "refunds"\n}'],
      ],
      details: [
        {
          held: [['type', '']],
          sections: [['Output', '{\n  "said": "Hi"\n}']],
          steps: [['assistant message', 'Hello there']],
        },
      ],
    },
  ])
})

test('cases stand worst first, their runs by number whatever the order they ended in', async () => {
  const { path, reporter } = await openReporter()
  const [good, bad] = [aCase({ id: 'good' }), aCase({ id: 'bad' })]
  const runs = [3, 1, 2].map((run) => aRun({ key: bad.key, run }, run === 2 ? failedOutcome() : passedOutcome))
  const late: Reporter = {
    name: 'late',
    ...(reporter.onStart ? { onStart: reporter.onStart } : {}),
    ...(reporter.onEnd ? { onEnd: reporter.onEnd } : {}),
    async onRun(result, item) {
      if (result.run === 1 && item.id === 'bad') for (const run of runs) await reporter.onRun?.(run, bad)
      else if (item.id === 'good') await reporter.onRun?.(result, item)
    },
  }
  await play(late, [
    { item: good, outcomes: passes(3) },
    { item: bad, outcomes: mixed(2, 1) },
  ])
  const cases = await casesIn(path)
  expect(cases.map(({ name }) => name)).toEqual(['bad', 'good'])
  expect(cases[0]?.details?.map(({ run, status }) => `${run} ${status}`)).toEqual(['1 passed', '2 failed', '3 passed'])
})

test('large outputs wait on the disk and are cut, so that neither memory nor the file grows with them', async () => {
  const { path, reporter } = await openReporter()
  await reporter.onStart?.({ startedAt: '2026-03-01T10:00:00.000Z', cases: [], runsPerCase: 1, targets: ['t'] })
  const before = process.memoryUsage().rss
  for (let run = 1; run <= 3_000; run += 1) {
    await reporter.onRun?.(aRun({ run, output: `${run}`.padEnd(100_000, 'y') }), aCase())
  }
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024)
  await reporter.onEnd?.(aReport())
  expect((await stat(path)).size).toBeLessThan(2_000_000)
  expect(await casesIn(path)).toMatchObject([{ name: 'greet-01', shortened: true }])
})
