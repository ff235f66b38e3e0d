import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderMarkdown } from '../../src/render/index.ts'
import { combineReporters, createOutputReporters } from '../../src/reporters/index.ts'
import { aCase, mixed } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { play, temporaryFolder } from '../support/reporting.ts'

test('the file is empty while the run goes on and holds the report at its end', async () => {
  const cwd = await temporaryFolder()
  const { reporters } = await createOutputReporters(['report.md'], fakeHost({ cwd }))
  const during: string[] = []
  const watcher = {
    name: 'watcher',
    onRun: async () => void during.push(await readFile(join(cwd, 'report.md'), 'utf8')),
  }
  const report = await play(combineReporters([...reporters, watcher], fakeHost().log), [
    { item: aCase(), outcomes: mixed(1, 2) },
  ])
  expect(during).toEqual(['', '', ''])
  expect(await readFile(join(cwd, 'report.md'), 'utf8')).toBe(renderMarkdown(report))
})
