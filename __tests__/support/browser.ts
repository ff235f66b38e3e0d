import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, onTestFinished } from 'vitest'

/** Debian's and Ubuntu's; CHROMIUM names another one. `npm test` installs it where it can, and says when it cannot. */
const PROGRAMS = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser']
export const browserProgram = PROGRAMS.find((path) => path !== undefined && existsSync(path))

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A page, and what it did that a report must not. */
export interface OpenPage {
  readonly page: Page
  /** Addresses that were asked for, the page's own apart. */
  readonly requests: readonly string[]
  /** What the console said, refusals of the content security policy included, and errors that nobody caught. */
  readonly complaints: readonly string[]
  /** Texts of dialogs: nothing in a report opens one. */
  readonly dialogs: readonly string[]
}

type Options = Pick<BrowserContextOptions, 'colorScheme' | 'javaScriptEnabled' | 'viewport'>

/** One for all tests of a file, with a profile of its own that goes with it. */
let browser: Promise<Browser> | undefined
afterAll(async () => {
  await (await browser)?.close()
})

/** Opens a file as its reader would, with nothing left of the page before; it is closed when the test ends. */
export async function openInBrowser(
  path: string,
  { hash = '', ...options }: Options & { readonly hash?: string } = {},
): Promise<OpenPage> {
  if (browserProgram === undefined) throw new Error('there is no browser; tests that need one are skipped')
  browser ??= chromium.launch({ executablePath: browserProgram, args: ARGUMENTS })
  const context = await (await browser).newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const url = pathToFileURL(path).href
  const requests: string[] = []
  const complaints: string[] = []
  const dialogs: string[] = []
  context.on('request', (request) => {
    if (request.url().split('#')[0] !== url) requests.push(request.url())
  })
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  await page.goto(`${url}${hash}`)
  return { page, requests, complaints, dialogs }
}
