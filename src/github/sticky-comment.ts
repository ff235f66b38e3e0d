import { createHash } from 'node:crypto'
import type { Host } from '../core/host.ts'
import type { GitHubClient } from './client.ts'
import { createOnce } from './create-once.ts'
import type { Attempt } from './failure.ts'

/** GitHub refuses a longer body with 422. Source: its message "maximum is 65536 characters". */
export const COMMENT_LIMIT = 65_536

/** Which run wrote a comment; kept in the comment itself. */
export interface CommentData {
  readonly headSha: string
  readonly runId: number
  readonly attempt: number
}

export interface StickyComment {
  readonly prNumber: number
  /** Keeps the comments of several jobs apart. */
  readonly key: string
  readonly data: CommentData
  /** What follows the hidden lines; gets the number of characters that are left for it. */
  readonly body: (room: number) => string
  /** Whether a comment is posted when there is none yet; one that exists is always brought up to date. */
  readonly postsNew: boolean
}

export type CommentOutcome =
  | {
      readonly kind: 'created' | 'updated'
      readonly id: number
      readonly url: string
      /** It showed another report of this very workflow run. */
      readonly isShared?: boolean
    }
  /** `newer_run`: the comment already shows a later run, which an earlier one must not cover. */
  | { readonly kind: 'not_due' | 'newer_run' }

interface Comment {
  readonly id: number
  readonly html_url: string
  readonly body?: string | undefined
  readonly user: { readonly login: string } | null
  readonly minimized?: unknown
}

/** Updates our comment on the pull request, or posts it; never more than one for a key. */
export async function putStickyComment(
  client: GitHubClient,
  host: Host,
  sticky: StickyComment,
): Promise<CommentOutcome> {
  const marker = markerOf(sticky.key)
  const marked = (await listComments(client, sticky.prNumber)).filter((comment) => isMarked(comment, marker))
  const author = await client.author()
  const own = marked.filter((comment) => comment.user?.login === author.login)
  if (own.length > 0) return await update(client, own, sticky)
  if (!sticky.postsNew) return { kind: 'not_due' }

  const created = await create(client, host, sticky)
  // An app's token does not say whose it is until it has written: only then can an older comment be known as ours.
  const login = created.user?.login
  const earlier = author.isCertain ? [] : marked.filter((comment) => comment.user?.login === login)
  if (earlier.length === 0) return { kind: 'created', id: created.id, url: created.html_url }
  await remove(client, created)
  return await update(client, earlier, sticky)
}

/** Hidden first line. The key is made safe for an HTML comment; keys that differ stay different. */
export function markerOf(key: string): string {
  const safe = key.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 80)
  const suffix = safe === key ? '' : `-${createHash('sha256').update(key).digest('hex').slice(0, 8)}`
  return `<!-- agent-test:${safe}${suffix} -->`
}

function dataLine({ headSha, runId, attempt }: CommentData): string {
  return `<!-- agent-test-data head=${headSha} run=${runId} attempt=${attempt} -->`
}

/** Undefined when the second line is not ours: such a comment is older than this format. */
export function readData(body: string): CommentData | undefined {
  const line = body.split(/\r?\n/, 2)[1] ?? ''
  const match = /^<!-- agent-test-data head=([0-9a-f]+) run=(\d{1,15}) attempt=(\d{1,6}) -->$/i.exec(line)
  if (!match) return undefined
  return { headSha: match[1] ?? '', runId: Number(match[2]), attempt: Number(match[3]) }
}

function textOf({ key, data, body }: StickyComment): string {
  const head = `${markerOf(key)}\n${dataLine(data)}\n`
  return `${head}${body(COMMENT_LIMIT - head.length)}`
}

/** A comment that somebody hid is left alone: changing it would not be seen. */
function isMarked({ body, minimized }: Comment, marker: string): boolean {
  return body?.split(/\r?\n/, 1)[0] === marker && (minimized ?? null) === null
}

const WRITING: Attempt = { action: 'comment on the pull request', needs: 'pull-requests: write' }

/** A page holds 100 at most, and a long discussion has several. */
function listComments(client: GitHubClient, prNumber: number): Promise<Comment[]> {
  const { rest, paginate, repository } = client
  return client.ask({ action: 'read the comments of the pull request', needs: 'pull-requests: write' }, () =>
    paginate(rest.issues.listComments, { ...repository, issue_number: prNumber, per_page: 100 }),
  )
}

async function update(client: GitHubClient, own: readonly Comment[], sticky: StickyComment): Promise<CommentOutcome> {
  const [kept, ...duplicates] = own
  if (!kept) return { kind: 'not_due' }
  if (own.some((comment) => isNewer(readData(comment.body ?? ''), sticky.data))) return { kind: 'newer_run' }
  const { data } = await client.ask(WRITING, () =>
    client.rest.issues.updateComment({ ...client.repository, comment_id: kept.id, body: textOf(sticky) }),
  )
  // Two first runs that ended in the same second leave two comments; the next run mends that.
  for (const comment of duplicates) await remove(client, comment)
  return {
    kind: 'updated',
    id: data.id,
    url: data.html_url,
    isShared: isSameRun(readData(kept.body ?? ''), sticky.data),
  }
}

function isSameRun(found: CommentData | undefined, ours: CommentData): boolean {
  return found?.runId === ours.runId && found.attempt === ours.attempt
}

function isNewer(found: CommentData | undefined, ours: CommentData): boolean {
  if (!found) return false
  return found.runId > ours.runId || (found.runId === ours.runId && found.attempt > ours.attempt)
}

async function create(client: GitHubClient, host: Host, sticky: StickyComment): Promise<Comment> {
  const body = textOf(sticky)
  const ownLines = `${markerOf(sticky.key)}\n${dataLine(sticky.data)}`
  return await client.ask(WRITING, () =>
    createOnce<Comment>(host, {
      async create() {
        const { rest, repository } = client
        const issue = { issue_number: sticky.prNumber, body, request: { retries: 0 } }
        return (await rest.issues.createComment({ ...repository, ...issue })).data
      },
      async find() {
        const comments = await listComments(client, sticky.prNumber)
        return comments.find((comment) => comment.body?.split(/\r?\n/, 2).join('\n') === ownLines)
      },
    }),
  )
}

async function remove(client: GitHubClient, comment: Comment): Promise<void> {
  await client.ask(WRITING, () => client.rest.issues.deleteComment({ ...client.repository, comment_id: comment.id }))
}
