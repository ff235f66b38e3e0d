import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { classify, durationStats, measure, type StabilityClass } from '../../../src/core/stability.ts'
import { benjaminiHochberg, holm } from '../../../src/core/statistics/adjust.ts'
import { robustDurations } from '../../../src/core/statistics/durations.ts'
import { fisherTail, fisherWorse, midPWorse } from '../../../src/core/statistics/fisher.ts'
import {
  clopperPearson,
  type Interval,
  jeffreys,
  lowerBound,
  upperBound,
  wilson,
} from '../../../src/core/statistics/intervals.ts'
import { mannWhitneyGreater } from '../../../src/core/statistics/mann-whitney.ts'
import { passAtK, passHatK } from '../../../src/core/statistics/pass-k.ts'
import { selectiveTail } from '../../../src/core/statistics/selective-tail.ts'
import { shuffleTest } from '../../../src/core/statistics/shuffle-test.ts'
import { stepDownMinP } from '../../../src/core/statistics/step-down.ts'
import { isSuspicious } from '../../../src/core/statistics/suspicion.ts'
import { thresholdVerdict } from '../../../src/core/statistics/threshold-gate.ts'
import { vanElteren } from '../../../src/core/statistics/van-elteren.ts'

type Numbers = readonly number[]

interface Failures {
  readonly nb: number
  readonly fb: number
  readonly prFails: number
}

/** Reference values from exact rationals or 50-digit arithmetic; n and f are runs and failures, b the base branch. */
interface ReferenceValues {
  readonly intervals: readonly {
    readonly x: number
    readonly n: number
    readonly conf: number
    readonly wilson: Numbers
    readonly clopperPearson: Numbers
    readonly jeffreys: Numbers
    readonly cpUpperOneSided: number
    readonly cpLowerOneSided: number
  }[]
  readonly fisherWorse: readonly Record<'xb' | 'nb' | 'xp' | 'np' | 'fisher' | 'midp', number>[]
  readonly selectiveTail: readonly (Record<'nb' | 'k' | 'nmax' | 'screen' | 'M', number> & { readonly tail: Numbers })[]
  readonly suspicious: readonly (Record<'nb' | 'fb' | 'k' | 'fp' | 'midp', number> & { readonly suspicious: boolean })[]
  readonly minPSelective: readonly (Record<'k' | 'nmax' | 'screen' | 'weight', number> & MinP)[]
  readonly minPFixed: readonly (Record<'np' | 'weight', number> & MinP)[]
  readonly suiteShuffle: readonly (Record<'observed' | 'expected' | 'p', number> & {
    readonly cases: readonly Record<'nb' | 'fb' | 'np' | 'fp', number>[]
  })[]
  readonly adjust: readonly Record<'p' | 'holm' | 'bh', Numbers>[]
  readonly passK: readonly Record<'n' | 'c' | 'k' | 'passAtK' | 'passHatK', number>[]
  readonly mannWhitneyExact: readonly {
    readonly baseline: Numbers
    readonly pr: Numbers
    readonly pExactGreater: number
  }[]
  readonly vanElteren: readonly {
    readonly strata: readonly Record<'baseline' | 'pr', Numbers>[]
    readonly z: number
    readonly p: number
  }[]
  readonly classification: readonly {
    readonly passed: number
    readonly runs: number
    readonly passRate: number
    readonly class: StabilityClass
  }[]
  readonly durations: readonly {
    readonly durations_ms: Numbers
    readonly avg: number
    readonly min: number
    readonly max: number
    readonly stdDevPopulation: number
    readonly median: number
  }[]
  readonly thresholdGate: readonly {
    readonly T: number
    readonly x: number
    readonly n: number
    readonly observedAtLeast: boolean
    readonly shownBelow: boolean
    readonly shownAtLeast: boolean
    readonly verdict: 'pass' | 'fail' | 'unproven'
  }[]
}

interface MinP {
  readonly name: string
  readonly cases: readonly Failures[]
  readonly p: Numbers
  readonly adjusted: Numbers
}

type Values = Readonly<Record<string, number | string | boolean>>
type Key = keyof ReferenceValues

