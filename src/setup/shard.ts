import { agreeOnCut, type BlobArtifacts, cutPlan, manifestOf, partition, weightsOf } from '../blobs/index.ts'
import type { LoadedBaseline } from '../core/baseline.ts'
import type { Host } from '../core/host.ts'
import { durationStats } from '../core/stability.ts'
import type { Prepared } from './prepare.ts'

interface CuttingScope {
  readonly host: Host
  /** Tells how long the cases took on the base branch. */
  readonly loadBaseline: (() => Promise<LoadedBaseline>) | undefined
  /** Where the shards of one workflow run agree on the cut; absent where all are given the same baseline. */
  readonly place?: BlobArtifacts
}

/** What was prepared, with the cases of one shard alone. */
export async function cutToShard(
  prepared: Prepared,
  shard: { readonly index: number; readonly count: number },
  { host, loadBaseline, place }: CuttingScope,
): Promise<Prepared> {
  const { plan } = prepared
  const cut = { count: shard.count, manifest: manifestOf(plan), cases: plan.cases.length }
  const by = (loaded: LoadedBaseline | undefined) => partition(weightsOf(plan.cases, durationsOf(loaded)), shard.count)
  const propose = async () => by(await loadBaseline?.())
  const shards = place
    ? await agreeOnCut(place, cut, { propose, fallback: () => by(undefined) }, host)
    : await propose()
  return { ...prepared, plan: cutPlan(plan, shard, shards) }
}

/** Mean duration of a run of each case, in milliseconds. */
function durationsOf(loaded: LoadedBaseline | undefined): Map<string, number> {
  if (loaded?.kind !== 'ok') return new Map()
  const { cases } = loaded.baseline
  return new Map(
    cases.flatMap(({ key, runs }) =>
      runs.length === 0 ? [] : [[key, durationStats(runs.map(({ durationMs }) => durationMs)).mean] as const],
    ),
  )
}
