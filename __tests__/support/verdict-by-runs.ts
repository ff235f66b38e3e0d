import type { CasePool } from '../../src/core/history.ts'
import { makeJudgement } from '../../src/core/make-judgement.ts'
import { nextRuns } from '../../src/core/next-runs.ts'
import type { RunOutcome } from '../../src/core/result.ts'
import type { CaseEvidence } from '../../src/core/statistics/case-evidence.ts'
import type { Counts } from '../../src/core/statistics/counts.ts'
import { judge } from '../../src/core/verdict.ts'
import {
  aBaseline,
  aCaseReport,
  aGate,
  anEvidence,
  aPool,
  erroredOutcome,
  mixed,
  someControls,
  someRuns,
} from './builders.ts'
import type { AskGate } from './verdict-simulation.ts'

const ids = (place: number) => `case-${place}`
const gate = { ...aGate, failOn: ['regression' as const] }
const baseline = aBaseline([])

/**
 * The gate as the pipeline drives it: runs in place of counts, one of them void, and in the end the verdict of the whole
 * report.
 */
export const judgeByRuns: AskGate = (evidence, batches, settings) => {
  const cases = evidence.map((item, place) => aCaseReport({ id: ids(place), runs: someRuns(outcomesOf(item, place)) }))
  const pools = new Map(
    cases.flatMap(({ key }, place): [string, CasePool][] => {
      const counts = evidence[place]?.baseline
      return counts ? [[key, aPool({ key, outcomes: mixed(counts.passed, counts.failed) })]] : []
    }),
  )
  const fresh = (name: 'suiteControl' | 'control') =>
    Object.fromEntries(
      cases.flatMap(({ key }, place): [string, Counts][] => {
        const counts = evidence[place]?.[name]
        return counts ? [[key, counts]] : []
      }),
    )
  const controls = someControls({ suite: fresh('suiteControl'), cases: fresh('control') })
  const state = { cases, pools, controls, batches, gate, settings, baseline }
  const step = nextRuns(state)
  if (step.kind === 'ask') return step
  const { judgement, changes } = makeJudgement(state, { control: controls.state })
  const compared = { changes, pools, baseline: { kind: 'ok', baseline, source: 'main' } as const }
  const planned = anEvidence(cases, { ...compared, runsPerCase: settings.runs, ...(judgement ? { judgement } : {}) })
  const places = new Map(cases.map(({ key }, place) => [key, place]))
  return {
    kind: 'verdict',
    blocked: judge(planned, gate).reasons.length > 0,
    cases: (judgement?.cases ?? []).map(({ key, outcome }) => ({ place: places.get(key) ?? -1, outcome })),
  }
}

/** The first stage, then the re-runs; now and then a run that errored, which says nothing, among the latter. */
function outcomesOf({ stage1, all }: CaseEvidence, place: number): RunOutcome[] {
  const later = mixed(all.passed - stage1.passed, all.failed - stage1.failed)
  return [...mixed(stage1.passed, stage1.failed), ...(place % 7 === 0 ? [erroredOutcome()] : []), ...later]
}
