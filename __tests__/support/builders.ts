import { assessBaseline, type BaselineState, type LoadedBaseline } from '../../src/core/baseline.ts'
import type { Spending } from '../../src/core/budget.ts'
import type { CaseReport } from '../../src/core/case-report.ts'
import type { Gate } from '../../src/core/gate.ts'
import type { CasePool } from '../../src/core/history.ts'
import { resolveIdentity } from '../../src/core/identity.ts'
import type { CaseFinding, ControlState, Judgement } from '../../src/core/judgement.ts'
import { makeJudgement } from '../../src/core/make-judgement.ts'
import { poolsOf } from '../../src/core/pools.ts'
import { REPORT_VERSION, type Report } from '../../src/core/report.ts'
import { type Controls, NO_CONTROLS } from '../../src/core/run-blob.ts'
import { GATE_DEFAULTS, type GateSettings } from '../../src/core/statistics/gate-settings.ts'
import { caseKey } from '../../src/core/suite.ts'
import { type Evidence, judge } from '../../src/core/verdict.ts'
import type { Waiver } from '../../src/core/waiver.ts'
import { aCaseReport, STARTED_AT, SUITE } from './case-builders.ts'

export {
  aCase,
  aCaseReport,
  aRun,
  erroredOutcome,
  failedOutcome,
  mixed,
  passedOutcome,
  passes,
  someRuns,
} from './case-builders.ts'
export { aBaseline, aPool, loadedBaseline } from './history-builders.ts'

/** The gate of the command line, all causes on. */
export const aGate: Gate = {
  failOn: ['regression', 'threshold', 'error'],
  minPassRate: 100,
  thresholdMode: 'observed',
  thresholdScope: 'new',
  maxErrorRate: 0,
  allowEmpty: false,
  requireBaseline: false,
  onBaselineError: 'fail',
  maxLatencyIncrease: 1.25,
  maxCostIncrease: 1.25,
}

/** Nothing was used: of agents that tell no tokens. */
export const noSpending: Spending = { tokens: 0, costUsd: 0, unpricedRuns: 0, unmeteredRuns: 0 }

/** What the case test says of a case that broke: 21 of 21 on the base branch, 0 of 3 here. */
export function aFinding(overrides: Partial<CaseFinding> = {}): CaseFinding {
  return {
    key: caseKey(SUITE, 'greet-01'),
    before: { passed: 21, judged: 21 },
    after: { passed: 0, judged: 3 },
    p: 0.0005,
    flagged: true,
    outcome: 'uncontrolled',
    ...overrides,
  }
}

/** A judgement that found nothing in 20 runs on the base branch and 3 to 15 here. */
export function aJudgement(overrides: Partial<Judgement> = {}): Judgement {
  return {
    settings: GATE_DEFAULTS,
    suite: { failed: 0, runs: 30, cases: 10, expected: 0, p: 1, fires: false, outcome: 'quiet' },
    cases: [],
    improved: [],
    sensitivity: { baselineRuns: 20, comparedCases: 10, caseDrop80: 48, caseDrop50: 34, suiteDrop80: 20 },
    resources: [],
    control: { kind: 'not_needed' },
    ...overrides,
  }
}

/** What a report is made from besides its own fields. */
interface ReportOverrides extends Partial<Report> {
  /** Assessed and compared with, unless `baseline` and `changes` are given. */
  readonly loaded?: LoadedBaseline
  readonly interrupted?: boolean
  readonly plannedRuns?: number
  readonly controls?: Controls
  readonly waivers?: readonly Waiver[]
  /** What judges the verdict's evidence otherwise than the report shows. */
  readonly evidence?: Partial<Evidence>
}

/**
 * A report of the given cases, every case run `runsPerCase` times and no more; changes, judgement and verdict are
 * computed by the core unless overridden.
 */
export function aReport({
  loaded,
  interrupted = false,
  plannedRuns,
  controls = NO_CONTROLS,
  waivers = [],
  evidence,
  ...overrides
}: ReportOverrides = {}): Report {
  const cases = overrides.cases ?? [aCaseReport()]
  const gate = overrides.gate ?? aGate
  const { runsPerCase = 3, spending = noSpending } = overrides
  const { maxRuns = runsPerCase } = overrides
  const baseline: BaselineState = overrides.baseline ?? (loaded ? assessBaseline(loaded, { cases }) : { kind: 'off' })
  const pools =
    overrides.pools ??
    (baseline.kind === 'ok' ? poolsOf(baseline.baseline, cases, STARTED_AT) : new Map<string, CasePool>())
  const settings: GateSettings = { ...GATE_DEFAULTS, runs: runsPerCase, maxRuns }
  const judged = makeJudgement(
    {
      cases,
      pools,
      controls,
      batches: { suiteControl: 'done', reruns: 'done', control: 'done' },
      gate,
      settings,
      baseline: baseline.kind === 'ok' ? baseline.baseline : undefined,
    },
    { control: controls.state },
  )
  const changes = overrides.changes ?? judged.changes
  const judgement = overrides.judgement ?? judged.judgement
  const compared = { cases, changes, baseline, pools, ...(judgement ? { judgement } : {}) }
  return {
    schemaVersion: REPORT_VERSION,
    startedAt: new Date(STARTED_AT).toISOString(),
    finishedAt: new Date(STARTED_AT + 192_000).toISOString(),
    durationMs: 192_000,
    version: '1.0.0',
    inputs: [SUITE],
    targets: ['yao:support-bot'],
    identity: resolveIdentity({ flags: {} }),
    runsPerCase,
    maxRuns,
    spending,
    proposals: [],
    warnings: [],
    ...overrides,
    ...compared,
    gate,
    verdict:
      overrides.verdict ??
      judge(
        anEvidence(cases, {
          ...compared,
          interrupted,
          waivers,
          runsPerCase,
          spending,
          ...(plannedRuns === undefined ? {} : { plannedRuns }),
          ...evidence,
        }),
        gate,
      ),
  }
}

/** What a gate judges: these cases, three times each, compared with nothing, unless told otherwise. */
export function anEvidence(cases: readonly CaseReport[], overrides: Partial<Evidence> = {}): Evidence {
  const { runsPerCase = cases.reduce((most, { runs }) => Math.max(most, runs.length), 1) } = overrides
  const first = (runs: CaseReport['runs']) => runs.filter(({ run }) => run <= runsPerCase).length
  return {
    cases,
    changes: [],
    baseline: { kind: 'off' },
    runsPerCase,
    plannedRuns: cases.reduce((sum, { runs, skippedRuns }) => sum + first(runs) + skippedRuns, 0),
    interrupted: false,
    pools: new Map(),
    waivers: [],
    today: '2026-03-01',
    spending: noSpending,
    costLimited: false,
    ...overrides,
  }
}

/** Fresh runs of the base commit, by the key of their case. */
export function someControls(overrides: Partial<Controls> = {}): Controls {
  const state: ControlState = {
    kind: 'run',
    commit: 'abc1234def5678abc1234def5678abc1234def56',
    runs: 5,
    erroredRuns: 0,
    durationMs: 12_000,
    missing: [],
  }
  return { ...NO_CONTROLS, state, ...overrides }
}
