/** 0..100 everywhere, unrounded; words round it. */
export type Percent = number

/** One decimal at most, and never a rounded 100 for something that is not whole. */
export function formatPercent(value: Percent): string {
  const rounded = Math.round(value * 10) / 10
  if (rounded === 100 && value < 100) return '99.9%'
  if (rounded === 0 && value > 0) return '0.1%'
  return `${rounded}%`
}

/** A score is of 100, but no share of anything. */
export function formatScore(value: Percent): string {
  return formatPercent(value).replace('%', '')
}

/** A score as other programs compare it: whole, and never a rounded 100 for something that is not. */
export function wholeScore(value: Percent): number {
  return value < 100 ? Math.min(99, Math.round(value)) : 100
}
