import { quarantineLines, yamlString } from '../core/quarantine.ts'
import type { Report } from '../core/report.ts'
import { ACCEPT_LABEL } from '../core/waiver.ts'
import { fencedBlock, inlineText } from '../lib/escape.ts'
import { code, nameOf } from './links.ts'
import type { Scene } from './scene.ts'
import { blocks, details, table } from './table.ts'
import { distinctReasons } from './verdict-line.ts'
import { plural } from './words.ts'

const MOST_PROPOSALS = 20
const LONGEST_EVIDENCE = 300
const LONGEST_LINES = 6_000

/** Cases that the history shows to be flaky, with the lines that quarantine them; closed. */
export function proposals(report: Report): string | undefined {
  const { proposals: all } = report
  if (all.length === 0) return undefined
  const shown = all.slice(0, MOST_PROPOSALS)
  const name = nameOf(report)
  const rows = shown.map(({ key, evidence, until }) => [
    code(name(key)),
    inlineText(evidence, { maxLength: LONGEST_EVIDENCE }),
    inlineText(until, { maxLength: 20 }),
  ])
  const more = all.length > shown.length ? `… and ${plural(all.length - shown.length, 'more case')}.` : undefined
  const body = blocks(
    table([{ title: 'Case' }, { title: 'Evidence' }, { title: 'Until' }], rows),
    more,
    `To let ${all.length === 1 ? 'it' : 'them'} through for a while, commit to \`agent-test.quarantine.yml\`:`,
    fencedBlock(quarantineLines(shown), { language: 'yaml', maxLength: LONGEST_LINES }),
  )
  return details(`${plural(all.length, 'flaky case')} could be quarantined`, body)
}

const MOST_ACCEPTED = 5

/** How an intended change of these cases is let through; only where it is what makes the run red. */
export function acceptance({ report }: Scene, rows: number): string | undefined {
  const reasons = distinctReasons(report.verdict)
  const keys = reasons.flatMap((reason) => (reason.kind === 'regressed' ? [reason.key] : []))
  const isSuite = reasons.some(({ kind }) => kind === 'suite_regressed')
  if (keys.length === 0 && !isSuite) return undefined
  const named = isSuite ? ['*'] : keys.slice(0, Math.min(rows, MOST_ACCEPTED))
  const until = report.finishedAt.slice(0, 10)
  const lines = named.flatMap((key) => [
    `- case: ${yamlString(key)}`,
    '  reason: "why this is meant"',
    `  until: ${monthLater(until)}`,
  ])
  const more =
    isSuite || keys.length <= named.length ? '' : `; the same for ${plural(keys.length - named.length, 'more case')}`
  const body = blocks(
    `Commit to \`agent-test.accept.yml\` in this pull request${more}:`,
    fencedBlock(lines.join('\n'), { language: 'yaml', maxLength: LONGEST_LINES }),
    `Or put the label \`${ACCEPT_LABEL}\` on it, which accepts every change.`,
  )
  return details('This change is meant? How to accept it', body)
}

const MONTH_MS = 30 * 24 * 60 * 60 * 1000

function monthLater(day: string): string {
  const time = Date.parse(day)
  return Number.isNaN(time) ? 'YYYY-MM-DD' : new Date(time + MONTH_MS).toISOString().slice(0, 10)
}
