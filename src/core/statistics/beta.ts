import { logGamma } from './logarithms.ts'

const SMALLEST = 1e-300

/** The two parameters of a Beta distribution, both above 0. */
export interface Beta {
  readonly a: number
  readonly b: number
}

/** P(X <= x) for X of the Beta distribution: the regularized incomplete beta function. */
export function betaCumulative({ a, b }: Beta, x: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  // The fraction converges fast below the mean only; above it the other tail is taken.
  return x <= (a + 1) / (a + b + 2) ? lowerTail({ a, b }, x) : 1 - lowerTail({ a: b, b: a }, 1 - x)
}

/** The x with P(X <= x) = p, for 0 < p < 1. Newton's steps, halved into the bracket when they leave it. */
export function betaQuantile(beta: Beta, p: number): number {
  let [low, high] = [0, 1]
  let x = beta.a / (beta.a + beta.b)
  for (let round = 0; round < 200; round += 1) {
    const gap = betaCumulative(beta, x) - p
    if (gap === 0) return x
    if (gap > 0) high = x
    else low = x
    const newton = x - gap / density(beta, x)
    const next = newton > low && newton < high ? newton : (low + high) / 2
    if (Math.abs(next - x) <= 1e-16 * x) return next
    x = next
  }
  return x
}

function density({ a, b }: Beta, x: number): number {
  return Math.exp((a - 1) * Math.log(x) + (b - 1) * Math.log1p(-x) - logBeta(a, b))
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b)
}

function lowerTail({ a, b }: Beta, x: number): number {
  return Math.exp(a * Math.log(x) + b * Math.log1p(-x) - logBeta(a, b)) / (a * continuedFraction(a, b, x))
}

/** 1 + d1/(1 + d2/(1 + ...)) by Lentz's method. Source: DLMF 8.17.22. */
function continuedFraction(a: number, b: number, x: number): number {
  let [value, upper, lower] = [1, 1, 0]
  for (let index = 1; index < 10_000; index += 1) {
    const coefficient = fractionCoefficient(a, b, index) * x
    lower = 1 / nonZero(1 + coefficient * lower)
    upper = nonZero(1 + coefficient / upper)
    value *= upper * lower
    if (Math.abs(upper * lower - 1) < 1e-16) break
  }
  return value
}

function fractionCoefficient(a: number, b: number, index: number): number {
  const m = Math.floor(index / 2)
  const at = a + 2 * m
  return index % 2 === 0 ? (m * (b - m)) / ((at - 1) * at) : -((a + m) * (a + b + m)) / (at * (at + 1))
}

function nonZero(value: number): number {
  return Math.abs(value) < SMALLEST ? SMALLEST : value
}
