import { describe, expect, test } from 'vitest'
import type { CaseGate } from '../../src/core/gate.ts'
import { casesOf, described, folderWith, jsonLines, loadText } from './folder.ts'
import { loadIn, loadYaml } from './yaml/load.ts'

describe('a record', () => {
  test.each<[string, object, CaseGate | undefined]>([
    ['nothing', {}, undefined],
    ['null', { gate: null, critical: null }, undefined],
    ['an empty gate', { gate: {} }, undefined],
    ['critical', { critical: true }, { critical: true }],
    ['not critical', { critical: false }, { critical: false }],
    [
      'everything',
      { gate: { min_pass_rate: 66.7, threshold_mode: 'proven', critical: true } },
      { minPassRate: 66.7, thresholdMode: 'proven', critical: true },
    ],
    ['a gate and critical', { gate: { min_pass_rate: 0 }, critical: true }, { minPassRate: 0, critical: true }],
    ['a percentage as text', { gate: { min_pass_rate: '0.5 %' } }, { minPassRate: 0.5 }],
    ['one percent', { gate: { min_pass_rate: 1 } }, { minPassRate: 1 }],
  ])('with %s', async (_, fields, gate) => {
    const loaded = await loadText(jsonLines({ id: 'a', input: 'x', ...fields }))
    expect(described(loaded)).toEqual([])
    expect(casesOf(loaded)[0]?.gate).toEqual(gate)
    expect(loaded.suites[0]?.warnings).toEqual([])
  })

  test('is the same question, whatever is asked of its pass rate', async () => {
    const plain = { id: 'a', input: 'x' }
    const loaded = await loadText(jsonLines(plain, { ...plain, id: 'b', critical: true, gate: { min_pass_rate: 5 } }))
    const [first, second] = casesOf(loaded)
    expect(second?.fingerprint).toBe(first?.fingerprint)
  })

  test('says every mistake at once: no typing error opens the gate', async () => {
    const loaded = await loadText(
      jsonLines(
        { id: 'a', input: 'x', gate: { min_pass_rat: 90, threshold_mode: 'show' }, critical: 'yes' },
        { id: 'b', input: 'x', gate: { min_pass_rate: 0.95, critical: true }, critical: true },
        { id: 'c', input: 'x', gate: 90 },
        { id: 'd', input: 'x', gate: { min_pass_rate: -1 } },
        { id: 'e', input: 'x', gate: { min_pass_rate: '101%', threshold_mode: ['shown'] } },
        { id: 'f', input: 'x', gate: { minPassRate: 90 } },
      ),
    )
    expect(described(loaded)).toEqual([
      'cases.jsonl:1: critical: expected true or false, got "yes"',
      'cases.jsonl:1: gate.min_pass_rat: unknown field (did you mean "min_pass_rate"?)',
      'cases.jsonl:1: gate.threshold_mode: expected one of "shown", "observed", "proven", got "show" (did you mean "shown"?)',
      'cases.jsonl:2: gate.critical: cannot be given beside "critical" (they mean the same)',
      'cases.jsonl:2: gate.min_pass_rate: expected a percentage from 0 to 100, got 0.95 (write 95 for 95 %)',
      'cases.jsonl:3: gate: expected an object such as {"min_pass_rate": 90}, got 90',
      'cases.jsonl:4: gate.min_pass_rate: expected a percentage from 0 to 100, got -1',
      'cases.jsonl:5: gate.min_pass_rate: expected a percentage from 0 to 100, got "101%"',
      'cases.jsonl:5: gate.threshold_mode: expected one of "shown", "observed", "proven", got a list',
      'cases.jsonl:6: gate.minPassRate: unknown field (did you mean "min_pass_rate"?)',
    ])
  })
})

describe('a YAML test', () => {
  const HEAD = 'id: a\nprompt: x\n'

  test.each<[string, string, CaseGate | undefined]>([
    ['nothing', '', undefined],
    ['critical', 'critical: true', { critical: true }],
    [
      'a gate',
      'gate: {minPassRate: 80, thresholdMode: shown, critical: false}',
      { minPassRate: 80, thresholdMode: 'shown', critical: false },
    ],
    ['a gate and critical', 'gate:\n  minPassRate: 80 %\ncritical: true', { minPassRate: 80, critical: true }],
  ])('with %s', async (_, yaml, gate) => {
    const { cases, problems, warnings } = await loadYaml(HEAD + yaml)
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] })
    expect(cases[0]?.gate).toEqual(gate)
    const plain = await loadYaml(HEAD)
    expect(cases[0]?.fingerprint).toBe(plain.cases[0]?.fingerprint)
  })

  test('says every mistake at once', async () => {
    const { problems } = await loadYaml(
      `${HEAD}critical: true\ngate:\n  minPassRate: 0.8\n  thresholdMode: seen\n  critical: true\n  min: 1`,
    )
    expect(problems).toEqual([
      'tests/test.yaml:8: gate.min: unknown field (known fields: minPassRate, thresholdMode, critical)',
      'tests/test.yaml:7: gate.critical: cannot be given beside "critical" (they mean the same)',
      'tests/test.yaml:5: gate.minPassRate: expected a percentage from 0 to 100, got 0.8 (write 80 for 80 %)',
      'tests/test.yaml:6: gate.thresholdMode: expected one of "shown", "observed", "proven", got "seen"',
    ])
    expect((await loadYaml(`${HEAD}gate: 80`)).problems).toEqual([
      'tests/test.yaml:3: gate: expected an object, got 80',
    ])
  })

  test('has what its list and the config file above ask for, the nearer first', async () => {
    const cwd = folderWith({
      '.git/HEAD': '',
      'agent-test.yaml': 'defaults:\n  gate: {minPassRate: 50, thresholdMode: observed}\ngate: {minPassRate: 60}\n',
      'tests/list.yaml':
        'gate: {thresholdMode: shown}\ncritical: true\ntests:\n  - {id: a, prompt: x}\n  - {id: b, prompt: x, critical: false, gate: {minPassRate: 70}}\n',
      'tests/one.yaml': HEAD,
    })
    const { cases, problems } = await loadIn(cwd, ['tests'])
    expect(problems).toEqual([])
    expect(Object.fromEntries(cases.map(({ key, gate }) => [key, gate]))).toEqual({
      'tests/list.yaml/a': { minPassRate: 60, thresholdMode: 'shown', critical: true },
      'tests/list.yaml/b': { minPassRate: 70, thresholdMode: 'shown', critical: false },
      'tests/one.yaml/a': { minPassRate: 60, thresholdMode: 'observed' },
    })
  })

  test('is told of mistakes in the list and the config file around it', async () => {
    const cwd = folderWith({
      '.git/HEAD': '',
      'agent-test.yaml': 'defaults:\n  gate: {minPassRate: 101}\ncritical: often\n',
      'tests/list.yaml': 'tests:\n  - {id: a, prompt: x}\ngate: {minPassrate: 7}\n',
    })
    expect((await loadIn(cwd, ['tests'])).problems).toEqual([
      'tests/list.yaml:3: gate.minPassrate: unknown field (did you mean "minPassRate"?)',
      'agent-test.yaml:3: critical: expected true or false, got "often"',
      'agent-test.yaml:2: defaults.gate.minPassRate: expected a percentage from 0 to 100, got 101',
    ])
  })
})
