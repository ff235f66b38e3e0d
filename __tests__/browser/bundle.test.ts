import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, inject, test } from 'vitest'
import { browserProgram, openInBrowser } from '../support/browser.ts'
import { temporaryFolder } from '../support/reporting.ts'

describe.skipIf(browserProgram === undefined)('the report of the shipped program (skipped without a browser)', () => {
  // What the page runs is the program's own functions, whose names and words the bundle has shortened.
  test('its page works', async () => {
    const folder = await temporaryFolder()
    const line = (id: string, value: string) =>
      JSON.stringify({ id, input: `say ${id}`, assert: { type: 'contains', value } })
    await writeFile(join(folder, 'suite.jsonl'), `${line('one', 'say')}\n${line('two', 'nothing of it')}\n`)
    const echo = `command:${process.execPath} -e "process.stdin.pipe(process.stdout)"`
    const args = [inject('bundles').cli, '-i', 'suite.jsonl', '--target', echo, '-o', 'report.html']
    await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(() => undefined)
    const { page, requests, complaints } = await openInBrowser(join(folder, 'report.html'))
    expect(await page.locator('tr.case .name button').allTextContents()).toEqual(['two', 'one'])
    await page.getByRole('searchbox').fill('say one')
    await page.getByText('1 of 2 cases').waitFor()
    await page.getByRole('button', { name: 'one' }).click()
    expect(await page.locator('tr.more .run').count()).toBe(1)
    await page.getByRole('columnheader', { name: 'Case' }).getByRole('button').click()
    expect({ requests, complaints }).toEqual({ requests: [], complaints: [] })
  })
})
