import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { toRecord } from '../../src/core/result.ts'
import { createOutputReporters } from '../../src/reporters/index.ts'
import { browserProgram, openInBrowser } from '../support/browser.ts'
import { aCase, aCaseReport, aReport, aRun, failedOutcome } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { temporaryFolder } from '../support/reporting.ts'

const CASES = 100_000

/** A report of `CASES` cases of which every five hundredth failed. */
async function writeLarge(folder: string): Promise<string> {
  const { reporters } = await createOutputReporters(['large.html'], fakeHost({ cwd: folder }))
  const [reporter] = reporters
  await reporter?.onStart?.({ startedAt: '2026-03-01T10:00:00.000Z', cases: [], runsPerCase: 1, targets: ['t'] })
  const passed = {
    status: 'passed',
    checks: [{ name: 'contains', passed: true, weight: 1, message: '', expected: 'ok' }],
  } as const
  const trace = { events: [{ timestamp: 1, type: 'assistant_message', text: 'ok' }] } as const
  const cases = []
  for (let index = 0; index < CASES; index += 1) {
    const input = `Say ok, case ${index}`
    const item = aCase({ id: `case-${index}`, input })
    const run = aRun(
      { key: item.key, output: 'ok', trace, durationMs: index % 97 },
      index % 500 === 7 ? failedOutcome() : passed,
    )
    await reporter?.onRun?.(run, item)
    cases.push(
      aCaseReport({
        id: item.id,
        input,
        summary: input,
        runs: [toRecord(run)],
      }),
    )
  }
  await reporter?.onEnd?.(aReport({ cases, runsPerCase: 1 }))
  return join(folder, 'large.html')
}

describe.skipIf(browserProgram === undefined)('a report of 100,000 cases (skipped without a browser)', () => {
  test('it stays small and can be used', async () => {
    const path = await writeLarge(await temporaryFolder())
    expect((await stat(path)).size).toBeLessThan(25e6)
    const { page, complaints } = await openInBrowser(path)
    const count = page.locator('#count')
    expect(await count.textContent()).toBe('100,000 cases, 1 to 100 shown')
    expect(await page.locator('tr.case').count()).toBe(100)

    await page.getByRole('searchbox').fill('case-98765')
    await page.getByText('1 of 100,000 cases').waitFor({ timeout: 10_000 })
    await page.getByRole('button', { name: 'case-98765' }).click()
    expect(await page.locator('tr.more pre').first().textContent()).toBe('ok')

    await page.getByRole('searchbox').fill('')
    await page.getByText('100,000 cases, 1 to 100 shown', { exact: true }).waitFor({ timeout: 10_000 })
    await page.getByRole('button', { name: 'Failed 200' }).click()
    expect(await count.textContent()).toBe('200 of 100,000 cases, 1 to 100 shown')
    await page.getByRole('button', { name: 'Next' }).click()
    expect(await count.textContent()).toBe('200 of 100,000 cases, 101 to 200 shown')

    await page.getByRole('button', { name: 'All 100,000' }).click()
    await page.getByRole('columnheader', { name: 'Case' }).getByRole('button').click()
    await page.getByRole('button', { name: 'Last' }).click()
    expect(await page.locator('tr.case .name button').last().textContent()).toBe('case-99999')
    expect(await page.getByRole('button', { name: 'Next' }).getAttribute('aria-disabled')).toBe('true')
    expect(complaints).toEqual([])
  }, 120_000)
})
