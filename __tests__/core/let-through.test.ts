import { describe, expect, test } from 'vitest'
import type { CaseReport } from '../../src/core/case-report.ts'
import type { Gate } from '../../src/core/gate.ts'
import { makeJudgement } from '../../src/core/make-judgement.ts'
import { poolsOf } from '../../src/core/pools.ts'
import type { RunOutcome } from '../../src/core/result.ts'
import { NO_CONTROLS } from '../../src/core/run-blob.ts'
import { GATE_DEFAULTS } from '../../src/core/statistics/gate-settings.ts'
import type { Evidence, Note, Reason } from '../../src/core/verdict.ts'
import type { Waiver } from '../../src/core/waiver.ts'
import { aBaseline, aCaseReport, aFinding, aGate, aJudgement, mixed, passes, someRuns } from '../support/builders.ts'
import {
  alarm,
  errors,
  KEY,
  resource,
  type Situation,
  states,
  verdictOf,
  withRuns,
} from '../support/verdict-testbed.ts'

const TODAY = '2026-03-01'
const accepted = (name: string, overrides: Partial<Waiver> = {}): Waiver => ({
  kind: 'accepted',
  case: name,
  reason: 'the answer is shorter on purpose',
  until: '2026-03-31',
  source: 'agent-test.accept.yml:4',
  ...overrides,
})
const quarantined = (name: string, overrides: Partial<Waiver> = {}): Waiver =>
  accepted(name, { kind: 'quarantined', source: 'agent-test.quarantine.yml:2', ...overrides })

/** What stays red, then what was noted. */
function outcomeOf(
  { cases, gate, ...evidence }: Situation,
  waivers: readonly Waiver[],
): [Reason['kind'][], Note['kind'][]] {
  const { reasons, notes } = verdictOf(cases, { today: TODAY, ...evidence, waivers }, gate)
  return [reasons.map(({ kind }) => kind), notes.map(({ kind }) => kind)]
}

const critical: Partial<CaseReport> = { gate: { critical: true } }
const judgement = aJudgement({ cases: [aFinding()] })
const situations = {
  regressed: { cases: [withRuns(mixed(0, 3))], judgement },
  criticalRegressed: { cases: [withRuns(mixed(0, 3), critical)], judgement },
  below: { cases: [withRuns(mixed(0, 3))] },
  criticalFailed: { cases: [withRuns(mixed(0, 3), critical)] },
  suite: { cases: [withRuns(passes(3))], judgement: alarm('uncontrolled') },
  cost: {
    cases: [withRuns(passes(3))],
    judgement: aJudgement({ resources: [resource('tokens')] }),
    gate: { failOn: ['cost'] },
  },
  removed: {
    cases: [withRuns(passes(3))],
    changes: [{ kind: 'removed', key: KEY.replace('01', '09') }],
    gate: { failOn: ['removed'] },
  },
  errored: { cases: [withRuns(errors(3))] },
  nothingJudged: { cases: [withRuns(errors(3))], gate: { failOn: [] } },
  empty: { cases: [] },
  baseline: { cases: [withRuns(passes(3))], baseline: states.none, gate: { requireBaseline: true } },
  unreadable: { cases: [withRuns(passes(3))], baseline: states.unreadable },
  interrupted: { cases: [withRuns(passes(3))], interrupted: true, plannedRuns: 9 },
  stoppedEarly: { cases: [withRuns(passes(3))], plannedRuns: 9 },
  budget: { cases: [withRuns(passes(3))], stoppedBy: { limit: 'tokens', allowed: 1, used: 2 } },
} satisfies Record<string, Situation>
type Name = keyof typeof situations

