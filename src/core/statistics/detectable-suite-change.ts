import type { Percent } from '../percent.ts'
import { type Counts, runsOf } from './counts.ts'
import type { GateSettings } from './gate-settings.ts'
import { normalQuantile, normalSurvival } from './normal.ts'

/** One more failed run moves the excess by a whole step; half of it is what a normal distribution does not see. */
const HALF_STEP = 0.5

/**
 * The smallest drop of all cases alike, in whole points, that the suite test finds with probability `power` (0..1);
 * undefined when not even a total failure is found. By a normal approximation at the base branch's observed rates:
 * within a point or a tenth of the simulated values from ten cases on. Source: spec verdict 4.6.
 */
export function suiteMdc(
  baselines: readonly Counts[],
  { runs, alphaSuite }: Pick<GateSettings, 'runs' | 'alphaSuite'>,
  power: number,
): Percent | undefined {
  const limit = normalQuantile(alphaSuite)
  const judged = baselines.filter((baseline) => runsOf(baseline) > 0)
  for (let drop = 1; drop <= 100; drop += 1) {
    const { mean, deviation, shuffledDeviation } = excessOf(judged, runs, drop / 100)
    const missing = limit * shuffledDeviation + HALF_STEP - mean
    if (deviation > 0 ? normalSurvival(missing / deviation) >= power : missing < 0) return drop
  }
  return undefined
}

interface Excess {
  readonly mean: number
  readonly deviation: number
  /** What shuffling the runs would make of the same failures. */
  readonly shuffledDeviation: number
}

/**
 * Failed runs here beyond what shuffling predicts, when every case fails `drop` (0..1) more often than on the base
 * branch.
 */
function excessOf(baselines: readonly Counts[], runs: number, drop: number): Excess {
  let [mean, variance, shuffledVariance] = [0, 0, 0]
  for (const baseline of baselines) {
    const before = runsOf(baseline)
    const all = before + runs
    const [rateBefore, rate] = [baseline.failed / before, Math.min(1, baseline.failed / before + drop)]
    const failed = baseline.failed + runs * rate
    mean += (before * runs * (rate - rateBefore)) / all
    variance += (before ** 2 * runs * rate * (1 - rate) + runs ** 2 * before * rateBefore * (1 - rateBefore)) / all ** 2
    shuffledVariance += (runs * before * failed * (all - failed)) / (all ** 2 * (all - 1))
  }
  return { mean, deviation: Math.sqrt(variance), shuffledDeviation: Math.sqrt(shuffledVariance) }
}
