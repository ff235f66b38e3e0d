import { appendFile, stat } from 'node:fs/promises'
import { type Totals, totalsOf } from '../core/case-report.ts'
import type { Host } from '../core/host.ts'
import { redactDeep } from '../core/redact.ts'
import { inlineText, plainText } from '../lib/escape.ts'
import { type ReportLinks, renderProblems, renderSummary } from '../render/index.ts'
import type { Reporter } from './reporter.ts'

/** A runner drops the whole of a step's summary above 1,048,576 bytes; the rest is room for what others add. */
const MOST_BYTES = 1_000_000

interface JobSummaryOptions {
  readonly host: Host
  readonly heading: string
  readonly links: ReportLinks
  /** Of a job that runs a part of the suites: others judge, so it only says what it did. */
  readonly shard?: { readonly index: number; readonly count: number }
}

/** Appends the report to the job's summary page; needs no token. A failing write is a warning. */
export function jobSummary({ host, heading, links, shard }: JobSummaryOptions): Reporter {
  return {
    name: 'job summary',
    onEnd(report) {
      if (shard)
        return append(host, () => `### ${inlineText(heading)}\n\n${describeShard(totalsOf(report.cases), shard)}`)
      const clean = redactDeep(report, host.secrets)
      return append(host, (bytes) => renderSummary(clean, { heading, links, limit: { bytes }, chart: true }))
    },
    onRefusal(refusal) {
      const clean = redactDeep(refusal, host.secrets)
      return append(host, (bytes) => {
        return renderProblems(clean, { heading, links, chars: Math.floor(bytes / MOST_BYTES_A_UNIT) })
      })
    },
  }
}

/** Numbers alone: whatever failed is told of once, where it is judged. */
function describeShard(totals: Totals, { index, count }: NonNullable<JobSummaryOptions['shard']>): string {
  const { cases, runs, passedRuns, erroredRuns } = totals
  const failed = runs - passedRuns - erroredRuns
  return `Shard ${index}/${count}: ${cases} cases, ${runs} runs, ${passedRuns} passed, ${failed} failed, ${erroredRuns} errored. The merge job judges them together with the other shards.`
}

/** What did not get where it should be, below the report: `what` are clauses such as "comments (the token …)". */
export async function noteMissing(what: readonly string[], host: Host): Promise<void> {
  if (what.length === 0) return
  const items = what.map((clause) => inlineText(host.secrets.redact(clause), { maxLength: 600 }))
  await append(host, () => `**Not posted:** ${items.join('; ')}.`)
}

/** Of UTF-8 for one UTF-16 unit. */
const MOST_BYTES_A_UNIT = 3

async function append(host: Host, render: (bytes: number) => string): Promise<void> {
  const path = host.env['GITHUB_STEP_SUMMARY']
  if (path === undefined || path === '') return
  try {
    const written = await stat(path).then(
      ({ size }) => size,
      () => 0,
    )
    const room = MOST_BYTES - written
    if (room <= 0) return host.log.warn('The job summary has no room left for the report.')
    await appendFile(path, `${written === 0 ? '' : '\n'}${render(room)}\n`)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    host.log.warn(`The job summary could not be written: ${plainText(why, { maxLength: 500 })}`)
  }
}
