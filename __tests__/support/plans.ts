import type { Host } from '../../src/core/host.ts'
import { execute, type FinishedRun } from '../../src/runner/execute.ts'
import { firstStage, type Plan, type PlannedCase } from '../../src/runner/plan.ts'
import { fakeHost } from './fake-host.ts'

/** One run of each case, one at a time, and no re-runs, unless told otherwise. */
export function aPlan(cases: readonly PlannedCase[], overrides: Partial<Plan> = {}): Plan {
  const { runsPerCase = 1 } = overrides
  return {
    cases,
    runsPerCase,
    maxRuns: runsPerCase,
    parallel: 1,
    timeoutMs: 5_000,
    timeoutGiven: false,
    flags: {},
    ...overrides,
  }
}

/** The first stage of a plan, each run as it ends. */
export function runPlan(plan: Plan, host: Host = fakeHost()): AsyncGenerator<FinishedRun, void, undefined> {
  return execute(firstStage(plan), plan, host)
}
