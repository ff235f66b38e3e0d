import { describe, expect, test } from 'vitest'
import { describeProblem } from '../../src/core/errors.ts'
import type { CaseGate } from '../../src/core/gate.ts'
import type { Policies } from '../../src/policies/index.ts'
import { loadTexts } from './policy-folder.ts'

function gateOf({ gateOf: of }: Policies, key: string, gate?: CaseGate): CaseGate | undefined {
  const at = key.lastIndexOf('/')
  return of({ key, suite: key.slice(0, at), id: key.slice(at + 1), ...(gate ? { gate } : {}) })
}

const GATES = `
suites:
  - match: evals/**
    min-pass-rate: 90
    threshold-mode: shown
  - match: [evals/billing, "evals/*.jsonl"]
    min-pass-rate: 95%
cases:
  - case: refund
    critical: true
  - case: evals/billing/a.jsonl/refund
    threshold-mode: proven
  - case: refund
    min-pass-rate: 0
  - {case: chatty, min-pass-rate: 60}
`

describe('the gate of a case', () => {
  test.each<[string, string, CaseGate | undefined, CaseGate | undefined]>([
    ['nothing that is said', 'other/a.jsonl/x', undefined, undefined],
    ['its own', 'other/a.jsonl/x', { critical: true }, { critical: true }],
    ['of its suite', 'evals/sub/a.jsonl/x', undefined, { minPassRate: 90, thresholdMode: 'shown' }],
    ['of later entries, field by field', 'evals/a.jsonl/x', undefined, { minPassRate: 95, thresholdMode: 'shown' }],
    ['of a folder', 'evals/billing/sub/a.jsonl/x', undefined, { minPassRate: 95, thresholdMode: 'shown' }],
    ['by its id', 'other/a.jsonl/chatty', undefined, { minPassRate: 60 }],
    [
      'by its id and its key, over that of its suite',
      'evals/billing/a.jsonl/refund',
      undefined,
      { minPassRate: 0, thresholdMode: 'proven', critical: true },
    ],
    [
      'its own over all of them',
      'evals/billing/a.jsonl/refund',
      { critical: false, thresholdMode: 'observed' },
      { minPassRate: 0, thresholdMode: 'observed', critical: false },
    ],
  ])('is %s', async (_, key, own, gate) => {
    const { policies, problems } = await loadTexts({ gates: GATES })
    expect(problems).toEqual([])
    expect(gateOf(policies, key, own)).toEqual(gate)
    // Twice: what is kept of a suite is not changed by one of its cases.
    expect(gateOf(policies, key, own)).toEqual(gate)
  })

  test('is one object for all cases of a suite that say nothing themselves', async () => {
    const { policies } = await loadTexts({ gates: GATES })
    expect(gateOf(policies, 'evals/a.jsonl/x')).toBe(gateOf(policies, 'evals/a.jsonl/y'))
  })

  test.each<[string, string | undefined]>([
    ['no file', undefined],
    ['an empty file', ''],
    ['empty lists', 'suites: []\ncases:\n'],
  ])('is its own with %s', async (_, gates) => {
    const { policies, problems } = await loadTexts(gates === undefined ? {} : { gates })
    expect(problems).toEqual([])
    expect(gateOf(policies, 's.jsonl/x')).toBeUndefined()
    expect(gateOf(policies, 's.jsonl/x', { minPassRate: 1 })).toEqual({ minPassRate: 1 })
  })
})

