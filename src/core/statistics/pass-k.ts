import { type Counts, runsOf } from './counts.ts'

/** pass@k: the chance that at least one of k runs passes; undefined with fewer than k runs. Source: spec verdict 8. */
export function passAtK(counts: Counts, k: number): number | undefined {
  if (!canDraw(counts, k)) return undefined
  return 1 - allOf(counts.failed, runsOf(counts), k)
}

/** pass^k: the chance that all of k runs pass; undefined with fewer than k runs. */
export function passHatK(counts: Counts, k: number): number | undefined {
  return canDraw(counts, k) ? allOf(counts.passed, runsOf(counts), k) : undefined
}

function canDraw(counts: Counts, k: number): boolean {
  return Number.isInteger(k) && k >= 1 && k <= runsOf(counts)
}

/** P(k runs drawn without replacement are all among the `wanted`): C(wanted, k) / C(runs, k). */
function allOf(wanted: number, runs: number, k: number): number {
  let chance = 1
  for (let drawn = 0; drawn < k; drawn += 1) chance *= Math.max(0, wanted - drawn) / (runs - drawn)
  return chance
}
