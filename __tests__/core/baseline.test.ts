import { describe, expect, test } from 'vitest'
import {
  assessBaseline,
  type BaselineState,
  describeBaseline,
  type LoadedBaseline,
  parseBaseline,
  toBaseline,
} from '../../src/core/baseline.ts'
import { UserError } from '../../src/core/errors.ts'
import { aBaseline, aCaseReport, erroredOutcome, loadedBaseline, mixed, passes, someRuns } from '../support/builders.ts'

const source = 'base.json'

function refusal(text: string): UserError {
  try {
    parseBaseline(text, source)
  } catch (error) {
    if (error instanceof UserError) return error
    throw error
  }
  throw new Error('was accepted')
}

describe('reading and writing', () => {
  test('what is saved is read back', () => {
    const runs = someRuns([...mixed(1, 1), erroredOutcome()], { durationMs: 812.6 })
    const saved = toBaseline([aCaseReport({ runs })], '2026-03-01T00:00:00Z', {
      commit: 'abc',
      branch: 'main',
      runId: 9,
    })
    expect(parseBaseline(JSON.stringify(saved), source)).toEqual({
      schemaVersion: 1,
      createdAt: '2026-03-01T00:00:00Z',
      commit: 'abc',
      branch: 'main',
      runId: 9,
      cases: [
        {
          key: 'tests/support.jsonl/greet-01',
          fingerprint: 'fingerprint of greet-01',
          target: 'yao:support-bot',
          runs: [
            { status: 'passed', durationMs: 813 },
            { status: 'failed', durationMs: 813 },
            { status: 'errored', durationMs: 813 },
          ],
        },
      ],
    })
  })

  test('neither outputs nor inputs are saved, nor cases that were not run', () => {
    const saved = toBaseline([aCaseReport({ input: 'secret' }), aCaseReport({ id: 'b', skip: 'x' })], 'now', {})
    expect(saved.cases).toHaveLength(1)
    expect(JSON.stringify(saved)).not.toMatch(/secret|Hello/)
  })

  test('fields that a later version adds are ignored', () => {
    const text = JSON.stringify({ ...aBaseline([aCaseReport()]), later: { x: 1 } })
    expect(parseBaseline(text, source)).toEqual(aBaseline([aCaseReport()]))
  })

  test.each<[string, string, string]>([
    ['an empty file', '', 'not JSON: Unexpected end of JSON input'],
    ['a list', '[]', 'document: '],
    ['null', 'null', 'document: '],
    ['no version', '{"createdAt":"x","cases":[]}', 'schemaVersion: '],
    ['an older version', '{"schemaVersion":0,"createdAt":"x","cases":[]}', 'schemaVersion: '],
    ['a version as text', '{"schemaVersion":"1","createdAt":"x","cases":[]}', 'schemaVersion: '],
    [
      'a newer version',
      '{"schemaVersion":2}',
      'schemaVersion 2 is newer than this agent-test reads (1); update agent-test',
    ],
    ['no cases', '{"schemaVersion":1,"createdAt":"x"}', 'cases: '],
    [
      'an unknown status',
      '{"schemaVersion":1,"createdAt":"x","cases":[{"key":"k","fingerprint":"f","target":"t","runs":[{"status":"skipped","durationMs":1}]}]}',
      'cases.0.runs.0.status: ',
    ],
    [
      'a negative duration',
      '{"schemaVersion":1,"createdAt":"x","cases":[{"key":"k","fingerprint":"f","target":"t","runs":[{"status":"passed","durationMs":-1}]}]}',
      'cases.0.runs.0.durationMs: ',
    ],
  ])('%s is refused by name', (_, text, detail) => {
    const error = refusal(text)
    expect(error.code).toBe('INVALID_BASELINE')
    expect(error.message.startsWith(`base.json: ${detail}`)).toBe(true)
    expect(error.problems).toMatchObject([{ file: source }])
    expect(error.problems[0]?.message.startsWith(`not a baseline: ${detail}`)).toBe(true)
  })

  test('keys called __proto__ and constructor change nothing but themselves', () => {
    const text = `{"__proto__":{"polluted":true},"schemaVersion":1,"createdAt":"x","constructor":{"prototype":{"polluted":true}},
      "cases":[{"__proto__":{"polluted":true},"key":"__proto__","fingerprint":"f","target":"constructor","runs":[]}]}`
    const parsed = parseBaseline(text, source)
    expect(parsed.cases).toEqual([{ key: '__proto__', fingerprint: 'f', target: 'constructor', runs: [] }])
    expect('polluted' in parsed || 'polluted' in {} || 'polluted' in (parsed.cases[0] ?? {})).toBe(false)
  })
})

