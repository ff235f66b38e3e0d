/** Statistics that one slow run does not move. Same unit as the values. */
export interface RobustDurations {
  readonly median: number
  /** Nine of ten values are at most this; between two values in proportion. */
  readonly p90: number
}

/** Of the runs that count: the caller leaves out void ones. Undefined without a value. Source: spec verdict 8. */
export function robustDurations(values: readonly number[]): RobustDurations | undefined {
  if (values.length === 0) return undefined
  const sorted = Float64Array.from(values).sort()
  return { median: quantile(sorted, 0.5), p90: quantile(sorted, 0.9) }
}

export function median(values: readonly number[]): number | undefined {
  return robustDurations(values)?.median
}

function quantile(sorted: Float64Array, share: number): number {
  const at = (sorted.length - 1) * share
  const [below, above] = [sorted[Math.floor(at)] ?? 0, sorted[Math.ceil(at)] ?? 0]
  return below + (above - below) * (at - Math.floor(at))
}
