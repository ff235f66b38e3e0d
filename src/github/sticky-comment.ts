import { createHash, randomBytes } from 'node:crypto'
import { UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { GitHubClient } from './client.ts'
import {
  type CommentSection,
  defused,
  isNewer,
  marksOf,
  mergeSections,
  type PlacedSection,
  type RunOrigin,
  readSections,
  type SectionMarks,
} from './comment-sections.ts'
import { isNotFound, leavesOpen, waitAskedFor } from './failure.ts'
import { type Comment, type OwnComments, openOwnComments } from './own-comments.ts'

/** GitHub refuses a longer body with 422. Source: its message "maximum is 65536 characters". */
export const COMMENT_LIMIT = 65_536

export interface StickyComment {
  readonly prNumber: number
  /** Which comment of the pull request. */
  readonly key: string
  /** Which section of the comment: names the job, the same in every run. */
  readonly leg: string
  readonly origin: RunOrigin
  readonly section: CommentSection
  /** All sections in one text of at most `chars` UTF-16 units, `marks` around the body of each. */
  readonly compose: (
    sections: readonly CommentSection[],
    room: { readonly chars: number; readonly marks: SectionMarks },
  ) => string
  /** Whether a comment is posted when there is none yet; one that exists is always brought up to date. */
  readonly postsNew: boolean
}

/** `newer_run`: the comment already shows a later run, which an earlier one must not cover. */
export type CommentOutcome = Written | { readonly kind: 'not_due' | 'newer_run' }

interface Written {
  readonly kind: 'created' | 'updated'
  readonly id: number
  readonly url: string
  /** Another job of this very workflow run takes itself for the same section. */
  readonly isShared: boolean
}

interface Work {
  readonly host: Host
  readonly sticky: StickyComment
  readonly ours: PlacedSection
  readonly comments: OwnComments
  failures: number
  waits: number
}

/** Jobs that end in the same second need a few. */
const MOST_ROUNDS = 8
const MOST_FAILURES = 3
const MOST_WAITS = 2

/**
 * Puts our section into the comment of the pull request, to which other jobs write at the same time. GitHub knows no
 * condition for a write: so the comment is read, merged and written, and read again when others have had the time to
 * write what they had read before. There is never more than one comment for a key.
 */
export async function putStickyComment(
  client: GitHubClient,
  host: Host,
  sticky: StickyComment,
): Promise<CommentOutcome> {
  const origin = { ...sticky.origin, leg: legId(sticky.leg), writer: randomBytes(8).toString('hex') }
  const ours = { ...defused(sticky.section), origin }
  const comments = await openOwnComments(client, host, { prNumber: sticky.prNumber, marker: markerOf(sticky.key) })
  const work: Work = { host, sticky, ours, comments, failures: 0, waits: 0 }
  for (let round = 1; round <= MOST_ROUNDS; round += 1) {
    const outcome = await write(work)
    if (outcome === 'again') continue
    if (!('id' in outcome)) return outcome
    await host.sleep(settlingTime(work, round), host.signal)
    const { state, comment } = await lookAgain(work, outcome.id)
    if (state === 'gone') continue
    // Another job may have put both into its comment and removed ours.
    const place = comment === undefined ? {} : { id: comment.id, url: comment.html_url }
    return { ...outcome, ...place, isShared: outcome.isShared || state === 'taken' }
  }
  throw crowdedOut()
}

function legId(leg: string): string {
  return createHash('sha256').update(leg).digest('hex').slice(0, 16)
}

/** Longer than others take from reading to writing, and different for every job, so that two do not meet again. */
function settlingTime({ host, ours }: Work, round: number): number {
  const share = Number.parseInt(ours.origin.leg.slice(0, 4), 16) / 0x1_00_00
  const ms = 2_000 + 2_000 * share * round
  return host.env['AGENT_TEST_GITHUB_PACE'] === 'instant' ? ms / 10 : ms
}

function crowdedOut(): UserError {
  return new UserError('other jobs wrote to the comment of the pull request all the time', {
    code: 'GITHUB_UNAVAILABLE',
    hint: 'give some of them another comment-key',
  })
}

/** Hidden first line. The key is made safe for an HTML comment; keys that differ stay different. */
export function markerOf(key: string): string {
  const safe = key.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 80)
  const suffix = safe === key ? '' : `-${createHash('sha256').update(key).digest('hex').slice(0, 8)}`
  return `<!-- agent-test:${safe}${suffix} -->`
}

function dataLine({ headSha, runId, attempt }: RunOrigin): string {
  return `<!-- agent-test-data head=${headSha} run=${runId} attempt=${attempt} -->`
}

