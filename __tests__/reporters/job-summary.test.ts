import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Report } from '../../src/core/report.ts'
import { jobSummary, noteMissing } from '../../src/reporters/job-summary.ts'
import { aCaseReport, aReport, failedOutcome, mixed, someRuns } from '../support/builders.ts'
import { type FakeHost, fakeHost } from '../support/fake-host.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-test-summary-'))
  path = join(folder, 'summary.md')
})

afterEach(() => rm(folder, { recursive: true, force: true }))

async function write(report: Report, summaryPath = path): Promise<FakeHost> {
  const host = fakeHost({ env: { GITHUB_STEP_SUMMARY: summaryPath } })
  await jobSummary({ host, heading: 'Agent tests', links: {} }).onEnd?.(report)
  return host
}

test('the report is appended to what the step has written already', async () => {
  await writeFile(path, '# Before\n')
  const host = await write(aReport())
  expect(await readFile(path, 'utf8')).toMatch(/^# Before\n\n### Agent tests\n/)
  expect(host.warnings).toEqual([])
})

test('a report of any size stays under the limit, counted in bytes', async () => {
  const failure = failedOutcome(`expected ${'äöü€😀'.repeat(500)}`)
  const cases = Array.from({ length: 3_000 }, (_, index) =>
    aCaseReport({ id: `fall-${index}-ä`, input: '€'.repeat(2_000), runs: someRuns(mixed(1, 2, failure)) }),
  )
  await writeFile(path, 'x'.repeat(200_000))
  await write(aReport({ cases }))
  const bytes = (await readFile(path)).length
  expect(bytes).toBeGreaterThan(400_000)
  expect(bytes).toBeLessThanOrEqual(1_000_100)
})

test('pass rates are in a chart', async () => {
  await write(aReport({ cases: [aCaseReport(), aCaseReport({ id: 'b', runs: someRuns(mixed(1, 2)) })] }))
  expect(await readFile(path, 'utf8')).toContain(
    '```mermaid\nxychart-beta horizontal\n  x-axis ["1 b", "2 greet-01"]\n',
  )
})

test('a full summary is a warning', async () => {
  await writeFile(path, 'x'.repeat(1_000_001))
  const host = await write(aReport())
  expect(host.warnings).toEqual(['The job summary has no room left for the report.'])
  expect((await readFile(path)).length).toBe(1_000_001)
})

test('a write that fails is a warning, never the verdict', async () => {
  const host = await write(aReport(), join(folder, 'none', 'summary.md'))
  expect(host.warnings).toEqual([expect.stringMatching(/^The job summary could not be written: ENOENT/)])
})

test('outside of a workflow nothing happens', async () => {
  const host = fakeHost({ env: {} })
  await jobSummary({ host, heading: 'Agent tests', links: {} }).onEnd?.(aReport())
  expect([...host.warnings, ...host.infos]).toEqual([])
})

test('a secret that slipped into the report does not reach the summary', async () => {
  const host = fakeHost({ env: { GITHUB_STEP_SUMMARY: path } })
  host.secrets.add('hunter2-hunter2')
  const cases = [aCaseReport({ runs: someRuns(mixed(0, 3, failedOutcome('got hunter2-hunter2'))) })]
  await jobSummary({ host, heading: 'Agent tests', links: {} }).onEnd?.(aReport({ cases }))
  const text = await readFile(path, 'utf8')
  expect(text).not.toContain('hunter2-hunter2')
  expect(text).toContain('got')
})

test('what was not posted is said below the report, escaped and redacted', async () => {
  const host = await write(aReport())
  host.secrets.add('hunter2-hunter2')
  await noteMissing([], host)
  const before = await readFile(path, 'utf8')
  await noteMissing(['comments (GitHub answered 503 <b>@all</b>)', 'check runs (hunter2-hunter2)'], host)
  const added = (await readFile(path, 'utf8')).slice(before.length)
  expect(added).toBe(
    '\n**Not posted:** comments (GitHub answered 503 &lt;b&gt;@\u200Ball&lt;/b&gt;); check runs (\\*\\*\\*).\n',
  )
})
