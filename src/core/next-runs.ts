import { caseEvidence, type GateState } from './gate-evidence.ts'
import type { CaseEvidence } from './statistics/case-evidence.ts'
import { isAdaptive, suspiciousCases } from './statistics/case-test.ts'
import { runsOf } from './statistics/counts.ts'
import { type AskedBatch, nextStep } from './statistics/gate.ts'
import { thresholdVerdict } from './statistics/threshold-gate.ts'
import { isBelow, knownBadRate, limitOf } from './thresholds.ts'

/** Runs to be made: of this commit for `reruns`, of the base commit for both controls. `place` is the case's. */
export type AskedRuns = AskedBatch

export type NextRuns = AskedRuns | { readonly kind: 'done' }

/**
 * What to run next: the caller runs it, marks the batch as done (or unavailable) and asks again, three times at most.
 * A batch is asked for once at most. Source: spec verdict 4.2, and 7 for the cases below their limit.
 */
export function nextRuns(state: GateState): NextRuns {
  const { batches, settings } = state
  const evidence = caseEvidence(state)
  const step = nextStep(evidence, batches, settings)
  // The suite's control comes first: it decides whether single cases are worth naming.
  if (step.kind === 'ask' && step.batch === 'suiteControl') return step
  if (batches.reruns === 'open' && isAdaptive(settings)) {
    const suspicious = step.kind === 'ask' && step.batch === 'reruns' ? step.runs : []
    const runs = union(suspicious, belowLimit(state, evidence, suspicious.length === 0 && isDeclined(state, evidence)))
    if (runs.length > 0) return { kind: 'ask', batch: 'reruns', runs }
  }
  return step.kind === 'ask' ? step : { kind: 'done' }
}

/** The suite is red, and so many cases are suspicious that they are not run again. */
function isDeclined({ settings }: GateState, evidence: readonly CaseEvidence[]): boolean {
  return suspiciousCases(evidence, settings).some((place) => {
    const item = evidence[place]
    return item !== undefined && runsOf(item.all) < settings.maxRuns
  })
}

/**
 * Cases that the first stage left below their limit, but for those that would not block. None where red is certain
 * already and naming the many would cost too much, by the measure of the case test.
 */
function belowLimit(
  { cases, pools, gate, settings }: GateState,
  evidence: readonly CaseEvidence[],
  isSuiteRed: boolean,
): AskedRuns['runs'] {
  if (!gate.failOn.includes('threshold')) return []
  let isCertain = isSuiteRed
  const runs = cases.flatMap((item, place) => {
    const known = evidence[place]
    const limit = limitOf(item, gate)
    if (!known || !isBelow(known.stage1, limit) || knownBadRate(item, pools, gate)) return []
    if (thresholdVerdict(known.stage1, limit, 'shown') === 'fail') isCertain = true
    const count = settings.maxRuns - runsOf(known.all)
    return count > 0 ? [{ place, count }] : []
  })
  return isCertain && runs.length > Math.max(10, cases.length / 5) ? [] : runs
}

function union(left: AskedRuns['runs'], right: AskedRuns['runs']): AskedRuns['runs'] {
  const places = new Set(left.map(({ place }) => place))
  return [...left, ...right.filter(({ place }) => !places.has(place))].sort((one, other) => one.place - other.place)
}
