import { logBinomial } from './logarithms.ts'
import type { Counting } from './tails.ts'

/** `drawn` of `total` runs taken at random, of which `failed` are failures. */
export interface Draw {
  readonly total: number
  readonly failed: number
  readonly drawn: number
}

/** Failures among the drawn runs. */
export function hypergeometric({ total, failed, drawn }: Draw): Counting {
  const passed = total - failed
  const all = logBinomial(total, drawn)
  return {
    min: Math.max(0, drawn - passed),
    max: Math.min(drawn, failed),
    mean: total === 0 ? 0 : (drawn * failed) / total,
    probability: (x) => Math.exp(logBinomial(failed, x) + logBinomial(passed, drawn - x) - all),
    ratio: (x) => ((failed - x) * (drawn - x)) / ((x + 1) * (passed - drawn + x + 1)),
  }
}
