import { describe, expect, test } from 'vitest'
import type { Baseline } from '../../src/core/baseline.ts'
import { uniteBaselines, withoutSessions } from '../../src/core/baseline-window.ts'
import { toBaseline } from '../../src/core/make-baseline.ts'
import { aCaseReport, erroredOutcome, failedOutcome, mixed, passes, someRuns } from '../support/builders.ts'
import { aWindow, commitOf, dayOf, lettersOf } from '../support/windows.ts'

const KEY = 'tests/support.jsonl/greet-01'
const only = ({ cases }: Baseline) => cases[0] ?? { key: '', target: '', runs: [] }
const letters = (baseline: Baseline) => lettersOf(only(baseline).runs)

describe('a session', () => {
  const origin = { id: '9.2.x', commit: 'abc', branch: 'main', runId: 9, attempt: 2 }

  test('keeps of each run what later judges ask for, and nothing that was said', () => {
    const runs = [
      ...someRuns([failedOutcome({ name: 'contains' }, { name: 'json_path' }, { name: 'contains' })], {
        durationMs: 812.6,
        usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.25 },
        turns: 2,
        answeredModel: 'gpt-4o-2024-08-06',
        evaluations: [
          { status: 'scored', evaluator: 'tool-usage', passed: true, score: 75, checks: [], violations: [] },
          { status: 'errored', evaluator: 'delegation', message: 'secret' },
          { status: 'not_applicable', evaluator: 'stop-on-failure', reason: 'secret' },
        ],
      }),
      ...someRuns([erroredOutcome()], { run: 2 }),
    ]
    const item = aCaseReport({ runs, requestedModel: 'gpt-4o', input: 'secret', summary: 'secret' })
    const saved = toBaseline([item], '2026-03-01T00:00:00Z', origin, { runsPerCase: 3 })
    expect(saved).toEqual({
      schemaVersion: 2,
      createdAt: '2026-03-01T00:00:00Z',
      commit: 'abc',
      branch: 'main',
      runId: 9,
      sessions: [{ ...origin, createdAt: '2026-03-01T00:00:00Z' }],
      cases: [
        {
          key: KEY,
          target: 'yao:support-bot',
          runs: [
            {
              session: 0,
              status: 'failed',
              durationMs: 813,
              fingerprint: 'fingerprint of greet-01',
              inputTokens: 10,
              outputTokens: 5,
              costUsd: 0.25,
              turns: 2,
              scores: { 'tool-usage': 75 },
              failedChecks: ['contains', 'json_path'],
              requestedModel: 'gpt-4o',
              answeredModel: 'gpt-4o-2024-08-06',
            },
            {
              session: 0,
              status: 'errored',
              durationMs: 800,
              fingerprint: 'fingerprint of greet-01',
              requestedModel: 'gpt-4o',
            },
          ],
        },
      ],
    })
    expect(JSON.stringify(saved)).not.toMatch(/secret|Hello/)
  })

  test('has no re-runs: only cases that looked bad have some', () => {
    const runs = someRuns([...passes(3), ...mixed(0, 12)])
    expect(letters(toBaseline([aCaseReport({ runs })], dayOf(0), origin, { runsPerCase: 3 }))).toBe('ppp')
  })

  test('has the tool calls of a passing run, without what was asked of the tools', () => {
    const step = (tool: string) => ({ tool, parameters: 'a'.repeat(16), shown: '{"secret":1}' })
    const runs = [
      ...someRuns(passes(1), { steps: [step('first')] }),
      ...someRuns(passes(1), { steps: [step('last')] }),
      ...someRuns(mixed(0, 1), { steps: [step('wrong')] }),
    ].map((run, index) => ({ ...run, run: index + 1 }))
    const saved = toBaseline([aCaseReport({ runs })], dayOf(0), origin, { runsPerCase: 3 })
    expect(only(saved).steps).toEqual([{ tool: 'last', parameters: 'a'.repeat(16) }])
  })

  test('names acceptances, where there are some', () => {
    const accepted = { [KEY]: 'hash' }
    expect(toBaseline([aCaseReport()], dayOf(0), origin, { runsPerCase: 3, accepted }).sessions[0]?.accepted).toEqual(
      accepted,
    )
    expect(
      toBaseline([aCaseReport()], dayOf(0), origin, { runsPerCase: 3, accepted: {} }).sessions[0],
    ).not.toHaveProperty('accepted')
  })

  test('without a single run is no case', () => {
    expect(toBaseline([aCaseReport({ skip: 'x' })], dayOf(0), origin, { runsPerCase: 3 }).cases).toEqual([])
  })
})

