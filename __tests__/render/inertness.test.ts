import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Baseline } from '../../src/core/baseline.ts'
import type { CaseReport } from '../../src/core/case-report.ts'
import { resolveIdentity } from '../../src/core/identity.ts'
import type { Report } from '../../src/core/report.ts'
import type { Note } from '../../src/core/verdict.ts'
import { renderMarkdown, renderSection, renderSections, renderSummary } from '../../src/render/index.ts'
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

/** So many that the rest is shown as a diff, whatever it is. */
const SHARED = Array.from({ length: 12 }, (_, index) => `line ${index}`).join('\n')

/** A report with something in every table, where each field holds one of the texts. */
function reportOf(text: (index: number) => string): Report {
  const suite = `tests/${text(0)}.jsonl`
  const named = (index: number) => ({ suite, id: `c${index} ${text(index)}`, location: { file: suite, line: index } })
  const failure = failedOutcome(
    { name: `n${text(1)}`, message: `m${text(2)}`, expected: `e${text(3)}`, actual: `a${text(4)}` },
    {
      name: 'json_path',
      message: `m${text(5)}`,
      expected: { [`k${text(6)}`]: [text(7)] },
      details: { reason: `because ${text(8)}` },
    },
  )
  const near = failedOutcome({
    name: 'equals',
    message: `m${text(9)}`,
    expected: `${SHARED}\n${text(10)}\nlast line`,
    actual: `${SHARED}\n${text(11)} ${text(12)} x\nlast line`,
  })
  const scores = { evaluator: `v${text(3)}`, status: 'scored' as const, passed: true, checks: [], violations: [] }
  const broken = aCaseReport({
    ...named(1),
    input: `i${text(8)}`,
    runs: someRuns(mixed(0, 3, failure), {
      output: `o${text(9)}`,
      steps: [{ tool: `t${text(1)}`, parameters: '0', shown: `{"p":${text(2)}}` }],
      evaluations: [{ ...scores, score: 40 }],
      score: 40,
    }),
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
    runs: someRuns(mixed(2, 1, near), { output: `o${text(3)}` }),
  })
  const better = aCaseReport(named(4))
  const added = aCaseReport(named(5))
  const redefined = aCaseReport({ ...named(6), fingerprint: 'changed' })
  const skipped = aCaseReport({ ...named(7), skip: `s${text(4)}` })
  const other = aCaseReport({ suite: `other ${text(5)}`, id: `c8 ${text(6)}` })
  const gone = aCaseReport(named(9))
  const same = aCaseReport({ ...named(10), runs: [], unchanged: `u${text(7)}` })
  const meant = aCaseReport({ ...named(11), runs: someRuns(mixed(0, 3, failure)) })
  const earlier = [
    aCaseReport({ ...named(1), runs: someRuns(passes(3)) }),
    aCaseReport({ ...named(3), runs: someRuns(passes(3)) }),
    errored,
    aCaseReport({ ...named(4), runs: someRuns(mixed(0, 3)) }),
    aCaseReport(named(6)),
    other,
    gone,
    aCaseReport({ ...named(11), runs: someRuns(passes(3)) }),
  ]
  const report = aReport({
    cases: [broken, errored, flaky, better, added, redefined, skipped, other, same, meant],
    loaded: { kind: 'ok', baseline: baselineOf(earlier, text), source: `artifact ${text(8)}` },
    gate: { ...aGate, minPassRate: 60 },
    targets: [`t${text(9)}`, `u${text(10)}`],
    connector: `c${text(11)}`,
    identity: resolveIdentity({ flags: { user: `u${text(12)}`, team: `t${text(0)}` } }),
    inputs: [`i${text(1)}`],
    warnings: [`w${text(2)}`, `w${text(3)}`],
    spending: { tokens: 900, costUsd: 1.5, unpricedRuns: 1, unmeteredRuns: 0 },
    proposals: [{ key: flaky.key, evidence: `e${text(4)}`, until: `u${text(5)}` }],
    plannedRuns: 27,
    waivers: [{ kind: 'accepted', case: meant.key, reason: `r${text(6)}`, until: '2026-03-31', source: `s${text(7)}` }],
    controls: {
      suite: {},
      cases: {},
      state: {
        kind: 'run',
        commit: `c${text(8)}`,
        runs: 5,
        erroredRuns: 1,
        durationMs: 1_000,
        missing: [{ key: flaky.key, reason: text(9) }],
      },
    },
  })
  const notes: Note[] = [
    { kind: 'control_unavailable', reason: `n${text(10)}` },
    { kind: 'history_shrunk', detail: `n${text(11)}` },
    { kind: 'unchanged_suites', suites: [suite], cases: 1 },
  ]
  return { ...report, verdict: { ...report.verdict, notes: [...notes, ...report.verdict.notes] } }
}

/** Everything in a baseline may have been written by somebody else. */
function baselineOf(earlier: readonly CaseReport[], text: (index: number) => string): Baseline {
  const baseline = aBaseline(earlier, {
    commit: `c${text(7)}`,
    branch: `b${text(12)}`,
    createdAt: '2026-02-28T10:00:00Z',
  })
  return {
    ...baseline,
    createdAt: `d${text(3)}`,
    sessions: baseline.sessions.map((session) => ({ ...session, id: `${session.id}${text(4)}`, commit: text(5) })),
    cases: baseline.cases.map((item) => ({
      ...item,
      steps: [{ tool: `b${text(0)}`, parameters: '1' }],
      runs: item.runs.map((run) => ({
        ...run,
        scores: { [`v${text(3)}`]: 90 },
        failedChecks: run.status === 'failed' ? [`n${text(6)}`] : [],
      })),
    })),
  }
}

const summaryOf = (report: Report, heading: string) => renderSummary(report, { heading, links: LINKS, chart: true })

const LINKS = {
  runUrl: `${SITE}actions/runs/1`,
  reportUrl: `${SITE}actions/runs/1/artifacts/2`,
  headSha: '1234abcd5678',
  fileUrl: ({ file, line }: { readonly file: string; readonly line: number }) => `${SITE}${file}#L${line}`,
}

const documents = [
  ['pull-request comment', (report: Report, text: string) => summaryOf(report, `h${text}`), 20],
  ['Markdown file', (report: Report) => renderMarkdown(report), 20],
  [
    'comment of two sections',
    (report: Report, text: string) => {
      const one = renderSection(report, { heading: `s${text}`, links: LINKS, chars: 130_000 })
      return renderSections([one, { ...one, title: `t${text}` }], { heading: `h${text}`, chars: 300_000 })
    },
    8,
  ],
] as const

const texts = fc.array(hostileText, { minLength: 13, maxLength: 13 })

describe.each(documents)('a %s of hostile texts', (_name, render, numRuns) => {
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
          if (tagName === 'code')
            expect(attrs.every(({ value }) => /^language-(text|sh|diff|yaml|mermaid)$/.test(value))).toBe(true)
        }
      }),
      { numRuns },
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
