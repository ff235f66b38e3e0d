import type { BaselineState } from '../../src/core/baseline.ts'
import type { CaseReport } from '../../src/core/case-report.ts'
import type { Gate } from '../../src/core/gate.ts'
import type { CaseFinding, Judgement, Resource, ResourceFinding } from '../../src/core/judgement.ts'
import type { RunOutcome } from '../../src/core/result.ts'
import { type Evidence, judge, type Verdict } from '../../src/core/verdict.ts'
import { aBaseline, aCaseReport, aGate, aJudgement, anEvidence, erroredOutcome, someRuns } from './builders.ts'

/** Of the case that `withRuns` makes. */
export const KEY = 'tests/support.jsonl/greet-01'

export const withRuns = (outcomes: readonly RunOutcome[], overrides: Partial<CaseReport> = {}) =>
  aCaseReport({ runs: someRuns(outcomes), ...overrides })

export const errors = (count: number, message = 'the model answered 500') =>
  Array.from({ length: count }, () => erroredOutcome('PROVIDER_ERROR', message))

/** One baseline of each kind. */
export const states = {
  off: { kind: 'off' },
  ok: { kind: 'ok', baseline: aBaseline([aCaseReport()]), source: 'artifact of run 812 on main' },
  none: { kind: 'none', detail: 'main has no run yet' },
  expired: { kind: 'expired', detail: 'kept until yesterday' },
  unreadable: { kind: 'unreadable', detail: 'HTTP 500' },
  not_comparable: { kind: 'not_comparable', detail: 'another target' },
  self: { kind: 'self', detail: 'this commit' },
  too_thin: { kind: 'too_thin', detail: 'all errored' },
} satisfies Record<BaselineState['kind'], BaselineState>

export function verdictOf(
  cases: readonly CaseReport[],
  overrides: Partial<Evidence> = {},
  gate: Partial<Gate> = {},
): Verdict {
  return judge(anEvidence(cases, overrides), { ...aGate, ...gate })
}

/** What was seen, beside what `anEvidence` and the gate of the command line take for granted. */
export type Situation = Partial<Evidence> & { readonly cases: readonly CaseReport[]; readonly gate?: Partial<Gate> }

/** An alarm of the suite. */
export function alarm(outcome: CaseFinding['outcome']): Judgement {
  return aJudgement({
    suite: {
      failed: 31,
      runs: 300,
      cases: 100,
      expected: 18.4,
      p: 0.002,
      fires: true,
      outcome,
      ...(outcome === 'uncontrolled' ? {} : { control: { passed: 180, judged: 200 } }),
    },
  })
}

/** A rise that is neither small nor chance. */
export function resource(name: Resource): ResourceFinding {
  return { resource: name, ratio: 1.4, p: 0.001, increased: true, limit: 1.25 }
}