describe('the window', () => {
  test('takes the session at its end', () => {
    const window = aWindow([{ runs: 'ppp' }, { runs: 'pfe' }, { runs: 'ppp' }])
    expect(letters(window)).toBe('ppp pfe ppp')
    expect(window.sessions.map(({ id, commit }) => [id, commit])).toEqual([
      ['s0', commitOf(0)],
      ['s1', commitOf(1)],
      ['s2', commitOf(2)],
    ])
    expect(window).toMatchObject({ createdAt: dayOf(2), commit: commitOf(2) })
  })

  test('keeps the newest fifty runs of a case, and no session without one', () => {
    const window = aWindow(Array.from({ length: 20 }, () => ({ runs: 'ppf' })))
    expect(letters(window)).toBe(`pf${' ppf'.repeat(16)}`)
    expect(window.sessions).toHaveLength(17)
    expect(window.sessions[0]?.id).toBe('s3')
    expect(only(window).runs.map(({ session }) => session)).toEqual([
      0,
      0,
      ...Array.from({ length: 16 }, (_, place) => [place + 1, place + 1, place + 1]).flat(),
    ])
  })

  test('keeps thirty days', () => {
    const window = aWindow([
      { runs: 'ppp', createdAt: dayOf(0) },
      { runs: 'pff', createdAt: dayOf(1) },
      { runs: 'ppp', createdAt: dayOf(31) },
    ])
    expect(letters(window)).toBe('pff ppp')
    expect(window.sessions.map(({ id }) => id)).toEqual(['s1', 's2'])
  })

  test('holds fewer runs of each case where there are very many, and those of a session at least', () => {
    const one = aCaseReport()
    const cases = Array.from({ length: 50_000 }, (_, index) => ({ ...one, key: `k${index}` }))
    const first = toBaseline(cases, dayOf(0), { id: 'a' }, { runsPerCase: 3 })
    const second = toBaseline(cases, dayOf(1), { id: 'b' }, { runsPerCase: 3, earlier: first })
    expect(second.cases).toHaveLength(50_000)
    expect(second.cases.map(({ runs }) => lettersOf(runs)).filter((text) => text !== 'pp ppp')).toEqual([])
  })

  test('a case that is gone from the base branch is gone; one that was not run keeps its runs', () => {
    const cases = ['gone', 'skipped', 'unchanged', 'run'].map((id) => aCaseReport({ id }))
    const earlier = toBaseline(cases, dayOf(0), { id: 'a' }, { runsPerCase: 3 })
    const later = [
      aCaseReport({ id: 'skipped', skip: 'x' }),
      aCaseReport({ id: 'unchanged', unchanged: 'nothing it depends on was changed', runs: [] }),
      aCaseReport({ id: 'run' }),
      aCaseReport({ id: 'new' }),
    ]
    const { cases: kept } = toBaseline(later, dayOf(1), { id: 'b' }, { runsPerCase: 3, earlier })
    expect(kept.map(({ key, runs }) => [key.split('/').at(-1), lettersOf(runs)])).toEqual([
      ['skipped', 'ppp'],
      ['unchanged', 'ppp'],
      ['run', 'ppp ppp'],
      ['new', 'ppp'],
    ])
  })

  test('knows which target older runs had', () => {
    const window = aWindow([
      { runs: 'p', target: 'a' },
      { runs: 'p', target: 'b' },
      { runs: 'p', target: 'b' },
    ])
    expect(only(window)).toMatchObject({ target: 'b', runs: [{ target: 'a' }, {}, {}] })
    expect(only(window).runs.map(({ target }) => target)).toEqual(['a', undefined, undefined])
  })

  test('what was learnt stays as long as the case is the same question', () => {
    const steps = [{ tool: 'ls', parameters: 'a'.repeat(16) }]
    const first = toBaseline(
      [aCaseReport({ runs: someRuns(passes(1), { steps }) })],
      dayOf(0),
      { id: 'a' },
      { runsPerCase: 1, approvals: new Map([[KEY, new Set(['x', 'y'])]]) },
    )
    const add = (fingerprint: string) =>
      toBaseline(
        [aCaseReport({ fingerprint, runs: someRuns(mixed(0, 1)) })],
        dayOf(1),
        { id: 'b' },
        {
          runsPerCase: 1,
          earlier: first,
          approvals: new Map([[KEY, new Set(['z'])]]),
        },
      )
    expect(only(add('fingerprint of greet-01'))).toMatchObject({ steps, approvals: ['x', 'y', 'z'] })
    expect(only(add('another')).approvals).toEqual(['z'])
    expect(only(add('another')).steps).toBeUndefined()
  })

  test('a later attempt of a workflow run takes the place of the earlier one, whose runs it judged as well', () => {
    const item = aCaseReport()
    const save = (attempt: number, name: string, earlier?: Baseline) =>
      toBaseline([item], dayOf(attempt), { id: `9.${attempt}.${name}`, runId: 9, attempt }, { runsPerCase: 3, earlier })
    const again = save(2, 'x', save(1, 'x'))
    expect(again.sessions.map(({ id }) => id)).toEqual(['9.2.x'])
    expect(letters(again)).toBe('ppp')
    expect(save(2, 'x', save(1, 'another job')).sessions).toHaveLength(2)
    expect(uniteBaselines([save(1, 'x'), save(2, 'x')]).sessions.map(({ id }) => id)).toEqual(['9.2.x'])
  })

  test('the same id twice, as of two steps that save to one file, stays two sessions', () => {
    const first = toBaseline([aCaseReport()], dayOf(0), { id: 'x' }, { runsPerCase: 3 })
    const second = toBaseline([aCaseReport()], dayOf(0), { id: 'x' }, { runsPerCase: 3, earlier: first })
    expect(second.sessions.map(({ id }) => id)).toEqual(['x', 'x#2'])
    expect(letters(second)).toBe('ppp ppp')
  })
})

