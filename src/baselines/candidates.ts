import {
  type GitHubClient,
  type GitHubContext,
  historyOf,
  mergeBaseOf,
  type TrustedRun,
  trustedRuns,
} from '../github/index.ts'

/** How the commit of a baseline stands to the commit under test. */
export type Relation =
  /** `self`: the very commit, which is shown to be all there is. */
  | { readonly kind: 'merge_base' | 'previous_commit' | 'unrelated' | 'self' }
  | { readonly kind: 'ancestor'; readonly distance: number; readonly of: 'merge_base' | 'previous_commit' }

/** A run that may have stored something, whatever its place in the history. */
export interface Candidate {
  readonly run: TrustedRun
  readonly relation: Relation
}

export interface Candidates {
  /** The best to compare with first: ancestors by distance, unrelated ones newest first, the commit's own last. */
  readonly ranked: readonly Candidate[]
  /** What the commit is compared with and the commits before it, nearest first; empty where that is not known. */
  readonly history: History
  readonly hasRuns: boolean
}

/** Commits as far as they were listed. */
export interface History {
  readonly of: 'merge_base' | 'previous_commit'
  /** Distance by commit. */
  readonly distances: ReadonlyMap<string, number>
  /** There are none before these. */
  readonly isWhole: boolean
}

/** Commits that GitHub lists at a time. */
const LISTED = 100

/** Every trusted run in sight, in seven calls at most; refusals are thrown. */
export async function findCandidates(
  client: GitHubClient,
  context: GitHubContext,
  branches: readonly [string, ...string[]],
): Promise<Candidates> {
  const start = await startOf(client, context)
  const listed = await listRuns(client, context, branches)
  const isSeen = start === undefined || listed.runs.some((run) => run.headSha === start.sha)
  // Many runs may have come since, or been pushed in between by pull requests from branches of the same name.
  const exact = isSeen || !listed.isCrowded ? [] : await runsAt(client, context, { branches, headSha: start.sha })
  const shas = start === undefined ? [] : await historyOf(client, start.sha)
  const distances = new Map(shas.map((sha, distance) => [sha, distance]))
  const history: History = { of: start?.kind ?? 'previous_commit', distances, isWhole: shas.length < LISTED }
  const runs = [...new Map([...listed.runs, ...exact].map((run) => [run.id, run])).values()]
  return { ranked: rank(runs, history, context.headSha), history, hasRuns: runs.length > 0 }
}

interface Start {
  readonly sha: string
  readonly kind: History['of']
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

/**
 * Runs of the branches, newest first. Pull requests from branches of the same name are listed too and may fill the
 * page; then pushes alone are asked for.
 */
async function listRuns(
  client: GitHubClient,
  context: GitHubContext,
  branches: readonly string[],
): Promise<{ readonly runs: readonly TrustedRun[]; readonly isCrowded: boolean }> {
  const lists: TrustedRun[] = []
  let hasMore = false
  for (const branch of branches) {
    const { runs, isCrowded } = await trustedRuns(client, context, { branches: [branch] })
    lists.push(...runs)
    hasMore ||= isCrowded
    if (runs.length > 0 || !isCrowded) continue
    lists.push(...(await trustedRuns(client, context, { branches: [branch], event: 'push' })).runs)
  }
  return { runs: lists, isCrowded: hasMore }
}

async function runsAt(
  client: GitHubClient,
  context: GitHubContext,
  query: { readonly branches: readonly string[]; readonly headSha: string },
): Promise<readonly TrustedRun[]> {
  return (await trustedRuns(client, context, query)).runs
}

function rank(runs: readonly TrustedRun[], { of, distances }: History, own: string | undefined): Candidate[] {
  const newestFirst = [...runs].sort((left, right) => right.id - left.id)
  const others = newestFirst.filter(({ headSha }) => headSha !== own)
  const ancestors = others
    .flatMap((run) => {
      const distance = distances.get(run.headSha)
      return distance === undefined ? [] : [{ run, distance }]
    })
    .sort((left, right) => left.distance - right.distance)
  return [
    ...ancestors.map(({ run, distance }): Candidate => {
      return { run, relation: distance === 0 ? { kind: of } : { kind: 'ancestor', distance, of } }
    }),
    ...others.flatMap((run): Candidate[] =>
      distances.has(run.headSha) ? [] : [{ run, relation: { kind: 'unrelated' } }],
    ),
    ...newestFirst.flatMap((run): Candidate[] => (run.headSha === own ? [{ run, relation: { kind: 'self' } }] : [])),
  ]
}
