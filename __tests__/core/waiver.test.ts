import { describe, expect, test } from 'vitest'
import { holdsOn, isFor, labelWaivers } from '../../src/core/waiver.ts'

describe('labels', () => {
  test.each<[string[], boolean]>([
    [[], false],
    [['bug', 'agent-test'], false],
    [['agent-test:accepted'], false],
    [['agent-test:accept'], true],
    [['bug', 'Agent-Test:Accept'], true],
    [[' agent-test:accept '], true],
  ])('%j', (labels, accepts) => {
    const waiver = {
      kind: 'accepted',
      case: '*',
      reason: 'the pull request is labelled as an intended change',
      source: 'label agent-test:accept',
    }
    expect(labelWaivers(labels)).toEqual(accepts ? [waiver] : [])
  })
})

test.each<[string, boolean]>([
  ['*', true],
  ['a', true],
  ['s.jsonl/a', true],
  ['s.jsonl', false],
  ['A', false],
  ['s.jsonl/*', false],
])('a waiver for %j: %s', (named, fits) => {
  expect(isFor({ case: named }, { key: 's.jsonl/a', id: 'a' })).toBe(fits)
})

test.each<[string | undefined, boolean]>([
  [undefined, true],
  ['2026-03-02', true],
  ['2026-03-01', true],
  ['2026-02-28', false],
])('until %s holds on the first of March: %s', (until, holds) => {
  expect(holdsOn(until === undefined ? {} : { until }, '2026-03-01')).toBe(holds)
})