/** Undefined when the second line is not ours. */
export function readData(body: string): RunOrigin | undefined {
  const line = body.split(/\r?\n/, 2)[1] ?? ''
  const match = /^<!-- agent-test-data head=([0-9a-f]*) run=(\d{1,15}) attempt=(\d{1,6}) -->$/i.exec(line)
  if (!match) return undefined
  return { headSha: match[1] ?? '', runId: Number(match[2]), attempt: Number(match[3]) }
}

function textOf({ sticky, ours }: Work, sections: readonly PlacedSection[]): string {
  const current = sections.map(({ origin }) => origin).filter(({ headSha }) => headSha === ours.origin.headSha)
  const newest = current.reduce<RunOrigin>((best, origin) => (isNewer(origin, best) ? origin : best), ours.origin)
  const head = `${markerOf(sticky.key)}\n${dataLine(newest)}\n`
  const text = `${head}${sticky.compose(sections, { chars: COMMENT_LIMIT - head.length, marks: marksOf(sections) })}`
  if (holdsOurs(text, ours)) return text
  throw new UserError(`the comment of the pull request has no room for section ${sections.length}`, {
    code: 'GITHUB_UNAVAILABLE',
    hint: 'give some of the jobs another comment-key',
  })
}

type Step = CommentOutcome | 'again'

async function write(work: Work): Promise<Step> {
  const { comments, sticky, ours } = work
  const own = await comments.list()
  const [kept, ...duplicates] = own
  if (!kept) {
    if (!sticky.postsNew) return { kind: 'not_due' }
    const { id, html_url: url } = await comments.create(textOf(work, [ours]), ({ body = '' }) => holdsOurs(body, ours))
    return { kind: 'created', id, url, isShared: false }
  }
  // A long discussion takes time to read, and this one comment may have changed since.
  const current = await comments.get(kept.id)
  return current ? await update(work, current, duplicates) : 'again'
}

function holdsOurs(body: string, ours: PlacedSection): boolean {
  return readSections(body).some(({ origin }) => origin.writer === ours.origin.writer)
}

async function update(work: Work, kept: Comment, duplicates: readonly Comment[]): Promise<Step> {
  const { comments, ours } = work
  const bodies = [kept, ...duplicates].map(({ body = '' }) => body)
  if (bodies.some((body) => isAhead(body, ours.origin))) return { kind: 'newer_run' }
  const merged = mergeSections(bodies.flatMap(readSections), ours)
  if (merged.kind === 'newer_run') return merged
  try {
    const { id, html_url: url } = await comments.update(kept.id, textOf(work, merged.sections))
    // Two first runs that ended in the same second leave two comments.
    for (const comment of duplicates) await comments.remove(comment.id)
    const { replaced } = merged
    const isShared =
      replaced !== undefined && isSameRun(replaced, ours.origin) && replaced.writer !== ours.origin.writer
    return { kind: comments.wasCreated(id) ? 'created' : 'updated', id, url, isShared }
  } catch (error) {
    return await recover(work, error)
  }
}

/** What the sections do not tell: a comment of an older format, or one that somebody changed by hand. */
function isAhead(body: string, ours: RunOrigin): boolean {
  const data = readData(body)
  if (!data) return false
  return readSections(body).length === 0
    ? isNewer(data, ours)
    : data.headSha !== ours.headSha && data.runId > ours.runId
}

function isSameRun(left: RunOrigin, right: RunOrigin): boolean {
  return left.runId === right.runId && left.attempt === right.attempt
}

/** Nothing is sent twice as it is: by then others may have written, so the comment is read anew. */
async function recover(work: Work, error: unknown): Promise<'again'> {
  const { host } = work
  const seconds = waitAskedFor(error)
  if (seconds !== undefined && work.waits < MOST_WAITS) {
    work.waits += 1
    await host.sleep(seconds * 1_000, host.signal)
    return 'again'
  }
  if (!isNotFound(error) && !leavesOpen(error)) throw error
  work.failures += 1
  if (work.failures >= MOST_FAILURES) throw error
  await host.sleep(host.env['AGENT_TEST_GITHUB_PACE'] === 'instant' ? 1 : work.failures * 1_000, host.signal)
  return 'again'
}

/** `taken`: another job of this run writes the same section. `gone`: it has to be written again. */
type State = 'there' | 'taken' | 'gone'

async function lookAgain(work: Work, id: number): Promise<{ readonly state: State; readonly comment?: Comment }> {
  const { comments } = work
  const comment = comments.wasCreated(id) ? await comments.only() : await comments.get(id)
  return { state: stateOf(work, comment), ...(comment === undefined ? {} : { comment }) }
}

function stateOf({ ours }: Work, comment: Comment | undefined): State {
  const section = readSections(comment?.body ?? '').find(({ origin }) => origin.leg === ours.origin.leg)
  if (!section) return 'gone'
  if (section.origin.writer === ours.origin.writer || isNewer(section.origin, ours.origin)) return 'there'
  return isSameRun(section.origin, ours.origin) ? 'taken' : 'gone'
}
