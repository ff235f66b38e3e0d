import type { Percent } from '../percent.ts'
import { binomial } from './binomial.ts'
import { isAdaptive } from './case-test.ts'
import { type Counts, runsOf } from './counts.ts'
import { fisherTail } from './fisher.ts'
import { type GateSettings, YOUNG_BELOW } from './gate-settings.ts'
import { isWithin } from './limit.ts'
import { selectiveTail } from './selective-tail.ts'
import { isSuspicious } from './suspicion.ts'

/** What decides whether a change of one case is found. */
export interface DetectionPlan extends Pick<GateSettings, 'runs' | 'maxRuns' | 'screen'> {
  /** The runs of the base branch as they are; an always-passing case has no failure. */
  readonly baseline: Counts
  /** Largest p-value that flags: the limit in a quiet suite, `levelBeside` the other suspicious cases else. */
  readonly level: number
}

/**
 * P(the case is chosen for more runs and flagged) when a run here fails with probability `failRate`. Exact. Source:
 * spec verdict 4.6.
 */
export function pFlag(plan: DetectionPlan, failRate: number): number {
  return chanceOf(flaggedOutcomes(plan), plan, failRate)
}

/**
 * Minimum detectable change: the smallest drop, in whole points, that is found with probability `power` (0..1);
 * undefined when not even a case that fails every run is. Exact. Source: spec verdict 4.6.
 */
export function mdc(plan: DetectionPlan, power: number): Percent | undefined {
  const outcomes = flaggedOutcomes(plan)
  const passRate = (plan.baseline.passed * 100) / runsOf(plan.baseline)
  for (let drop = 1; drop <= passRate; drop += 1) {
    const found = chanceOf(outcomes, plan, (100 - passRate + drop) / 100)
    // 50 % exactly must not depend on the last digit.
    if (isWithin(power, found)) return drop
  }
  return undefined
}

/** Failures of the first stage and of the re-runs. */
interface Outcome {
  readonly first: number
  readonly later: number
}

function flaggedOutcomes(plan: DetectionPlan): Outcome[] {
  const { level } = plan
  if (runsOf(plan.baseline) < YOUNG_BELOW) return []
  const later = isAdaptive(plan) ? plan.maxRuns - plan.runs : 0
  const tails = Array.from({ length: plan.runs + later + 1 }, (_, here) => tailOf(plan, here))
  const flags = tails.map((tail, here) => isWithin(tail[here] ?? 1, level))
  const outcomes: Outcome[] = []
  for (let first = 0; first <= plan.runs; first += 1) {
    if (isAdaptive(plan) && !isChosen(plan, first)) continue
    for (let more = 0; more <= later; more += 1) {
      if (flags[first + more]) outcomes.push({ first, later: more })
    }
  }
  return outcomes
}

function isChosen({ baseline, runs, screen }: DetectionPlan, failed: number): boolean {
  return isSuspicious({ baseline, current: { passed: runs - failed, failed } }, screen)
}

function tailOf(plan: DetectionPlan, failedHere: number): number[] {
  const { baseline, runs, maxRuns, screen } = plan
  if (!isAdaptive(plan)) return fisherTail({ baseline, current: { passed: runs - failedHere, failed: failedHere } })
  const selection = { baselineRuns: runsOf(baseline), stage1Runs: runs, allRuns: maxRuns, screen }
  return selectiveTail(selection, baseline.failed + failedHere)
}

function chanceOf(outcomes: readonly Outcome[], plan: DetectionPlan, failRate: number): number {
  const rate = Math.min(1, Math.max(0, failRate))
  const first = chances(plan.runs, rate)
  const later = chances(isAdaptive(plan) ? plan.maxRuns - plan.runs : 0, rate)
  const sum = outcomes.reduce((total, outcome) => total + (first[outcome.first] ?? 0) * (later[outcome.later] ?? 0), 0)
  return Math.min(1, sum)
}

function chances(runs: number, rate: number): number[] {
  const { probability } = binomial(runs, rate)
  return Array.from({ length: runs + 1 }, (_, failed) => probability(failed))
}
