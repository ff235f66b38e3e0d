import type { BaselineRun } from './baseline.ts'
import { type Prices, priceOf } from './budget.ts'
import type { CaseReport } from './case-report.ts'
import type { Gate } from './gate.ts'
import { comparablePool } from './gate-evidence.ts'
import type { Pools } from './history.ts'
import { binomial } from './statistics/binomial.ts'
import { type Counts, runsOf } from './statistics/counts.ts'
import { type GateSettings, YOUNG_BELOW } from './statistics/gate-settings.ts'
import { isSuspicious } from './statistics/suspicion.ts'
import { isBelow, knownBadRate, limitOf } from './thresholds.ts'

/** What a case is going to take if it does as it did on the base branch; the base side's own runs are not in it. */
export interface CaseEstimate {
  readonly runs: {
    readonly least: number
    readonly most: number
    readonly expected: number
  }
  /** Of all expected runs together, of the agent alone; absent where its history does not say. */
  readonly tokens?: number
  readonly costUsd?: number
  readonly durationMs?: number
}

interface Forecast {
  readonly pools: Pools
  readonly gate: Gate
  readonly settings: GateSettings
  readonly prices?: Prices | undefined
}

export function estimateCase(item: CaseReport, forecast: Forecast): CaseEstimate {
  const { runs: least, maxRuns: most } = forecast.settings
  if (item.skip !== undefined || item.unchanged !== undefined) return { runs: { least: 0, most: 0, expected: 0 } }
  const expected = least + (most - least) * rerunChance(item, forecast)
  const judged = (forecast.pools.get(item.key)?.runs ?? []).filter(({ status }) => status !== 'errored')
  const total = (values: readonly (number | undefined)[]) => {
    const mean = meanOf(values)
    return mean === undefined ? undefined : mean * expected
  }
  const tokens = total(judged.map(tokensOf))
  const costUsd = total(judged.map((run) => costOf(run, forecast.prices)))
  const durationMs = total(judged.map((run) => run.durationMs))
  return {
    runs: { least, most, expected },
    ...(tokens === undefined ? {} : { tokens }),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(durationMs === undefined ? {} : { durationMs }),
  }
}

/** How likely the first stage leaves it suspicious, or below its limit, with the rate that it has on the base branch. */
function rerunChance(item: CaseReport, { pools, gate, settings }: Forecast): number {
  const baseline = comparablePool(pools, item.key)?.counts
  if (!baseline || runsOf(baseline) < YOUNG_BELOW) return 0
  const blocksBelow = gate.failOn.includes('threshold') && knownBadRate(item, pools, gate) === undefined
  const isRerun = (current: Counts) =>
    isSuspicious({ baseline, current }, settings.screen) || (blocksBelow && isBelow(current, limitOf(item, gate)))
  const { runs } = settings
  const outcomes = binomial(runs, baseline.failed / runsOf(baseline))
  let chance = 0
  for (let failed = outcomes.min; failed <= outcomes.max; failed += 1) {
    if (isRerun({ passed: runs - failed, failed })) chance += outcomes.probability(failed)
  }
  return Math.min(1, chance)
}

/** Of those that are known. */
function meanOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length
}

function tokensOf({ inputTokens, outputTokens }: BaselineRun): number | undefined {
  return inputTokens === undefined && outputTokens === undefined ? undefined : (inputTokens ?? 0) + (outputTokens ?? 0)
}

/** A price that was not known then may be known now. */
function costOf({ costUsd, answeredModel, inputTokens = 0, outputTokens = 0 }: BaselineRun, prices?: Prices) {
  const price = answeredModel === undefined || !prices ? undefined : priceOf(answeredModel, prices)
  return costUsd ?? (price && (inputTokens * price.input + outputTokens * price.output) / 1_000_000)
}