const reference = JSON.parse(
  readFileSync(new URL('../../fixtures/verdict-reference-values.json', import.meta.url), 'utf8'),
) as ReferenceValues & { readonly _about: unknown }

/** How a row is computed here and what it should give, both by name. */
const RULES: { readonly [K in Key]: (row: ReferenceValues[K][number]) => { ours: Values; expected: Values } } = {
  intervals: (row) => {
    const counts = countsOf(row.n, row.n - row.x)
    const oneSided = { cpUpperOneSided: upperBound(counts, row.conf), cpLowerOneSided: lowerBound(counts, row.conf) }
    return {
      ours: {
        ...listed('wilson', ends(wilson(counts, row.conf))),
        ...listed('clopperPearson', ends(clopperPearson(counts, row.conf))),
        ...listed('jeffreys', ends(jeffreys(counts, row.conf))),
        ...oneSided,
      },
      expected: {
        ...listed('wilson', row.wilson),
        ...listed('clopperPearson', row.clopperPearson),
        ...listed('jeffreys', row.jeffreys),
        cpUpperOneSided: row.cpUpperOneSided,
        cpLowerOneSided: row.cpLowerOneSided,
      },
    }
  },
  fisherWorse: ({ nb, xb, np, xp, fisher, midp }) => {
    const pair = pairOf(nb, nb - xb, np, np - xp)
    const tail = fisherTail(pair)[np - xp] ?? -1
    return {
      ours: { fisher: fisherWorse(pair), midp: midPWorse(pair), tail },
      expected: { fisher, midp, tail: fisher },
    }
  },
  selectiveTail: ({ nb, k, nmax, screen, M, tail }) => ({
    ours: listed('tail', selectiveTail({ baselineRuns: nb, stage1Runs: k, allRuns: nmax, screen }, M)),
    expected: listed('tail', tail),
  }),
  suspicious: ({ nb, fb, k, fp, midp, suspicious }) => {
    const pair = pairOf(nb, fb, k, fp)
    return { ours: { midp: midPWorse(pair), suspicious: isSuspicious(pair, 0.3) }, expected: { midp, suspicious } }
  },
  minPSelective: ({ k, nmax, screen, weight, ...row }) =>
    minP(row, weight, ({ nb }, failed) =>
      selectiveTail({ baselineRuns: nb, stage1Runs: k, allRuns: nmax, screen }, failed),
    ),
  minPFixed: ({ np, weight, ...row }) =>
    minP(row, weight, ({ nb, fb, prFails }) => fisherTail(pairOf(nb, fb, np, prFails))),
  suiteShuffle: ({ cases, observed, expected, p }) => ({
    ours: { ...shuffleTest(cases.map(({ nb, fb, np, fp }) => pairOf(nb, fb, np, fp))) },
    expected: { observed, expected, p },
  }),
  adjust: (row) => ({
    ours: { ...listed('holm', holm(row.p)), ...listed('bh', benjaminiHochberg(row.p)) },
    expected: { ...listed('holm', row.holm), ...listed('bh', row.bh) },
  }),
  passK: ({ n, c, k, ...expected }) => ({
    ours: { passAtK: passAtK(countsOf(n, n - c), k) ?? -1, passHatK: passHatK(countsOf(n, n - c), k) ?? -1 },
    expected: { passAtK: expected.passAtK, passHatK: expected.passHatK },
  }),
  mannWhitneyExact: ({ baseline, pr, pExactGreater }) => ({
    ours: { pExactGreater: mannWhitneyGreater({ baseline, current: pr }) },
    expected: { pExactGreater },
  }),
  vanElteren: ({ strata, z, p }) => ({
    ours: { ...vanElteren(strata.map(({ baseline, pr }) => ({ baseline, current: pr }))) },
    expected: { z, p },
  }),
  classification: ({ passed, runs, passRate, class: expected }) => {
    const statuses = Array.from({ length: runs }, (_, run) => (run < passed ? 'passed' : 'failed'))
    const measured = measure(statuses.map((status) => ({ status, durationMs: 1 })))
    return {
      ours: { passRate: measured.passRate, class: measured.class, fromRate: classify(passRate) },
      expected: { passRate, class: expected, fromRate: expected },
    }
  },
  durations: ({ durations_ms, avg, min, max, stdDevPopulation, median }) => {
    const stats = durationStats(durations_ms)
    return {
      ours: {
        avg: stats.mean,
        min: stats.min,
        max: stats.max,
        stdDevPopulation: stats.stddev,
        median: robustDurations(durations_ms)?.median ?? -1,
      },
      expected: { avg, min, max, stdDevPopulation, median },
    }
  },
  thresholdGate: ({ T, x, n, observedAtLeast, shownBelow, shownAtLeast, verdict }) => {
    const of = (mode: 'shown' | 'observed' | 'proven') => thresholdVerdict(countsOf(n, n - x), T * 100, mode)
    return {
      ours: {
        observedAtLeast: of('observed') === 'pass',
        shownBelow: of('shown') === 'fail',
        provenBelow: of('proven') === 'fail',
        shownAtLeast: of('proven') === 'pass',
        verdict: of('shown'),
      },
      expected: { observedAtLeast, shownBelow, provenBelow: shownBelow, shownAtLeast, verdict },
    }
  },
}

