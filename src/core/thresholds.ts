import type { CaseReport } from './case-report.ts'
import type { Gate, ThresholdMode } from './gate.ts'
import { comparablePool, rateOf } from './gate-evidence.ts'
import type { Pools } from './history.ts'
import type { Percent } from './percent.ts'
import { type JudgedRate, ratePercent } from './result.ts'
import { type Counts, runsOf } from './statistics/counts.ts'
import { YOUNG_BELOW } from './statistics/gate-settings.ts'
import { blocksThreshold, thresholdVerdict } from './statistics/threshold-gate.ts'
import type { Evidence } from './verdict.ts'

/** Judged runs from which `auto` asks that a rate below the limit is shown. Source: spec verdict 7. */
const SHOWN_FROM = 3

/** What a case that is not plainly above its limit comes to. */
export interface ThresholdFinding {
  readonly key: string
  /**
   * `critical`: a critical case failed a run. `blocks`: red. `known_bad`: below its limit on the base branch already.
   * `moved`: below it since the base branch's runs were made, whatever was changed here. `unproven`: too few runs.
   */
  readonly outcome: 'critical' | 'blocks' | 'known_bad' | 'moved' | 'unproven'
  readonly actual: JudgedRate
  readonly required: Percent
  readonly mode: ThresholdMode
  /** The base branch's window, where there is one. */
  readonly before?: JudgedRate
}

/**
 * Every judged case against its limit. Nothing where the gate fails on no threshold, but for critical cases: they block
 * as long as the gate looks at results at all.
 */
export function thresholdFindings(evidence: Evidence, gate: Gate): ThresholdFinding[] {
  const looksAtLimits = gate.failOn.includes('threshold')
  if (!looksAtLimits && !gate.failOn.includes('regression')) return []
  const moved = movedCases(evidence)
  return evidence.cases.flatMap((item) => {
    const { passed, failed } = item.stability
    if (passed + failed === 0) return []
    const isFailedCritical = item.gate?.critical === true && failed > 0
    if (!looksAtLimits && !isFailedCritical) return []
    return findingOf(item, { evidence, gate, isMoved: moved(item.key) }) ?? []
  })
}

interface Surroundings {
  readonly evidence: Evidence
  readonly gate: Gate
  readonly isMoved: boolean
}

function findingOf(
  item: CaseReport,
  { evidence: { pools }, gate, isMoved }: Surroundings,
): ThresholdFinding | undefined {
  const { passed, failed } = item.stability
  const counts = { passed, failed }
  const required = limitOf(item, gate)
  const mode = modeOf(item, gate, runsOf(counts))
  const pool = comparablePool(pools, item.key)
  const finding = {
    key: item.key,
    actual: rateOf(counts),
    required,
    mode,
    ...(pool ? { before: rateOf(pool.counts) } : {}),
  }
  if (item.gate?.critical && failed > 0) return { ...finding, outcome: 'critical' }
  const verdict = thresholdVerdict(counts, required, mode)
  if (verdict === 'pass') return undefined
  // Observed there as it is here: a case that is known to be below its limit proves nothing against this change.
  if (knownBadRate(item, pools, gate)) return { ...finding, outcome: 'known_bad' }
  if (!blocksThreshold(verdict, mode)) return { ...finding, outcome: 'unproven' }
  const isExcused = isMoved && pool !== undefined && gate.thresholdScope === 'new' && !item.gate?.critical
  return { ...finding, outcome: isExcused ? 'moved' : 'blocks' }
}

/** Cases of which the base commit was seen to do as badly now, alone or with the suite as a whole. */
function movedCases({ judgement }: Evidence): (key: string) => boolean {
  if (!judgement) return () => false
  const { cases, suite } = judgement
  const outcomes = new Map(cases.map(({ key, outcome }) => [key, outcome]))
  return (key) => {
    const outcome = outcomes.get(key) ?? 'quiet'
    return outcome === 'environment_moved' || (outcome === 'quiet' && suite.outcome === 'environment_moved')
  }
}

/** Pass rate that the case must reach. */
export function limitOf({ gate: own }: Pick<CaseReport, 'gate'>, gate: Gate): Percent {
  return own?.minPassRate ?? gate.minPassRate
}

function modeOf({ gate: own }: Pick<CaseReport, 'gate'>, gate: Gate, judged: number): ThresholdMode {
  const mode = own?.thresholdMode ?? gate.thresholdMode
  if (mode !== 'auto') return mode
  return judged >= SHOWN_FROM ? 'shown' : 'observed'
}

export function isBelow(counts: Counts, limit: Percent): boolean {
  return runsOf(counts) > 0 && ratePercent(rateOf(counts)) < limit
}

/**
 * The base branch's rate where the case is below its limit there already and therefore does not block; undefined for
 * a critical case, and where the gate asks for all of them. Source: spec verdict 7, `threshold-scope`.
 */
export function knownBadRate(item: CaseReport, pools: Pools, gate: Gate): JudgedRate | undefined {
  if (gate.thresholdScope === 'all' || item.gate?.critical) return undefined
  const counts = comparablePool(pools, item.key)?.counts
  if (!counts || runsOf(counts) < YOUNG_BELOW || !isBelow(counts, limitOf(item, gate))) return undefined
  return rateOf(counts)
}
