import { describe, expect, test } from 'vitest'
import {
  assessBaseline,
  type Baseline,
  type BaselineState,
  describeBaseline,
  type LoadedBaseline,
} from '../../src/core/baseline.ts'
import { UserError } from '../../src/core/errors.ts'
import { toBaseline } from '../../src/core/make-baseline.ts'
import { parseBaseline } from '../../src/core/parse-baseline.ts'
import { aBaseline, aCaseReport, erroredOutcome, loadedBaseline, passes, someRuns } from '../support/builders.ts'
import { aDocument, aWindow } from '../support/windows.ts'

const source = 'base.json'
const KEY = 'tests/support.jsonl/greet-01'

function refusal(text: string): UserError {
  try {
    parseBaseline(text, source)
  } catch (error) {
    if (error instanceof UserError) return error
    throw error
  }
  throw new Error('was accepted')
}

const withRun = (run: object) => aDocument({ cases: [{ key: 'k', target: 't', runs: [run] }] })
const aRecord = { session: 0, status: 'passed', durationMs: 1, fingerprint: 'f' }

describe('reading', () => {
  test('what is saved is read back', () => {
    const saved = toBaseline(
      [aCaseReport()],
      '2026-03-01T00:00:00Z',
      { id: '9.1.x', commit: 'abc', branch: 'main', runId: 9, attempt: 1 },
      { runsPerCase: 3, accepted: { [KEY]: 'h' }, approvals: new Map([[KEY, new Set(['ls'])]]) },
    )
    expect(parseBaseline(JSON.stringify(saved), source)).toEqual(saved)
  })

  test('fields that a later version adds are ignored', () => {
    const document = aBaseline([aCaseReport()])
    const text = JSON.stringify({ ...document, later: { x: 1 } })
    expect(parseBaseline(text, source)).toEqual(document)
  })

  test('a document of version 1 is one session, the same wherever it is read', () => {
    const first = {
      schemaVersion: 1,
      createdAt: '2026-03-01T00:00:00Z',
      commit: 'abc',
      branch: 'main',
      runId: 9,
      cases: [
        {
          key: KEY,
          fingerprint: 'f',
          target: 't',
          runs: [
            { status: 'passed', durationMs: 8 },
            { status: 'errored', durationMs: 9 },
          ],
          approvals: ['x'],
        },
      ],
    }
    const origin = { createdAt: '2026-03-01T00:00:00Z', commit: 'abc', branch: 'main', runId: 9 }
    const read = parseBaseline(JSON.stringify(first), source)
    expect(read).toEqual({
      schemaVersion: 2,
      ...origin,
      sessions: [{ id: 'first.9.2026-03-01T00:00:00Z', ...origin }],
      cases: [
        {
          key: KEY,
          target: 't',
          runs: [
            { session: 0, status: 'passed', durationMs: 8, fingerprint: 'f' },
            { session: 0, status: 'errored', durationMs: 9, fingerprint: 'f' },
          ],
          approvals: ['x'],
        },
      ],
    })
    expect(parseBaseline(JSON.stringify(first), 'elsewhere')).toEqual(read)
  })

  test('runs come in the order of their sessions, whatever the document has', () => {
    const runs = [1, 0, 1].map((session, index) => ({ ...aRecord, session, durationMs: index }))
    const sessions = ['a', 'b'].map((id) => ({ id, createdAt: '2026-03-01T00:00:00Z' }))
    const read = parseBaseline(aDocument({ sessions, cases: [{ key: 'k', target: 't', runs }] }), source)
    expect(read.cases[0]?.runs.map(({ session, durationMs }) => [session, durationMs])).toEqual([
      [0, 1],
      [1, 0],
      [1, 2],
    ])
  })
})

