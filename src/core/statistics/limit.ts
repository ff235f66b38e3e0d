/**
 * Equal p-values of different sums differ in their last digits. Source: spec verdict 4.2, "relative tolerance 1e-9".
 */
const TOLERANCE = 1e-9

/** Whether a p-value is at most its limit; one that equals the limit is. */
export function isWithin(p: number, limit: number): boolean {
  return p <= limit * (1 + TOLERANCE)
}
