import { describe, expect, test } from 'vitest'
import { approvedOperations, operationOf } from '../../src/core/approval.ts'
import { learnedFrom } from '../../src/core/baseline.ts'
import type { Json } from '../../src/core/json.ts'
import { toBaseline } from '../../src/core/make-baseline.ts'
import { parseBaseline } from '../../src/core/parse-baseline.ts'
import type { TraceEvent } from '../../src/core/trace.ts'
import { aCaseReport } from '../support/builders.ts'

const asks = (id: string, parameters: Json): TraceEvent => ({
  timestamp: 1,
  type: 'approval_request',
  id,
  tool: 'bash',
  parameters,
})
const answer = (id: string, approved: boolean): TraceEvent => ({
  timestamp: 2,
  type: 'approval_response',
  id,
  approved,
})
const bash = (...patterns: readonly string[]) => ({ permission: 'bash', patterns, metadata: { command: 'x' } })

describe('operations that had leave', () => {
  test.each<[string, readonly TraceEvent[], readonly string[]]>([
    ['approved', [asks('a', bash('ls', 'cd x')), answer('a', true)], [operationOf(bash('cd x', 'ls'))]],
    ['denied', [asks('a', bash('ls')), answer('a', false)], []],
    ['unanswered', [asks('a', bash('ls'))], []],
    [
      'the same twice',
      [asks('a', bash('ls')), answer('a', true), asks('b', bash('ls')), answer('b', true)],
      [operationOf(bash('ls'))],
    ],
    [
      'one of two',
      [asks('a', bash('ls')), asks('b', bash('rm x')), answer('b', false), answer('a', true)],
      [operationOf(bash('ls'))],
    ],
    ['of a target without permissions', [asks('a', { command: 'ls' }), answer('a', true)], []],
    ['of a text', [asks('a', 'ls'), answer('a', true)], []],
    ['an endless one', [asks('a', bash('x'.repeat(5_000))), answer('a', true)], []],
  ])('%s', (_, events, expected) => {
    expect(approvedOperations({ events })).toEqual(expected)
  })

  test('a run that asks without end teaches no more than others', () => {
    const events = Array.from({ length: 2_000 }, (_, index) => [
      asks(`${index}`, bash(`ls ${index}`)),
      answer(`${index}`, true),
    ]).flat()
    expect(approvedOperations({ events })).toHaveLength(500)
  })
})

test('a baseline keeps them by case, and gives them back', () => {
  const cases = [aCaseReport({ id: 'a' }), aCaseReport({ id: 'b' })]
  const [first, second] = cases
  if (!first || !second) throw new Error('two cases')
  const saved = toBaseline(
    cases,
    '2026-03-01T00:00:00Z',
    { id: 'a' },
    { runsPerCase: 3, approvals: new Map([[first.key, new Set(['y', 'x'])]]) },
  )
  expect(saved.cases.map(({ approvals }) => approvals)).toEqual([['x', 'y'], undefined])
  const baseline = parseBaseline(JSON.stringify(saved), 'b.json')
  const learned = learnedFrom({ kind: 'ok', baseline, source: 'b.json' })
  expect([...learned].map(([key, operations]) => [key, [...operations]])).toEqual([[first.key, ['x', 'y']]])
})

test.each([undefined, { kind: 'none' as const, detail: 'x' }, { kind: 'unreadable' as const, detail: 'x' }])(
  'nothing is learned from %j',
  (loaded) => {
    expect(learnedFrom(loaded).size).toBe(0)
  },
)