describe('a hostile document', () => {
  const manyOf = (entry: string, count: number) => `[${Array.from({ length: count }, () => entry).join(',')}]`

  test.each<[string, string, string]>([
    ['an empty file', '', 'not JSON: Unexpected end of JSON input'],
    ['a list', '[]', 'document: '],
    ['null', 'null', 'document: '],
    ['no version', aDocument({ schemaVersion: undefined }), 'schemaVersion: '],
    ['an older version', aDocument({ schemaVersion: 0 }), 'schemaVersion: '],
    ['a version as text', aDocument({ schemaVersion: '2' }), 'schemaVersion: '],
    [
      'a newer version',
      '{"schemaVersion":3}',
      'schemaVersion 3 is newer than this agent-test reads (2); update agent-test',
    ],
    ['version 1 without cases', '{"schemaVersion":1,"createdAt":"2026-01-01"}', 'cases: '],
    [
      'version 1 with a status that is none',
      '{"schemaVersion":1,"createdAt":"2026-01-01","cases":[{"key":"k","fingerprint":"f","target":"t","runs":[{"status":"skipped","durationMs":1}]}]}',
      'cases.0.runs.0.status: ',
    ],
    ['no cases', aDocument({ cases: undefined }), 'cases: '],
    ['no sessions', aDocument({ sessions: undefined }), 'sessions: expected a list of at most 2000'],
    ['a time that is none', aDocument({ createdAt: 'yesterday' }), 'createdAt: expected a time'],
    ['a time with more behind it', aDocument({ createdAt: '2026-01-01 (\u001b[31m)' }), 'createdAt: expected a time'],
    ['a session of no time', aDocument({ sessions: [{ id: 'a', createdAt: '' }] }), 'sessions.0.createdAt: '],
    ['a session without an id', aDocument({ sessions: [{ createdAt: '2026-01-01' }] }), 'sessions.0.id: '],
    ['a commit that is none', aDocument({ commit: '<b>\u001b[31m' }), 'commit: expected the hash of a commit'],
    ['an unknown status', withRun({ ...aRecord, status: 'skipped' }), 'cases.0.runs.0.status: '],
    ['a negative duration', withRun({ ...aRecord, durationMs: -1 }), 'cases.0.runs.0.durationMs: '],
    ['an endless duration', withRun({}).replace('{}', `{"session":0,"status":"passed","durationMs":1e999}`), 'cases.0'],
    ['half a token', withRun({ ...aRecord, inputTokens: 1.5 }), 'cases.0.runs.0.inputTokens: '],
    ['a session that is not there', withRun({ ...aRecord, session: 1 }), 'cases.0.runs.0.session: there is no such'],
    ['a session before the first', withRun({ ...aRecord, session: -1 }), 'cases.0.runs.0.session: '],
    ['a session called __proto__', withRun({ ...aRecord, session: '__proto__' }), 'cases.0.runs.0.session: '],
    [
      'two sessions of one id',
      aDocument({ sessions: ['a', 'a'].map((id) => ({ id, createdAt: '2026-01-01' })) }),
      'sessions.1.id: two sessions have the same',
    ],
    [
      'two cases of one key',
      aDocument({ cases: [1, 2].map(() => ({ key: 'k', target: 't', runs: [] })) }),
      'cases.1.key: two cases have the same',
    ],
    ['a million values where a run should be', withRun({}).replace('[{}]', manyOf('0', 1_000_000)), 'cases.0.runs: '],
    [
      'a million sessions',
      aDocument({ sessions: 0 }).replace('"sessions":0', `"sessions":${manyOf('0', 1e6)}`),
      'sess',
    ],
    ['more values than memory holds', `[${'[],'.repeat(9_000_000)}0]`, 'more than 8000000 values'],
    ['nesting without end', '['.repeat(9_000_000), 'more than 8000000 values'],
  ])('%s is refused by name', (_, text, detail) => {
    const error = refusal(text)
    expect(error.code).toBe('INVALID_BASELINE')
    expect(error.message.slice(0, source.length + 2 + detail.length)).toBe(`base.json: ${detail}`)
    expect(error.message.length).toBeLessThan(1_000)
    expect(error.problems).toMatchObject([{ file: source }])
    expect(error.problems[0]?.message.startsWith(`not a baseline: ${detail}`)).toBe(true)
  })

  test('commas inside of texts are no values', () => {
    const key = `a"\\,${'[{,'.repeat(3_000_000)}`
    const text = aDocument({ cases: [{ key, target: 't', runs: [aRecord] }] })
    expect(parseBaseline(text, source).cases[0]?.key).toBe(key)
  })

  test('keys called __proto__ and constructor change nothing but themselves', () => {
    const text = `{"__proto__":{"polluted":true},"schemaVersion":2,"createdAt":"2026-01-01","constructor":{"prototype":{"polluted":true}},
      "sessions":[{"id":"a","createdAt":"2026-01-01","accepted":{"__proto__":"x","constructor":"y"}}],
      "cases":[{"__proto__":{"polluted":true},"key":"__proto__","target":"constructor","runs":[{"session":0,"status":"passed",
      "durationMs":1,"fingerprint":"f","scores":{"__proto__":1,"constructor":2}}]}]}`
    const parsed = parseBaseline(text, source)
    expect(parsed.cases[0]).toMatchObject({ key: '__proto__', target: 'constructor' })
    expect(Object.keys(parsed.cases[0]?.runs[0]?.scores ?? {})).toEqual(['constructor'])
    expect(Object.keys(parsed.sessions[0]?.accepted ?? {})).toEqual(['constructor'])
    expect('polluted' in parsed || 'polluted' in {} || 'polluted' in (parsed.cases[0] ?? {})).toBe(false)
  })
})

