import { expect, test } from 'vitest'
import { labelWaivers, type Waiver } from '../../src/core/waiver.ts'
import { acceptedHashes } from '../../src/policies/index.ts'

const cases = ['a', 'b', '__proto__'].map((id) => ({ key: `s.jsonl/${id}`, id }))

function accepted(named: string, more: Partial<Waiver> = {}): Waiver {
  return { kind: 'accepted', case: named, reason: 'meant', until: '2026-03-31', source: 'accept.yml:1', ...more }
}

test('each accepted case has a hash, by its key or its id, and the others have none', () => {
  const hashes = acceptedHashes([accepted('s.jsonl/a'), accepted('__proto__')], cases)
  expect(Object.keys(hashes)).toEqual(['s.jsonl/a', 's.jsonl/__proto__'])
  for (const hash of Object.values(hashes)) expect(hash).toMatch(/^[0-9a-f]{16}$/)
  expect(acceptedHashes([], cases)).toEqual({})
})

test('the hash is that of what was let through, and not of for how long or where that stands', () => {
  const [first, renewed, moved, other] = [
    accepted('a'),
    accepted('a', { until: '2020-01-01' }),
    accepted('a', { source: 'accept.yml:9' }),
    accepted('a', { reason: 'meant again' }),
  ].map((waiver) => acceptedHashes([waiver], cases)['s.jsonl/a'])
  expect(first).toBeDefined()
  expect([renewed, moved]).toEqual([first, first])
  expect(other).not.toBe(first)
})

test('the nearest entry counts, wherever it stands', () => {
  const all = acceptedHashes([accepted('*')], cases)
  const near = acceptedHashes([accepted('a')], cases)
  expect(Object.keys(all)).toEqual(cases.map(({ key }) => key))
  expect(acceptedHashes([accepted('*'), accepted('a')], cases)).toEqual({ ...all, ...near })
  expect(acceptedHashes([accepted('a'), accepted('*')], cases)).toEqual({ ...all, ...near })
})

test('neither a label nor a quarantine is an accepted change of the base branch', () => {
  const quarantined: Waiver = { ...accepted('a'), kind: 'quarantined' }
  expect(acceptedHashes([...labelWaivers(['agent-test:accept']), quarantined], cases)).toEqual({})
})
