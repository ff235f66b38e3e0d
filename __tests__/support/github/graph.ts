import type { Commit, State } from './state.ts'

/** Every commit reachable from `sha`, newest first; a commit stands before its parents. */
export function historyOf({ commits }: State, sha: string): Commit[] {
  const seen = new Set<string>()
  const ordered: Commit[] = []
  const visit = (at: string) => {
    const commit = commits.get(at)
    if (!commit || seen.has(at)) return
    seen.add(at)
    for (const parent of commit.parents) visit(parent)
    ordered.push(commit)
  }
  visit(sha)
  return ordered.reverse()
}

/** The newest common ancestor. */
export function mergeBase(state: State, left: string, right: string): Commit | undefined {
  const ancestors = new Set(historyOf(state, left).map((commit) => commit.sha))
  return historyOf(state, right).find((commit) => ancestors.has(commit.sha))
}

/** Sha of a branch, of `owner:branch`, of `refs/heads/branch`, or of a full or shortened sha. */
export function resolveRef(state: State, ref: string): string | undefined {
  const name = ref.replace(/^refs\//, '').replace(/^heads\//, '')
  const branch = state.branches.get(name) ?? state.branches.get(name.replace(/^[^:/]+:/, ''))
  if (branch !== undefined) return branch
  const fork = state.pulls.find((pull) => `${pull.head.repository.owner}:${pull.head.branch}` === name)
  if (fork) return fork.head.sha
  if (!/^[0-9a-f]{7,40}$/.test(ref)) return undefined
  return [...state.commits.keys()].find((sha) => sha.startsWith(ref))
}
