import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { resolveIdentity } from '../../src/core/identity.ts'
import { browserProgram, openInBrowser } from '../support/browser.ts'
import {
  aCase,
  aCaseReport,
  erroredOutcome,
  failedOutcome,
  loadedBaseline,
  passedOutcome,
} from '../support/builders.ts'
import type { Played } from '../support/reporting.ts'
import { writeReport } from './sample.ts'

const HOSTILE: readonly (readonly [title: string, text: string])[] = [
  ['a script', '<script>alert(1)</script>'],
  ['the end of a script', '</script><script>alert(1)</script>'],
  ['a comment that opens a script', '<!--<script>'],
  ['a picture that fails', '<img src=x onerror=alert(1)>'],
  ['a picture elsewhere', '<img src="http://127.0.0.1:9/pixel.png">'],
  [
    'a style that loads',
    '<style>@import url(http://127.0.0.1:9/a.css)</style><link rel=stylesheet href=http://127.0.0.1:9/b.css>',
  ],
  ['a frame', '<iframe srcdoc="<script>parent.alert(1)</script>"></iframe>'],
  ['a form', '<form action=http://127.0.0.1:9><button id=search>send</button></form>'],
  [
    'another base and a redirect',
    '<base href=http://127.0.0.1:9/><meta http-equiv=refresh content="0;url=http://127.0.0.1:9">',
  ],
  ['an attribute that ends', '" onclick="alert(1)" autofocus onfocus="alert(1)" x="'],
  ['a quoted attribute that ends', "' onmouseover='alert(1)"],
  ['a script as an address', 'javascript:alert(1)'],
  ['an address in Markdown', '[go](javascript:alert(1)) http://127.0.0.1:9/'],
  [
    'the end of the table and the details',
    '</pre></td></tr></table></details></main></body></html><script>alert(1)</script>',
  ],
  ['entities', '&lt;script&gt;alert(1)&lt;/script&gt; &#60;b&#62;'],
  ['a template', '${alert(1)} {{alert(1)}} <%= alert(1) %>'],
  ['escape sequences of a terminal', '\u001B[31mred\u001B[0m \u001B]8;;http://127.0.0.1:9\u0007link\u001B]8;;\u0007'],
  ['characters that turn the direction', 'abc\u202Egpj.exe\u202C \u2066x\u2069 \u200Fy'],
  ['halves of characters', 'a\uD800b\uDC00c'],
  ['control characters', 'a\u0000b\u0008c\u007F\u009B31m'],
  ['line ends that only some know', 'a\u2028b\u2029c\u0085d\r\ne'],
  ['names of the prototype', '__proto__ constructor'],
  ['a million characters', '<b>'.repeat(350_000)],
]

/** The text stands wherever a text of others can stand. */
function hostileRun(text: string): {
  readonly played: readonly Played[]
  readonly options: Parameters<typeof writeReport>[1]
} {
  const suite = `tests/${text.slice(0, 500)}.jsonl`
  const named = (id: string) => ({ suite, id: `${id} ${text.slice(0, 500)}`, location: { file: suite, line: 1 } })
  const failure = failedOutcome({
    name: text,
    message: text,
    expected: text,
    actual: { [text]: [text] },
    details: { reason: text },
  })
  const events = [
    { timestamp: 1, type: 'log', level: 'info', text },
    {
      timestamp: 2,
      type: 'tool_call',
      tool: text,
      parameters: { [text]: text },
      result: text,
      error: text,
      server: text,
    },
    { timestamp: 3, type: 'assistant_message', agent: text, text: `${text} more` },
  ] as const
  const played: Played[] = [
    {
      item: aCase({
        ...named('failed'),
        input: text,
        metadata: { [text]: text },
        messages: [{ role: 'user', content: text }],
      }),
      outcomes: [failure, passedOutcome, erroredOutcome('PROVIDER_ERROR', text)],
      parts: { output: { [text]: text }, trace: { events } },
    },
    { item: aCase({ ...named('skipped'), skip: text }), outcomes: [] },
  ]
  const gone = aCaseReport(named('gone'))
  const known = aCaseReport({ ...named('failed') })
  return {
    played,
    options: {
      report: {
        loaded: loadedBaseline([known, gone], text),
        targets: [text, `${text}2`],
        connector: text,
        inputs: [text],
        warnings: [text],
        version: text,
        identity: resolveIdentity({ flags: { user: text, team: text } }),
      },
    },
  }
}

/** Characters that the report must not hand on: they hide or turn what stands beside them. */
const UNSEEN = /(?![\t\n])\p{Cc}|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]|\p{Surrogate}/u

describe.skipIf(browserProgram === undefined)('hostile texts are only text (skipped without a browser)', () => {
  test.each(HOSTILE)('%s', async (_title, text) => {
    const { played, options } = hostileRun(text)
    const path = await writeReport(played, options)
    for (const javaScriptEnabled of [true, false]) {
      const { page, requests, complaints, dialogs } = await openInBrowser(path, { javaScriptEnabled })
      if (javaScriptEnabled) await page.getByRole('button', { name: 'Open or close all shown' }).click()
      for (const summary of await page.locator('summary').all()) if (await summary.isVisible()) await summary.click()
      const counts: number[] = []
      for (const tag of ['tr.case', 'script', 'style', 'img', 'iframe', 'form', 'base', 'meta', 'link'])
        counts.push(await page.locator(tag).count())
      expect(counts).toEqual([2, 3, 1, 0, 0, 0, 0, 5, 1])
      const links = await page.evaluate('[...document.querySelectorAll("a")].map((link) => link.getAttribute("href"))')
      expect((links as string[]).filter((link) => !/^#case=[\w.~!*'()%-]+$/.test(link))).toEqual([])
      const attributes = await page.evaluate(
        '[...document.querySelectorAll("*")].flatMap((one) => one.getAttributeNames())',
      )
      expect((attributes as string[]).filter((name) => /^(on|style|src$|action|form)/.test(name))).toEqual([])
      expect(UNSEEN.exec(String(await page.evaluate('document.body.innerText')))).toBeNull()
      expect({ requests, complaints, dialogs }).toEqual({ requests: [], complaints: [], dialogs: [] })
    }
  })

  test('even markup that got into the file by another way could not run or load anything', async () => {
    const { played, options } = hostileRun('x')
    const path = await writeReport(played, options)
    const arrived: (string | undefined)[] = []
    const server = createServer((request, response) => {
      arrived.push(request.url)
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const bad = `<script>document.title = "ran"</script><img src="${site}/p.png" onerror="document.title = 'ran'"><link rel="stylesheet" href="${site}/s.css"><style>body { color: red }</style>`
    await writeFile(path, (await readFile(path, 'utf8')).replace('<main>', `<main>${bad}`))
    const { page, complaints } = await openInBrowser(path)
    expect(await page.title()).toContain('Agent Test Report')
    expect(await page.locator('tr.case').count()).toBe(2)
    expect(arrived).toEqual([])
    expect(complaints.filter((text) => text.includes('Content Security Policy')).length).toBeGreaterThanOrEqual(4)
  })
})
