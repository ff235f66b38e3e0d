import type { Percent } from './percent.ts'
import type { JudgedRate, RunRecord } from './result.ts'

export type StabilityClass = 'stable' | 'mostly_stable' | 'unstable' | 'highly_unstable'

export interface DurationStats {
  readonly mean: number
  readonly min: number
  readonly max: number
  /** Population standard deviation: divided by N, as Yao does. */
  readonly stddev: number
}

export interface Stability {
  /** Executed runs: passed + failed + errored. */
  readonly runs: number
  readonly passed: number
  readonly failed: number
  readonly errored: number
  /** The errored runs that hit their time limit. */
  readonly timeouts: number
  /** passed / runs: an errored run is not a pass. */
  readonly passRate: Percent
  readonly class: StabilityClass
  readonly durationMs: DurationStats
}

type MeasuredRun = Pick<RunRecord, 'status' | 'durationMs'> & { readonly code?: string }

/** Source: seed 000 "Stability Classification"; on the unrounded rate, so 79.9 is unstable. */
export function classify(passRate: Percent): StabilityClass {
  if (passRate >= 100) return 'stable'
  if (passRate >= 80) return 'mostly_stable'
  return passRate >= 50 ? 'unstable' : 'highly_unstable'
}

/** Pass rate, class and durations of one case; durations cover every executed run, failed ones included. */
export function measure(runs: readonly MeasuredRun[]): Stability {
  const count = (status: RunRecord['status']) => runs.filter((run) => run.status === status).length
  const passed = count('passed')
  const passRate = runs.length === 0 ? 0 : (passed / runs.length) * 100
  return {
    runs: runs.length,
    passed,
    failed: count('failed'),
    errored: count('errored'),
    timeouts: runs.filter((run) => run.code === 'TIMEOUT').length,
    passRate,
    class: classify(passRate),
    durationMs: durationStats(runs.map((run) => run.durationMs)),
  }
}

export function durationStats(durations: readonly number[]): DurationStats {
  if (durations.length === 0) return { mean: 0, min: 0, max: 0, stddev: 0 }
  const min = durations.reduce((least, value) => Math.min(least, value))
  const max = durations.reduce((most, value) => Math.max(most, value))
  const sum = durations.reduce((total, value) => total + value, 0)
  // Rounding can carry the quotient a hair past the values it averages.
  const mean = Math.min(max, Math.max(min, sum / durations.length))
  const variance = durations.reduce((total, value) => total + (value - mean) ** 2, 0) / durations.length
  return { mean, min, max, stddev: Math.sqrt(variance) }
}

/** The rate that comparison and thresholds use; undefined when every run errored. */
export function judgedRate({ passed, failed }: Stability): JudgedRate | undefined {
  const judged = passed + failed
  return judged === 0 ? undefined : { passed, judged }
}

export function describeClass(value: StabilityClass): string {
  const words: Record<StabilityClass, string> = {
    stable: 'Stable',
    mostly_stable: 'Mostly Stable',
    unstable: 'Unstable',
    highly_unstable: 'Highly Unstable',
  }
  return words[value]
}

/** A case's stability under the names and conventions of Yao's reports. Source: spec yao 5.2, `stability_results`. */
export interface YaoStability {
  readonly runs: number
  readonly passed: number
  /** runs - passed: there an errored run is a failed one. */
  readonly failed: number
  readonly pass_rate: Percent
  /** The pass rate as a share, 0..1. */
  readonly consistency: number
  readonly stable: boolean
  readonly stability_class: StabilityClass
  readonly avg_duration_ms: number
  readonly min_duration_ms: number
  readonly max_duration_ms: number
  readonly std_deviation_ms: number
}

export function yaoStability({ runs, passed, passRate, class: stabilityClass, durationMs }: Stability): YaoStability {
  return {
    runs,
    passed,
    failed: runs - passed,
    pass_rate: passRate,
    consistency: passRate / 100,
    stable: stabilityClass === 'stable',
    stability_class: stabilityClass,
    avg_duration_ms: durationMs.mean,
    min_duration_ms: durationMs.min,
    max_duration_ms: durationMs.max,
    std_deviation_ms: durationMs.stddev,
  }
}
