import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadPolicies } from '../../src/policies/index.ts'
import { folderWith } from '../suites/folder.ts'
import { fakeHost } from '../support/fake-host.ts'
import { loadIn, loadTexts, NOW } from './policy-folder.ts'

const ENTRY = 'reason: shorter answers are meant\n  until: 2026-04-30'

describe('an accept file', () => {
  test.each<[string, string]>([
    ['a list', `# what is meant\n- case: evals/a.jsonl/refund\n  ${ENTRY}\n- case: "*"\n  ${ENTRY}\n`],
    ['a field with the list', `accept:\n- case: evals/a.jsonl/refund\n  ${ENTRY}\n- case: "*"\n  ${ENTRY}\n`],
  ])('is %s', async (_, accept) => {
    const { policies, problems } = await loadTexts({ accept })
    expect(problems).toEqual([])
    const reason = 'shorter answers are meant'
    expect(policies.waivers).toEqual([
      { kind: 'accepted', case: 'evals/a.jsonl/refund', reason, until: '2026-04-30', source: 'accept.yml:2' },
      { kind: 'accepted', case: '*', reason, until: '2026-04-30', source: 'accept.yml:5' },
    ])
  })

  test('an expired entry is read like any other: its end is told where it is looked at', async () => {
    const { policies, problems } = await loadTexts({ accept: '- {case: a, reason: x, until: 2020-01-01}' })
    expect(problems).toEqual([])
    expect(policies.waivers).toMatchObject([{ case: 'a', until: '2020-01-01' }])
  })

  test('a reason over several lines is one line', async () => {
    const { policies } = await loadTexts({
      accept: '- case: a\n  until: "2026-03-02"\n  reason: |\n    one\n\n    two\t  three\n',
    })
    expect(policies.waivers).toMatchObject([{ reason: 'one two three', source: 'accept.yml:1' }])
  })

  test.each<[string, string]>([
    ['nothing', ''],
    ['a comment', '# nothing is accepted now\n'],
    ['an empty list', '[]'],
    ['a field without a list', 'accept:\n'],
  ])('may hold %s', async (_, accept) => {
    const { policies, problems } = await loadTexts({ accept })
    expect({ problems, waivers: policies.waivers }).toEqual({ problems: [], waivers: [] })
  })

  test('every mistake is told at once, with its line and its field', async () => {
    const { policies, problems } = await loadTexts({
      accept: [
        '- case: a',
        '  reason: fine',
        '  until: 2026-04-30',
        '- cas: b',
        '  reason: ""',
        '  untill: 2026-04-30',
        '- case: 7',
        '  reason: [x]',
        '  until: soon',
        '- a',
        '- case: a',
        '  reason: x',
        '  until: 2026-02-30',
        '- case: c',
        '  reason: x',
        '  evidence: 3 of 5',
        '  until: 2027-03-03',
        '- case: ""',
        '  reason: 1',
        '  until: 2026-3-1',
      ].join('\n'),
    })
    expect(policies.waivers.map(({ case: name }) => name)).toEqual(['a'])
    expect(problems).toEqual([
      'accept.yml:4: [1].cas: unknown field (did you mean "case"?)',
      'accept.yml:6: [1].untill: unknown field (did you mean "until"?)',
      'accept.yml:4: [1].case: required (found "cas": did you mean "case"?)',
      'accept.yml:5: [1].reason: expected a sentence, got ""',
      'accept.yml:4: [1].until: required (found "untill": did you mean "until"?)',
      'accept.yml:7: [2].case: expected a case as suite/id or its id, got 7 (write "7" in quotes)',
      'accept.yml:8: [2].reason: expected a sentence, got a list',
      'accept.yml:9: [2].until: expected a day such as 2026-03-31, got "soon"',
      'accept.yml:10: [3]: expected an entry with case, reason and until, got "a"',
      'accept.yml:13: [4].until: the calendar has no 2026-02-30',
      'accept.yml:11: [4].case: "a" is already accepted in line 1 (a case has one entry)',
      'accept.yml:16: [5].evidence: unknown field (known fields: case, reason, until)',
      'accept.yml:17: [5].until: 2027-03-03 is more than a year away (2027-03-02 is the latest)',
      'accept.yml:18: [6].case: expected a case as suite/id or its id, got ""',
      'accept.yml:19: [6].reason: expected a sentence, got 1',
      'accept.yml:20: [6].until: expected a day such as 2026-03-31, got "2026-3-1" (write 2026-03-01)',
    ])
  })

  test.each<[until: string, problem: string | undefined]>([
    ['2026-03-01', undefined],
    ['2027-03-02', undefined],
    ['2028-02-29', '2028-02-29 is more than a year away (2027-03-02 is the latest)'],
    ['9999-12-31', '9999-12-31 is more than a year away (2027-03-02 is the latest)'],
    ['2026-02-29', 'the calendar has no 2026-02-29'],
    ['2026-00-10', 'the calendar has no 2026-00-10'],
    ['2026-13-10', 'the calendar has no 2026-13-10'],
    ['2026-03-02T10:00:00Z', 'expected a day such as 2026-03-31, got "2026-03-02T10:00:00Z" (write 2026-03-02)'],
    ['20260302', 'expected a day such as 2026-03-31, got 20260302'],
    ['2026', 'expected a day such as 2026-03-31, got 2026'],
    ['02.03.2026', 'expected a day such as 2026-03-31, got "02.03.2026"'],
    ['{}', 'expected a day such as 2026-03-31, got an object'],
    ['true', 'expected a day such as 2026-03-31, got true'],
    ['null', 'required'],
  ])('until %s', async (until, problem) => {
    const { problems } = await loadTexts({ accept: `- {case: a, reason: x, until: ${until}}` })
    expect(problems).toEqual(problem === undefined ? [] : [`accept.yml:1: [0].until: ${problem}`])
  })

  test.each<[string, string, string]>([
    ['a text', 'refund', 'accept.yml:1: expected a list of entries with case, reason and until, got "refund"'],
    ['another list', 'quarantine: []', 'accept.yml:1: quarantine: unknown field (known fields: accept)'],
    ['a near name', 'accepts: []', 'accept.yml:1: accepts: unknown field (did you mean "accept"?)'],
    ['no list', 'accept: {case: a}', 'accept.yml:1: accept: expected a list, got an object'],
    ['a long reason', `- {case: a, until: 2026-03-02, reason: "${'x'.repeat(1_001)}"}`, LONG],
  ])('%s is refused', async (_, accept, problem) => {
    expect((await loadTexts({ accept })).problems).toEqual([problem])
  })
})

