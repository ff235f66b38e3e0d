/** Runs of one case that could be judged; errored runs are in neither number. */
export interface Counts {
  readonly passed: number
  readonly failed: number
}

/** One case on the base branch and here. */
export interface Pair {
  readonly baseline: Counts
  readonly current: Counts
}

export function runsOf({ passed, failed }: Counts): number {
  return passed + failed
}

/** The same case seen the other way round: what asks for worse then asks for better. */
export function swapSides({ baseline, current }: Pair): Pair {
  return { baseline: current, current: baseline }
}
