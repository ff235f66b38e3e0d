import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { resolveIdentity } from '../../src/core/identity.ts'
import type { Report } from '../../src/core/report.ts'
import { renderMarkdown, renderSummary } from '../../src/render/index.ts'
import {
  aBaseline,
  aCaseReport,
  aGate,
  aReport,
  erroredOutcome,
  failedOutcome,
  mixed,
  passes,
  someRuns,
} from '../support/builders.ts'
import { elementsOf, githubHtml, hostileText, parseHtml, referencesIn, skeletonOf } from '../support/markdown.ts'

const SITE = 'https://github.example/octo/bot/'

/** A report with something in every table, where each field holds one of the texts. */
function reportOf(text: (index: number) => string): Report {
  const suite = `tests/${text(0)}.jsonl`
  const named = (index: number) => ({ suite, id: `c${index} ${text(index)}`, location: { file: suite, line: index } })
  const failure = failedOutcome(
    { name: `n${text(1)}`, message: `m${text(2)}`, expected: `e${text(3)}`, actual: `a${text(4)}` },
    { name: 'json_path', message: `m${text(5)}`, expected: { [`k${text(6)}`]: [text(7)] } },
  )
  const broken = aCaseReport({
    ...named(1),
    input: `i${text(8)}`,
    runs: someRuns(mixed(0, 3, failure), { output: `o${text(9)}` }),
  })
  const errored = aCaseReport({
    ...named(2),
    input: { role: 'user', content: text(10) },
    runs: someRuns([...passes(2), erroredOutcome('PROVIDER_ERROR', `p${text(11)}`)], {
      output: { [`k${text(12)}`]: text(0) },
    }),
  })
  const flaky = aCaseReport({
    ...named(3),
    input: `i${text(1)}`,
    runs: someRuns(mixed(2, 1, failedOutcome(`m${text(2)}`)), { output: `o${text(3)}` }),
  })
  const better = aCaseReport(named(4))
  const added = aCaseReport(named(5))
  const redefined = aCaseReport({ ...named(6), fingerprint: 'changed' })
  const skipped = aCaseReport({ ...named(7), skip: `s${text(4)}` })
  const other = aCaseReport({ suite: `other ${text(5)}`, id: `c8 ${text(6)}` })
  const gone = aCaseReport(named(9))
  const earlier = [
    aCaseReport({ ...named(1), runs: someRuns(passes(3)) }),
    flaky,
    errored,
    aCaseReport({ ...named(4), runs: someRuns(mixed(1, 2)) }),
    aCaseReport(named(6)),
    other,
    gone,
  ]
  return aReport({
    cases: [broken, errored, flaky, better, added, redefined, skipped, other],
    loaded: { kind: 'ok', baseline: aBaseline(earlier, { commit: `c${text(7)}` }), source: `artifact ${text(8)}` },
    gate: { ...aGate, minPassRate: 60 },
    targets: [`t${text(9)}`, `u${text(10)}`],
    connector: `c${text(11)}`,
    identity: resolveIdentity({ flags: { user: `u${text(12)}`, team: `t${text(0)}` } }),
    inputs: [`i${text(1)}`],
    warnings: [`w${text(2)}`, `w${text(3)}`],
  })
}

const summaryOf = (report: Report, heading: string) =>
  renderSummary(report, {
    heading,
    links: {
      runUrl: `${SITE}actions/runs/1`,
      headSha: '1234abcd5678',
      fileUrl: ({ file, line }) => `${SITE}${file}#L${line}`,
    },
  })

const documents = [
  ['pull-request comment', (report: Report, text: string) => summaryOf(report, `h${text}`)],
  ['Markdown file', (report: Report) => renderMarkdown(report)],
] as const

const texts = fc.array(hostileText, { minLength: 13, maxLength: 13 })

describe.each(documents)('a %s of hostile texts', (_name, render) => {
  const wanted = skeletonOf(
    parseHtml(
      githubHtml(
        render(
          reportOf(() => 'word'),
          'word',
        ),
      ),
    ),
  )

  test('has every table, quote and link that it has of plain words', () => {
    expect(wanted.filter((line) => line.trim() === 'table').length).toBeGreaterThan(4)
    expect(wanted.length).toBeGreaterThan(200)
  })

  test('has no element, link, mention or table cell that plain words would not make', () => {
    fc.assert(
      fc.property(texts, (given) => {
        const text = (index: number) => given[index % given.length] ?? ''
        const page = parseHtml(githubHtml(render(reportOf(text), text(0))))
        expect(skeletonOf(page)).toEqual(wanted)
        expect(referencesIn(page)).toEqual([])
        for (const { tagName, attrs } of elementsOf(page)) {
          const names = attrs.map(({ name }) => name)
          expect(['align', 'class', 'href', 'open']).toEqual(expect.arrayContaining(names))
          if (tagName === 'a') expect(attrs[0]?.value.startsWith(SITE)).toBe(true)
          if (tagName === 'code') expect(attrs.every(({ value }) => /^language-(text|sh)$/.test(value))).toBe(true)
        }
      }),
      { numRuns: 60 },
    )
  })
})

test.each([['javascript:alert(1)'], ['data:text/html,x'], ['not an address'], ['']])(
  'an address such as %j makes no link',
  (url) => {
    const report = aReport({ cases: [aCaseReport()] })
    const text = renderSummary(report, { heading: 'h', links: { runUrl: url, fileUrl: () => url } })
    expect(elementsOf(parseHtml(githubHtml(text))).filter(({ tagName }) => tagName === 'a')).toEqual([])
  },
)