describe('what each waiver lets through', () => {
  const byAll: Name[] = ['regressed', 'criticalRegressed', 'below', 'criticalFailed', 'suite', 'cost', 'removed']
  const byCase: Name[] = ['regressed', 'criticalRegressed', 'below', 'criticalFailed']
  const rows = (Object.keys(situations) as Name[]).flatMap((name) => [
    { name, waiver: accepted('*'), through: byAll.includes(name) },
    { name, waiver: accepted(KEY), through: byCase.includes(name) },
    { name, waiver: accepted('greet-01'), through: byCase.includes(name) },
    { name, waiver: accepted('greet-02'), through: false },
    { name, waiver: quarantined(KEY), through: name === 'regressed' || name === 'below' },
    { name, waiver: quarantined('greet-01'), through: name === 'regressed' || name === 'below' },
    { name, waiver: quarantined('*'), through: false },
    { name, waiver: accepted('*', { until: '2026-02-28' }), through: false },
  ])
  test.each(rows)(
    '$name under $waiver.kind $waiver.case until $waiver.until: $through',
    ({ name, waiver, through }) => {
      const [red] = outcomeOf(situations[name], [])
      const [reasons, notes] = outcomeOf(situations[name], [waiver])
      expect(red).toHaveLength(1)
      expect(reasons).toEqual(through ? [] : red)
      expect(notes.includes('waived')).toBe(through)
    },
  )

  test('the note has the reason and the waiver', () => {
    const waiver = accepted('greet-01')
    const { notes, conclusion } = verdictOf([withRuns(mixed(2, 1))], { waivers: [waiver], today: TODAY })
    const reason = {
      kind: 'below_min_pass_rate',
      key: KEY,
      actual: { passed: 2, judged: 3 },
      required: 100,
      mode: 'observed',
    }
    expect(notes).toEqual([{ kind: 'waived', reason, waiver }])
    expect(conclusion).toBe('success')
  })

  test('another case stays red', () => {
    const cases = [withRuns(mixed(0, 3)), withRuns(mixed(0, 3), { id: 'greet-02' })]
    expect(outcomeOf({ cases }, [accepted('greet-01')])).toEqual([['below_min_pass_rate'], ['waived']])
  })

  test('cases that are gone are let through one by one', () => {
    const keys = ['tests/support.jsonl/a', 'tests/support.jsonl/b', 'tests/other.jsonl/a']
    const changes = keys.map((key) => ({ kind: 'removed', key }) as const)
    const gate: Partial<Gate> = { failOn: ['removed'] }
    const waivers = [accepted('tests/support.jsonl/b'), accepted('a')]
    const { reasons, notes } = verdictOf([withRuns(passes(3))], { changes, waivers, today: TODAY }, gate)
    expect(reasons).toEqual([])
    expect(notes).toHaveLength(3)
    const one = verdictOf([withRuns(passes(3))], { changes, waivers: waivers.slice(0, 1), today: TODAY }, gate)
    expect(one.reasons).toEqual([{ kind: 'removed', keys: [keys[0], keys[2]] }])
  })

  test('what is let through does not make the rest of the suite proven', () => {
    const cases = [withRuns(mixed(0, 3))]
    expect(outcomeOf({ cases, plannedRuns: 9 }, [accepted('*')])).toEqual([['stopped_early'], ['waived']])
  })
})

describe('when it ends', () => {
  test.each<[string | undefined, Reason['kind'][], Note['kind'][]]>([
    [undefined, [], ['waived']],
    ['2026-03-02', [], ['waived']],
    ['2026-03-01', [], ['waived']],
    ['2026-02-28', ['below_min_pass_rate'], ['waiver_expired']],
    ['2025-12-31', ['below_min_pass_rate'], ['waiver_expired']],
  ])('until %s, on 2026-03-01', (until, reasons, notes) => {
    const { until: _, ...waiver } = accepted(KEY)
    const one = until === undefined ? waiver : { ...waiver, until }
    expect(outcomeOf(situations.below, [one])).toEqual([reasons, notes])
  })
})

describe('waivers that do nothing', () => {
  const green = { cases: [withRuns(passes(3))] }
  test.each<[string, Situation, Waiver[], Note['kind'][]]>([
    ['an acceptance of what is not red', green, [accepted(KEY)], ['waiver_unused']],
    ['the label on a green run', green, [accepted('*')], ['waiver_unused']],
    ['a flaky case that happened to pass', green, [quarantined(KEY)], []],
    ['a flaky case that is not here', green, [quarantined('greet-07')], ['waiver_unused']],
    [
      'a critical case cannot be quarantined',
      { cases: [withRuns(passes(3), critical)] },
      [quarantined(KEY)],
      ['waiver_unused'],
    ],
    ['ended', green, [quarantined(KEY, { until: '2026-02-01' })], ['waiver_expired']],
    ['the second of two for one case', situations.below, [accepted(KEY), accepted(KEY)], ['waived', 'waiver_unused']],
    [
      'the general one beside that of the case',
      situations.below,
      [accepted('*'), accepted(KEY)],
      ['waived', 'waiver_unused'],
    ],
    ['an acceptance outranks a quarantine', situations.below, [quarantined(KEY), accepted(KEY)], ['waived']],
  ])('%s', (_, situation, waivers, kinds) => {
    expect(outcomeOf(situation, waivers)[1]).toEqual(kinds)
  })
})

