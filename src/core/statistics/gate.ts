import { type CaseEvidence, isComparable } from './case-evidence.ts'
import { type CaseTest, caseTest, isAdaptive, suspiciousCases } from './case-test.ts'
import { type ControlOutcome, caseControl, freshCaseControl, suiteControl } from './control.ts'
import { runsOf } from './counts.ts'
import type { GateSettings } from './gate-settings.ts'
import { type SuiteTest, suiteTest } from './suite-test.ts'

type BatchName = 'suiteControl' | 'reruns' | 'control'

/** State of each batch of runs, which is made once at most. `unavailable`: the gate goes on without. */
export type Batches = Readonly<Record<BatchName, 'open' | 'done' | 'unavailable'>>

/** Runs that the gate asks for: `reruns` of this commit, the controls of the base commit. */
export interface AskedBatch {
  readonly kind: 'ask'
  readonly batch: BatchName
  readonly runs: readonly { readonly place: number; readonly count: number }[]
}

/** An alarm and what its control said; `quiet` without an alarm. */
type AlarmOutcome = 'quiet' | ControlOutcome

interface JudgedCase extends CaseTest {
  readonly outcome: AlarmOutcome
}

export interface GateVerdict {
  readonly kind: 'verdict'
  /** An alarm was confirmed or could not be controlled. */
  readonly blocked: boolean
  readonly suite: SuiteTest & { readonly outcome: AlarmOutcome }
  /** The cases that were tested one by one, flagged or not. */
  readonly cases: readonly JudgedCase[]
}

/**
 * What to run next, or the verdict: the caller runs the batch, adds its counts to `cases`, marks it done and asks again,
 * three times at most. Source: spec verdict 4.2.
 */
export function nextStep(
  cases: readonly CaseEvidence[],
  batches: Batches,
  settings: GateSettings,
): AskedBatch | GateVerdict {
  const test = suiteTest(cases, settings)
  if (test.fires && batches.suiteControl === 'open' && settings.suiteControlRuns > 0) {
    const runs = [...cases.entries()].filter(([, item]) => isComparable(item))
    return ask(
      'suiteControl',
      runs.map(([place]) => ({ place, count: settings.suiteControlRuns })),
    )
  }
  const suite = { ...test, outcome: test.fires ? suiteControl(cases, settings) : ('quiet' as const) }
  const reruns = batches.reruns === 'open' ? rerunsOf(cases, blocks(suite.outcome), settings) : []
  if (reruns.length > 0) return ask('reruns', reruns)

  const tests = caseTest(cases, settings)
  const isStale = suite.outcome === 'environment_moved'
  const flagged = tests.filter((item) => item.flagged)
  const count = isStale ? settings.maxRuns : settings.controlRuns
  if (flagged.length > 0 && batches.control === 'open' && count > 0) {
    return ask(
      'control',
      flagged.map(({ place }) => ({ place, count })),
    )
  }
  const judged = judgeCases(cases, tests, isStale, settings)
  return {
    kind: 'verdict',
    blocked: blocks(suite.outcome) || judged.some(({ outcome }) => blocks(outcome)),
    suite,
    cases: judged,
  }
}

function ask(batch: BatchName, runs: AskedBatch['runs']): AskedBatch {
  return { kind: 'ask', batch, runs }
}

function blocks(outcome: AlarmOutcome): boolean {
  return outcome === 'confirmed' || outcome === 'uncontrolled'
}

/**
 * Every suspicious case up to `maxRuns`; none when the suite is red already and naming the many would cost too much.
 */
function rerunsOf(cases: readonly CaseEvidence[], isSuiteRed: boolean, settings: GateSettings): AskedBatch['runs'] {
  if (!isAdaptive(settings)) return []
  const suspicious = suspiciousCases(cases, settings)
  if (isSuiteRed && suspicious.length > Math.max(10, cases.length / 5)) return []
  return suspicious.flatMap((place) => {
    const item = cases[place]
    const count = item ? settings.maxRuns - runsOf(item.all) : 0
    return count > 0 ? [{ place, count }] : []
  })
}

function judgeCases(
  cases: readonly CaseEvidence[],
  tests: readonly CaseTest[],
  isStale: boolean,
  settings: GateSettings,
): JudgedCase[] {
  const flagged = tests.flatMap(({ place, flagged: isFlagged }) => {
    const item = cases[place]
    return isFlagged && item ? [{ place, item }] : []
  })
  const items = flagged.map(({ item }) => item)
  const controls = isStale ? freshCaseControl(items, settings) : items.map((item) => caseControl(item, settings))
  const outcomes = new Map(flagged.map(({ place }, index) => [place, controls[index]]))
  return tests.map((test) => ({ ...test, outcome: outcomes.get(test.place) ?? 'quiet' }))
}
