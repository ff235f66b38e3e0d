import { describe, expect, test } from 'vitest'
import type { CaseReport } from '../../src/core/case-report.ts'
import type { CasePool } from '../../src/core/history.ts'
import { poolsOf } from '../../src/core/pools.ts'
import { aCaseReport, passes, someRuns } from '../support/builders.ts'
import { aWindow, commitOf, dayOf, lettersOf, type SessionSketch } from '../support/windows.ts'

const KEY = 'tests/support.jsonl/greet-01'

/** The same case as in a window, run three times here. */
function here(overrides: Partial<CaseReport> & { readonly answered?: string } = {}): CaseReport {
  const { answered, ...rest } = overrides
  const runs = someRuns(passes(3), answered === undefined ? {} : { answeredModel: answered })
  return aCaseReport({ fingerprint: 'f', target: 'yao:bot', runs, ...rest })
}

function poolOf(sessions: readonly SessionSketch[], item: CaseReport = here(), now = dayOf(sessions.length)): CasePool {
  const pool = poolsOf(aWindow(sessions), [item], Date.parse(now)).get(item.key)
  if (!pool) throw new Error('every case has a pool')
  return pool
}

const seen = ({ state, runs, restarted }: CasePool) => ({ state, runs: lettersOf(runs), restarted })

describe('a pool', () => {
  test('is the runs of all sessions, with their counts and where they come from', () => {
    const pool = poolOf([{ runs: 'ppp' }, { runs: 'pfe' }, { runs: 'ppf' }])
    expect(seen(pool)).toEqual({ state: 'ok', runs: 'ppp pfe ppf', restarted: undefined })
    expect(pool.counts).toEqual({ passed: 6, failed: 2 })
    expect(pool.sessions.map(({ id }) => id)).toEqual(['s0', 's1', 's2'])
    expect(pool.key).toBe(KEY)
  })

  test.each([
    { situation: 'of two judged runs is young', sessions: ['pf'], state: 'young' },
    { situation: 'of three is not', sessions: ['pf', 'p'], state: 'ok' },
    { situation: 'of errors is young, however many', sessions: ['eeee', 'epe'], state: 'young' },
  ])('$situation', ({ sessions, state }) => {
    const pool = poolOf(sessions.map((runs) => ({ runs })))
    expect(seen(pool)).toEqual({ state, runs: sessions.join(' '), restarted: undefined })
  })

  test('of a case that the base branch does not know is new', () => {
    const pools = poolsOf(aWindow([{ runs: 'ppp' }]), [here({ id: 'other' })], Date.parse(dayOf(1)))
    expect([...pools.values()]).toMatchObject([{ state: 'new', runs: [], counts: { passed: 0, failed: 0 }, trend: [] }])
  })

  test('has no run that is older than thirty days, to the second', () => {
    const sessions = [{ runs: 'fff' }, { runs: 'ppp' }]
    const month = 30 * 86_400_000
    const at = (time: number) => seen(poolOf(sessions, here(), new Date(time).toISOString())).runs
    expect(at(Date.parse(dayOf(0)) + month)).toBe('fff ppp')
    expect(at(Date.parse(dayOf(0)) + month + 1_000)).toBe('ppp')
    expect(poolOf(sessions, here(), dayOf(90))).toMatchObject({ state: 'young', runs: [], counts: { passed: 0 } })
  })

  test('has the newest fifty runs, also of a document that holds more', () => {
    const window = aWindow(Array.from({ length: 16 }, () => ({ runs: 'ppp' })))
    const [item] = window.cases
    const cases = item ? [{ ...item, runs: [...item.runs, ...item.runs].sort((a, b) => a.session - b.session) }] : []
    const pool = poolsOf({ ...window, cases }, [here()], Date.parse(dayOf(16))).get(KEY)
    expect(pool?.runs).toHaveLength(50)
    expect(pool?.runs.at(-1)?.session).toBe(15)
    expect(pool?.runs[0]?.session).toBe(7)
  })

  test('has the tool calls of a passing run, where the base branch kept some', () => {
    const window = aWindow([{ runs: 'ppp' }])
    const steps = [{ tool: 'ls', parameters: '0'.repeat(16) }]
    const cases = window.cases.map((item) => ({ ...item, steps }))
    expect(poolsOf({ ...window, cases }, [here()], Date.parse(dayOf(1))).get(KEY)?.steps).toEqual(steps)
    expect(poolOf([{ runs: 'ppp' }])).not.toHaveProperty('steps')
  })
})

