import { describe, expect, test } from 'vitest'
import { browserProgram, openInBrowser } from '../support/browser.ts'
import { sample, sampleOptions, writeReport } from './sample.ts'

/**
 * Every text of the page whose contrast with what is behind it is below 4.5, as WCAG 2.2 measures it (1.4.3). Runs in
 * the page.
 */
const POOR_CONTRASTS = `(() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number)
  const luminance = (colour) => {
    const [red, green, blue] = numbers(colour).map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor
      if ((numbers(colour)[3] ?? 1) === 1) return colour
    }
    return 'rgb(255, 255, 255)'
  }
  const found = []
  for (const element of document.querySelectorAll('body *')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '')
    if (!hasText || element.tagName === 'SCRIPT' || element.getClientRects().length === 0) continue
    const [text, back] = [luminance(getComputedStyle(element).color), luminance(behind(element))]
    const ratio = (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05)
    if (ratio < 4.5) found.push(element.tagName + '.' + element.className + ' ' + ratio.toFixed(2))
  }
  return [...new Set(found)]
})()`

describe.skipIf(browserProgram === undefined)('how the report looks (skipped without a browser)', () => {
  test.each(['light', 'dark'] as const)('%s: every text can be read', async (colorScheme) => {
    const { page } = await openInBrowser(await writeReport(sample, sampleOptions), { colorScheme })
    await page.getByRole('button', { name: 'Open or close all shown' }).click()
    for (const summary of await page.locator('summary').all()) if (await summary.isVisible()) await summary.click()
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
    expect(background).toBe(colorScheme === 'dark' ? 'rgb(13, 17, 23)' : 'rgb(246, 248, 250)')
    expect(await page.evaluate(POOR_CONTRASTS)).toEqual([])
  })

  test.each([true, false])('360 pixels wide nothing is cut off (JavaScript: %s)', async (javaScriptEnabled) => {
    const viewport = { width: 360, height: 740 }
    const path = await writeReport(sample, sampleOptions)
    const { page } = await openInBrowser(path, { viewport, javaScriptEnabled })
    if (javaScriptEnabled) await page.getByRole('button', { name: 'Open or close all shown' }).click()
    else await page.getByText('Details of return-shoes').click()
    const outside = await page.evaluate(
      '[...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > 360).map((one) => one.outerHTML)',
    )
    expect(outside).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
  })

  test('on paper: black on white, long texts whole, no controls', async () => {
    const { page } = await openInBrowser(await writeReport(sample, sampleOptions), { colorScheme: 'dark' })
    await page.emulateMedia({ media: 'print' })
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)')
    expect(await page.getByRole('searchbox').isVisible()).toBe(false)
    const hidden = await page.evaluate(
      'Math.max(...[...document.querySelectorAll("tr.more pre")].map((box) => box.scrollHeight - box.clientHeight))',
    )
    expect(hidden).toBe(0)
    expect(await page.evaluate(POOR_CONTRASTS)).toEqual([])
    expect((await page.pdf({ format: 'A4' })).subarray(0, 5).toString()).toBe('%PDF-')
  })
})