const LONG = 'accept.yml:1: [0].reason: is longer than 1000 characters (link to what there is to say)'

describe('a quarantine file', () => {
  test('has evidence, too, and may do without', async () => {
    const { policies, problems } = await loadTexts({
      quarantine: `quarantine:\n- {case: a, reason: slow search, evidence: 41 of 50, until: 2026-03-31}\n- case: b\n  ${ENTRY}`,
    })
    expect(problems).toEqual([])
    expect(policies.waivers).toEqual([
      {
        kind: 'quarantined',
        case: 'a',
        reason: 'slow search',
        evidence: '41 of 50',
        until: '2026-03-31',
        source: 'quarantine.yml:2',
      },
      {
        kind: 'quarantined',
        case: 'b',
        reason: 'shorter answers are meant',
        until: '2026-04-30',
        source: 'quarantine.yml:3',
      },
    ])
  })

  test('never takes every case', async () => {
    const { problems } = await loadTexts({
      quarantine: `- case: "*"\n  ${ENTRY}\n- case: a\n  evidence: []\n  ${ENTRY}`,
    })
    expect(problems).toEqual([
      'quarantine.yml:1: [0].case: no quarantine for every case (name the cases that are flaky; fail-on says what makes a run red)',
      'quarantine.yml:5: [1].evidence: expected a sentence, got a list',
    ])
  })

  test('may name a case that is accepted, too', async () => {
    const text = `- case: a\n  ${ENTRY}`
    const { policies, problems } = await loadTexts({ accept: text, quarantine: text })
    expect(problems).toEqual([])
    expect(policies.waivers.map(({ kind }) => kind)).toEqual(['accepted', 'quarantined'])
  })
})

describe('the files', () => {
  test('need not be there', async () => {
    const { policies, problems, cwd } = await loadTexts({})
    expect({ problems, waivers: policies.waivers }).toEqual({ problems: [], waivers: [] })
    // What is written to one of them would be read by the next run.
    expect(policies.paths).toEqual(['accept.yml', 'quarantine.yml', 'gates.yml'].map((name) => join(cwd, name)))
  })

  test('must be there where they were named, and all that are not are told of', async () => {
    const { problems } = await loadTexts({ given: ['accept-file', 'gates-file'] })
    expect(problems).toEqual([
      'accept.yml: not found (--accept-file names it)',
      'gates.yml: not found (--gates-file names it)',
    ])
  })

  test('are none where their name is empty', async () => {
    const policies = await loadPolicies({
      acceptFile: '',
      quarantineFile: '',
      gatesFile: '',
      given: new Set(['accept-file']),
      host: fakeHost({ now: () => NOW }),
    })
    expect({ problems: policies.problems, paths: policies.paths }).toEqual({ problems: [], paths: [] })
  })

  test('are each read whatever is wrong with the others', async () => {
    const cwd = folderWith({ 'quarantine.yml': new Uint8Array([0x2d, 0x20, 0xff]), 'gates.yml': 'suites: 1' })
    mkdirSync(join(cwd, 'accept.yml'))
    expect((await loadIn(cwd)).problems).toEqual([
      'accept.yml: is not a file',
      'quarantine.yml: not UTF-8 text',
      'gates.yml:1: suites: expected a list, got 1',
    ])
  })
})
