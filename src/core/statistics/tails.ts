/** A distribution on whole numbers, given so that tails need no sums of large logarithms. */
export interface Counting {
  readonly min: number
  readonly max: number
  readonly mean: number
  /** P(X = x) for min <= x <= max. */
  probability(x: number): number
  /** P(X = x + 1) / P(X = x). */
  ratio(x: number): number
}

/** P(X >= x): the sum that is the smaller one, so that nothing cancels where it is tiny. */
export function upperTail(counting: Counting, x: number): number {
  if (x <= counting.min) return 1
  if (x > counting.max) return 0
  return x > counting.mean ? sumUp(counting, x) : 1 - sumDown(counting, x - 1)
}

/** P(X <= x). */
export function lowerTail(counting: Counting, x: number): number {
  if (x >= counting.max) return 1
  if (x < counting.min) return 0
  return x > counting.mean ? 1 - sumUp(counting, x + 1) : sumDown(counting, x)
}

/** P(X > x) + P(X = x) / 2. */
export function midTail(counting: Counting, x: number): number {
  return upperTail(counting, x + 1) + counting.probability(x) / 2
}

function sumUp({ max, probability, ratio }: Counting, from: number): number {
  let term = probability(from)
  let sum = term
  for (let x = from; x < max && term > sum * 1e-18; x += 1) {
    term *= ratio(x)
    sum += term
  }
  return Math.min(1, sum)
}

function sumDown({ min, probability, ratio }: Counting, from: number): number {
  let term = probability(from)
  let sum = term
  for (let x = from; x > min && term > sum * 1e-18; x -= 1) {
    term /= ratio(x - 1)
    sum += term
  }
  return Math.min(1, sum)
}