describe('on the base branch a window restarts', () => {
  const old = { runs: 'fff' }
  const cases: readonly [string, readonly SessionSketch[], Partial<CaseReport>, string, CasePool['restarted']][] = [
    ['with another definition or judge', [{ ...old, fingerprint: 'g' }, { runs: 'ppp' }], {}, 'ppp', 'definition'],
    ['with another target', [{ ...old, target: 'http:x' }, { runs: 'ppp' }], {}, 'ppp', 'target'],
    [
      'with another requested model',
      [
        { ...old, requestedModel: 'a' },
        { runs: 'ppp', requestedModel: 'b' },
      ],
      { requestedModel: 'b' },
      'ppp',
      'model',
    ],
    [
      'where the label of the target names the model, too',
      [
        { ...old, target: 'http:x#a', requestedModel: 'a' },
        { runs: 'ppp', target: 'http:x#b', requestedModel: 'b' },
      ],
      { target: 'http:x#b', requestedModel: 'b' },
      'ppp',
      'model',
    ],
    [
      'with another answering model',
      [
        { ...old, answeredModel: 'a1' },
        { runs: 'ppp', answeredModel: 'a2' },
      ],
      {},
      'ppp',
      'model',
    ],
    [
      'with one of two answering models exchanged',
      [
        { ...old, answeredModel: 'a, b1' },
        { runs: 'ppp', answeredModel: 'a, b2' },
      ],
      {},
      'ppp',
      'model',
    ],
    [
      'with an acceptance',
      [old, { runs: 'ppp', accepted: { [KEY]: 'h' } }, { runs: 'ppp', accepted: { [KEY]: 'h' } }],
      {},
      'ppp ppp',
      'accepted',
    ],
    [
      'with the next acceptance',
      [
        { ...old, accepted: { [KEY]: 'h' } },
        { runs: 'ppp', accepted: { [KEY]: 'i' } },
      ],
      {},
      'ppp',
      'accepted',
    ],
    ['with an acceptance of all', [old, { runs: 'ppp', accepted: { '*': 'h' } }], {}, 'ppp', 'accepted'],
    [
      'only once: at the newest of several changes',
      [{ ...old, fingerprint: 'g' }, { ...old, target: 'x' }, { runs: 'ppp' }],
      {},
      'ppp',
      'target',
    ],
    [
      'where a definition came back: what lies before the change in between is gone, too',
      [{ runs: 'fff' }, { runs: 'fff', fingerprint: 'g' }, { runs: 'ppp' }],
      {},
      'ppp',
      'definition',
    ],
  ]
  test.each(cases)('%s', (_, sessions, item, runs, restarted) => {
    expect(seen(poolOf(sessions, here(item)))).toEqual({ state: 'ok', runs, restarted })
  })

  test.each<[string, readonly SessionSketch[], Partial<CaseReport>]>([
    [
      'where the model was not known before',
      [{ runs: 'ppp' }, { runs: 'ppp', answeredModel: 'a', requestedModel: 'r' }],
      {},
    ],
    ['where it is not known any more', [{ runs: 'ppp', answeredModel: 'a' }, { runs: 'ppp' }], {}],
    [
      'where a second model was not needed this time',
      [
        { runs: 'ppp', answeredModel: 'a, b' },
        { runs: 'ppp', answeredModel: 'a' },
      ],
      {},
    ],
    ['when an acceptance has ended', [{ runs: 'ppp', accepted: { [KEY]: 'h' } }, { runs: 'ppp' }], {}],
    ['with the acceptance of another case', [{ runs: 'ppp' }, { runs: 'ppp', accepted: { other: 'h' } }], {}],
    [
      'with an acceptance called like what every object has',
      [{ runs: 'ppp' }, { runs: 'ppp', accepted: { constructor: 'h' } }],
      {},
    ],
  ])('but not %s', (_, sessions, item) => {
    expect(seen(poolOf(sessions, here(item)))).toEqual({ state: 'ok', runs: 'ppp ppp', restarted: undefined })
  })
})

