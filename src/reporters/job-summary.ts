import { appendFile, stat } from 'node:fs/promises'
import type { Host } from '../core/host.ts'
import { redactDeep } from '../core/redact.ts'
import { plainText } from '../lib/escape.ts'
import { type ReportLinks, renderProblems, renderSummary } from '../render/index.ts'
import type { Reporter } from './reporter.ts'

/** A runner drops the whole of a step's summary above 1,048,576 bytes; the rest is room for what others add. */
const MOST_BYTES = 1_000_000

interface JobSummaryOptions {
  readonly host: Host
  readonly heading: string
  readonly links: ReportLinks
}

/** Appends the report to the job's summary page; needs no token. A failing write is a warning. */
export function jobSummary({ host, heading, links }: JobSummaryOptions): Reporter {
  return {
    name: 'job summary',
    onEnd(report) {
      const clean = redactDeep(report, host.secrets)
      return append(host, (bytes) => renderSummary(clean, { heading, links, limit: { bytes } }))
    },
    onRefusal(refusal) {
      const clean = redactDeep(refusal, host.secrets)
      return append(host, (bytes) => {
        return renderProblems(clean, { heading, links, chars: Math.floor(bytes / MOST_BYTES_A_UNIT) })
      })
    },
  }
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
