import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Report } from '../../src/core/report.ts'
import { renderSummary } from '../../src/render/index.ts'
import { aCaseReport, aReport, failedOutcome, loadedBaseline, mixed, passes, someRuns } from '../support/builders.ts'
import { elementsOf, githubHtml, parseHtml } from '../support/markdown.ts'

const links = {
  runUrl: 'https://github.example/run',
  headSha: '1234abcd',
  fileUrl: () => 'https://github.example/file',
}
const bytesOf = (text: string) => new TextEncoder().encode(text).length

/** Two thirds of the cases fail, every text is made of characters that take two UTF-16 units and four bytes. */
function longReport(count: number, outputLength: number): Report {
  const failure = failedOutcome({ message: '🔥'.repeat(200), expected: '😀'.repeat(outputLength) })
  const cases = Array.from({ length: count }, (_, index) =>
    aCaseReport({
      id: `case-😀-${index}`,
      input: '👋'.repeat(outputLength),
      runs: someRuns(index % 3 === 0 ? passes(3) : mixed(0, 3, failure), { output: '😀```\n'.repeat(outputLength) }),
    }),
  )
  return aReport({
    cases,
    loaded: loadedBaseline(cases.map((item) => aCaseReport({ ...item, runs: someRuns(passes(3)) }))),
  })
}

const report = longReport(200, 3_000)

/** Nothing is left open: a details element inside another means that one was not closed. */
function expectWhole(text: string): void {
  const page = parseHtml(githubHtml(text))
  for (const element of elementsOf(page)) {
    if (element.tagName === 'details' || element.tagName === 'pre') {
      expect(elementsOf(element).filter(({ tagName }) => tagName === 'details')).toEqual([])
    }
  }
  expect(text.match(/<details/g)?.length ?? 0).toBe(text.match(/<\/details>/g)?.length ?? 0)
}

describe.each([
  ['characters', (limit: number) => ({ chars: limit }), (text: string) => text.length],
  ['bytes', (limit: number) => ({ bytes: limit }), bytesOf],
] as const)('a limit in %s', (_unit, limitOf, sizeOf) => {
  test.each([65_536, 65_535, 40_000, 20_000, 8_000, 3_000, 1_200, 500])(
    'of %d holds, and the verdict stays',
    (limit) => {
      const text = renderSummary(report, { heading: 'Agent tests', links, limit: limitOf(limit) })
      expect(sizeOf(text)).toBeLessThanOrEqual(limit)
      expect(text).toContain('**Failed, regression:**')
      expect(text).toContain('399 of 600 runs failed across 200 cases')
      expectWhole(text)
    },
  )

  test('of any size holds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 30, max: 70_000 }), (limit) => {
        const text = renderSummary(report, { heading: 'Agent tests', links, limit: limitOf(limit) })
        expect(sizeOf(text)).toBeLessThanOrEqual(limit)
        expect(text).toContain('Failed, regression')
        expectWhole(text)
      }),
      { numRuns: 15 },
    )
  })

  test('that the whole text meets exactly cuts nothing, one less cuts something', () => {
    const small = longReport(4, 10)
    const whole = renderSummary(small, { heading: 'h', links })
    expect(renderSummary(small, { heading: 'h', links, limit: limitOf(sizeOf(whole)) })).toBe(whole)
    const shorter = renderSummary(small, { heading: 'h', links, limit: limitOf(sizeOf(whole) - 1) })
    expect(sizeOf(shorter)).toBeLessThan(sizeOf(whole))
  })
})

test('what is left out is said, the passing list first', () => {
  const small = longReport(6, 10)
  const whole = renderSummary(small, { heading: 'h', links })
  const shorter = renderSummary(small, { heading: 'h', links, limit: { chars: whole.length - 1 } })
  expect(whole).toContain('<details><summary>All 6 cases</summary>')
  expect(shorter).not.toContain('All 6 cases')
  expect(shorter).toContain('Left out to fit: the list of all cases.')
  expect(shorter.match(/<details/g)).toHaveLength(5)
})

test('a report that does not fit at all says so and keeps verdict and figures', () => {
  const text = renderSummary(report, { heading: 'h', links, limit: { chars: 900 } })
  expect(text).toContain('The tables and details are left out: the report is too long for this place.')
  expect(text).toContain('**201/600 runs passed**')
  expect(text).toContain('updated for `1234abc`')
})

test('a hundred thousand cases are rendered within a comment in good time', () => {
  const runs = someRuns(passes(1))
  const cases = Array.from({ length: 100_000 }, (_, index) => aCaseReport({ id: `case-${index}`, runs }))
  const big = aReport({ cases, runsPerCase: 1 })
  const started = performance.now()
  const text = renderSummary(big, { heading: 'h', links, limit: { chars: 65_536 } })
  expect(performance.now() - started).toBeLessThan(5_000)
  expect(text).toContain('**100,000/100,000 runs passed**')
})
