import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asText, type Json, type JsonObject } from '../../src/core/json.ts'
import { type Case, caseKey } from '../../src/core/suite.ts'
import { createCaseShelf } from '../../src/suites/case-shelf.ts'
import { fingerprintOf } from '../../src/suites/fingerprint.ts'
import { textMessages } from '../../src/suites/messages.ts'

const FIELDS = ['key', 'id', 'suite', 'location', 'fingerprint', 'input', 'messages', 'assertions', 'options'] as const
const REST = [
  'metadata',
  'user',
  'team',
  'timeoutMs',
  'conversation',
  'session',
  'evaluations',
  'gate',
  'tags',
  'skip',
] as const

/** A packed case computes what it says, so it is compared member by member. */
function membersOf(item: Case): Record<string, unknown> {
  return Object.fromEntries([...FIELDS, ...REST].map((name) => [name, item[name]]))
}

function aCase(id: string, line: number, parts: Partial<Case> = {}): Case {
  const input: Json = parts.input ?? `question of ${id}`
  const messages = parts.messages ?? textMessages(asText(input))
  const question = {
    messages,
    assertions: parts.assertions ?? [],
    options: parts.options ?? {},
    metadata: parts.metadata ?? {},
  }
  return {
    key: caseKey('s.jsonl', id),
    id,
    suite: 's.jsonl',
    location: { file: 's.jsonl', line },
    input,
    ...question,
    fingerprint: fingerprintOf(question),
    ...parts,
  }
}

const text = fc.string({ unit: 'binary', maxLength: 40 })
// -0 is written as 0, and nothing tells them apart.
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json)
const record = fc.dictionary(fc.string({ minLength: 1 }), json) as fc.Arbitrary<JsonObject>
const parts: fc.Arbitrary<Partial<Case>> = fc.record(
  {
    input: text,
    assertions: fc.array(fc.record({ type: fc.constant('equals'), value: json })),
    metadata: record,
    options: fc.record({ connector: text, metadata: record }, { requiredKeys: [] }),
    user: text,
    team: text,
    timeoutMs: fc.integer({ min: 1 }),
    conversation: fc.record({
      simulator: fc.record({ agent: text, metadata: record }),
      checkpoints: fc.constant([]),
      maxTurns: fc.integer({ min: 1 }),
    }),
    session: fc.record({
      agent: text,
      turns: fc.array(fc.record({ text })),
      inherit: fc.boolean(),
      setup: fc.constant([]),
      approval: fc.constant({ kind: 'approve' as const }),
      files: fc.constant([]),
    }),
    evaluations: fc.record({
      evaluators: fc.constant([{ type: 'behavior' }]),
      passThreshold: fc.integer({ min: 0, max: 100 }),
      passPolicy: fc.constant('conjunction' as const),
      expectedViolations: fc.constant([]),
      weights: fc.dictionary(text, fc.nat()),
    }),
    gate: fc.record({ minPassRate: fc.integer({ min: 0, max: 100 }), critical: fc.boolean() }, { requiredKeys: [] }),
    tags: fc.array(text),
    skip: text,
  },
  { requiredKeys: [] },
)

describe('a packed case', () => {
  test('reads like the case it was made of', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(text, parts), { maxLength: 20 }), (list) => {
        const shelf = createCaseShelf('s.jsonl')
        const cases = list.map(([id, rest], index) => aCase(id, index + 1, rest))
        const packed = cases.map((item) => shelf.pack(item))
        expect(packed.map(membersOf)).toEqual(cases.map(membersOf))
        // Once more, in another order: what was parsed before is not taken for another case.
        expect(packed.toReversed().map(membersOf)).toEqual(cases.toReversed().map(membersOf))
      }),
    )
  })

  test('keeps a conversation and its files', () => {
    const messages = [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
    ] as const
    const item = aCase('a', 1, { input: [{ role: 'user', content: 'x' }], messages })
    expect(membersOf(createCaseShelf('s.jsonl').pack(item))).toEqual(membersOf(item))
  })

  test('stays as it is when it is large', () => {
    const item = aCase('a', 1, { input: 'x'.repeat(100_000) })
    expect(createCaseShelf('s.jsonl').pack(item)).toBe(item)
  })
})
