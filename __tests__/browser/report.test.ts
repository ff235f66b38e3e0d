import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { browserProgram, openInBrowser } from '../support/browser.ts'
import { aCase, passes } from '../support/builders.ts'
import { sample, sampleOptions, writeReport } from './sample.ts'

const open = async (options: Parameters<typeof openInBrowser>[1] = {}) =>
  await openInBrowser(await writeReport(sample, sampleOptions), options)

const namesIn = (page: Page) => page.locator('tr.case .name button').allTextContents()
const worstFirst = [
  'return-shoes',
  'parcel-status',
  'bulk-order',
  'cancel-order',
  'refund-plan',
  'warranty',
  'greeting',
  'opening-hours',
  'change-address',
  'invoice-copy',
  'payment-methods',
  'gift-card',
]

describe.skipIf(browserProgram === undefined)('the report in a browser (skipped without one)', () => {
  test('it starts worst first, with the worst case open, and asks for nothing', async () => {
    const { page, requests, complaints, dialogs } = await open()
    expect(await namesIn(page)).toEqual(worstFirst)
    expect(await page.locator('#count').textContent()).toBe('12 cases')
    expect(await page.locator('tr.more').count()).toBe(1)
    expect(await page.locator('.scriptless').count()).toBe(0)
    expect({ requests, complaints, dialogs }).toEqual({ requests: [], complaints: [], dialogs: [] })
  })

  test.each([
    ['Regressed 1', ['return-shoes']],
    ['Failed 3', ['return-shoes', 'parcel-status', 'refund-plan']],
    ['Errored 1', ['cancel-order']],
    ['Timed out 1', ['bulk-order']],
    ['Flaky 3', ['return-shoes', 'parcel-status', 'cancel-order']],
    ['Improved 1', ['warranty']],
    ['New 1', ['greeting']],
    ['Skipped 1', ['gift-card']],
    ['All 12', worstFirst],
  ])('filter %s', async (name, expected) => {
    const { page } = await open()
    const button = page.getByRole('group', { name: 'Filter by status' }).getByRole('button', { name, exact: true })
    await button.click()
    expect(await namesIn(page)).toEqual(expected)
    expect(await button.getAttribute('aria-pressed')).toBe('true')
    expect(await page.locator('.filter[aria-pressed=true]').count()).toBe(1)
  })

  test.each([
    ['an id', 'REFUND-plan', ['refund-plan']],
    ['several words, in any order', 'lyon parcel', ['parcel-status']],
    ['an input', 'kettle', ['refund-plan', 'warranty']],
    ['an output of a passed run', 'two years', ['warranty']],
    ['an error', '502 bad', ['cancel-order']],
    ['what a tool said', 'in transit', ['parcel-status']],
    ['a log line', 'two days late', ['parcel-status']],
    ['metadata', 'team-care', ['return-shoes']],
    ['the suite', 'orders.jsonl', ['parcel-status', 'bulk-order', 'cancel-order', 'warranty', 'gift-card']],
    ['nothing that is there', 'zebra', []],
  ])('search finds %s', async (_title, words, expected) => {
    const { page } = await open()
    await page.getByRole('searchbox', { name: 'Search' }).fill(words)
    const count =
      expected.length === 0 ? 'No case fits. Clear the search or the filter.' : `${expected.length} of 12 cases`
    await page.getByRole('status').getByText(count).waitFor()
    expect(await namesIn(page)).toEqual(expected)
  })

  test('filter, search and suite hold together', async () => {
    const { page } = await open()
    await page.getByRole('combobox', { name: 'Suite' }).selectOption({ label: 'tests/orders.jsonl' })
    expect(await namesIn(page)).toHaveLength(5)
    await page.getByRole('button', { name: 'Passed 6' }).click()
    expect(await namesIn(page)).toEqual(['warranty'])
    await page.getByRole('searchbox').fill('pens')
    await page.getByText('No case fits.').waitFor()
    expect(await namesIn(page)).toEqual([])
  })

  test.each([
    ['Case', 'bulk-order', 'warranty'],
    ['Passed', 'gift-card', 'warranty'],
    ['Baseline', 'return-shoes', 'warranty'],
    ['Mean time', 'gift-card', 'bulk-order'],
    ['Status', 'return-shoes', 'gift-card'],
  ])('sorting by %s goes up, then down', async (title, least, greatest) => {
    const { page } = await open()
    const head = page.getByRole('columnheader', { name: title })
    const button = head.getByRole('button')
    // The status goes up from the start.
    if (title !== 'Status') await button.click()
    expect([await head.getAttribute('aria-sort'), (await namesIn(page))[0]]).toEqual(['ascending', least])
    await button.click()
    expect(await head.getAttribute('aria-sort')).toBe('descending')
    const names = await namesIn(page)
    expect(title === 'Passed' ? names : names[0]).toEqual(
      title === 'Passed' ? expect.arrayContaining([greatest]) : greatest,
    )
    if (title === 'Passed') expect(names.at(-1)).toBe('gift-card')
    expect(await page.locator('th[aria-sort=ascending], th[aria-sort=descending]').count()).toBe(1)
  })

  test('details show runs, checks, expected and got with the difference marked', async () => {
    const { page } = await open()
    await page.getByRole('button', { name: 'refund-plan' }).click()
    const details = page.locator('tr.case:has-text("refund-plan") + tr.more')
    expect(await details.locator('dt').allTextContents()).toEqual(['Defined in', 'Runs', 'Stability', 'Time', 'Note'])
    expect(await details.locator('dd').allTextContents()).toEqual([
      'tests/support.jsonl:14',
      '0 of 3 passed (0%), 3 failed',
      'Highly Unstable',
      'mean 1.8s, min 1.8s, max 1.8s, std dev 0ms',
      expect.stringContaining('on the base branch already'),
    ])
    const runs = details.locator('details.run')
    expect(await runs.count()).toBe(3)
    // The others failed for the same reason.
    expect(await page.evaluate('[...document.querySelectorAll("#more-4 .run")].map((run) => run.open)')).toEqual([
      true,
      false,
      false,
    ])
    const [first] = await runs.all()
    expect(await first?.locator('h4').allTextContents()).toEqual(['Expected', 'Got', 'assistant message'])
    expect(await first?.locator('mark').allTextContents()).toEqual(['4', '9'])
  })

  test('details show what the agent did, its log and the output', async () => {
    const { page } = await open()
    await page.getByRole('button', { name: 'parcel-status' }).click()
    const details = page.locator('tr.case:has-text("parcel-status") + tr.more')
    const run = details.locator('details.run').last()
    await run.getByText('Steps (4)').click()
    const texts = await run.locator('pre').allTextContents()
    expect(texts[0]).toBe('It is in Lyon.')
    expect(texts[1]).toBe('[warn] eta is two days late')
    expect(texts[3]).toContain('shop.track_parcel {')
    expect(texts[4]).toContain('✗ no such channel')
  })

  test('everything can be reached by keyboard', async () => {
    const { page } = await open()
    const button = page.getByRole('button', { name: 'warranty' })
    await button.focus()
    await page.keyboard.press('Enter')
    expect(await button.getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.closest("tr.more") !== null')).toBe(true)
    await button.focus()
    await page.keyboard.press('Space')
    expect(await button.getAttribute('aria-expanded')).toBe('false')
    expect(await page.locator('tr.case:has-text("warranty") + tr.more').count()).toBe(0)
  })

  test('all shown cases open and close together', async () => {
    const { page } = await open()
    const button = page.getByRole('button', { name: 'Open or close all shown' })
    await button.click()
    expect(await page.locator('tr.more').count()).toBe(12)
    await button.click()
    expect(await page.locator('tr.more').count()).toBe(0)
  })

  test('an address opens its case, also one that is filtered away, as do the links of the changes', async () => {
    const { page } = await open({ hash: '#case=warranty' })
    expect(await page.getByRole('button', { name: 'warranty' }).getAttribute('aria-expanded')).toBe('true')
    await page.getByRole('button', { name: 'Failed 3' }).click()
    await page.getByText('Improved (1)').click()
    await page.getByRole('link', { name: 'return-shoes' }).click()
    expect(await page.getByRole('button', { name: 'return-shoes' }).getAttribute('aria-expanded')).toBe('true')
    await page.getByRole('link', { name: 'warranty' }).click()
    expect((await namesIn(page))[0]).toBe('warranty')
  })

  test('one case that passed: no column, filter or section that says nothing', async () => {
    const played = [{ item: aCase(), outcomes: passes(1) }]
    const { page, complaints } = await openInBrowser(await writeReport(played))
    expect(await page.getByRole('columnheader').allTextContents()).toEqual(['Status', 'Case', 'Passed', 'Time'])
    expect(await page.locator('.filter').allTextContents()).toEqual(['All 1', 'Passed 1'])
    expect(await page.getByRole('heading').allTextContents()).toEqual(['Agent Test Report', 'Cases', 'Metadata'])
    expect(await page.getByRole('navigation', { name: 'Pages of cases' }).isVisible()).toBe(false)
    expect(await page.getByRole('combobox').isVisible()).toBe(false)
    expect(complaints).toEqual([])
  })

  test('no case at all', async () => {
    const { page, complaints } = await openInBrowser(await writeReport([], { runsPerCase: 1 }))
    expect(await page.locator('#count').textContent()).toBe('No case fits. Clear the search or the filter.')
    expect(complaints).toEqual([])
  })
})
