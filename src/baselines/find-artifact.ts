import {
  artifactsNamed,
  artifactsOfRun,
  type GitHubContext,
  type StoredArtifact,
  type TrustedRun,
} from '../github/index.ts'
import type { CountedClient } from './call-count.ts'
import { type Candidate, findCandidates, type History, type Relation } from './candidates.ts'

/** A run with what it stored. */
export interface Stored extends Candidate {
  readonly artifact: StoredArtifact
}

export interface FoundArtifacts {
  readonly kind: 'found'
  /** The nearest that is alive. */
  readonly anchor: Stored
  /** The next best, in that order: they may have ended beside it, and not know of each other. */
  readonly others: readonly Stored[]
  readonly history: History
  /** Runs at least as near as the anchor whose artifact has expired, and those that are not known to have stored one. */
  readonly expired: readonly TrustedRun[]
  readonly empty: readonly TrustedRun[]
}

export type Finding =
  | FoundArtifacts
  | ({ readonly kind: 'expired' } & Stored)
  | { readonly kind: 'none'; readonly branch: string; readonly hasRuns: boolean }

/** Artifacts that are read besides the anchor's. */
const MOST_OTHERS = 2
/** Runs whose artifacts are asked for one by one, on the way to the anchor. */
const MOST_PROBES = 2

/**
 * Finds the stored baselines of the merge base, or its nearest ancestor that has one, or the newest trusted run, and a
 * few more beside it: as many as can be downloaded with the calls that are left. Trust comes first at every step;
 * refusals are thrown.
 */
export async function findArtifacts(
  { client, left }: CountedClient,
  context: GitHubContext,
  { name, branches }: { name: string; branches: readonly [string, ...string[]] },
): Promise<Finding> {
  const { ranked, history, hasRuns } = await findCandidates(client, context, branches)
  if (ranked.length === 0) return { kind: 'none', branch: branches[0], hasRuns }
  const shelf = openShelf({ client, left }, name, await artifactsNamed(client, name))
  const expired: Stored[] = []
  const empty: TrustedRun[] = []
  for (const [place, { run, relation }] of ranked.entries()) {
    const artifact = await shelf.ofRun(run)
    if (artifact?.isExpired === false) {
      return {
        kind: 'found',
        anchor: { run, artifact, relation },
        others: await pickOthers(othersOf(ranked, place), shelf, left),
        history,
        expired: expired.map((one) => one.run),
        empty,
      }
    }
    if (artifact) expired.push({ run, relation, artifact })
    else empty.push(run)
  }
  const [first] = expired
  return first ? { kind: 'expired', ...first } : { kind: 'none', branch: branches[0], hasRuns }
}

async function pickOthers(from: readonly Candidate[], shelf: Shelf, left: () => number): Promise<Stored[]> {
  const picked: Stored[] = []
  for (const { run, relation } of from) {
    // One call for each download, the anchor's included.
    const free = left() - 1 - picked.length
    if (free < 1 || picked.length === MOST_OTHERS) break
    const artifact = free > 1 && run.attempt > 1 ? await shelf.ofRun(run, { isFree: true }) : shelf.known(run)
    if (artifact?.isExpired === false) picked.push({ run, relation, artifact })
  }
  return picked
}

/**
 * The commit's own runs, whose sessions belong into the window that is saved; ancestors by distance; then runs after
 * the anchor, oldest first: these hold the most of what was before.
 */
function othersOf(ranked: readonly Candidate[], anchor: number): Candidate[] {
  const rest = ranked.filter((_, place) => place !== anchor)
  const [own, foreign] = [rest.filter(isOf('self')), rest.filter(isOf('unrelated'))]
  const ancestors = rest.filter((one) => !own.includes(one) && !foreign.includes(one))
  return [...own, ...ancestors, ...foreign.toReversed()]
}

function isOf(kind: Relation['kind']): (candidate: Candidate) => boolean {
  return ({ relation }) => relation.kind === kind
}

interface Shelf {
  /** Looks into the run where the list does not say what it stored; not too often, unless that is free. */
  ofRun(run: TrustedRun, cost?: { readonly isFree: boolean }): Promise<StoredArtifact | undefined>
  /** Without another request. */
  known(run: TrustedRun): StoredArtifact | undefined
}

/**
 * A second attempt stores under a longer name, which the list by name does not show; and where that list is crowded, a
 * run that is not in it may have stored something all the same.
 */
function openShelf(
  { client, left }: CountedClient,
  name: string,
  { artifacts, isCrowded }: { readonly artifacts: readonly StoredArtifact[]; readonly isCrowded: boolean },
): Shelf {
  const byRun = new Map<number, StoredArtifact>()
  for (const artifact of artifacts) if (!byRun.has(artifact.runId)) byRun.set(artifact.runId, artifact)
  const probed = new Set<number>()
  const known = (run: TrustedRun) => byRun.get(run.id)
  return {
    known,
    async ofRun(run, { isFree } = { isFree: false }) {
      const isOpen = run.attempt > 1 || (isCrowded && !byRun.has(run.id))
      if (!isOpen || probed.has(run.id) || left() < 2) return known(run)
      if (!isFree && probed.size >= MOST_PROBES) return known(run)
      probed.add(run.id)
      const found = latestAttempt(await artifactsOfRun(client, run.id, run.attempt > 1 ? undefined : name), name)
      if (found) byRun.set(run.id, found)
      return found
    },
  }
}

/** A name is taken for good within a run, so a later attempt needs its own. */
export function nameOfAttempt(name: string, attempt: number): string {
  return attempt > 1 ? `${name}-attempt-${attempt}` : name
}

function latestAttempt(artifacts: readonly StoredArtifact[], name: string): StoredArtifact | undefined {
  const attempts = artifacts.flatMap((artifact) => {
    const attempt = attemptOf(artifact.name, name)
    return attempt === undefined ? [] : [{ artifact, attempt }]
  })
  return attempts.sort((left, right) => right.attempt - left.attempt || right.artifact.id - left.artifact.id)[0]
    ?.artifact
}

function attemptOf(found: string, name: string): number | undefined {
  if (found === name) return 1
  const suffix = found.startsWith(`${name}-attempt-`) ? found.slice(`${name}-attempt-`.length) : ''
  return /^[1-9]\d{0,5}$/.test(suffix) && suffix !== '1' ? Number(suffix) : undefined
}
