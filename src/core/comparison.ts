import type { Baseline, BaselineCase } from './baseline.ts'
import type { CaseReport } from './case-report.ts'
import { rateOf } from './gate-evidence.ts'
import type { Pools } from './history.ts'
import type { CaseFinding } from './judgement.ts'
import { type JudgedRate, ratePercent } from './result.ts'
import { judgedRate } from './stability.ts'

/** Before and after of one case against the base branch's window. Source of the rules: spec verdict 4.2. */
export type Change =
  | { readonly kind: 'new' | 'redefined'; readonly key: string; readonly after?: JudgedRate }
  | { readonly kind: 'removed' | 'not_judged'; readonly key: string; readonly before?: JudgedRate }
  /** Too few runs of the base branch to compare with. */
  | { readonly kind: 'young'; readonly key: string; readonly before: JudgedRate; readonly after?: JudgedRate }
  | {
      readonly kind: ComparedKind
      readonly key: string
      readonly before: JudgedRate
      /** All runs here. */
      readonly after: JudgedRate
      /** Where the case test looked at it. */
      readonly finding?: CaseFinding
    }

/**
 * `regressed` blocks: flagged, and the base commit still does well or could not be asked. `environment_moved`: flagged,
 * but the base commit does as badly now. `not_proven`: flagged, but the gap to the base commit's fresh runs is too
 * small. `dropped` and `risen`: a difference that may be chance. `improved`: shown to be better.
 */
type ComparedKind = 'unchanged' | 'improved' | 'risen' | 'dropped' | 'regressed' | 'environment_moved' | 'not_proven'

/** What the statistics found of single cases. */
export interface Findings {
  readonly cases: readonly CaseFinding[]
  /** Keys of cases that are shown to be better. */
  readonly improved: readonly string[]
}

/**
 * Sets every case that was run beside the base branch's window, in the order of the cases; those that are gone come
 * last. Only runs that could be judged count; a case whose runs all errored is `not_judged`.
 */
export function compare(
  cases: readonly CaseReport[],
  { pools, baseline, findings }: { readonly pools: Pools; readonly baseline: Baseline; readonly findings: Findings },
): Change[] {
  const found = new Map(findings.cases.map((finding) => [finding.key, finding]))
  const improved = new Set(findings.improved)
  const changes = cases.flatMap((item): Change[] => {
    if (item.stability.runs === 0) return []
    return [changeOf(item, pools, { finding: found.get(item.key), isImproved: improved.has(item.key) })]
  })
  return [...changes, ...removedCases(baseline, cases)]
}

interface Found {
  readonly finding: CaseFinding | undefined
  readonly isImproved: boolean
}

function changeOf(item: CaseReport, pools: Pools, found: Found): Change {
  const { key } = item
  const after = judgedRate(item.stability)
  const pool = pools.get(key)
  if (pool?.state === 'redefined') return { kind: 'redefined', key, ...optional('after', after) }
  const before = pool && rateOf(pool.counts)
  // A window whose runs all errored says nothing.
  if (!pool || !before || pool.state === 'new' || before.judged === 0) {
    return { kind: 'new', key, ...optional('after', after) }
  }
  if (pool.state === 'young') return { kind: 'young', key, before, ...optional('after', after) }
  if (!after) return { kind: 'not_judged', key, before }
  return { kind: comparedKind(before, after, found), key, before, after, ...optional('finding', found.finding) }
}

function comparedKind(before: JudgedRate, after: JudgedRate, { finding, isImproved }: Found): ComparedKind {
  switch (finding?.outcome) {
    case 'confirmed':
    case 'uncontrolled':
      return 'regressed'
    case 'environment_moved':
    case 'not_proven':
      return finding.outcome
    case 'quiet':
    case undefined: {
      const [was, is] = [ratePercent(before), ratePercent(after)]
      if (is === was) return 'unchanged'
      if (is < was) return 'dropped'
      return isImproved ? 'improved' : 'risen'
    }
  }
}

/** Cases of the base branch's newest session that are not in this suite; an older session may know what is long gone. */
function removedCases({ cases: known, sessions }: Baseline, cases: readonly CaseReport[]): Change[] {
  const current = new Set(cases.map(({ key }) => key))
  const newest = sessions.length - 1
  return known
    .filter(({ key, runs }) => !current.has(key) && runs.some(({ session }) => session === newest))
    .map((item): Change => ({ kind: 'removed', key: item.key, ...optional('before', baselineRate(item)) }))
}

function baselineRate({ runs }: BaselineCase): JudgedRate | undefined {
  const judged = runs.filter((run) => run.status !== 'errored')
  if (judged.length === 0) return undefined
  return { passed: judged.filter((run) => run.status === 'passed').length, judged: judged.length }
}

function optional<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, V>)
}
