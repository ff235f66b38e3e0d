import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { BaselineRun } from '../../src/core/baseline.ts'
import type { CaseGate } from '../../src/core/gate.ts'
import type { CasePool, Pools } from '../../src/core/history.ts'
import { proposeQuarantine, quarantineLines } from '../../src/core/quarantine.ts'
import type { Waiver } from '../../src/core/waiver.ts'

const STATUS = { '+': 'passed', '-': 'failed', '!': 'errored' } as const

/** A pool from sessions such as `++-`: a pass, a pass and a fail; `!` is an errored run. */
function pool(id: string, sessions: readonly string[], branch?: string): CasePool {
  const runs = sessions.flatMap((outcomes, session) =>
    [...outcomes].map((sign): BaselineRun => {
      return { session, status: STATUS[sign as keyof typeof STATUS], durationMs: 1, fingerprint: 'f' }
    }),
  )
  const count = (status: BaselineRun['status']) => runs.filter((run) => run.status === status).length
  return {
    key: `s.jsonl/${id}`,
    state: 'ok',
    runs,
    counts: { passed: count('passed'), failed: count('failed') },
    sessions: sessions.map((_, index) => ({
      id: `${index}`,
      createdAt: '2026-02-01T00:00:00Z',
      ...(branch === undefined ? {} : { branch }),
    })),
    trend: [],
  }
}

const TODAY = '2026-03-01'

function proposals(pools: readonly CasePool[], waivers: readonly Waiver[] = [], gate?: CaseGate) {
  const byKey: Pools = new Map(pools.map((item) => [item.key, item]))
  const cases = pools.map(({ key }) => ({ key, id: key.slice(key.indexOf('/') + 1), ...(gate ? { gate } : {}) }))
  return proposeQuarantine(byKey, cases, { today: TODAY, waivers })
}

describe('a case is proposed', () => {
  test.each<[string, readonly string[], boolean]>([
    ['that fails now and then', ['+++', '++-', '+++', '-++', '+++'], true],
    ['that fails in every session, and passes in every one', ['+-+', '-++', '+-+', '++-'], true],
    ['that passes as often as it fails', ['+-+-', '-+-+', '+--+'], true],
    ['whose bad sessions are all bad', ['+++', '---', '+++', '---', '+++'], true],
    ['that fails at the end, too', ['+++', '-++', '+++', '--+'], true],
    ['that always passes', ['+++', '+++', '+++', '+++'], false],
    ['that never passes', ['---', '---', '---', '---'], false],
    ['that fails more often than not', ['--+', '-+-', '---', '+--'], false],
    ['that had one bad session: an outage', ['+++', '---', '+++', '+++', '+++'], false],
    ['that had one bad run', ['+++', '++-', '+++', '+++'], false],
    ['that broke', ['+++', '+++', '+++', '---', '---'], false],
    ['that broke in the middle of a session', ['+++', '+++', '+++', '+--', '---'], false],
    ['that was mended', ['---', '---', '+++', '+++', '+++'], false],
    ['that was mended in the middle of a session', ['---', '-++', '+++', '+++'], false],
    ['of nine judged runs', ['++-', '-++', '+++'], false],
    ['of nine judged runs and errored ones', ['++-!!', '-++!!', '+++'], false],
    ['of ten judged runs', ['++-', '-++', '++++'], true],
    ['of two sessions', ['++-++-', '-++-++'], false],
    ['of two sessions with judged runs', ['++-++-', '-++-++', '!!!'], false],
    ['without any run', [], false],
  ])('%s', (_, sessions, isProposed) => {
    expect(proposals([pool('a', sessions)]).map(({ key }) => key)).toEqual(isProposed ? ['s.jsonl/a'] : [])
  })

  const FLAKY = ['+++', '++-', '+++', '-++']

  test('with what shows it, for thirty days, sorted by its key', () => {
    expect(proposals([pool('b', [...FLAKY, '!!'], 'main'), pool('a', FLAKY)])).toEqual([
      {
        key: 's.jsonl/a',
        evidence: 'the base branch passed 10 of 12 runs in 4 sessions, and failed in 2 of these',
        until: '2026-03-31',
      },
      {
        key: 's.jsonl/b',
        evidence: 'main passed 10 of 12 runs in 4 sessions, and failed in 2 of these',
        until: '2026-03-31',
      },
    ])
  })

  test('never when it must always pass', () => {
    expect(proposals([pool('a', FLAKY)], [], { critical: true })).toEqual([])
    expect(proposals([pool('a', FLAKY)], [], { critical: false, minPassRate: 50 })).toHaveLength(1)
  })

  test.each<[string, Partial<Waiver>, boolean]>([
    ['quarantined by its key', { case: 's.jsonl/a' }, false],
    ['quarantined by its id', { case: 'a' }, false],
    ['quarantined up to yesterday', { case: 'a', until: '2026-02-28' }, false],
    ['not the quarantined one', { case: 'b' }, true],
    ['accepted', { kind: 'accepted', case: 'a' }, true],
    ['accepted with all others', { kind: 'accepted', case: '*' }, true],
  ])('when it is %s: %s', (_, parts, isProposed) => {
    const waiver: Waiver = { kind: 'quarantined', case: 'a', reason: 'x', until: '2026-03-31', source: 'q', ...parts }
    expect(proposals([pool('a', FLAKY)], [waiver])).toHaveLength(isProposed ? 1 : 0)
  })

  test('only when it is among the cases of this run', () => {
    const flaky = pool('a', FLAKY)
    expect(proposeQuarantine(new Map([[flaky.key, flaky]]), [], { today: TODAY, waivers: [] })).toEqual([])
    const asked = { today: TODAY, waivers: [], until: '2026-12-24' }
    expect(proposeQuarantine(new Map([[flaky.key, flaky]]), [{ key: flaky.key, id: 'a' }], asked)).toMatchObject([
      { until: '2026-12-24' },
    ])
  })
})

describe('the lines to commit', () => {
  test('are entries of a quarantine list', () => {
    const proposal = { key: 's.jsonl/a "b"', evidence: 'main passed 10 of 12 runs in 4 sessions', until: '2026-03-31' }
    expect(quarantineLines([proposal, { ...proposal, key: 's.jsonl/c' }])).toBe(
      [
        '- case: "s.jsonl/a \\"b\\""',
        '  reason: "fails now and then on the base branch"',
        '  evidence: "main passed 10 of 12 runs in 4 sessions"',
        '  until: 2026-03-31',
        '- case: "s.jsonl/c"',
        '  reason: "fails now and then on the base branch"',
        '  evidence: "main passed 10 of 12 runs in 4 sessions"',
        '  until: 2026-03-31',
        '',
      ].join('\n'),
    )
    expect(quarantineLines([])).toBe('')
  })

  test('mean what they were made of, whatever a case or a branch is called, and obey nothing', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('a\nb', '\u001b[31m', '\u2028', '\u009b1m', '\u202e', '::error::x', '- x: y', '\ufeff', '\ud800'),
    )
    fc.assert(
      fc.property(fc.array(fc.record({ key: text, evidence: text, until: fc.constant('2026-03-31') })), (list) => {
        const lines = quarantineLines(list)
        const read: unknown = lines === '' ? [] : parse(lines)
        expect(read).toEqual(
          list.map(({ key, evidence, until }) => ({
            case: key,
            reason: 'fails now and then on the base branch',
            evidence,
            until,
          })),
        )
        expect(lines.split(/\r\n|[\n\r\u2028\u2029\u0085]/)).toHaveLength(4 * list.length + 1)
        expect(lines.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
      }),
    )
  })
})
