import type { Refusal } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { redactDeep } from '../core/redact.ts'
import type { Report } from '../core/report.ts'
import {
  CHECK_SUMMARY_LIMIT,
  type CheckAnnotation,
  type CheckRun,
  type Denials,
  describeFailure,
  type GitHubClient,
  type GitHubContext,
  type PublishedCheckRun,
  publishCheckRun,
  type RepositoryPath,
  runUrlOf,
  tellFailure,
} from '../github/index.ts'
import { plainText } from '../lib/escape.ts'
import {
  type Annotation,
  annotationsOf,
  headlineOf,
  type ReportLinks,
  refusalOf,
  renderProblems,
  renderSummary,
} from '../render/index.ts'
import type { Reporter } from './reporter.ts'

interface CheckRunOptions {
  readonly client: GitHubClient
  readonly context: GitHubContext
  readonly host: Host
  readonly denials: Denials
  readonly name: string
  /** Which leg of a matrix this is. */
  readonly label?: string
  readonly heading: string
  readonly links: ReportLinks
  readonly maxAnnotations: number
  readonly pathOf: RepositoryPath
  /** Takes over when the check run could not be created. */
  readonly fallback: Reporter
  readonly onPublished?: (check: PublishedCheckRun) => void
}

/** One completed check run on the tested commit, with annotations at the cases' own lines. */
export function checkRun(options: CheckRunOptions): Reporter {
  return {
    name: 'check run',
    async onEnd(report) {
      const { context, host, fallback } = options
      const isPlaced =
        context.headSha !== undefined && (await publish(checkOf(redactDeep(report, host.secrets), options), options))
      if (!isPlaced) await fallback.onEnd?.(report)
    },
    async onRefusal(refusal) {
      const { context, host } = options
      if (context.headSha !== undefined)
        await publish(refusedCheck(redactDeep(refusal, host.secrets), options), options)
    },
  }
}

/** Whether GitHub took it. */
async function publish(check: CheckRun, options: CheckRunOptions): Promise<boolean> {
  const { client, host, onPublished } = options
  try {
    const published = await publishCheckRun(client, host, check)
    if (published.unplaced) warnUnplaced(published.unplaced, options)
    host.log.info(`Check run created: ${published.url}`)
    onPublished?.(published)
    return true
  } catch (error) {
    tellFailure(error, { ...options, what: 'check runs', needs: 'checks: write' })
    return false
  }
}

function checkOf(report: Report, options: CheckRunOptions): CheckRun {
  const { heading, links } = options
  const { shown, note } = annotationsFor(report, options)
  const room = CHECK_SUMMARY_LIMIT - note.length
  const summary = renderSummary(report, { heading, links, limit: { chars: room, bytes: room } })
  return {
    ...identityOf(report.startedAt, options),
    conclusion: report.verdict.conclusion,
    completedAt: report.finishedAt,
    title: plainText(titleOf(report), { maxLength: 255 }),
    summary: `${summary}${note}`,
    annotations: shown,
  }
}

/** The legs of a matrix have names of their own: of two check runs with one name GitHub shows only the newer. */
function identityOf(startedAt: string, { context, name: checkName, label }: CheckRunOptions) {
  const { runId, runAttempt, headSha = '' } = context
  const name = label === undefined ? checkName : `${checkName} (${label})`
  const externalId = `${runId}.${runAttempt} ${startedAt}`
  return { name, headSha, externalId, detailsUrl: runUrlOf(context), startedAt }
}

/** Mistakes are marked at their lines by workflow commands, which need no token. */
function refusedCheck(refusal: Refusal, options: CheckRunOptions): CheckRun {
  const { host, heading, links } = options
  const now = new Date(host.now()).toISOString()
  const { title, text } = refusalOf(refusal)
  return {
    ...identityOf(now, options),
    conclusion: refusal.cause === 'no_secrets' ? 'neutral' : 'failure',
    completedAt: now,
    title: `${title}: ${text}.`,
    summary: renderProblems(refusal, { heading, links, chars: Math.floor(CHECK_SUMMARY_LIMIT / MOST_BYTES_A_UNIT) }),
    annotations: [],
  }
}

/** Of UTF-8 for one UTF-16 unit. */
const MOST_BYTES_A_UNIT = 3

function titleOf(report: Report): string {
  const { title, subject, text } = headlineOf(report)
  return `${title}: ${subject === undefined ? text : `${subject} ${text}`}`
}

/** What fits; the note says what was left out, so that nobody takes fifty for all. */
function annotationsFor(
  report: Report,
  { pathOf, maxAnnotations }: CheckRunOptions,
): { shown: CheckAnnotation[]; note: string } {
  const all = annotationsOf(report)
  const placed = all.flatMap((annotation) => {
    const path = pathOf(annotation.file)
    return path === undefined ? [] : [toCheckAnnotation(annotation, path)]
  })
  const shown = placed.slice(0, maxAnnotations)
  const outside = all.length - placed.length
  const overLimit = placed.length - shown.length
  const left = [
    ...(overLimit > 0
      ? [`${overLimit} of ${placed.length} annotations are left out: \`max-annotations\` is ${maxAnnotations}.`]
      : []),
    ...(outside > 0 ? [`${outside} annotations have no place here: their suites lie outside of the checkout.`] : []),
  ]
  return { shown, note: left.length === 0 ? '' : `\n\n${left.join(' ')}\n` }
}

/** GitHub takes 64 KiB of message and as much of details. */
const MOST_BYTES = 65_536

function toCheckAnnotation({ line, level, title, message, details }: Annotation, path: string): CheckAnnotation {
  return {
    path,
    start_line: Math.max(1, line),
    end_line: Math.max(1, line),
    annotation_level: level,
    title: plainText(title, { maxLength: 255 }),
    message: cutBytes(message === '' ? title : message, MOST_BYTES),
    ...(details === undefined || details === '' ? {} : { raw_details: cutBytes(details, MOST_BYTES) }),
  }
}

/** At most `most` bytes of UTF-8, no character split. */
function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return text
  const mark = '…'
  return `${bytes
    .subarray(0, most - Buffer.byteLength(mark))
    .toString('utf8')
    .replace(/\uFFFD+$/, '')}${mark}`
}

function warnUnplaced(
  { count, error }: NonNullable<PublishedCheckRun['unplaced']>,
  { host, denials }: CheckRunOptions,
): void {
  const why = describeFailure(error)
  host.log.warn(`${count} annotations are missing from the check run: ${why}`)
  denials.lose(`${count} annotations of the check run`, why)
}
