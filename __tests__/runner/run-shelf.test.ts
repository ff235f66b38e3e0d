import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type JudgedResult, type RunRecord, toRecord } from '../../src/core/result.ts'
import { measure } from '../../src/core/stability.ts'
import type { Step } from '../../src/core/step.ts'
import { createRunShelf, type RunShelf } from '../../src/runner/run-shelf.ts'
import { aRun, failedOutcome, passes, someRuns } from '../support/builders.ts'

const outcome = fc.oneof(
  fc.constant({ status: 'passed', checks: [] } as const),
  fc.constant({ status: 'failed', checks: [{ name: 'equals', passed: false, weight: 1, message: 'no' }] } as const),
  fc.constant({ status: 'errored', code: 'TIMEOUT', message: 'late' } as const),
)
/** Small ones, those that fit, just do or do not into a list of numbers, and what is no whole number. */
const count = fc.oneof(
  fc.nat(),
  fc.constantFrom(0, 254, 255, 65_535, 2 ** 32 - 2, 2 ** 32 - 1, 2 ** 33),
  fc.constant(1.5),
)
const usage = fc.record(
  { inputTokens: count, outputTokens: count, costUsd: fc.double({ min: 0, max: 9, noNaN: true }) },
  { requiredKeys: ['inputTokens', 'outputTokens'] },
)
const parts = fc.record(
  {
    attempts: fc.integer({ min: 1, max: 4 }),
    startedAt: fc.double({ min: 0, max: 2e12, noNaN: true }),
    durationMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
    usage,
    turns: count.map(Math.floor),
    answeredModel: fc.constantFrom('gpt-5', 'a model, b model', 'constructor'),
  },
  { requiredKeys: ['attempts', 'startedAt', 'durationMs'] },
)
const oneRun = fc.tuple(outcome, parts, fc.integer({ min: 1, max: 100_000 }))

/** Results of one case in any order, each with a number of its own. */
const results = fc
  .uniqueArray(oneRun, { minLength: 1, maxLength: 8, selector: ([, , run]) => run })
  .map((list) => list.map(([ended, rest, run]): JudgedResult => aRun({ ...rest, key: 'k', run }, ended)))

describe('a shelf of runs', () => {
  test('gives back every run in order, and their stability, whatever their numbers', () => {
    fc.assert(
      fc.property(fc.array(results, { minLength: 1, maxLength: 5 }), (cases) => {
        const shelf = createRunShelf(cases.length)
        const rounds = cases.reduce((most, list) => Math.max(most, list.length), 0)
        for (let round = 0; round < rounds; round += 1) {
          for (const [index, list] of cases.entries()) {
            const result = list[round]
            if (result) shelf.add(index, result)
          }
        }
        for (const [index, list] of cases.entries()) {
          const expected = list.map(toRecord).toSorted((left, right) => left.run - right.run)
          expect(shelf.count(index)).toBe(list.length)
          expect(shelf.records(index, 'k')).toEqual(expected)
          expect(shelf.stability(index)).toEqual(measure(expected))
        }
      }),
    )
  })

  test('what was kept of an earlier attempt reads the same as a run of now', () => {
    fc.assert(
      fc.property(results, (list) => {
        const [restored, added] = [createRunShelf(1), createRunShelf(1)]
        for (const result of list) {
          added.add(0, result)
          restored.restore(0, toRecord(result))
        }
        expect(restored.records(0, 'k')).toEqual(added.records(0, 'k'))
        expect(restored.stability(0)).toEqual(added.stability(0))
      }),
    )
  })

  test('holds more runs than it makes room for at a time, of more models than it counts', () => {
    const shelf = createRunShelf(2)
    const made = Array.from({ length: 10_000 }, (_, at) => aRun({ run: at + 1, answeredModel: `model ${at % 300}` }))
    for (const [at, result] of made.entries()) shelf.add(at % 2, result)
    for (const index of [0, 1]) {
      const expected = made.filter((_, at) => at % 2 === index).map(toRecord)
      expect(shelf.records(index, aRun().key)).toEqual(expected)
    }
  })

  test('gives nothing for a case that was not run', () => {
    const shelf = createRunShelf(2)
    shelf.add(0, aRun())
    expect([shelf.count(1), shelf.records(1, 'k'), shelf.stability(1)]).toEqual([0, [], measure([])])
  })
})