const ROWS: Readonly<Record<Key, number>> = {
  intervals: 70,
  fisherWorse: 421,
  selectiveTail: 54,
  suspicious: 140,
  minPSelective: 8,
  minPFixed: 4,
  suiteShuffle: 4,
  adjust: 1,
  passK: 55,
  mannWhitneyExact: 1,
  vanElteren: 1,
  classification: 20,
  durations: 1,
  thresholdGate: 125,
}
const KEYS = Object.keys(ROWS) as Key[]

test('the file is whole, and every key of it has a rule', () => {
  const { _about, ...tables } = reference
  expect(Object.fromEntries(Object.entries(tables).map(([key, rows]) => [key, rows.length]))).toEqual(ROWS)
})

test.each(KEYS)('%s: every value to nine digits', (key) => {
  expect(differencesOf(key)).toEqual([])
})

/** Each value of the table that ours does not equal, with its row. */
function differencesOf<K extends Key>(key: K): string[] {
  const rows: ReferenceValues[K] = reference[key]
  const rule: (row: ReferenceValues[K][number]) => { ours: Values; expected: Values } = RULES[key]
  return rows.flatMap((row, index) => {
    const { ours, expected } = rule(row)
    expect(Object.keys(ours)).toEqual(Object.keys(expected))
    return Object.entries(expected).flatMap(([name, value]) =>
      isNear(ours[name], value) ? [] : [`${key}[${index}].${name}: ${ours[name]} instead of ${value}`],
    )
  })
}

function isNear(ours: Values[string] | undefined, expected: Values[string]): boolean {
  if (typeof ours !== 'number' || typeof expected !== 'number') return ours === expected
  return Math.abs(ours - expected) <= 1e-9 * Math.abs(expected)
}

function minP({ cases, p, adjusted }: MinP, weight: number, tailOf: (item: Failures, failed: number) => number[]) {
  const tests = cases.map((item) => {
    const failed = item.fb + item.prFails
    return { tail: tailOf(item, failed), failed, observed: item.prFails }
  })
  const results = stepDownMinP(tests, weight)
  return {
    ours: {
      ...listed(
        'p',
        results.map((result) => result.p),
      ),
      ...listed(
        'adjusted',
        results.map((result) => result.adjusted),
      ),
    },
    expected: { ...listed('p', p), ...listed('adjusted', adjusted) },
  }
}

function listed(name: string, values: Numbers): Values {
  return Object.fromEntries(values.map((value, index) => [`${name}.${index}`, value]))
}

function ends({ lower, upper }: Interval): Numbers {
  return [lower, upper]
}

function countsOf(runs: number, failed: number) {
  return { passed: runs - failed, failed }
}

function pairOf(nb: number, fb: number, np: number, fp: number) {
  return { baseline: countsOf(nb, fb), current: countsOf(np, fp) }
}
