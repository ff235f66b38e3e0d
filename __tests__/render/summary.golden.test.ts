import { expect, test } from 'vitest'
import type { CaseReport } from '../../src/core/case-report.ts'
import { renderMarkdown, renderSection, renderSections, renderSummary } from '../../src/render/index.ts'
import { aCaseReport, aReport, mixed, passes, someRuns } from '../support/builders.ts'
import {
  at,
  greeting,
  sampleLinks as links,
  refundBroken,
  sampleReports,
  wrongTool,
} from '../support/sample-reports.ts'

test.each(Object.entries(sampleReports))('the comment of a run that is %s', async (name, report) => {
  const text = renderSummary(report, { heading: 'Agent tests · support-bot', links })
  await expect(text).toMatchFileSnapshot(`golden/summary.${name}.md`)
})

test.each(Object.entries(sampleReports))('the Markdown file of a run that is %s', async (name, report) => {
  await expect(renderMarkdown(report)).toMatchFileSnapshot(`golden/markdown.${name}.md`)
})

test('the comment of a long red run, shrunk to its limit', async () => {
  const cases: CaseReport[] = Array.from({ length: 500 }, (_, index) =>
    aCaseReport({
      id: `case-${index + 1}`,
      ...at(index + 1),
      runs: someRuns(index % 2 === 0 ? passes(3) : mixed(1, 2, wrongTool), { output: 'No. '.repeat(500) }),
    }),
  )
  const text = renderSummary(aReport({ cases }), { heading: 'Agent tests', links, limit: { chars: 8_000 } })
  await expect(text).toMatchFileSnapshot('golden/summary.shrunk.md')
})

test('a single run per case needs no classes', async () => {
  const single = (item: CaseReport) => aCaseReport({ ...item, runs: item.runs.slice(0, 1) })
  const report = aReport({ cases: [single(greeting), single(refundBroken)], runsPerCase: 1 })
  await expect(renderSummary(report, { heading: 'Agent tests', links })).toMatchFileSnapshot(
    'golden/summary.single-run.md',
  )
})

test('the job summary has a chart of pass rates', async () => {
  const { regression } = sampleReports
  if (!regression) throw new Error('no such sample')
  await expect(renderSummary(regression, { heading: 'Agent tests', links, chart: true })).toMatchFileSnapshot(
    'golden/summary.chart.md',
  )
})

test('three jobs share a comment, the worst first', async () => {
  const sections = (['green', 'regression', 'young-baseline'] as const).flatMap((name) => {
    const report = sampleReports[name]
    return report ? [renderSection(report, { heading: `support-bot (${name})`, links, chars: 65_536 })] : []
  })
  await expect(renderSections(sections, { heading: 'Agent tests', chars: 65_536 })).toMatchFileSnapshot(
    'golden/sections.md',
  )
})
