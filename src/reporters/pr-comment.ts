import type { Host } from '../core/host.ts'
import { redactDeep } from '../core/redact.ts'
import type { Report } from '../core/report.ts'
import {
  type CommentOutcome,
  type Denials,
  type GitHubClient,
  type GitHubContext,
  putStickyComment,
  type StickyComment,
  tellFailure,
} from '../github/index.ts'
import { plainText } from '../lib/escape.ts'
import { type ReportLinks, renderProblems, renderSummary } from '../render/index.ts'
import type { Reporter } from './reporter.ts'

type CommentMode = 'always' | 'changes' | 'failures' | 'off'

interface PrCommentOptions {
  readonly client: GitHubClient
  readonly context: GitHubContext
  readonly host: Host
  readonly denials: Denials
  readonly mode: CommentMode
  readonly key: string
  readonly heading: string
  readonly links: ReportLinks
  /** Told where the comment stands. */
  readonly onPublished?: (comment: { readonly id: number; readonly url: string }) => void
}

/** One comment on the pull request, kept up to date; without a pull request it does nothing. */
export function prComment(options: PrCommentOptions): Reporter {
  return {
    name: 'pull-request comment',
    onEnd(report) {
      const { host, mode, heading, links } = options
      const clean = redactDeep(report, host.secrets)
      return post(options, {
        body: (room) => renderSummary(clean, { heading, links, limit: { chars: room } }),
        postsNew: isCommentDue(mode, report),
      })
    },
    onRefusal(refusal) {
      const { host, heading, links } = options
      const clean = redactDeep(refusal, host.secrets)
      return post(options, { body: (room) => renderProblems(clean, { heading, links, chars: room }), postsNew: true })
    },
  }
}

async function post(options: PrCommentOptions, comment: Pick<StickyComment, 'body' | 'postsNew'>): Promise<void> {
  const { client, context, host, mode, key } = options
  const { prNumber, runId, runAttempt, headSha = '' } = context
  if (mode === 'off' || prNumber === undefined) return
  try {
    const data = { headSha, runId, attempt: runAttempt }
    announce(await putStickyComment(client, host, { ...comment, prNumber, key, data }), options)
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

const NEWS: readonly string[] = ['regressed', 'dropped', 'improved', 'new', 'removed']

function announce(outcome: CommentOutcome, { host, context, key, onPublished }: PrCommentOptions): void {
  switch (outcome.kind) {
    case 'created':
    case 'updated':
      host.log.info(`Comment ${outcome.kind}: ${outcome.url}`)
      if (outcome.isShared) {
        host.log.warn(
          `Another job or step of this workflow run had written the comment "${plainText(key, { maxLength: 100 })}", and its report is gone from there. Give every one its own comment-key.`,
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
