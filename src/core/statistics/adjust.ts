/** Holm's p-values: the chance of any false alarm among all stays below the limit. In the order given. */
export function holm(ps: readonly number[]): number[] {
  let highest = 0
  return inOrder(ps, ascending(ps), (p, rank) => {
    highest = Math.max(highest, Math.min(1, p * (ps.length - rank)))
    return highest
  })
}

/** Benjamini and Hochberg's p-values: the share of false alarms among the alarms stays below the limit. */
export function benjaminiHochberg(ps: readonly number[]): number[] {
  let lowest = 1
  return inOrder(ps, ascending(ps).toReversed(), (p, rank) => {
    lowest = Math.min(lowest, (p * ps.length) / (ps.length - rank))
    return lowest
  })
}

function ascending(ps: readonly number[]): number[] {
  return ps.map((_, index) => index).sort((left, right) => (ps[left] ?? 0) - (ps[right] ?? 0))
}

function inOrder(ps: readonly number[], order: readonly number[], adjust: (p: number, rank: number) => number) {
  const adjusted = ps.map(() => 1)
  order.forEach((index, rank) => {
    adjusted[index] = adjust(ps[index] ?? 1, rank)
  })
  return adjusted
}
