import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type JudgedResult, toRecord } from '../../src/core/result.ts'
import { measure } from '../../src/core/stability.ts'
import { createRunShelf } from '../../src/runner/run-shelf.ts'

const usage = fc.option(fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat() }), { nil: undefined })
const outcome = fc.oneof(
  fc.constant({ status: 'passed', checks: [] } as const),
  fc.constant({ status: 'failed', checks: [{ name: 'equals', passed: false, weight: 1, message: 'no' }] } as const),
  fc.constant({ status: 'errored', code: 'TIMEOUT', message: 'late' } as const),
)

/** Results of `runs` runs of one case, in any order. */
const results = (runs: number): fc.Arbitrary<JudgedResult[]> =>
  fc
    .array(fc.tuple(outcome, usage, fc.nat(), fc.double({ min: 0, max: 1e6, noNaN: true })), {
      minLength: runs,
      maxLength: runs,
    })
    .chain((list) =>
      fc.shuffledSubarray(
        list.map(
          ([ended, used, attempts, durationMs], index): JudgedResult => ({
            key: 'k',
            run: index + 1,
            attempts: 1 + (attempts % 4),
            startedAt: 1_700_000_000_000 + attempts,
            durationMs,
            ...ended,
            ...(used ? { usage: used } : {}),
            output: 'said',
            trace: { events: [] },
          }),
        ),
      ),
    )

describe('a shelf of runs', () => {
  test.each([1, 4])('gives back every run in order, and their stability, with %i runs a case', (runs) => {
    fc.assert(
      fc.property(fc.array(results(runs), { minLength: 1, maxLength: 5 }), (cases) => {
        const shelf = createRunShelf(cases.length, runs)
        for (const [index, list] of cases.entries()) for (const result of list) shelf.add(index, result)
        for (const [index, list] of cases.entries()) {
          const expected = list.map(toRecord).toSorted((left, right) => left.run - right.run)
          expect(shelf.count(index)).toBe(list.length)
          expect(shelf.records(index, 'k')).toEqual(expected)
          expect(shelf.stability(index)).toEqual(measure(expected))
        }
      }),
    )
  })
})
