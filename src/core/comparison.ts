import type { Baseline, BaselineCase } from './baseline.ts'
import type { CaseReport } from './case-report.ts'
import type { Percent } from './percent.ts'
import { type JudgedRate, ratePercent } from './result.ts'
import { judgedRate } from './stability.ts'

/** Before and after of one case against the baseline. */
export type Change =
  | { readonly kind: 'new' | 'redefined'; readonly key: string; readonly after?: JudgedRate }
  | { readonly kind: 'removed' | 'not_judged'; readonly key: string; readonly before?: JudgedRate }
  | {
      /** `regressed` blocks; `dropped` is any other fall and is shown only. */
      readonly kind: 'unchanged' | 'improved' | 'dropped' | 'regressed'
      readonly key: string
      readonly before: JudgedRate
      readonly after: JudgedRate
    }

/**
 * Sets every case beside its baseline. Only runs that could be judged count; a case whose definition or target
 * changed is `redefined`, and one whose runs all errored is `not_judged`.
 */
export function compare(baseline: Baseline, cases: readonly CaseReport[], minPassRate: Percent): Change[] {
  const before = new Map(baseline.cases.map((item) => [item.key, item]))
  const current = new Set(cases.map((item) => item.key))
  const changes = cases.flatMap((item): Change[] => {
    if (item.stability.runs === 0) return []
    return [changeOf(before.get(item.key), item, minPassRate)]
  })
  const removed = baseline.cases
    .filter((item) => !current.has(item.key))
    .map((item): Change => ({ kind: 'removed', key: item.key, ...optional('before', baselineRate(item)) }))
  return [...changes, ...removed]
}

function changeOf(earlier: BaselineCase | undefined, item: CaseReport, minPassRate: Percent): Change {
  const { key } = item
  const after = judgedRate(item.stability)
  const before = earlier && baselineRate(earlier)
  if (!earlier || !before) return { kind: 'new', key, ...optional('after', after) }
  if (earlier.fingerprint !== item.fingerprint || earlier.target !== item.target) {
    return { kind: 'redefined', key, ...optional('after', after) }
  }
  if (!after) return { kind: 'not_judged', key, before }
  const [was, is] = [ratePercent(before), ratePercent(after)]
  if (was === is) return { kind: 'unchanged', key, before, after }
  if (is > was) return { kind: 'improved', key, before, after }
  return { kind: was >= minPassRate && is < minPassRate ? 'regressed' : 'dropped', key, before, after }
}

function baselineRate({ runs }: BaselineCase): JudgedRate | undefined {
  const judged = runs.filter((run) => run.status !== 'errored')
  if (judged.length === 0) return undefined
  return { passed: judged.filter((run) => run.status === 'passed').length, judged: judged.length }
}

function optional<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, V>)
}
