import { formatPercent } from '../core/percent.ts'
import type { Report } from '../core/report.ts'
import { inlineText } from '../lib/escape.ts'
import { code, link, type ReportLinks } from './links.ts'

/** Where the rest is, the rules, and what this is of. */
export function footer({ gate, version }: Report, { runUrl, reportUrl, headSha }: ReportLinks): string {
  const rules = gate.failOn.length === 0 ? 'nothing' : gate.failOn.join(', ')
  const parts = [
    runUrl === undefined ? undefined : link('Workflow run', runUrl),
    reportUrl === undefined ? undefined : link('All results', reportUrl),
    `fails on ${rules}; required ${formatPercent(gate.minPassRate)}`,
    `agent-test ${inlineText(version)}`,
    headSha === undefined ? undefined : `updated for ${code(headSha.slice(0, 7))}`,
  ]
  return `<sub>${parts.filter((part) => part !== undefined).join(' · ')}</sub>`
}