describe('whether it can be compared with', () => {
  const now = [aCaseReport(), aCaseReport({ id: 'greet-02' })]
  const other = 'http:https://example.test/v1'
  const errored = aCaseReport({ runs: someRuns([erroredOutcome(), erroredOutcome()]) })
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
      loadedBaseline([errored], 'file b.json'),
      { kind: 'too_thin', detail: 'file b.json: every run in it errored' },
    ],
    [
      'judged runs only in a case that is gone',
      loadedBaseline([errored, aCaseReport({ id: 'gone' })], 'file b.json'),
      { kind: 'too_thin', detail: 'file b.json: every run in it errored' },
    ],
  ])('%s', (_, loaded, state) => {
    expect(assessBaseline(loaded, { cases: now })).toEqual(state)
  })

  test.each([
    { before: 'http:x/v1#a', here: 'http:x/v1#b', kind: 'ok' },
    { before: 'yao:bot', here: 'yao:bot#fast', kind: 'ok' },
    { before: 'yao:bot#a (recorded)', here: 'yao:bot#b (recorded)', kind: 'ok' },
    { before: 'yao:bot#a (recorded)', here: 'yao:bot#a', kind: 'not_comparable' },
    { before: 'http:x/v1#a', here: 'http:y/v1#a', kind: 'not_comparable' },
  ])('another model of the same target is no other target: $before, $here', ({ before, here, kind }) => {
    const baseline = aWindow([{ runs: 'ppp', target: before, requestedModel: 'a' }])
    const loaded: LoadedBaseline = { kind: 'ok', baseline, source: 'b.json' }
    const cases = [aCaseReport({ target: here, requestedModel: 'b' })]
    expect(assessBaseline(loaded, { cases }).kind).toBe(kind)
  })

  test('where the model is not known, a label is taken as a whole', () => {
    const loaded = loadedBaseline([aCaseReport({ target: 'command:run #1' })])
    expect(assessBaseline(loaded, { cases: [aCaseReport({ target: 'command:run #2' })] }).kind).toBe('not_comparable')
  })

  const commit = 'abc1234def5678abc1234def5678abc1234def56'

  test('one made from this very commit is no earlier state', () => {
    const loaded = loadedBaseline(now, 'file b.json')
    expect(assessBaseline(loaded, { cases: now, commit })).toEqual({
      kind: 'self',
      detail: 'file b.json was made from this very commit abc1234',
    })
    expect(assessBaseline(loaded, { cases: now, commit: 'f'.repeat(40) }).kind).toBe('ok')
  })

  test("of a window, this commit's own sessions are left out, and the others compared with", () => {
    const earlier = toBaseline(now, '2026-03-01T00:00:00Z', { id: 'a', commit: 'aaa' }, { runsPerCase: 3 })
    const both = toBaseline(now, '2026-03-02T00:00:00Z', { id: 'b', commit }, { runsPerCase: 3, earlier })
    const state = assessBaseline({ kind: 'ok', baseline: both, source: 'b.json' }, { cases: now, commit })
    expect(state.kind === 'ok' && state.baseline).toEqual(earlier)
  })

  test('without commits nothing is taken for itself', () => {
    const baseline = toBaseline(now, '2026-03-01T00:00:00Z', { id: 'a' }, { runsPerCase: 3 })
    const loaded: LoadedBaseline = { kind: 'ok', baseline, source: 'file b.json' }
    expect(assessBaseline(loaded, { cases: now }).kind).toBe('ok')
    expect(assessBaseline(loaded, { cases: now, commit: 'abc' }).kind).toBe('ok')
  })
})

const without = ({ commit: _commit, ...baseline }: Baseline): Baseline => baseline

test.each<[BaselineState, string]>([
  [{ kind: 'off' }, 'Not compared: no baseline was asked for.'],
  [
    loadedBaseline([aCaseReport({ runs: someRuns(passes(1)) })], undefined, 1),
    'Compared with artifact of run 812 on main at abc1234: 1 session until 2026-02-28, 1 run a case.',
  ],
  [
    { kind: 'ok', baseline: without(aBaseline([aCaseReport()], {}, 4)), source: 'file b.json' },
    'Compared with file b.json: 4 sessions until 2026-02-28, 12 runs a case.',
  ],
  [{ kind: 'none', detail: 'main has no run' }, 'No baseline yet: main has no run.'],
  [{ kind: 'expired', detail: 'x' }, 'The baseline has expired: x.'],
  [{ kind: 'unreadable', detail: 'x' }, 'The baseline could not be read: x.'],
  [{ kind: 'not_comparable', detail: 'x' }, 'The baseline cannot be compared: x.'],
  [{ kind: 'self', detail: 'x' }, 'Not compared with itself: x.'],
  [{ kind: 'too_thin', detail: 'x' }, 'The baseline is too thin: x.'],
])('each state has its own sentence: %#', (state, sentence) => {
  expect(describeBaseline(state)).toBe(sentence)
})
