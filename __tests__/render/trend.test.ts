import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TrendPoint } from '../../src/core/history.ts'
import { barChart, sessionRates, trendChart } from '../../src/render/trend.ts'
import { aPool } from '../support/builders.ts'
import { hostileText } from '../support/markdown.ts'

const at = (day: number, passed: number, judged: number, commit?: string): TrendPoint => ({
  createdAt: `2026-02-${String(day).padStart(2, '0')}T10:00:00.000Z`,
  passed,
  judged,
  ...(commit === undefined ? {} : { commit }),
})

test('a session counts the runs of all cases, oldest first, the last twenty', () => {
  const pools = new Map([
    ['a', aPool({ key: 'a', trend: [at(2, 3, 3), at(1, 1, 3)] })],
    ['b', aPool({ key: 'b', trend: [at(2, 0, 3), at(3, 0, 0)] })],
  ])
  expect(sessionRates(pools)).toEqual([at(1, 1, 3), at(2, 3, 6)])
  const many = Array.from({ length: 28 }, (_, index) => at(index + 1, 1, 1))
  expect(sessionRates(new Map([['a', aPool({ trend: many })]])).map(({ createdAt }) => createdAt.slice(8, 10))).toEqual(
    many.slice(-20).map(({ createdAt }) => createdAt.slice(8, 10)),
  )
})

test('two sessions of the same second are told apart by their commit', () => {
  const trend = [at(1, 3, 3, 'aaa'), at(1, 1, 3, 'bbb')]
  expect(sessionRates(new Map([['a', aPool({ trend })]]))).toHaveLength(2)
})

test('a line needs three sessions, and leaves room below the lowest', () => {
  expect(trendChart([at(1, 1, 1), at(2, 1, 1)])).toBeUndefined()
  expect(trendChart([at(1, 3, 3), at(2, 20, 21), at(3, 2, 3)])).toMatchInlineSnapshot(`
    "\`\`\`mermaid
    xychart-beta
      x-axis "Session, oldest first" 1 --> 3
      y-axis "Runs passed in %" 50 --> 100
      line [100, 95.2, 66.7]
    \`\`\`"
  `)
})

test('bars have short labels that differ', () => {
  const bars = [
    { label: 'refund-03', rate: 0 },
    { label: 'refund-03', rate: 200 / 3 },
    { label: `tests/${'long'.repeat(20)}`, rate: 100 },
  ]
  expect(barChart(bars, 'Runs passed in %')).toMatchInlineSnapshot(`
    "\`\`\`mermaid
    xychart-beta horizontal
      x-axis ["1 refund-03", "2 refund-03", "3 longlonglonglonglonglong"]
      y-axis "Runs passed in %" 0 --> 100
      bar [0, 66.7, 100]
    \`\`\`"
  `)
})

test('no label can end its quotes, its line or its block, or start a directive', () => {
  fc.assert(
    fc.property(fc.array(hostileText, { minLength: 1, maxLength: 30 }), (labels) => {
      const lines = barChart(
        labels.map((label) => ({ label, rate: 50 })),
        't',
      ).split('\n')
      expect(lines).toHaveLength(6)
      expect(lines[2]).toMatch(/^ {2}x-axis \[("\d+ [A-Za-z0-9 ._/-]*"(, )?)+\]$/)
    }),
  )
})
