import { describe, expect, test } from 'vitest'
import { browserProgram, openInBrowser } from '../support/browser.ts'
import { aCase, failedOutcome, passes } from '../support/builders.ts'
import { sample, sampleOptions, writeReport } from './sample.ts'

describe.skipIf(browserProgram === undefined)('the report without JavaScript (skipped without a browser)', () => {
  test('everything is there, details open', async () => {
    const { page, requests, complaints } = await openInBrowser(await writeReport(sample, sampleOptions), {
      javaScriptEnabled: false,
    })
    expect(await page.locator('tr.case').count()).toBe(12)
    expect(await page.locator('.scripted:visible').count()).toBe(0)
    await page.getByText('Details of refund-plan').click()
    const details = page.locator('tr.more:has-text("Details of refund-plan")')
    expect(await details.getByText('0 of 3 passed (0%), 3 failed').isVisible()).toBe(true)
    expect(await details.locator('.run h4:visible').allTextContents()).toEqual(['Expected', 'Got'])
    expect(await details.locator('pre').first().textContent()).toContain('The kettle came broken.')
    expect({ requests, complaints }).toEqual({ requests: [], complaints: [] })
  })

  test('links of the changes lead to their rows', async () => {
    const { page } = await openInBrowser(await writeReport(sample, sampleOptions), {
      javaScriptEnabled: false,
      viewport: { width: 900, height: 400 },
    })
    await page.getByRole('link', { name: 'return-shoes' }).click()
    expect(await page.locator('tr.case:has-text("return-shoes")').isVisible()).toBe(true)
    expect(await page.evaluate('document.querySelector(":target").textContent')).toContain('return-shoes')
  })

  test('of many cases the worst are shown, and a sentence says that there are more', async () => {
    const many = Array.from({ length: 450 }, (_, index) => ({
      item: aCase({ id: `c${index}` }),
      outcomes: index === 449 ? [failedOutcome('the last one failed')] : passes(1),
    }))
    const { page } = await openInBrowser(await writeReport(many), { javaScriptEnabled: false })
    expect(await page.locator('tr.case').count()).toBe(200)
    expect(await page.locator('tr.case').first().textContent()).toContain('the last one failed')
    expect(await page.locator('.scriptless').textContent()).toMatch(/^250 more cases, all of them .* JavaScript/)
  })
})
