import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadTexts } from './policy-folder.ts'

const everyFile = (text: string) => ({ accept: text, quarantine: text, gates: text })

describe('what is no plain data', () => {
  test.each<[string, string, string]>([
    ['a tag of code', '- !!js/function "x"', 'the tag "tag:yaml.org,2002:js/function" has no meaning here'],
    ['a timestamp', '- !!timestamp 2026-03-02', 'the tag "tag:yaml.org,2002:timestamp" has no meaning here'],
    [
      'a timestamp of YAML 1.1',
      '%YAML 1.1\n---\n- {until: 2026-03-02}',
      'a date of YAML 1.1 has no meaning here (write it in quotes)',
    ],
    ['a field given twice', '- case: a\n  case: b', 'this field was given before (only one of them could count)'],
    ['an alias of nothing', '- *who', 'there is no anchor "&who" before this alias'],
    ['an alias of what it is in', '- &a [*a]', 'the alias is inside of its own anchor "&a"'],
    [
      'a second document',
      '[]\n---\n[]',
      'YAML error at column 1: a second document starts here (a file holds one: write what belongs together as a list)',
    ],
    ['a list that is not closed', '- case: [a', 'YAML error at column'],
  ])('%s', async (_, text, problem) => {
    const { problems, policies } = await loadTexts(everyFile(text))
    expect(policies.waivers).toEqual([])
    for (const file of ['accept.yml', 'quarantine.yml', 'gates.yml']) {
      const told = problems.filter((text) => text.startsWith(`${file}:`))
      expect(told[0]).toMatch(/^\w+\.yml:[1-3]: /)
      expect(told[0]).toContain(problem)
    }
  })
})

describe('what is meant to take for ever', () => {
  const bomb = Array.from({ length: 9 }, (_, level) => `- &a${level + 1} [${Array(10).fill(`*a${level}`).join(', ')}]`)
  test.each<[string, string, string]>([
    [
      'ten aliases of ten aliases of ten',
      `- &a0 [x, x]\n${bomb.join('\n')}`,
      'the aliases stand for more than 500000 values',
    ],
    ['lists in lists', '['.repeat(100_000), 'nested deeper than 128 levels'],
    ['more than a MiB', `# ${'x'.repeat(1024 * 1024)}`, 'is larger than 1 MiB'],
  ])('%s', async (_, text, problem) => {
    const { problems } = await loadTexts(everyFile(text))
    expect(problems).toHaveLength(3)
    for (const told of problems) expect(told).toContain(problem)
  })

  test('twelve thousand entries', async () => {
    const entries = Array.from({ length: 12_000 }, (_, index) => `- {case: c${index}, reason: x, until: 2026-03-02}`)
    const { policies, problems } = await loadTexts({ accept: entries.join('\n') })
    expect(problems).toEqual([])
    expect(policies.waivers).toHaveLength(12_000)
  })
})

test('names of object internals are plain names', async () => {
  const entry = '{case: __proto__, reason: constructor, until: 2026-03-02}'
  const { policies, problems } = await loadTexts({
    accept: `- ${entry}`,
    quarantine: `- {case: toString, reason: x, until: 2026-03-02, __proto__: {evidence: x}}`,
    gates: '__proto__: {suites: []}\ncases: [{case: __proto__, critical: true}, {case: constructor, toString: 1}]',
  })
  expect(policies.waivers).toMatchObject([{ case: '__proto__', reason: 'constructor' }])
  expect(problems).toEqual([
    'quarantine.yml:1: [0].__proto__: unknown field (known fields: case, reason, until, evidence)',
    'gates.yml:1: __proto__: unknown field (known fields: suites, cases)',
    'gates.yml:2: cases[1].toString: unknown field (known fields: case, min-pass-rate, threshold-mode, critical)',
  ])
  const of = (id: string) => policies.gateOf({ key: `s.jsonl/${id}`, id, suite: 's.jsonl' })
  expect(of('__proto__')).toEqual({ critical: true })
  expect([of('constructor'), of('hasOwnProperty')]).toEqual([undefined, undefined])
})

const scalar = fc.oneof(
  fc.constantFrom('*', 'a', '2026-03-02', '2026-02-30', 'evals/**', 'shown', '{a,b', '80%'),
  fc.string({ unit: 'binary' }),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
)
const field = fc.constantFrom(
  'case',
  'reason',
  'until',
  'evidence',
  'match',
  'min-pass-rate',
  'threshold-mode',
  'critical',
  '__proto__',
  'x',
)
const entry = fc.oneof(fc.dictionary(field, fc.oneof(scalar, fc.array(scalar))), scalar)
const document = fc.oneof(
  fc.array(entry),
  fc.dictionary(fc.constantFrom('accept', 'quarantine', 'suites', 'cases', 'x'), fc.oneof(fc.array(entry), scalar)),
  scalar,
)

test('whatever the files say, they are read or refused with the file, and a line of it', async () => {
  const texts = fc.oneof(
    document.map((value) => JSON.stringify(value)),
    fc.string({ unit: 'binary' }),
  )
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const { policies, problems } = await loadTexts(everyFile(text))
      const count = text.split('\n').length
      for (const { file, line = 1, message } of policies.problems) {
        expect(['accept.yml', 'quarantine.yml', 'gates.yml']).toContain(file)
        expect(line).toBeLessThanOrEqual(count)
        expect(message).not.toBe('')
      }
      for (const told of problems) expect(told.length).toBeLessThan(2_000)
      for (const waiver of policies.waivers) {
        expect(waiver.reason).not.toBe('')
        expect(waiver.until).toMatch(/^\d{4}-\d\d-\d\d$/)
        expect(waiver.kind === 'quarantined' && waiver.case === '*').toBe(false)
      }
      const gate = policies.gateOf({ key: 's/a', id: 'a', suite: 's' })
      expect(gate?.minPassRate ?? 0).toBeGreaterThanOrEqual(0)
      expect(gate?.minPassRate ?? 0).toBeLessThanOrEqual(100)
    }),
    { numRuns: 200 },
  )
})
