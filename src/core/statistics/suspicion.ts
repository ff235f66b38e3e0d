import type { Pair } from './counts.ts'
import { midPWorse } from './fisher.ts'
import { isWithin } from './limit.ts'

/**
 * Whether a first stage is worth more runs: it failed, and more than the base branch lets expect. Source: spec verdict
 * 4.2, step 4.
 */
export function isSuspicious(pair: Pair, screen: number): boolean {
  return pair.current.failed > 0 && isWithin(midPWorse(pair), screen)
}