describe('whether it can be compared with', () => {
  const now = [aCaseReport(), aCaseReport({ id: 'greet-02' })]
  const other = 'http:https://example.test/v1'
  test.each<[string, LoadedBaseline, BaselineState]>([
    ['nothing found', { kind: 'none', detail: 'x' }, { kind: 'none', detail: 'x' }],
    ['expired', { kind: 'expired', detail: 'x' }, { kind: 'expired', detail: 'x' }],
    ['unreadable', { kind: 'unreadable', detail: 'x' }, { kind: 'unreadable', detail: 'x' }],
    ['the same cases', loadedBaseline(now), loadedBaseline(now)],
    ['one case in common', loadedBaseline([aCaseReport()]), loadedBaseline([aCaseReport()])],
    [
      'no case in common',
      loadedBaseline([aCaseReport({ id: 'other' })], 'file b.json'),
      { kind: 'not_comparable', detail: 'file b.json: it has none of these cases' },
    ],
    [
      'an empty one',
      loadedBaseline([], 'file b.json'),
      { kind: 'not_comparable', detail: 'file b.json: it has none of these cases' },
    ],
    [
      'another target',
      loadedBaseline([aCaseReport({ target: other })], 'file b.json'),
      { kind: 'not_comparable', detail: `file b.json: it tested another target (${other})` },
    ],
    [
      'nothing but errors',
      loadedBaseline([aCaseReport({ runs: someRuns([erroredOutcome(), erroredOutcome()]) })], 'file b.json'),
      { kind: 'too_thin', detail: 'file b.json: every run in it errored' },
    ],
    [
      'judged runs only in a case that is gone',
      loadedBaseline([aCaseReport({ runs: someRuns([erroredOutcome()]) }), aCaseReport({ id: 'gone' })], 'file b.json'),
      { kind: 'too_thin', detail: 'file b.json: every run in it errored' },
    ],
  ])('%s', (_, loaded, state) => {
    expect(assessBaseline(loaded, { cases: now })).toEqual(state)
  })

  test('one made from this very commit is no earlier state', () => {
    const loaded = loadedBaseline(now, 'file b.json')
    const commit = 'abc1234def5678abc1234def5678abc1234def56'
    expect(assessBaseline(loaded, { cases: now, commit })).toEqual({
      kind: 'self',
      detail: 'file b.json was made from this very commit abc1234',
    })
    expect(assessBaseline(loaded, { cases: now, commit: 'f'.repeat(40) }).kind).toBe('ok')
  })

  test('without commits nothing is taken for itself', () => {
    const loaded: LoadedBaseline = { kind: 'ok', baseline: toBaseline(now, 'x', {}), source: 'file b.json' }
    expect(assessBaseline(loaded, { cases: now }).kind).toBe('ok')
  })
})

test.each<[BaselineState, string]>([
  [{ kind: 'off' }, 'Not compared: no baseline was asked for.'],
  [
    loadedBaseline([aCaseReport({ runs: someRuns(passes(1)) })]),
    'Compared with artifact of run 812 on main at abc1234.',
  ],
  [{ kind: 'ok', baseline: toBaseline([], 'x', {}), source: 'file b.json' }, 'Compared with file b.json.'],
  [{ kind: 'none', detail: 'main has no run' }, 'No baseline yet: main has no run.'],
  [{ kind: 'expired', detail: 'x' }, 'The baseline has expired: x.'],
  [{ kind: 'unreadable', detail: 'x' }, 'The baseline could not be read: x.'],
  [{ kind: 'not_comparable', detail: 'x' }, 'The baseline cannot be compared: x.'],
  [{ kind: 'self', detail: 'x' }, 'Not compared with itself: x.'],
  [{ kind: 'too_thin', detail: 'x' }, 'The baseline is too thin: x.'],
])('each state has its own sentence: %#', (state, sentence) => {
  expect(describeBaseline(state)).toBe(sentence)
})