describe('steps', () => {
  const step = (tool: string, parameters = '0123456789abcdef'): Step => ({ tool, parameters, shown: '{}' })
  const bare = (steps: readonly Step[]) => steps.map(({ tool, parameters }) => ({ tool, parameters }))
  const stepsIn = (shelf: RunShelf) => shelf.records(0, 'k').map(({ steps }) => steps)

  test('are kept of one passed run of a case, without what is for people, and of every other run', () => {
    const shelf = createRunShelf(1)
    shelf.add(0, aRun({ run: 1, steps: [step('a')] }, failedOutcome()))
    shelf.add(0, aRun({ run: 3, steps: [step('b'), step('c')] }))
    shelf.add(0, aRun({ run: 2, steps: [step('d')] }))
    shelf.add(0, aRun({ run: 4, steps: [step('e')] }, failedOutcome()))
    expect(stepsIn(shelf)).toEqual([[step('a')], undefined, bare([step('b'), step('c')]), [step('e')]])
  })

  test.each<[string, Pick<Partial<RunRecord>, 'usage' | 'evaluations'>]>([
    ['a run that is figures', {}],
    ['a run that was evaluated', { evaluations: [] }],
    ['a run with more tokens than fit', { usage: { inputTokens: 2 ** 40, outputTokens: 1 } }],
  ])('%s keeps its own', (_, rest) => {
    const shelf = createRunShelf(1)
    shelf.add(0, aRun({ run: 1, steps: [step('a')], ...rest }))
    shelf.add(0, aRun({ run: 2, steps: [step('b')], ...rest }))
    expect(stepsIn(shelf)).toEqual([bare([step('a')]), undefined])
  })

  test('a run without calls has none, which is not the same as nothing known', () => {
    const shelf = createRunShelf(1)
    shelf.add(0, aRun({ run: 1 }))
    shelf.add(0, aRun({ run: 2, steps: [] }))
    shelf.add(0, aRun({ run: 3, steps: [step('a')] }))
    expect(stepsIn(shelf)).toEqual([undefined, [], undefined])
  })

  test('come back whatever tools and hashes are called', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('__proto__', '"', '\n', '[0,"x"]', '\u2028'))
    fc.assert(
      fc.property(fc.array(fc.array(fc.tuple(text, text)), { minLength: 1, maxLength: 4 }), (lists) => {
        const shelf = createRunShelf(lists.length)
        const made = lists.map((list) => list.map(([tool, parameters]) => step(tool, parameters)))
        for (const [index, steps] of made.entries()) shelf.add(index, aRun({ steps }))
        for (const [index, steps] of made.entries()) expect(shelf.records(index, 'k')[0]?.steps).toEqual(bare(steps))
      }),
    )
  })
})

test('a hundred thousand passed runs are a few numbers each', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const used = () => {
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const [record] = someRuns(passes(1), {
    usage: { inputTokens: 900, outputTokens: 20, costUsd: 0.01 },
    turns: 2,
    answeredModel: 'gpt-5',
    steps: [],
  })
  if (!record) throw new Error('no record')
  const cases = 100_000
  const before = used()
  const shelf = createRunShelf(cases)
  for (let index = 0; index < cases; index += 1) shelf.restore(index, { ...record })
  const bytesPerRun = (used() - before) / cases
  expect(shelf.count(cases - 1)).toBe(1)
  // An object with as many members takes more than two hundred.
  expect(bytesPerRun).toBeLessThan(80)
})
