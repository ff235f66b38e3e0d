import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Counts } from '../../../src/core/statistics/counts.ts'
import { blocksThreshold, type ThresholdMode, thresholdVerdict } from '../../../src/core/statistics/threshold-gate.ts'

/** `runs` runs of which `failed` failed. */
function counted(runs: number, failed: number): Counts {
  return { passed: runs - failed, failed }
}

describe('the threshold', () => {
  const modes: readonly ThresholdMode[] = ['shown', 'observed', 'proven']

  test.each([
    [counted(5, 4), ['fail', 'fail', 'fail']],
    [counted(5, 3), ['unproven', 'fail', 'unproven']],
    [counted(10, 5), ['fail', 'fail', 'fail']],
    [counted(10, 4), ['unproven', 'fail', 'unproven']],
    [counted(15, 7), ['fail', 'fail', 'fail']],
    [counted(20, 8), ['fail', 'fail', 'fail']],
    [counted(5, 1), ['pass', 'pass', 'unproven']],
    [counted(13, 0), ['pass', 'pass', 'unproven']],
    [counted(14, 0), ['pass', 'pass', 'pass']],
    [counted(22, 1), ['pass', 'pass', 'pass']],
    [counted(30, 2), ['pass', 'pass', 'pass']],
    [counted(0, 0), ['unproven', 'unproven', 'unproven']],
  ])('%j at 80', (counts, expected) => {
    expect(modes.map((mode) => thresholdVerdict(counts, 80, mode))).toEqual(expected)
  })

  test('only proof is green where proof is asked for', () => {
    const red = (counts: Counts) => modes.map((mode) => blocksThreshold(thresholdVerdict(counts, 80, mode), mode))
    expect([counted(5, 4), counted(5, 3), counted(5, 0), counted(14, 0)].map(red)).toEqual([
      [true, true, true],
      [false, true, true],
      [false, false, true],
      [false, false, false],
    ])
  })

  test('a rate that equals the limit meets it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 50 }), (percent, scale) => {
        const counts = counted(100 * scale, (100 - percent) * scale)
        expect(thresholdVerdict(counts, percent, 'observed')).toBe('pass')
        expect(thresholdVerdict(counts, percent, 'shown')).toBe('pass')
      }),
    )
  })
})