describe('a gates file', () => {
  test('tells every mistake at once, with its line and its field', async () => {
    const { problems } = await loadTexts({
      gates: [
        'suite: []',
        'suites:',
        '  - match: evals/**',
        '    min-pass-rate: 0.9',
        '  - mach: evals/**',
        '    threshold-mode: shwon',
        '  - match: ["a", "{b", 7]',
        '    critical: yes',
        '  - match: a',
        '  - evals/**',
        '  - match: []',
        '    min_pass_rate: 90',
        'cases:',
        '  - case: "*"',
        '    critical: true',
        '  - case: 7',
        '    min-pass-rate: 101',
        '  - critical: true',
        '  - case: [a]',
        '    min-pass-rate: "90"',
        '  - refund',
      ].join('\n'),
    })
    expect(problems).toEqual([
      'gates.yml:1: suite: unknown field (did you mean "suites"?)',
      'gates.yml:4: suites[0].min-pass-rate: expected a percentage from 0 to 100, got 0.9 (write 90 for 90 %)',
      'gates.yml:5: suites[1].mach: unknown field (did you mean "match"?)',
      'gates.yml:6: suites[1].threshold-mode: expected one of "shown", "observed", "proven", got "shwon" (did you mean "shown"?)',
      'gates.yml:5: suites[1].match: required (found "mach": did you mean "match"?)',
      'gates.yml:8: suites[2].critical: expected true or false, got "yes"',
      'gates.yml:7: suites[2].match[1]: a "{" is not closed',
      'gates.yml:7: suites[2].match[2]: expected a pattern such as evals/**, got 7',
      'gates.yml:9: suites[3]: asks for nothing (give min-pass-rate, threshold-mode or critical)',
      'gates.yml:10: suites[4]: expected an entry such as {match: evals/**, min-pass-rate: 90}, got "evals/**"',
      'gates.yml:12: suites[5].min_pass_rate: unknown field (did you mean "min-pass-rate"?)',
      'gates.yml:11: suites[5].match: matches nothing (name a suite or a folder)',
      'gates.yml:14: cases[0].case: one case is meant here (match: "**" in "suites" is for all of them)',
      'gates.yml:17: cases[1].min-pass-rate: expected a percentage from 0 to 100, got 101',
      'gates.yml:16: cases[1].case: expected a case as suite/id or its id, got 7 (write "7" in quotes)',
      'gates.yml:18: cases[2].case: required',
      'gates.yml:20: cases[3].min-pass-rate: expected a percentage from 0 to 100, got "90"',
      'gates.yml:19: cases[3].case: expected a case as suite/id or its id, got a list',
      'gates.yml:21: cases[4]: expected an entry such as {case: refund, critical: true}, got "refund"',
    ])
  })

  test('is no list', async () => {
    expect((await loadTexts({ gates: '- case: a' })).problems).toEqual([
      'gates.yml:1: expected the lists "suites" and "cases", got a list',
    ])
  })
})

describe('beside the cases', () => {
  const cases = ['refund', 'chatty'].map((id) => ({ key: `evals/a.jsonl/${id}`, id, suite: 'evals/a.jsonl' }))

  test.each<[string, string, string[]]>([
    ['a key that is known', 'evals/a.jsonl/refund', []],
    ['an id that is known', 'chatty', []],
    ['what may be another suite’s', 'other/b.jsonl/anything', []],
    ['an id of something else', 'delivery', []],
    ['a mistyped id', 'refnud', ['gates.yml:2: case: there is no case "refnud" (did you mean "refund"?)']],
    [
      'a mistyped key',
      'evals/a.jsonl/refnd',
      ['gates.yml:2: case: there is no case "evals/a.jsonl/refnd" (did you mean "evals/a.jsonl/refund"?)'],
    ],
    [
      'an unknown id of a suite that is there',
      'evals/a.jsonl/delivery-of-large-parcels',
      ['gates.yml:2: case: there is no case "evals/a.jsonl/delivery-of-large-parcels"'],
    ],
  ])('%s', async (_, name, warnings) => {
    const { policies } = await loadTexts({ gates: `cases:\n- {case: "${name}", critical: true}` })
    const checked = policies.check(cases)
    expect(checked.problems).toEqual([])
    expect(checked.warnings.map(describeProblem)).toEqual(warnings)
  })

  const REFUSED =
    'quarantine.yml:2: [1].case: "evals/a.jsonl/refund" is critical, and what is critical is not let through as flaky (take it out of one of the two)'

  test.each<[string, string, CaseGate | undefined, boolean, string[]]>([
    ['critical by its own word', 'refund', { critical: true }, false, [REFUSED]],
    ['critical by the file', 'evals/a.jsonl/refund', undefined, true, [REFUSED]],
    ['not critical', 'refund', { critical: false }, false, []],
    ['not critical, whatever the file says', 'refund', { critical: false }, true, []],
    ['beside a critical one', 'chatty', undefined, true, []],
  ])('a quarantined case that is %s', async (_, quarantined, own, isCritical, problems) => {
    const { policies } = await loadTexts({
      quarantine: ['chatty-2', quarantined].map((name) => `- {case: ${name}, reason: x, until: 2026-03-02}`).join('\n'),
      ...(isCritical ? { gates: 'cases: [{case: refund, critical: true}]' } : {}),
    })
    const checked = policies.check(cases.map((item) => ({ ...item, ...(own ? { gate: own } : {}) })))
    expect(checked.problems.map(describeProblem)).toEqual(problems)
  })

  test('a quarantine that is over contradicts nothing', async () => {
    const { policies } = await loadTexts({ quarantine: '- {case: refund, reason: x, until: 2026-02-28}' })
    expect(policies.check(cases.map((item) => ({ ...item, gate: { critical: true } }))).problems).toEqual([])
  })
})
