import {
  artifactsNamed,
  artifactsOfRun,
  type GitHubClient,
  type GitHubContext,
  historyOf,
  mergeBaseOf,
  type StoredArtifact,
  type TrustedRun,
  trustedRuns,
} from '../github/index.ts'

/** How the commit of a baseline stands to the commit under test. */
export type Relation =
  /** `self`: the very commit, which is shown to be all there is. */
  | { readonly kind: 'merge_base' | 'previous_commit' | 'unrelated' | 'self' }
  | { readonly kind: 'ancestor'; readonly distance: number; readonly of: 'merge_base' | 'previous_commit' }

export type FoundArtifact =
  | { readonly kind: 'found'; readonly run: TrustedRun; readonly artifact: StoredArtifact; readonly relation: Relation }
  | { readonly kind: 'expired'; readonly run: TrustedRun; readonly artifact: StoredArtifact }
  | { readonly kind: 'none'; readonly branch: string; readonly hasRuns: boolean }

interface Candidate {
  readonly run: TrustedRun
  readonly relation: Relation
}

/**
 * Finds the stored baseline of the merge base, else of its nearest ancestor that has one, else of the newest trusted
 * run. Trust comes first at every step. Ten requests at most, the download's included; refusals are thrown.
 */
export async function findArtifact(
  client: GitHubClient,
  context: GitHubContext,
  { name, branches }: { name: string; branches: readonly [string, ...string[]] },
): Promise<FoundArtifact> {
  const start = await startOf(client, context)
  const exact = start === undefined ? [] : (await trustedRuns(client, context, { branches, headSha: start.sha })).runs
  const [first] = exact.map((run): Candidate => ({ run, relation: { kind: start?.kind ?? 'unrelated' } }))
  const hit = await probe(client, name, first ? [first] : [])
  if (hit?.kind === 'found') return hit

  const history = start === undefined ? [] : await historyOf(client, start.sha)
  const listed = await listRuns(client, context, branches)
  const others = listed.filter((run) => run.headSha !== context.headSha && run.id !== first?.run.id)
  const candidates = ranked(others, history, start?.kind ?? 'previous_commit')
  const { artifacts: stored, isCrowded } = await artifactsNamed(client, name)
  const later = await probe(
    client,
    name,
    promising(candidates, stored, { isCrowded, most: branches.length > 1 ? 1 : 2 }),
  )
  if (later?.kind === 'found') return later
  const hasRuns = listed.length > 0 || exact.length > 0
  return (
    hit ??
    later ??
    expiredAmong(candidates, stored) ??
    storedBySelf(listed, stored, context) ?? { kind: 'none', branch: branches[0], hasRuns }
  )
}

/** What another run of the commit under test stored. */
function storedBySelf(
  runs: readonly TrustedRun[],
  stored: readonly StoredArtifact[],
  { headSha }: GitHubContext,
): FoundArtifact | undefined {
  const own = runs.filter((run) => run.headSha === headSha)
  for (const artifact of stored) {
    const run = own.find(({ id }) => id === artifact.runId)
    if (run && !artifact.isExpired) return { kind: 'found', run, artifact, relation: { kind: 'self' } }
  }
  return undefined
}

/**
 * Runs of the branches, newest first. Pull requests from branches of the same name are listed too and may fill the
 * page; then pushes alone are asked for.
 */
async function listRuns(
  client: GitHubClient,
  context: GitHubContext,
  branches: readonly string[],
): Promise<readonly TrustedRun[]> {
  const lists: TrustedRun[] = []
  for (const branch of branches) {
    const { runs, isCrowded } = await trustedRuns(client, context, { branches: [branch] })
    lists.push(...runs)
    if (runs.length > 0 || !isCrowded || branches.length > 1) continue
    lists.push(...(await trustedRuns(client, context, { branches, event: 'push' })).runs)
  }
  return lists
}

interface Start {
  readonly sha: string
  readonly kind: 'merge_base' | 'previous_commit'
}

/** The commit that this one should be compared with. */
async function startOf(client: GitHubClient, context: GitHubContext): Promise<Start | undefined> {
  const { eventName, branch, defaultBranch, baseSha, baseBranch, headSha } = context
  if (headSha === undefined) return undefined
  if (branch !== undefined && branch === defaultBranch) {
    // On the base branch itself there is nothing to merge: the run before this one is the baseline.
    if (eventName === 'push' && baseSha !== undefined) return { sha: baseSha, kind: 'previous_commit' }
    const [, parent] = await historyOf(client, headSha)
    return parent === undefined ? undefined : { sha: parent, kind: 'previous_commit' }
  }
  const base = baseSha ?? baseBranch
  const sha = base === undefined ? undefined : await mergeBaseOf(client, base, headSha)
  return sha === undefined ? undefined : { sha, kind: 'merge_base' }
}

/** Ancestors by distance, then everything else, newest first. */
function ranked(runs: readonly TrustedRun[], history: readonly string[], of: Start['kind']): Candidate[] {
  const distances = new Map(history.map((sha, distance) => [sha, distance]))
  const newestFirst = [...runs].sort((left, right) => right.id - left.id)
  const ancestors = newestFirst.flatMap((run) => {
    const distance = distances.get(run.headSha)
    return distance === undefined ? [] : [{ run, distance }]
  })
  return [
    ...ancestors
      .sort((left, right) => left.distance - right.distance)
      .map(({ run, distance }): Candidate => {
        return { run, relation: distance === 0 ? { kind: of } : { kind: 'ancestor', distance, of } }
      }),
    ...newestFirst.flatMap((run): Candidate[] =>
      distances.has(run.headSha) ? [] : [{ run, relation: { kind: 'unrelated' } }],
    ),
  ]
}

/**
 * The first run that is known to hold a live artifact and, before it, one that may: a second attempt stores under a
 * longer name, which the list by name does not show. Where that list is crowded out, the nearest runs are tried.
 */
function promising(
  candidates: readonly Candidate[],
  stored: readonly StoredArtifact[],
  { isCrowded, most }: { isCrowded: boolean; most: number },
): Candidate[] {
  const live = new Set(stored.flatMap((artifact) => (artifact.isExpired ? [] : [artifact.runId])))
  const sure = candidates.findIndex(({ run }) => live.has(run.id))
  if (sure === -1 && isCrowded) return candidates.slice(0, most)
  const nearer = sure === -1 ? candidates : candidates.slice(0, sure)
  const maybe = nearer.find(({ run }) => run.attempt > 1)
  return [maybe, candidates[sure]].filter((candidate) => candidate !== undefined).slice(-most)
}

/** Looks into runs until one holds a live artifact; else the first expired one. */
async function probe(
  client: GitHubClient,
  name: string,
  candidates: readonly Candidate[],
): Promise<Extract<FoundArtifact, { kind: 'found' | 'expired' }> | undefined> {
  let expired: Extract<FoundArtifact, { kind: 'expired' }> | undefined
  for (const { run, relation } of candidates) {
    const artifacts = await artifactsOfRun(client, run.id, run.attempt > 1 ? undefined : name)
    const artifact = latestAttempt(artifacts, name)
    if (artifact?.isExpired === false) return { kind: 'found', run, artifact, relation }
    if (artifact) expired ??= { kind: 'expired', run, artifact }
  }
  return expired
}

function expiredAmong(candidates: readonly Candidate[], stored: readonly StoredArtifact[]): FoundArtifact | undefined {
  for (const { run } of candidates) {
    const artifact = stored.find(({ runId, isExpired }) => isExpired && runId === run.id)
    if (artifact) return { kind: 'expired', run, artifact }
  }
  return undefined
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