describe('uniting', () => {
  const base = aWindow([{ runs: 'ppp' }, { runs: 'ppf' }])
  const add = (id: string, day: number, outcomes = 'ppp', earlier: Baseline = base) => {
    const item = aCaseReport({
      fingerprint: 'f',
      target: 'yao:bot',
      runs: someRuns(outcomes === 'ppp' ? passes(3) : mixed(0, 3)),
    })
    return toBaseline([item], dayOf(day), { id, commit: commitOf(day) }, { runsPerCase: 3, earlier })
  }

  test('two runs that end in the same second lose nothing, in whatever order they are read', () => {
    const [one, other] = [add('a', 5), add('b', 5, 'fff')]
    const united = uniteBaselines([one, other])
    expect(united.sessions.map(({ id }) => id)).toEqual(['s0', 's1', 'a', 'b'])
    expect(letters(united)).toBe('ppp ppf ppp fff')
    expect(uniteBaselines([other, one]).sessions).toEqual(united.sessions)
    expect(letters(uniteBaselines([other, one]))).toBe(letters(united))
    expect(uniteBaselines([united, one, other, base])).toEqual(united)
  })

  test('cases that only one of them has are kept', () => {
    const other = toBaseline([aCaseReport({ id: 'other' })], dayOf(3), { id: 'o' }, { runsPerCase: 3 })
    expect(
      uniteBaselines([base, other])
        .cases.map(({ key }) => key.split('/').at(-1))
        .toSorted((left, right) => String(left).localeCompare(String(right))),
    ).toEqual(['greet-01', 'other'])
  })

  test('a session that one of them has cut is taken from the other', () => {
    const cut = aWindow(Array.from({ length: 17 }, () => ({ runs: 'ppp' })))
    const whole = withoutSessions(cut, ({ id }) => id !== 's0')
    const earlier = aWindow([{ runs: 'ppp' }])
    expect(lettersOf(only(whole).runs)).toBe('pp')
    expect(letters(uniteBaselines([cut, earlier]))).toBe(Array.from({ length: 17 }, () => 'ppp').join(' '))
  })

  test('where the target changed, older runs name theirs', () => {
    const later = aWindow([{ id: 'z', createdAt: dayOf(9), runs: 'p', target: 'http:x' }])
    const { target, runs } = only(uniteBaselines([later, base]))
    expect(target).toBe('http:x')
    expect(runs.map((run) => run.target)).toEqual([...Array.from({ length: 6 }, () => 'yao:bot'), undefined])
  })

  test('one alone is itself', () => {
    expect(uniteBaselines([base])).toEqual(base)
  })
})

test('a session that is left out leaves no run behind, and the rest keep their own', () => {
  const window = aWindow([{ runs: 'ppp' }, { runs: 'fff' }, { runs: 'ppf' }])
  const rest = withoutSessions(window, ({ id }) => id === 's1' || id === 's2')
  expect(letters(rest)).toBe('ppp')
  expect(rest).toMatchObject({ createdAt: dayOf(0), commit: commitOf(0), sessions: [{ id: 's0' }] })
  expect(letters(withoutSessions(window, ({ id }) => id === 's0'))).toBe('fff ppf')
  expect(withoutSessions(window, () => true)).toMatchObject({ sessions: [], cases: [] })
})
