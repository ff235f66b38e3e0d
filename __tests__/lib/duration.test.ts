import { describe, expect, test } from 'vitest'
import { formatDuration, parseDuration } from '../../src/lib/duration.ts'

describe('parseDuration', () => {
  test.each<[string, number]>([
    ['300ms', 300],
    ['30s', 30_000],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['2h45m', 9_900_000],
    ['.5s', 500],
    ['1.s', 1_000],
    ['1500us', 1.5],
    ['1500µs', 1.5],
    ['1500μs', 1.5],
    ['2000000ns', 2],
    ['0', 0],
    ['-0', 0],
    ['0s', 0],
    ['-2s', -2_000],
    ['+2s', 2_000],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration(text)).toBeCloseTo(ms, 9)
  })

  test('what is shorter than a nanosecond is no time at all, as in Go', () => {
    expect([parseDuration('0.9ns'), parseDuration('1ns')]).toEqual([0, 1e-6])
  })

  test.each(['', ' ', '30', '5 s', '30s ', 's', '1m30', '1d', '5min', '1e3s', '.s', '--1s', '1,5s', '5S', 'Infinitys'])(
    '%j is no duration',
    (text) => {
      expect(parseDuration(text)).toBeUndefined()
    },
  )

  test.each([`${'9'.repeat(400)}h`, '9000000h', '-9000000h'])('%s is longer than a duration can be', (text) => {
    expect(parseDuration(text)).toBeUndefined()
  })

  test('a long row of digits without a unit is refused in linear time', () => {
    const started = performance.now()
    expect(parseDuration('1'.repeat(200_000))).toBeUndefined()
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})

describe('formatDuration', () => {
  test.each<[number, string]>([
    [0, '0ms'],
    [0.4, '0ms'],
    [850.4, '850ms'],
    [999.4, '999ms'],
    [999.6, '1.0s'],
    [1_234, '1.2s'],
    [59_949, '59.9s'],
    [59_950, '1m 0s'],
    [192_000, '3m 12s'],
    [3_599_600, '1h 0m'],
    [3_840_000, '1h 4m'],
  ])('%d ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })
})
