import type { BareRepository } from './bare-repository.ts'
import { isSha } from './names.ts'

type Found<T> = T | { readonly reason: string }

interface Parts {
  readonly mirror: BareRepository
  readonly isShallow: boolean
  /** A repository that has nothing yet. */
  makeScratch(): Promise<Found<BareRepository>>
}

/** How far back history is looked through when the clone is shallow. */
const DEPTHS = [64, 1_024]

/** The commit that two others have both come from: of what is here, else of what `origin` knows. */
export async function mergeBaseOf(
  commits: readonly [string, string],
  { mirror, isShallow, makeScratch }: Parts,
): Promise<Found<{ readonly commit: string }>> {
  if (!commits.every(isSha)) return { reason: 'it is no commit id' }
  const here = await askFor(commits, mirror)
  if (here !== undefined) return { commit: here }
  if (!isShallow) {
    // One of them may be known to this machine alone.
    for (const commit of commits) await mirror.fetch([commit])
    const found = await askFor(commits, mirror)
    if (found !== undefined) return { commit: found }
  }
  // Without files: a long history of them would take minutes.
  const scratch = await makeScratch()
  if ('reason' in scratch) return scratch
  for (const depth of DEPTHS) {
    const fetched = await scratch.fetch(commits, { depth, historyOnly: true })
    if (fetched.kind === 'failed') return { reason: `its history cannot be fetched: ${fetched.reason}` }
    const found = await askFor(commits, scratch)
    if (found !== undefined) return { commit: found }
  }
  return { reason: `it parts from the base more than ${DEPTHS.at(-1)} commits ago` }
}

/** Undefined, too, when one of the commits is not there. */
async function askFor([one, other]: readonly [string, string], { run }: BareRepository): Promise<string | undefined> {
  const ran = await run(['merge-base', one, other])
  const sha = ran.kind === 'done' ? ran.text.trim() : ''
  return isSha(sha) ? sha : undefined
}
