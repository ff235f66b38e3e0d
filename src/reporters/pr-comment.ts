import type { Host } from '../core/host.ts'
import { redactDeep } from '../core/redact.ts'
import type { Report } from '../core/report.ts'
import {
  COMMENT_LIMIT,
  type CommentOutcome,
  type CommentSection,
  type Denials,
  type GitHubClient,
  type GitHubContext,
  putStickyComment,
  tellFailure,
} from '../github/index.ts'
import { plainText } from '../lib/escape.ts'
import { problemsSection, type ReportLinks, renderSection, renderSections } from '../render/index.ts'
import type { Reporter } from './reporter.ts'

type CommentMode = 'always' | 'changes' | 'failures' | 'off'

interface PrCommentOptions {
  readonly client: GitHubClient
  readonly context: GitHubContext
  readonly host: Host
  readonly denials: Denials
  readonly mode: CommentMode
  readonly key: string
  /** Our part of a comment that several jobs share. */
  readonly section: JobSection
  readonly heading: string
  readonly links: ReportLinks
  /** Told where the comment stands. */
  readonly onPublished?: (comment: { readonly id: number; readonly url: string }) => void
}

/** What tells one job's results from those of others. */
export interface JobSection {
  /** The same in every run of the job, and another one for every other job. */
  readonly leg: string
  /** For readers, beside others; plain text. */
  readonly title: string
  /** Added to the heading even where nothing stands beside it. */
  readonly label?: string
}

/** Our section of the one comment on the pull request, kept up to date; without a pull request it does nothing. */
export function prComment(options: PrCommentOptions): Reporter {
  const { host, mode, section, links } = options
  const shown = { heading: host.secrets.redact(section.title), links, chars: COMMENT_LIMIT }
  return {
    name: 'pull-request comment',
    onEnd(report) {
      const clean = redactDeep(report, host.secrets)
      return post(options, renderSection(clean, shown), isCommentDue(mode, report))
    },
    onRefusal(refusal) {
      return post(options, problemsSection(redactDeep(refusal, host.secrets), shown), true)
    },
  }
}

async function post(options: PrCommentOptions, section: CommentSection, postsNew: boolean): Promise<void> {
  const { client, context, host, mode, key, heading } = options
  const { leg, label } = options.section
  const { prNumber, runId, runAttempt, headSha = '' } = context
  if (mode === 'off' || prNumber === undefined) return
  const alone = host.secrets.redact(label === undefined ? heading : `${heading} · ${label}`)
  try {
    const outcome = await putStickyComment(client, host, {
      prNumber,
      key,
      leg,
      origin: { headSha, runId, attempt: runAttempt },
      section,
      compose: (sections, room) =>
        renderSections(sections.length === 1 ? sections.map((only) => ({ ...only, title: alone })) : sections, {
          heading,
          ...room,
        }),
      postsNew,
    })
    announce(outcome, options)
  } catch (error) {
    tellFailure(error, { ...options, what: 'comments', needs: 'pull-requests: write' })
  }
}

/** Whether a new comment is worth posting; one that is there already is always updated, so that it shows no old news. */
export function isCommentDue(mode: CommentMode, { verdict, changes }: Pick<Report, 'verdict' | 'changes'>): boolean {
  switch (mode) {
    case 'always':
      return true
    case 'changes':
      return !verdict.passed || changes.some(({ kind }) => NEWS.includes(kind))
    case 'failures':
      return !verdict.passed
    case 'off':
      return false
  }
}

const NEWS: readonly string[] = [
  'regressed',
  'environment_moved',
  'not_proven',
  'dropped',
  'improved',
  'new',
  'redefined',
  'removed',
]

function announce(outcome: CommentOutcome, { host, context, key, onPublished }: PrCommentOptions): void {
  switch (outcome.kind) {
    case 'created':
    case 'updated':
      host.log.info(`Comment ${outcome.kind}: ${outcome.url}`)
      if (outcome.isShared) {
        host.log.warn(
          `Another job or step of this workflow run writes the same section of the comment "${plainText(key, { maxLength: 100 })}", and only the last report stays. Give every one its own "section".`,
        )
      }
      onPublished?.({ id: outcome.id, url: outcome.url })
      return
    case 'newer_run':
      host.log.info(`The comment on pull request ${context.prNumber} shows a later run already and was left as it is.`)
      return
    case 'not_due':
      return
  }
}
