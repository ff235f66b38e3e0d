import type { Pair } from './counts.ts'
import { fisherTwoSided } from './fisher.ts'
import { isWithin } from './limit.ts'

const LIMIT = 0.01

/**
 * Whether the newest runs of a case on the base branch are another rate than the older ones. Source: spec verdict 6.
 */
export function hasLevelChanged({ baseline: older, current: newest }: Pair): boolean {
  return isWithin(fisherTwoSided({ baseline: older, current: newest }), LIMIT)
}
