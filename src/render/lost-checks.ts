import type { CaseReport } from '../core/case-report.ts'
import type { CasePool, Pools } from '../core/history.ts'
import type { Standpoint } from './standing.ts'

/** Failures of several cases that have one check in common, or all the others. */
export interface FailureGroup {
  /** Name of the check that no longer holds; absent for failures that share none. */
  readonly check?: string
  readonly points: readonly Standpoint[]
}

/**
 * Failing cases by a check that several of them lost, in the order of their worst member; each case stands where most
 * others do. A single group without a name where nothing is shared.
 */
export function groupByLostCheck(points: readonly Standpoint[], pools: Pools): FailureGroup[] {
  const lost = new Map(points.map(({ item }) => [item.key, lostChecks(item, pools.get(item.key))]))
  const counts = new Map<string, number>()
  for (const names of lost.values()) for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const groups = new Map<string | undefined, Standpoint[]>()
  for (const point of points) {
    const shared = [...(lost.get(point.item.key) ?? [])].filter((name) => (counts.get(name) ?? 0) > 1)
    const [first] = shared.sort((left, right) => (counts.get(right) ?? 0) - (counts.get(left) ?? 0))
    const group = groups.get(first)
    if (group) group.push(point)
    else groups.set(first, [point])
  }
  return [...groups].map(([check, members]) => (check === undefined ? { points: members } : { check, points: members }))
}

/** Names of the checks that fail here; those that fail on the base branch as well are not lost. */
function lostChecks({ runs }: CaseReport, pool: CasePool | undefined): Set<string> {
  const before = new Set(pool?.runs.flatMap(({ failedChecks = [] }) => failedChecks) ?? [])
  const names = runs.flatMap((run) =>
    run.status === 'failed' ? run.checks.flatMap(({ name, passed }) => (passed ? [] : [name])) : [],
  )
  const lost = names.filter((name) => !before.has(name))
  return new Set(lost.length === 0 ? names : lost)
}
