import type { LoadedBaseline } from '../../core/baseline.ts'
import { quote } from '../../core/kind.ts'
import { isBranchName, isSha, type Repository } from '../../git/index.ts'
import type { GitHubContext } from '../../github/index.ts'

/** What is known of where a change started from. */
export interface BaseRef {
  readonly eventName?: string
  /** The tested commit of a pull request, not the merge commit that GitHub makes of it. */
  readonly headSha?: string
  /** Tip of the base branch as the event names it; for a push the commit before it. */
  readonly baseSha?: string
  readonly baseBranch?: string
  /** The tested commit is one of the base branch. */
  readonly isBaseBranch?: boolean
  /** Where the token is valid, such as `https://github.com`. */
  readonly serverUrl?: string
  /** Commit that the baseline was made from. */
  readonly baselineCommit?: string
}

/** From GitHub, where the run is one of its workflows, and from what is compared with. */
export function baseRefOf(context: GitHubContext | undefined, baseline: LoadedBaseline | undefined): BaseRef {
  const commit = baseline?.kind === 'ok' ? baseline.baseline.commit : undefined
  const made = commit !== undefined && isSha(commit) ? { baselineCommit: commit } : {}
  if (!context) return made
  const { eventName, headSha, baseSha, baseBranch, branch, defaultBranch, serverUrl } = context
  return {
    ...made,
    eventName,
    serverUrl,
    ...(headSha === undefined ? {} : { headSha: headSha.toLowerCase() }),
    ...(baseSha === undefined ? {} : { baseSha: baseSha.toLowerCase() }),
    ...(baseBranch === undefined ? {} : { baseBranch }),
    isBaseBranch: branch !== undefined && branch === (defaultBranch ?? baseBranch),
  }
}

export type FoundBase = { readonly commit: string } | { readonly reason: string }

/**
 * The commit that a change is to be compared with: the one that was named; what GitHub has merged the pull request into;
 * where the change parts from its base; for a push the commit before; else that of the baseline. Never the tested one.
 */
export async function findBaseCommit(
  repository: Repository,
  base: BaseRef,
  named: string | undefined,
): Promise<FoundBase> {
  if (named !== undefined) return await namedCommit(named, repository)
  const found = await startOf(repository, base)
  if ('commit' in found && found.commit !== repository.head) return found
  const { baselineCommit } = base
  if (baselineCommit !== undefined && baselineCommit !== repository.head) return { commit: baselineCommit }
  return 'reason' in found ? found : { reason: 'the tested commit is itself the one it would be compared with' }
}

async function namedCommit(name: string, repository: Repository): Promise<FoundBase> {
  const sha = name.toLowerCase()
  if (isSha(sha)) return { commit: sha }
  const known = await repository.resolve(name)
  if (known !== undefined) return { commit: known }
  const fetched = isBranchName(name) ? await repository.fetchBranch(name) : { reason: 'it is no name of a branch' }
  return 'commit' in fetched ? fetched : { reason: `control-base ${quote(name)} is not known: ${fetched.reason}` }
}

async function startOf(repository: Repository, base: BaseRef): Promise<FoundBase> {
  const { head } = repository
  const { headSha, baseSha, eventName } = base
  const parents = await repository.parentsOf(head)
  const [first, second] = parents
  if (headSha !== undefined && headSha !== head && parents.length === 2) {
    if (second === headSha && first !== undefined) return { commit: first }
    if (first === headSha && second !== undefined) return { commit: second }
  }
  if (baseSha !== undefined && (eventName === 'push' || parents.includes(baseSha))) return { commit: baseSha }
  const tip = baseSha === undefined ? await tipOf(repository, base) : { commit: baseSha }
  return 'reason' in tip ? tip : await repository.mergeBase(tip.commit, head)
}

async function tipOf(repository: Repository, { baseBranch }: BaseRef): Promise<FoundBase> {
  if (baseBranch === undefined) return { reason: 'no commit to compare with is known: name one with control-base' }
  if (!isBranchName(baseBranch)) return { reason: `${quote(baseBranch)} is no name of a branch` }
  const known = await repository.resolve(baseBranch)
  return known === undefined ? await repository.fetchBranch(baseBranch) : { commit: known }
}