describe('an alarm of the suite', () => {
  const suiteOf = (here: (place: number) => CaseReport['runs']) =>
    Array.from({ length: 12 }, (_, place) => aCaseReport({ id: `c${place}`, runs: here(place) }))
  const baseline = aBaseline(suiteOf(() => someRuns(passes(3))))

  /** As if it were a pull request: the whole evidence, judged. */
  function evidenceOf(cases: readonly CaseReport[]): Partial<Evidence> {
    const pools = poolsOf(baseline, cases, Date.parse('2026-03-01T10:00:00Z'))
    const judged = makeJudgement(
      {
        cases,
        pools,
        controls: NO_CONTROLS,
        batches: { suiteControl: 'unavailable', reruns: 'unavailable', control: 'unavailable' },
        gate: aGate,
        settings: { ...GATE_DEFAULTS, maxRuns: 3 },
        baseline,
      },
      { control: { kind: 'off' } },
    )
    return { ...judged, pools, baseline: { kind: 'ok', baseline, source: 'run 812' } }
  }

  /** So many cases that were always right have runs as given, the first of them. */
  const broken = (count: number, runs: RunOutcome[]) => suiteOf((place) => someRuns(place < count ? runs : passes(3)))
  const waived = (make: (id: string) => Waiver, count: number) =>
    Array.from({ length: count }, (_, place) => make(`c${place}`))
  const shaky = broken(6, mixed(2, 1))
  const one = broken(1, mixed(0, 3))
  const gate: Partial<Gate> = { failOn: ['regression'] }

  test.each<[string, CaseReport[], Waiver[], Reason['kind'][], Note['kind'][]]>([
    ['that no single case is flagged in', shaky, [], ['suite_regressed'], []],
    ['of six cases, all of them accepted', shaky, waived(accepted, 6), [], ['waived']],
    ['of six cases, all of them quarantined', shaky, waived(quarantined, 6), [], ['waived']],
    ['of six cases, one of them accepted', shaky, waived(accepted, 1), ['suite_regressed'], ['waiver_unused']],
    ['with another case accepted', shaky, [accepted('c9')], ['suite_regressed'], ['waiver_unused']],
    ['of six cases, everything accepted', shaky, [accepted('*')], [], ['waived']],
    ['that is the named case alone is not told again', one, [], ['regressed'], []],
    ['of the one case that is accepted', one, [accepted('c0')], [], ['waived']],
    ['of the one case that is quarantined', one, [quarantined('c0')], [], ['waived']],
    ['of one case, another one accepted', one, [accepted('c1')], ['regressed'], ['waiver_unused']],
  ])('%s', (_, cases, waivers, kinds, noted) => {
    const evidence = evidenceOf(cases)
    expect(evidence.judgement?.suite.fires).toBe(true)
    const { reasons, notes } = verdictOf(cases, { ...evidence, waivers, today: TODAY }, gate)
    expect(reasons.map(({ kind }) => kind)).toEqual(kinds)
    expect(notes.map(({ kind }) => kind).filter((kind) => kind.startsWith('waive'))).toEqual(noted)
  })
})

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('a case called %s', (id) => {
  const cases = [withRuns(mixed(0, 3), { id, key: id })]
  expect(outcomeOf({ cases }, [])).toEqual([['below_min_pass_rate'], []])
  expect(outcomeOf({ cases }, [accepted(id)])).toEqual([[], ['waived']])
  expect(outcomeOf({ cases: [withRuns(mixed(0, 3))] }, [accepted(id)])).toEqual([
    ['below_min_pass_rate'],
    ['waiver_unused'],
  ])
})
