import type { Baseline, BaselineRun, LoadedBaseline } from '../../src/core/baseline.ts'
import type { CaseReport } from '../../src/core/case-report.ts'
import type { CasePool } from '../../src/core/history.ts'
import type { RunOutcome, RunRecord } from '../../src/core/result.ts'
import { YOUNG_BELOW } from '../../src/core/statistics/gate-settings.ts'
import { caseKey } from '../../src/core/suite.ts'
import { aCaseReport, passes, SUITE, someRuns } from './case-builders.ts'

/** Sessions of the base branch that `aBaseline` has: three runs each make 21, enough to flag a case that broke. */
const SESSIONS = 7

/** The rolling window that as many sessions with the runs of these cases would have left on the base branch. */
export function aBaseline(cases: readonly CaseReport[], origin: Partial<Baseline> = {}, sessions = SESSIONS): Baseline {
  const {
    createdAt = '2026-02-28T10:00:00.000Z',
    commit = 'abc1234def5678abc1234def5678abc1234def56',
    branch = 'main',
    runId = 812,
  } = origin
  const numbers = Array.from({ length: sessions }, (_, index) => index)
  return {
    schemaVersion: 2,
    createdAt,
    commit,
    branch,
    runId,
    sessions: numbers.map((index) => {
      const age = sessions - 1 - index
      const made = new Date(Date.parse(createdAt) - age * 3_600_000).toISOString()
      return { id: `run-${runId - age}`, createdAt: made, commit, branch, runId: runId - age }
    }),
    cases: cases
      .filter(({ runs }) => runs.length > 0)
      .map((item) => ({
        key: item.key,
        target: item.target,
        runs: numbers.flatMap((session) => item.runs.map((run) => baselineRun(run, item, session))),
      })),
  }
}

function baselineRun(run: RunRecord, { fingerprint }: CaseReport, session: number): BaselineRun {
  const { status, durationMs, usage, turns } = run
  return {
    session,
    status,
    durationMs,
    fingerprint,
    ...(usage ? { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens } : {}),
    ...(usage?.costUsd === undefined ? {} : { costUsd: usage.costUsd }),
    ...(turns === undefined ? {} : { turns }),
  }
}

export function loadedBaseline(
  cases: readonly CaseReport[],
  source = 'artifact of run 812 on main',
  sessions = SESSIONS,
): LoadedBaseline {
  return { kind: 'ok', baseline: aBaseline(cases, {}, sessions), source }
}

/** A window of 20 passed runs, unless told otherwise. The counts follow the runs, and the state the counts. */
export function aPool(overrides: Partial<CasePool> & { readonly outcomes?: readonly RunOutcome[] } = {}): CasePool {
  const { outcomes = passes(20), ...given } = overrides
  const key = given.key ?? caseKey(SUITE, 'greet-01')
  const item = aCaseReport({ runs: someRuns(outcomes) })
  const runs = given.runs ?? item.runs.map((run) => baselineRun(run, item, 0))
  const count = (status: RunRecord['status']) => runs.filter((run) => run.status === status).length
  const counts = given.counts ?? { passed: count('passed'), failed: count('failed') }
  return {
    key,
    runs,
    counts,
    state: counts.passed + counts.failed < YOUNG_BELOW ? 'young' : 'ok',
    sessions: [{ id: 'run-812', createdAt: '2026-02-28T10:00:00.000Z' }],
    trend: [],
    ...given,
  }
}
