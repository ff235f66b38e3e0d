import { downloadArtifact, readArchive } from '../artifacts/index.ts'
import type { Baseline, LoadedBaseline, Session } from '../core/baseline.ts'
import { isOutdated, orderSessions, uniteBaselines, withoutSessions } from '../core/baseline-window.ts'
import { UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { parseBaseline } from '../core/parse-baseline.ts'
import { type GitHubClient, isGone, type TrustedRun } from '../github/index.ts'
import { plainText } from '../lib/escape.ts'
import type { History, Relation } from './candidates.ts'
import { describeAge, describeRelation, describeRun } from './describe-run.ts'
import type { FoundArtifacts, Stored } from './find-artifact.ts'

/** The one file that a baseline artifact holds. */
export const ENTRY_NAME = 'baseline.json'

export interface ReadWindow {
  readonly loaded: LoadedBaseline
  /** Everything that could be read, for the next session to be added to: later commits and this very one included. */
  readonly window?: Baseline
}

interface Reading {
  readonly client: GitHubClient
  readonly host: Host
  /** The commit under test. */
  readonly own: string | undefined
}

interface Document {
  readonly run: TrustedRun
  readonly relation: Relation
  readonly baseline: Baseline
}

/** Downloads what was found and unites it; a broken anchor is no baseline, broken others only shrink it. */
export async function readWindow(found: FoundArtifacts, { client, host, own }: Reading): Promise<ReadWindow> {
  const documents: Document[] = []
  const missing: string[] = []
  for (const stored of [found.anchor, ...found.others]) {
    const read = await readStored(stored, client, host)
    if (read.kind === 'unreadable' && stored === found.anchor) {
      return { loaded: { kind: 'unreadable', detail: read.detail } }
    }
    const { run, relation } = stored
    if (read.kind === 'read') documents.push({ run, relation, baseline: read.baseline })
    else missing.push(read.detail)
  }
  const [best] = documents
  if (!best) return { loaded: { kind: 'expired', detail: missing.join('; ') } }
  const window = uniteBaselines(documents.map(({ baseline }) => baseline))
  const gaps = [...missing, ...gapsOf(found, window, host)]
  const counted = countedSessions(window, { best, history: found.history, own })
  const source = describeSource(counted, { best, history: found.history }, host)
  return {
    loaded: { kind: 'ok', baseline: counted.baseline, source, ...(gaps.length === 0 ? {} : { missing: gaps }) },
    window,
  }
}

type ReadArtifact =
  | { readonly kind: 'read'; readonly baseline: Baseline }
  | { readonly kind: 'gone' | 'unreadable'; readonly detail: string }

async function readStored({ run, artifact }: Stored, client: GitHubClient, host: Host): Promise<ReadArtifact> {
  const which = describeRun(run)
  try {
    const text = await readArchive(await downloadArtifact(client, artifact, host), artifact.digest, ENTRY_NAME)
    const baseline = parseBaseline(text, which)
    if (baseline.commit === run.headSha) return { kind: 'read', baseline }
    const claimed = baseline.commit === undefined ? 'no commit' : plainText(baseline.commit, { maxLength: 40 })
    return { kind: 'unreadable', detail: `${which} tested ${run.headSha}, but its artifact names ${claimed}` }
  } catch (error) {
    if (isGone(error)) return { kind: 'gone', detail: `the artifact of ${which} is gone` }
    if (!(error instanceof UserError)) throw error
    if (error.code === 'ARTIFACT_UNREADABLE') {
      return { kind: 'unreadable', detail: `artifact of ${which}: ${error.message}` }
    }
    return { kind: 'unreadable', detail: error.message }
  }
}

/** Runs whose sessions nobody has kept, unless they would not count any more. */
function gapsOf({ expired, empty }: FoundArtifacts, { sessions }: Baseline, host: Host): string[] {
  const kept = new Set(sessions.map(({ runId }) => runId))
  const isLost = ({ id, finishedAt }: TrustedRun) => !kept.has(id) && !isOutdated({ createdAt: finishedAt }, host.now())
  const [gone, none] = [expired.filter(isLost), empty.filter(isLost)]
  return [...said(gone, 'artifact', 'expired'), ...said(none, '', 'stored no baseline')]
}

function said(runs: readonly TrustedRun[], whose: string, what: string): string[] {
  const [first] = runs
  if (!first) return []
  if (runs.length === 1) return [`${whose === '' ? '' : `the ${whose} of `}${describeRun(first)} has ${what}`]
  const several = `${runs.length} runs on ${plainText(first.branch, { maxLength: 100 })}`
  return [`${whose === '' ? '' : `the ${whose}s of `}${several} have ${what}`]
}

interface Counted {
  readonly baseline: Baseline
  /** Its sessions are ancestors, though the run they were read from is none. */
  readonly isBorrowed: boolean
}

interface Standing {
  /** The nearest that could be read. */
  readonly best: Document
  readonly history: History
}

/**
 * Sessions of the commit that this one goes from, and of those before it: the base branch has moved on since, and what
 * came later is somebody else's change. Where the history was too long to be listed, the nearest artifact vouches for
 * what is older. Ordered as the commits are: parallel runs do not end in that order.
 */
function countedSessions(window: Baseline, { best, history, own }: Standing & Pick<Reading, 'own'>): Counted {
  const { relation } = best
  const isAncestor = relation.kind !== 'unrelated' && relation.kind !== 'self'
  const vouched = new Set(isAncestor ? best.baseline.sessions.map(({ id }) => id) : [])
  const counts = ({ id, commit }: Session): boolean => {
    if (commit !== undefined && commit === own) return false
    if (commit !== undefined && history.distances.has(commit)) return true
    return vouched.has(id) && (commit === undefined || !history.isWhole)
  }
  const ancestors = withoutSessions(window, (session) => !counts(session))
  if (ancestors.sessions.length > 0) return { baseline: inOrder(ancestors, history), isBorrowed: !isAncestor }
  const foreign = withoutSessions(window, ({ commit }) => commit === own)
  return { baseline: foreign.sessions.length > 0 ? foreign : window, isBorrowed: false }
}

function inOrder(baseline: Baseline, { distances }: History): Baseline {
  const distanceOf = ({ commit = '' }: Session) => distances.get(commit) ?? Number.MAX_SAFE_INTEGER
  return orderSessions(baseline, (left, right) => distanceOf(right) - distanceOf(left))
}

function describeSource({ baseline, isBorrowed }: Counted, { best, history }: Standing, host: Host): string {
  const { run, relation } = best
  const which = describeRun(run)
  if (!isBorrowed) return `${which} (${describeRelation(relation)}${describeAge(run.finishedAt, host)} old)`
  const distance = history.distances.get(baseline.commit ?? '') ?? 0
  const { of } = history
  const nearest: Relation = distance === 0 ? { kind: of } : { kind: 'ancestor', distance, of }
  return `earlier runs that ${which} knows of (${describeRelation(nearest)}${describeAge(baseline.createdAt, host)} old)`
}
