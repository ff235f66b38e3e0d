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
import { type Annotation, annotationsOf, headlineOf, type ReportLinks, renderSummary } from '../render/index.ts'
import type { Reporter } from './reporter.ts'

interface CheckRunOptions {
  readonly client: GitHubClient
  readonly context: GitHubContext
  readonly host: Host
  readonly denials: Denials
  readonly name: string
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
      const { client, context, host, fallback, onPublished } = options
      if (context.headSha === undefined) return await fallback.onEnd?.(report)
      try {
        const published = await publishCheckRun(client, host, checkOf(redactDeep(report, host.secrets), options))
        if (published.unplaced) warnUnplaced(published.unplaced, host)
        host.log.info(`Check run created: ${published.url}`)
        onPublished?.(published)
      } catch (error) {
        tellFailure(error, { ...options, what: 'check runs', needs: 'checks: write' })
        await fallback.onEnd?.(report)
      }
    },
  }
}

function checkOf(report: Report, options: CheckRunOptions): CheckRun {
  const { context, name, heading, links } = options
  const { shown, note } = annotationsFor(report, options)
  const room = CHECK_SUMMARY_LIMIT - note.length
  const summary = renderSummary(report, { heading, links, limit: { chars: room } })
  const { runId, runAttempt, headSha = '' } = context
  return {
    name,
    headSha,
    externalId: `${runId}.${runAttempt} ${report.startedAt}`,
    detailsUrl: runUrlOf(context),
    conclusion: conclusionOf(report),
    startedAt: report.startedAt,
    completedAt: report.finishedAt,
    title: plainText(titleOf(report), { maxLength: 255 }),
    summary: `${summary}${note}`,
    annotations: shown,
  }
}

/**
 * An interrupted run is `cancelled`: it has not judged everything, so it must not read as passed, and it is no evidence
 * against the change either. `neutral` would count as passed where the check is required.
 */
function conclusionOf({ verdict }: Report): CheckRun['conclusion'] {
  if (verdict.exitReason === 'interrupted') return 'cancelled'
  return verdict.passed ? 'success' : 'failure'
}

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

function warnUnplaced({ count, error }: NonNullable<PublishedCheckRun['unplaced']>, host: Host): void {
  host.log.warn(`${count} annotations are missing from the check run: ${describeFailure(error)}`)
}
