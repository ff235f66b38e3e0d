import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type BlobPlace, blobName, cutName, legPart, parseBlobName } from '../../src/blobs/blob-names.ts'

const usual = { artifactName: 'agent-test-baseline', commentKey: 'default', attempt: 1 }

test.each([
  ['the usual job', {}, 'agent-test-results'],
  ['a second attempt', { attempt: 2 }, 'agent-test-results.attempt-2'],
  ['a shard', { shard: { index: 2, count: 8 } }, 'agent-test-results.shard-2-of-8'],
  ['a shard again', { shard: { index: 2, count: 8 }, attempt: 3 }, 'agent-test-results.shard-2-of-8.attempt-3'],
  ['a job with a comment of its own', { commentKey: 'gpt-5' }, 'agent-test-results.gpt-5'],
  ['a leg of a matrix', { leg: 'gpt-5' }, 'agent-test-results.leg-gpt-5'],
  ['a leg of a matrix that is cut', { leg: '2', shard: { index: 2, count: 8 } }, 'agent-test-results.shard-2-of-8'],
  ['a job of another name', { artifactName: 'sales-agent' }, 'sales-agent-results'],
])('%s stores its results as %s', (_situation, change, expected) => {
  expect(blobName({ ...usual, ...change })).toBe(expected)
})

test.each([
  ['a key that looks like a shard', 'shard-2-of-8'],
  ['a key that looks like an attempt', 'attempt-2'],
  ['a key with a full stop', 'a.attempt-2'],
  ['a key with what no artifact may be called', 'a/b:"c"<d>|*?\r\n\\'],
  ['a key in capitals', 'GPT'],
  ['a key of other letters', '模型'],
  ['a long key', 'k'.repeat(500)],
])('%s is told apart by a hash', (_situation, commentKey) => {
  const name = blobName({ ...usual, commentKey })
  expect(name).toMatch(/^agent-test-results\.k-[a-z0-9_-]*-[0-9a-f]{8}$/)
  expect(name.length).toBeLessThan(100)
})

const text = fc.oneof(
  fc.constantFrom(
    'default',
    'agent-test-baseline',
    'agent-test',
    'a',
    'b',
    'a-results',
    'shard-1-of-2',
    'attempt-2',
    'A',
    'a.b',
    'k-a-ca978112',
  ),
  fc.string({ minLength: 1, maxLength: 12 }),
)
const place: fc.Arbitrary<BlobPlace> = fc.record({
  artifactName: text,
  commentKey: text,
  leg: fc.option(text, { nil: undefined }),
  shard: fc.option(fc.record({ index: fc.integer({ min: 1, max: 3 }), count: fc.integer({ min: 3, max: 4 }) }), {
    nil: undefined,
  }),
  attempt: fc.integer({ min: 1, max: 3 }),
})

test('no two places share a name, and every name tells its shard and attempt', () => {
  fc.assert(
    fc.property(place, place, (one, other) => {
      const whole = (place: BlobPlace) => (place.shard ? { ...place, leg: undefined } : place)
      if (blobName(one) === blobName(other)) expect(whole(other)).toEqual(whole(one))
      const { shard, attempt, leg } = one
      const told = shard ? { shard } : leg === undefined ? {} : { leg: legPart(leg) }
      expect(parseBlobName(blobName(one), one)).toEqual({ attempt, ...told })
      if (one.artifactName !== other.artifactName || one.commentKey !== other.commentKey)
        expect(parseBlobName(blobName(one), other)).toBeUndefined()
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  'agent-test-results.attempt-1',
  'agent-test-results.attempt-0',
  'agent-test-results-2',
  'x',
  'agent-test-results.shard-0-of-2',
  'agent-test-results.attempt-2.attempt-3',
])('%s is nothing that is written', (name) => {
  expect(parseBlobName(name, usual)).toBeUndefined()
})

test('the cut of a plan has a name of its own, the same in every attempt', () => {
  const name = cutName(usual, 8, 'abcdef0123456789')
  expect(name).toBe('agent-test-results.cut-of-8-abcdef012345')
  expect(parseBlobName(name, usual)).toBeUndefined()
})