describe('where the rate on the base branch moved', () => {
  const sessions = (...runs: readonly string[]) => runs.map((letters) => ({ runs: letters }))

  test('only the newest ten judged runs are left, errors between them included', () => {
    const pool = poolOf(sessions('fffffffff', 'fff', 'ppppp', 'peppp', 'pp'))
    expect(seen(pool)).toEqual({ state: 'ok', runs: 'pppp peppp pp', restarted: 'level' })
    expect(pool.counts).toEqual({ passed: 10, failed: 0 })
    expect(pool.sessions.map(({ id }) => id)).toEqual(['s2', 's3', 's4'])
  })

  test.each([
    { situation: 'as much as chance would have it', runs: ['ppfpf', 'ppppp', 'ppppp', 'ppppp'] },
    { situation: 'within too few runs to tell', runs: ['ffff', 'pppp'] },
    { situation: 'not at all', runs: ['ppp', 'ppp', 'ppp', 'ppp', 'ppp'] },
  ])('$situation, all are left', ({ runs }) => {
    expect(seen(poolOf(sessions(...runs)))).toEqual({ state: 'ok', runs: runs.join(' '), restarted: undefined })
  })

  test('what another change has cut off says nothing of the rate', () => {
    const before = Array.from({ length: 4 }, () => ({ runs: 'ffff', fingerprint: 'g' }))
    expect(seen(poolOf([...before, ...sessions('pppp', 'pppp', 'pppp')]))).toEqual({
      state: 'ok',
      runs: 'pppp pppp pppp',
      restarted: 'definition',
    })
  })
})

describe('against this run, a case is', () => {
  const main = { runs: 'ppp', requestedModel: 'gpt', answeredModel: 'gpt-1' }
  const cases: readonly [string, SessionSketch, Parameters<typeof here>[0], CasePool['restarted']][] = [
    ['redefined by another definition or judge', main, { fingerprint: 'g', requestedModel: 'gpt' }, 'definition'],
    ['redefined by another target', main, { target: 'http:x', requestedModel: 'gpt' }, 'target'],
    [
      'redefined where the provider answers with another model',
      main,
      { requestedModel: 'gpt', answered: 'gpt-2' },
      'model',
    ],
    [
      'redefined so, too, where nobody knows what was asked for',
      { runs: 'ppp', answeredModel: 'gpt-1' },
      { answered: 'gpt-2' },
      'model',
    ],
    [
      'compared when it asks for another model: that is what is tested',
      main,
      { requestedModel: 'other', answered: 'other-1' },
      undefined,
    ],
    [
      'compared so where the label of its target names the model',
      { ...main, target: 'http:x#gpt' },
      { target: 'http:x#other', requestedModel: 'other', answered: 'other-1' },
      undefined,
    ],
    ['compared when the same model answers', main, { requestedModel: 'gpt', answered: 'gpt-1' }, undefined],
    ['compared when nobody knows which model answered', main, { requestedModel: 'gpt' }, undefined],
    ['compared before it was run', main, { requestedModel: 'gpt', runs: [] }, undefined],
  ]
  test.each(cases)('%s', (_, session, item, restarted) => {
    const pool = poolOf([session], here(item))
    expect(seen(pool)).toEqual(
      restarted === undefined
        ? { state: 'ok', runs: 'ppp', restarted: undefined }
        : { state: 'redefined', runs: '', restarted },
    )
    expect(pool.counts).toEqual(restarted === undefined ? { passed: 3, failed: 0 } : { passed: 0, failed: 0 })
  })

  test('redefined, and still has a trend', () => {
    expect(poolOf([main], here({ fingerprint: 'g' })).trend).toHaveLength(1)
  })
})

describe('a trend', () => {
  test('has the rate of each session, whatever cut the window, and none where nothing was judged', () => {
    const pool = poolOf([{ runs: 'pff', fingerprint: 'g' }, { runs: 'eee' }, { runs: 'ppe' }, { runs: 'ppp' }])
    expect(pool.trend).toEqual([
      { createdAt: dayOf(0), commit: commitOf(0), passed: 1, judged: 3 },
      { createdAt: dayOf(2), commit: commitOf(2), passed: 2, judged: 2 },
      { createdAt: dayOf(3), commit: commitOf(3), passed: 3, judged: 3 },
    ])
  })

  test('has twenty sessions at most, the newest', () => {
    const pool = poolOf(Array.from({ length: 28 }, () => ({ runs: 'p' })))
    expect(pool.trend.map(({ createdAt }) => createdAt)).toEqual(Array.from({ length: 20 }, (_, day) => dayOf(day + 8)))
  })
})
